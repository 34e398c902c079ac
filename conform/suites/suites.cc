#include "conform/suites/suites.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "conform/judge/judge.h"
#include "conform/oracle/map_judge.h"
#include "conform/oracle/tla_ops.h"
#include "conform/suites/access_suite.h"
#include "conform/suites/hlo_suites.h"
#include "conform/suites/layout_suites.h"
#include "conform/suites/map_family.h"
#include "conform/suites/map_suites.h"
#include "conform/suites/tla_suite.h"
#include "generate/choose/stable_hash.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::conform {
namespace {

const Suite kSuites[] = {
    {"layout", true, layout_fixed, make_layout_request, layout_family, layout_family_text,
     shrink_layout_requests},
    {"map", true, map_fixed, make_map_request, evaluate_family, evaluate_family_text,
     shrink_map_requests},
    {"simplify", true, simplify_fixed, make_simplify_request, simplify_family, simplify_family_text,
     shrink_map_requests},
    {"compose", true, compose_fixed, make_compose_request, compose_family, compose_family_text,
     shrink_map_requests},
    {"equal", true, equal_fixed, make_equal_request, equal_family, equal_family_text,
     shrink_map_requests},
    {"tla", true, tla_fixed, make_tla_request, tla_family, tla_family_text, shrink_tla_requests},
    {"hlo", true, hlo_fixed, make_hlo_request, hlo_family, hlo_family_text, shrink_hlo_requests},
    {"uses", false, access_fixed, make_access_request, nullptr, nullptr, shrink_access_requests},
    {"parse", false, parse_fixed, make_parse_request, nullptr, nullptr, shrink_layout_requests},
};

constexpr int kMaxTries = 200;  // for one case within the limits

// The text of a value, the keys of each object sorted; of the outermost one without `id` and
// `parsed`.
void append_sorted(std::string& out, const Json& json, bool outermost = false) {
  if (const auto* object = json.as<Json::Object>()) {
    absl::InlinedVector<const Member*, 8> members;
    for (const Member& m : *object) {
      if (!outermost || (m.key != "id" && m.key != "parsed")) members.push_back(&m);
    }
    std::sort(members.begin(), members.end(),
              [](const Member* a, const Member* b) { return a->key < b->key; });
    out += '{';
    for (const Member* m : members) {
      if (out.back() != '{') out += ',';
      append_text(out, absl::string_view(m->key));
      out += ':';
      append_sorted(out, m->value);
    }
    out += '}';
  } else if (const auto* array = json.as<Json::Array>()) {
    out += '[';
    for (size_t i = 0; i < array->size(); ++i) {
      if (i > 0) out += ',';
      append_sorted(out, (*array)[i]);
    }
    out += ']';
  } else {
    append_text(out, json);
  }
}

// Signed integers of so many bits.
bool fits(const Json& integer, int64_t bits) {
  const int64_t* value = integer.as<int64_t>();
  if (bits > 64) return true;
  if (value == nullptr) return false;
  if (bits == 64) return true;
  if (bits < 1) return false;
  const int64_t least = -(int64_t{1} << (bits - 1));
  return *value >= least && *value <= -(least + 1);
}

// Every run of digits in a text counts as an integer, with the sign right before it.
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

// The ranks and tiles of all arrays in a shape.
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

// The same of all shapes of a module. A text that is none has none.
bool hlo_within(const Json* hlo, const Limits& limits) {
  const auto* text = hlo == nullptr ? nullptr : hlo->as<std::string>();
  const absl::StatusOr<HloModule> module =
      text == nullptr ? absl::InvalidArgumentError("no text") : parse_hlo_module(*text);
  if (!module.ok()) return true;
  for (const HloComputation& computation : module->computations) {
    for (const HloInstruction& instruction : computation.instructions) {
      if (instruction.shape && !shape_within(*instruction.shape, limits)) return false;
    }
  }
  return true;
}

// The same of a text that is no shape, roughly, and rather too strictly.
bool text_within(absl::string_view text, const Limits& limits) {
  const auto commas = std::count(text.begin(), text.end(), ',');
  const auto parentheses = std::count(text.begin(), text.end(), '(');
  return commas < limits.rank.value_or(INT64_MAX) &&
         parentheses <= limits.tiles.value_or(INT64_MAX);
}

// The widest tuple of a nested layout.
bool nested_within(const IntTuple& shape, int64_t limit) {
  return rank(shape) <= limit &&
         std::all_of(shape.elements.begin(), shape.elements.end(),
                     [limit](const IntTuple& mode) { return nested_within(mode, limit); });
}

// A text that is no layout has none.
bool layout_within(const Json& request, const Limits& limits) {
  if (!limits.rank || find(request, "layout") == nullptr) return true;
  const absl::StatusOr<NestedLayout> layout = nested_under(request);
  return !layout.ok() || nested_within(layout->shape, *limits.rank);
}

bool op_within(const Json& request, const Limits& limits) {
  if (!limits.ops) return true;
  const Json* op = find(request, "op");
  return op != nullptr && std::any_of(limits.ops->begin(), limits.ops->end(),
                                      [op](const std::string& name) { return *op == Json(name); });
}

// A program of fewer bits may need the sizes of a shape whatever it is asked about it.
bool sizes_fit(const Json& shape, int64_t bits) {
  return integers_fit(right_answer(json_object({{"op", "layout.physical"}, {"shape", shape}})),
                      bits);
}

}  // namespace

absl::Span<const Suite> suites() { return kSuites; }

const Suite* suite_named(absl::string_view name) {
  for (const Suite& suite : kSuites) {
    if (suite.name == name) return &suite;
  }
  return nullptr;
}

Cases::Cases(const Suite& suite, uint64_t seed, Limits limits)
    : suite_(suite), seed_(seed), limits_(std::move(limits)), fixed_(suite.fixed()) {}

std::optional<Case> Cases::next() {
  while (position_ < fixed_.size()) {
    const Json& request = fixed_[position_++];
    if (within(request, limits_)) return Case{request, {}};
    ++beyond_;
  }
  const uint64_t number = position_++;
  for (int attempt = 0; attempt < kMaxTries; ++attempt) {
    const std::string name =
        absl::StrCat(std::string(suite_.name), " ", seed_, " ", number, " ", attempt);
    const uint64_t random = stable_hash(name);
    Choose choose(Choose::Random{random});
    Json request = suite_.make(choose, limits_);
    if (within(request, limits_)) return Case{std::move(request), random};
    ++beyond_;
  }
  return std::nullopt;
}

std::vector<int64_t> choices_of(const Suite& suite, const Limits& limits, const Case& made) {
  if (!made.random) return {};
  Choose choose(Choose::Random{*made.random});
  suite.make(choose, limits);
  return choose.made();
}

uint64_t case_hash(const Json& request) {
  static thread_local std::string text;  // memory that is used again
  text.clear();
  append_sorted(text, request, true);
  return stable_hash(text);
}

std::string case_id(uint64_t hash) { return absl::StrCat(absl::Hex(hash, absl::kZeroPad16)); }

bool within(const Json& request, const Limits& limits) {
  if (!op_within(request, limits)) return false;
  const Json* shape = find(request, "shape");
  const auto* text = shape == nullptr ? nullptr : shape->as<std::string>();
  if (text != nullptr && (limits.rank || limits.tiles)) {
    const absl::StatusOr<Shape> parsed = parse_shape(*text);
    if (!(parsed.ok() ? shape_within(*parsed, limits) : text_within(*text, limits))) return false;
  }
  if ((limits.rank || limits.tiles) && !hlo_within(find(request, "hlo"), limits)) return false;
  if (!layout_within(request, limits)) return false;
  if (!limits.bits) return true;
  const int64_t bits = *limits.bits;
  if (!integers_fit(request, bits)) return false;
  if (bits >= 64) return true;
  const Json* result = nullptr;
  const Json right = right_answer(request);
  if ((result = find(right, "result")) != nullptr && !integers_fit(*result, bits)) return false;
  // .. and the values within a map whatever it is asked about it.
  if (bits >= 2 && request_may_leave(request, bits)) return false;
  if (bits >= 2 && tla_may_leave(request, bits)) return false;
  return text == nullptr || find(right, "error") != nullptr || sizes_fit(*shape, bits);
}

}  // namespace tileproof::conform
