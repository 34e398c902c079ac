// SPDX-License-Identifier: Apache-2.0
// tla.composition, tla.coalesce and tla.complement. A wrong composition takes, for a mode of B, what it needs from one
// mode of A after the other:
//
//     (4,6):(1,10) o 8:2    2 elements of 4:1 with stride 2, then 4 of 6:10: (2,4):(2,10)
//
// That is right only if the numbers divide each other.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conform/oracle/operations.h"
#include "conform/zoo/variants.h"
#include "spec/lang/layout/nested.h"
#include "spec/lang/layout/nested_text.h"

namespace tileproof::zoo {
namespace {

using conform::Json;

struct Mode {
  int64_t extent, stride;
};
using Modes = std::vector<Mode>;

// How a wrong composition rounds, and what it refuses.
struct Way {
  bool extents_up = false;      // the elements that a mode of A gives: rounded up
  bool strides_down = false;    // the stride that is left for the next mode: rounded down
  bool ones_stay = false;       // modes of extent 1 are kept
  bool checks = false;          // refuses extents that do not divide, and some strides
  bool merged = true;           // A is coalesced first
  bool backward = false;        // about strides below 0 alone
  bool where_none_fits = true;  // about what is to be refused alone
};

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
int64_t ceil_div(int64_t a, int64_t b) { return -floor_div(-a, b); }

// The modes of a layout from left to right; none if a number is too large.
std::optional<Modes> modes_of(const NestedLayout& layout) {
  const std::vector<int64_t> extents = leaves(layout.shape), strides = leaves(layout.stride);
  Modes modes;
  for (size_t i = 0; i < extents.size(); ++i) {
    const bool fits = extents[i] >= 1 && extents[i] < 1 << 20 && std::abs(strides[i]) < 1 << 20;
    if (!fits) return std::nullopt;
    modes.push_back({extents[i], strides[i]});
  }
  return modes;
}

// A mode of B, composed. No value if it is refused.
std::optional<Modes> compose_mode(const Modes& a, Mode rest, const Way& way) {
  if (rest.stride == 0) return Modes{{rest.extent, 0}};
  Modes result;
  for (size_t k = 0; k + 1 < a.size(); ++k) {
    const int64_t extent = a[k].extent;
    if (rest.stride == 0) return std::nullopt;
    const int64_t wanted =
        way.extents_up ? ceil_div(extent, rest.stride) : floor_div(extent, rest.stride);
    const int64_t taken = std::min(std::max<int64_t>(wanted, 1), rest.extent);
    const bool divides =
        rest.extent % taken == 0 && (rest.stride % extent == 0 || rest.stride < extent);
    if (way.checks && !divides) return std::nullopt;
    if (taken != 1 || way.ones_stay) result.push_back({taken, rest.stride * a[k].stride});
    rest.extent /= taken;
    rest.stride = way.strides_down ? floor_div(rest.stride, extent) : ceil_div(rest.stride, extent);
    if (std::abs(rest.stride) > 1 << 20) return std::nullopt;
  }
  if (rest.extent != 1 || way.ones_stay || result.empty()) {
    result.push_back({rest.extent, rest.stride * a.back().stride});
  }
  return result;
}

NestedLayout layout_of(const Modes& modes) {
  if (modes.size() == 1) return {make_integer(modes[0].extent), make_integer(modes[0].stride)};
  NestedLayout layout{make_tuple({}), make_tuple({})};
  for (const Mode& mode : modes) {
    layout.shape.elements.push_back(make_integer(mode.extent));
    layout.stride.elements.push_back(make_integer(mode.stride));
  }
  return layout;
}

std::optional<NestedLayout> compose(const Modes& a, const NestedLayout& b, const Way& way) {
  if (!b.shape.is_tuple) {
    const std::optional<Modes> modes = compose_mode(a, {b.shape.value, b.stride.value}, way);
    return modes ? std::optional(layout_of(*modes)) : std::nullopt;
  }
  NestedLayout result{make_tuple({}), make_tuple({})};
  for (int64_t i = 0; i < rank(b.shape); ++i) {
    std::optional<NestedLayout> mode = compose(a, tileproof::mode(b, i), way);
    if (!mode) return std::nullopt;
    result.shape.elements.push_back(std::move(mode->shape));
    result.stride.elements.push_back(std::move(mode->stride));
  }
  return result;
}

absl::StatusOr<NestedLayout> nested_in(const Json& request, absl::string_view field) {
  return parse_nested_layout(text_under(request, field));
}

absl::StatusOr<NestedLayout> coalesced(const NestedLayout& a) {
  const Json request = conform::json_object({{"op", "tla.coalesce"}, {"layout", to_text(a)}});
  const auto result = conform::tla_algebra(request, conform::Engine::kImpl);
  if (!result.ok()) return result.status();
  return parse_nested_layout(*result->value.as<std::string>());
}

void answer_in(const Way& way, const Json& request, conform::Answer& answer) {
  const bool refused = answer.kind == conform::Answer::Kind::kError;
  if (refused != way.where_none_fits) return;
  const auto a = nested_in(request, "layout"), b = nested_in(request, "by");
  if (!a.ok() || !b.ok()) return;
  const auto flat = coalesced(*a);
  const std::optional<Modes> modes_a = modes_of(*a), modes_b = modes_of(*b);
  if (!flat.ok() || !modes_a || !modes_b || modes_a->empty()) return;
  const std::optional<Modes> merged = modes_of(*flat);
  if (!merged || (!way.merged && merged->size() == modes_a->size())) return;
  const bool backward = std::any_of(modes_b->begin(), modes_b->end(),
                                    [](const Mode& mode) { return mode.stride < 0; });
  if (backward != way.backward) return;
  const auto result = compose(way.merged ? *merged : *modes_a, *b, way);
  if (result) answer = conform::result_answer(answer.id, to_text(*result));
}

template <const Way& way>
void composed(const Json& request, conform::Answer& answer) {
  answer_in(way, request, answer);
}

constexpr Way kNotMerged = {.strides_down = true, .merged = false, .where_none_fits = false};
constexpr Way kWeakCheck = {.extents_up = true, .checks = true};
constexpr Way kNoCheck = {.extents_up = true, .ones_stay = true};
constexpr Way kNoCheckDown = {};
constexpr Way kBackward = {.backward = true};

// Composes what no layout is: the shape of the right operand with its strides.
void composed_without_check(const Json& request, conform::Answer& answer) {
  const auto a = nested_in(request, "layout"), b = nested_in(request, "by");
  if (is_result(answer) || !a.ok() || !b.ok()) return;
  answer = conform::result_answer(answer.id, to_text(*b));
}

// Merges two modes if the second one's stride is the first one's extent, whatever its stride.
void merged_by_extent(const Json& request, Json& result) {
  const auto a = nested_in(request, "layout");
  if (!a.ok() || !a->shape.is_tuple || a->shape.elements.size() != 2) return;
  const IntTuple &m = a->shape.elements[0], &n = a->shape.elements[1];
  const IntTuple &s = a->stride.elements[0], &t = a->stride.elements[1];
  if (m.is_tuple || n.is_tuple || t.value != m.value || m.value < 1 || m.value > 1 << 20) return;
  result = std::to_string(m.value * n.value) + ":" + std::to_string(s.value);
}

// Rounds the size of a complement down.
bool complement_rounded_down(Json& request) {
  const int64_t* size = find_as<int64_t>(request, "size");
  if (size == nullptr || *size < 2 || *size % 2 == 0) return false;
  set(request, "size", *size - 1);
  return true;
}

const Variant kAlgebraVariants[] = {
    {"CUT-16", OtherAnswer(composed<kNotMerged>)},
    {"OPEN-26", OtherAnswer(composed<kWeakCheck>)},
    {"OPEN-27", OtherAnswer(composed<kNoCheck>)},
    {"OPEN-28", OtherAnswer(composed<kNoCheckDown>)},
    {"OPEN-31", OtherAnswer(composed<kBackward>)},
    {"SECOND-COALESCE", OtherResult(merged_by_extent)},
    {"SECOND-COMPLEMENT", OtherRequest(complement_rounded_down)},
    {"SECOND-COMPOSITION", OtherAnswer(composed_without_check)},
};

}  // namespace

absl::Span<const Variant> algebra_variants() { return kAlgebraVariants; }

}  // namespace tileproof::zoo
