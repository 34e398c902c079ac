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
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "conform/oracle/fields.h"
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

// tla.offset and tla.make: wrong offsets and strides of nested layouts.

bool is_pair(const IntTuple& tuple) { return tuple.is_tuple && tuple.elements.size() == 2; }

// A layout of two modes with an inner and an outer part each, and a coordinate of two integers.
struct Fractal {
  int64_t inner[2], outer[2];  // extents
  int64_t inner_stride[2], outer_stride[2];
  int64_t at[2];
};

std::optional<Fractal> fractal(const Json& request) {
  const absl::StatusOr<NestedLayout> layout = conform::nested_under(request);
  const Json* given = find(request, "coord");
  const absl::StatusOr<IntTuple> coord =
      conform::int_tuple_in(given == nullptr ? Json() : *given, "coord");
  if (!layout.ok() || !coord.ok() || !is_pair(layout->shape) || !is_pair(*coord)) {
    return std::nullopt;
  }
  Fractal f;
  for (size_t i = 0; i < 2; ++i) {
    const IntTuple &shape = layout->shape.elements[i], &stride = layout->stride.elements[i];
    if (!is_pair(shape) || coord->elements[i].is_tuple) return std::nullopt;
    if (shape.elements[0].is_tuple || shape.elements[1].is_tuple) return std::nullopt;
    f.inner[i] = shape.elements[0].value;
    f.outer[i] = shape.elements[1].value;
    f.inner_stride[i] = stride.elements[0].value;
    f.outer_stride[i] = stride.elements[1].value;
    f.at[i] = coord->elements[i].value;
    if (f.inner[i] < 1) return std::nullopt;
  }
  return f;
}

int64_t wrapped(int64_t a, int64_t b, int64_t c, int64_t d) {
  return static_cast<int64_t>(uint64_t(a) * uint64_t(b) + uint64_t(c) * uint64_t(d));
}

// Treats the layout as row-major: the first mode has its inner stride, the second has stride 1.
void row_major_assumed(const Json& request, Json& result) {
  const std::optional<Fractal> f = fractal(request);
  if (f) result = wrapped(f->at[0], f->inner_stride[0], f->at[1], 1);
}

// Multiplies coordinates by the stride inside the fractal, even beyond the fractal.
void affine_across_fractals(const Json& request, Json& result) {
  const std::optional<Fractal> f = fractal(request);
  if (!f) return;
  result = wrapped(f->at[0], f->inner_stride[0], f->at[1], f->inner_stride[1]);
}

// True for zZ, or for nN with its modes exchanged: the fractals have the order of their elements.
bool is_zz(const Fractal& f, size_t z) {
  const size_t n = 1 - z;
  return f.inner_stride[n] == 1 && f.inner_stride[z] == f.inner[n] &&
         f.outer_stride[n] == f.inner[0] * f.inner[1] &&
         f.outer_stride[z] == f.outer[n] * f.outer_stride[n];
}

// Returns the offset of the fractal and forgets the position inside it.
void place_in_fractal_dropped(const Json& request, Json& result) {
  const std::optional<Fractal> f = fractal(request);
  if (!f || (!is_zz(*f, 0) && !is_zz(*f, 1))) return;
  result = wrapped(f->at[0] / f->inner[0], f->outer_stride[0], f->at[1] / f->inner[1],
                   f->outer_stride[1]);
}

// A coordinate past the end of the last mode starts again at 0.
bool last_mode_wraps(Json& request) {
  const absl::StatusOr<NestedLayout> layout = conform::nested_under(request);
  const auto* coord = find_as<Json::Array>(request, "coord");
  if (!layout.ok() || coord == nullptr || !layout->shape.is_tuple) return false;
  if (coord->size() != layout->shape.elements.size()) return false;
  Json::Array inside = *coord;
  for (size_t i = 0; i < inside.size(); ++i) {
    const IntTuple& mode = layout->shape.elements[i];
    const int64_t* at = inside[i].as<int64_t>();
    if (at == nullptr || mode.is_tuple || mode.value < 1 || *at < mode.value) continue;
    inside[i] = *at % mode.value;
  }
  set(request, "coord", std::move(inside));
  return true;
}

// A nested mode with an integer coordinate counts from its last part.
bool last_part_first(Json& request) {
  absl::StatusOr<NestedLayout> layout = conform::nested_under(request);
  if (!layout.ok() || find_as<int64_t>(request, "coord") == nullptr) return false;
  std::ranges::reverse(layout->shape.elements);
  std::ranges::reverse(layout->stride.elements);
  set(request, "layout", to_text(*layout));
  return true;
}

// ---- tla.make ----

// Stores each stride of the result in a narrower integer.
template <class Narrow>
void narrow_strides(const Json&, Json& result) {
  const auto* text = result.as<std::string>();
  const absl::StatusOr<NestedLayout> layout = parse_nested_layout(text == nullptr ? "" : *text);
  if (!layout.ok()) return;
  std::vector<int64_t> strides = leaves(layout->stride);
  for (int64_t& stride : strides) stride = static_cast<Narrow>(stride);
  result = to_text(NestedLayout{layout->shape, with_leaves(layout->stride, strides)});
}

// A fractal of 64-bit elements has the width of one of 32 bits.
bool wide_elements_as_narrow(Json& request) {
  const int64_t* bits = find_as<int64_t>(request, "element_bits");
  if (bits == nullptr || *bits != 64) return false;
  set(request, "element_bits", 32);
  return true;
}

// The rows of a tagged matrix have 16 bits.
bool rows_in_16_bits(Json& request) {
  const int64_t* rows = find_as<int64_t>(request, "rows");
  if (rows == nullptr || *rows < 1 << 16) return false;
  set(request, "rows", *rows & 0xffff);
  return true;
}

const Variant kTlaVariants[] = {
    {"CUT-16", OtherAnswer(composed<kNotMerged>)},
    {"OPEN-26", OtherAnswer(composed<kWeakCheck>)},
    {"OPEN-27", OtherAnswer(composed<kNoCheck>)},
    {"OPEN-28", OtherAnswer(composed<kNoCheckDown>)},
    {"OPEN-31", OtherAnswer(composed<kBackward>)},
    {"SECOND-COALESCE", OtherResult(merged_by_extent)},
    {"SECOND-COMPLEMENT", OtherRequest(complement_rounded_down)},
    {"SECOND-COMPOSITION", OtherAnswer(composed_without_check)},
    {"CAT-01", OtherResult(row_major_assumed)},
    {"CAT-09", OtherResult(narrow_strides<uint16_t>)},
    {"OPEN-33", OtherResult(place_in_fractal_dropped)},
    {"FACT-TLA-SLICE", OtherResult(affine_across_fractals)},
    {"FACT-TLA-WRAP", OtherResult(narrow_strides<int32_t>)},
    {"LIKE-TRI-02", OtherRequest(last_mode_wraps)},
    {"LIKE-FACT-TLA-WEIGHT", OtherRequest(wide_elements_as_narrow)},
    {"SECOND-PARTS", OtherRequest(last_part_first)},
    {"SECOND-ROWS-16", OtherRequest(rows_in_16_bits)},
};

}  // namespace

absl::Span<const Variant> tla_variants() { return kTlaVariants; }

}  // namespace tileproof::zoo
