// SPDX-License-Identifier: Apache-2.0
#include "conform/suites/suites.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "conform/judge/judge.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/operations.h"
#include "conform/suites/makers.h"
#include "conform/suites/requests.h"
#include "generate/choose/choose.h"
#include "generate/choose/stable_hash.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/layout/layout_function.h"

namespace tileproof::conform {
namespace {

const Suite kSuites[] = {
    {"layout", ByDefault::kAsked, make_layout_request, layout_family, layout_family_text},
    {"map", ByDefault::kAsked, make_map_request, evaluate_family, evaluate_family_text},
    {"simplify", ByDefault::kAsked, make_simplify_request, simplify_family, simplify_family_text},
    {"compose", ByDefault::kAsked, make_compose_request, compose_family, compose_family_text},
    {"equal", ByDefault::kAsked, make_equal_request, equal_family, equal_family_text},
    {"tla", ByDefault::kAsked, make_tla_request, tla_family, tla_family_text},
    {"algebra", ByDefault::kAsked, make_algebra_request, nullptr, nullptr},
    {"formats", ByDefault::kAsked, make_format_request, nullptr, nullptr},
    {"hlo", ByDefault::kAsked, make_hlo_request, hlo_family, hlo_family_text},
    {"uses", ByDefault::kAsked, make_access_request, nullptr, nullptr},
    {"facts", ByDefault::kAskedIfNamed, make_facts_request, nullptr, nullptr},
    {"tile", ByDefault::kAskedIfNamed, make_tile_request, nullptr, nullptr},
    {"threads", ByDefault::kAskedIfNamed, make_threads_request, nullptr, nullptr},
    {"values", ByDefault::kAskedIfNamed, make_values_request, nullptr, nullptr},
    {"devices", ByDefault::kAskedIfNamed, make_devices_request, nullptr, nullptr},
    {"parse", ByDefault::kNotAsked, make_parse_request, nullptr, nullptr},
};

constexpr int kMaxTries = 200;  // to make one case within the limits

// Returns whether the integer fits a signed integer of `bits` bits.
bool fits(const Json& integer, int64_t bits) {
  const int64_t* value = integer.as<int64_t>();
  if (bits > 64) return true;
  if (value == nullptr) return false;
  if (bits == 64) return true;
  if (bits < 1) return false;
  const int64_t least = -(int64_t{1} << (bits - 1));
  return *value >= least && *value <= -(least + 1);
}

// The same for every integer in a text: a run of digits, with `-` if it is right before them.
bool digits_fit(absl::string_view text, int64_t bits) {
  size_t at = 0;
  while (at < text.size()) {
    const size_t start = at;
    while (at < text.size() && absl::ascii_isdigit(static_cast<unsigned char>(text[at]))) ++at;
    if (at == start) {
      ++at;
      continue;
    }
    const size_t from = start > 0 && text[start - 1] == '-' ? start - 1 : start;
    int64_t value;
    if (!absl::SimpleAtoi(text.substr(from, at - from), &value)) return bits > 64;
    if (!fits(value, bits)) return false;
  }
  return true;
}

bool integers_fit(const Json& json, int64_t bits) {
  if (is_integer(json)) return fits(json, bits);
  if (const auto* text = json.as<std::string>()) return digits_fit(*text, bits);
  if (const auto* array = json.as<Json::Array>()) {
    return std::all_of(array->begin(), array->end(),
                       [bits](const Json& item) { return integers_fit(item, bits); });
  }
  if (const auto* object = json.as<Json::Object>()) {
    return std::all_of(object->begin(), object->end(), [bits](const Member& m) {
      return m.key == "op" || integers_fit(m.value, bits);
    });
  }
  return true;
}

// Checks the rank and the tiles of every array in a shape.
bool shape_within(const Shape& shape, const Limits& limits) {
  const int64_t rank = limits.rank.value_or(INT64_MAX);
  if (shape.rank() > rank) return false;
  for (const Shape& part : shape.parts) {
    if (!shape_within(part, limits)) return false;
  }
  if (!shape.layout) return true;
  if (std::ssize(shape.layout->tiles) > limits.tiles.value_or(INT64_MAX)) return false;
  return std::all_of(shape.layout->tiles.begin(), shape.layout->tiles.end(),
                     [rank](const Tile& tile) { return std::ssize(tile.dims) <= rank; });
}

// The same for every shape of a module. An invalid text is within all limits.
bool hlo_within(const Json& request, const Limits& limits) {
  const auto* text = find_as<std::string>(request, "hlo");
  const absl::StatusOr<HloModule> module =
      text == nullptr ? invalid("no text") : parse_hlo_module(*text);
  if (!module.ok()) return true;
  for (const HloComputation& computation : module->computations) {
    for (const HloInstruction& instruction : computation.instructions) {
      if (instruction.shape && !shape_within(*instruction.shape, limits)) return false;
    }
  }
  return true;
}

// A check of the text of a shape, by its commas and parentheses: fast, and it may reject a shape
// within the limits. For an invalid text it decides.
bool text_within(absl::string_view text, const Limits& limits) {
  const auto commas = std::count(text.begin(), text.end(), ',');
  const auto parentheses = std::count(text.begin(), text.end(), '(');
  return commas < limits.rank.value_or(INT64_MAX) &&
         parentheses <= limits.tiles.value_or(INT64_MAX);
}

// Checks the rank of every tuple in a nested layout.
bool nested_within(const IntTuple& shape, int64_t limit) {
  return rank(shape) <= limit &&
         std::all_of(shape.elements.begin(), shape.elements.end(),
                     [limit](const IntTuple& mode) { return nested_within(mode, limit); });
}

// The same for the layout of a request. An invalid text is within all limits.
bool layout_within(const Json& request, const Limits& limits) {
  const Json* text = find(request, "layout");
  if (!limits.rank || text == nullptr) return true;
  const auto* given = text->as<std::string>();
  const absl::StatusOr<AnyLayout> layout = parse_any_layout(given == nullptr ? "" : *given);
  if (!layout.ok()) return true;
  if (const auto* nested = std::get_if<NestedLayout>(&*layout))
    return nested_within(nested->shape, *limits.rank);
  if (const auto* swizzled = std::get_if<SwizzledLayout>(&*layout))
    return nested_within(swizzled->layout.shape, *limits.rank);
  const auto function = spec::layout_function(*layout);
  return !function.ok() || std::ssize(function->dims) <= *limits.rank;
}

// Checks the sizes of a shape: a program may need them for every question about the shape.
bool sizes_fit(const Json& shape, int64_t bits) {
  return integers_fit(likely_answer(json_object({{"op", "layout.physical"}, {"shape", shape}})),
                      bits);
}

}  // namespace

std::vector<Json> Suite::fixed() const {
  std::vector<Json> requests;
  for (const auto& [suite, lines] : kRequests) {
    if (suite != name) continue;
    for (absl::string_view line : absl::StrSplit(lines, '\n', absl::SkipEmpty())) {
      if (line[0] == '#') continue;
      auto request = read_json(line);
      if (request.ok()) requests.push_back(std::move(request->value));  // a test counts the lines
    }
  }
  return requests;
}

absl::Span<const Suite> suites() { return kSuites; }

const Suite* suite_named(absl::string_view name) {
  for (const Suite& suite : kSuites) {
    if (suite.name == name) return &suite;
  }
  return nullptr;
}

bool asks(const Suite& suite, absl::string_view operation) {
  const std::vector<Json> requests = suite.fixed();
  return std::ranges::any_of(requests, [operation](const Json& request) {
    return *find(request, "op") == Json(operation);
  });
}

std::vector<const Suite*> default_suites(const Limits& limits) {
  std::vector<const Suite*> chosen;
  for (const Suite& suite : kSuites) {
    const bool is_named =
        suite.by_default == ByDefault::kAskedIfNamed && limits.ops &&
        std::ranges::any_of(*limits.ops, [&](const std::string& op) { return asks(suite, op); });
    if (is_named || suite.by_default == ByDefault::kAsked) chosen.push_back(&suite);
  }
  return chosen;
}

Cases::Cases(const Suite& suite, uint64_t seed, Limits limits)
    : suite_(suite), seed_(seed), limits_(std::move(limits)), fixed_(suite.fixed()) {}

std::optional<Case> Cases::next() {
  while (position_ < fixed_.size()) {
    const Json& request = fixed_[position_++];
    if (within(request, limits_)) return Case{request, {}};
    ++(is_named(request, limits_) ? not_asked_.beyond : not_asked_.unnamed);
  }
  const uint64_t number = position_++;
  for (int attempt = 0; attempt < kMaxTries; ++attempt) {
    const std::string name =
        absl::StrCat(std::string(suite_.name), " ", seed_, " ", number, " ", attempt);
    const uint64_t hash = stable_hash(name);
    // The decisions of a case may themselves be beyond the limits.
    const uint64_t random = attempt == 0 ? seed_of_case(seed_, number - fixed_.size(), hash) : hash;
    Choose choose(Choose::Random{random});
    Json request = suite_.make(choose, limits_);
    if (within(request, limits_)) return Case{std::move(request), random};
    ++(is_named(request, limits_) ? not_asked_.beyond : not_asked_.unnamed);
  }
  return std::nullopt;
}

std::vector<int64_t> choices_of(const Suite& suite, const Limits& limits, const Case& made) {
  if (!made.random) return {};
  Choose choose(Choose::Random{*made.random});
  suite.make(choose, limits);
  return choose.made();
}

bool is_named(const Json& request, const Limits& limits) {
  return !limits.ops || std::ranges::any_of(*limits.ops, [&](const std::string& name) {
    return is(request, "op", name);
  });
}

bool within(const Json& request, const Limits& limits) {
  if (!is_named(request, limits)) return false;
  const auto* text = find_as<std::string>(request, "shape");
  if (text != nullptr && !text_within(*text, limits)) {
    const absl::StatusOr<Shape> parsed = parse_shape(*text);
    if (!parsed.ok() || !shape_within(*parsed, limits)) return false;
  }
  if ((limits.rank || limits.tiles) && !hlo_within(request, limits)) return false;
  if (!layout_within(request, limits)) return false;
  if (!limits.bits) return true;
  const int64_t bits = *limits.bits;
  if (!integers_fit(request, bits)) return false;
  if (bits >= 64) return true;
  const Json right = likely_answer(request);
  const Json* result = find(right, "result");
  if (result != nullptr && !integers_fit(*result, bits)) return false;
  // Intermediate values must fit, too.
  if (bits >= 2 && request_may_leave(request, bits)) return false;
  if (bits >= 2 && tla_may_leave(request, bits)) return false;
  return text == nullptr || find(right, "error") != nullptr || sizes_fit(*text, bits);
}

}  // namespace tileproof::conform
