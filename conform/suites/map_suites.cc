// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/grid_json.h"
#include "conform/oracle/operations.h"
#include "conform/suites/makers.h"
#include "generate/choose/limits.h"
#include "generate/map/generate_map.h"
#include "generate/map/mutate_map.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/map/map_text.h"
#include "verify/compare/banks_compare.h"
#include "verify/compare/grid_compare.h"

namespace tileproof::conform {
namespace {

using Values = std::vector<int64_t>;

// ---- Random maps ----

int64_t width(const Limits& limits) { return std::clamp<int64_t>(limits.bits.value_or(64), 8, 64); }

// Drops the results and constraints with values beyond 64 bits.
void drop_beyond_64_bits(IndexingMap& map) {
  IndexingMap alone = map;
  const auto leaves = [&](NodeId id) {
    alone.results = {id};
    alone.constraints.clear();
    return may_leave(alone, 64);
  };
  std::erase_if(map.results, leaves);
  std::erase_if(map.constraints, [&](const Constraint& c) { return leaves(c.expr); });
}

// Makes the bounds of variables wide, as far as values stay within 64 bits.
void widen_within_64_bits(Choose& choose, IndexingMap& map) {
  if (may_leave(map, 64)) return;
  IndexingMap wide = map;
  widen(choose, wide);
  drop_beyond_64_bits(wide);
  if (!wide.results.empty()) map = std::move(wide);
}

IndexingMap any_narrow_map(Choose& choose, const Limits& limits) {
  const bool wide = width(limits) == 64;
  constexpr int64_t kPoints = limits::kAskedPoints.most;
  MapLimits small{.depth = limits::kAskedDepth.least, .points = kPoints};
  switch (choose(13)) {
    case 0:
    case 1:
      return generate_map(choose, small);
    case 2:
    case 3:
    case 4:
    case 5:
      return generate_related(choose);
    case 6:
      small.depth = limits::kAskedDepth.most;
      return rewrite_by_identities(choose, generate_map(choose, small));
    case 7:
      small.extremes = wide;
      return generate_map(choose, small);
    case 8:
      return rewrite_by_identities(choose,
                                   generate_chain(choose, {.steps = 3, .points = kPoints}).map);
    case 9:
    case 10:
      return generate_rule_shaped(choose);
    case 11:
      return generate_chain(choose, {.points = wide ? int64_t{1} << 40 : kPoints, .nodes = 400})
          .map;
    default:
      return generate_chain(choose, {.points = kPoints, .nodes = 400}).map;
  }
}

// Most maps have the shapes that rules match, and each pair of decisions occurs; unless constraints
// leave few points, they have wide variables, too, because real arrays have thousands to billions of
// elements.
IndexingMap any_map(Choose& choose, Decisions decide, const Limits& limits) {
  const bool wide = width(limits) == 64;
  IndexingMap map;
  if (decide.kind({10, 2}) == 0) {
    map = generate_rule_shaped(choose, decide);
    if (wide && map.constraints.empty()) map = generate_digits(choose, std::move(map));
    drop_beyond_64_bits(map);
  } else {
    map = any_narrow_map(choose, limits);
    if (wide && choose.chance(7, 8)) widen_within_64_bits(choose, map);
  }
  return map;
}

// The text of the map, sometimes made invalid.
std::string text_of(Choose& choose, const IndexingMap& map) {
  std::string text = to_text(map);
  if (!choose.chance(1, 14)) return text;
  const size_t results = text.find("-> (") + 4;
  switch (choose(4)) {
    case 0:
      return text.insert(results, "1 floordiv 0, ");
    case 1:
      return text.insert(results, "d99, ");
    case 2:
      text.pop_back();
      return text;
    default:
      return "KNOWN";
  }
}

int64_t value_in(Choose& choose, Interval bounds) {
  if (bounds.low > bounds.high) return bounds.low;
  const auto span = static_cast<uint64_t>(bounds.high) - static_cast<uint64_t>(bounds.low);
  switch (choose(8)) {
    case 0:
      return bounds.low;
    case 1:
      return bounds.high;
    default: {
      const auto most = static_cast<int64_t>(std::min<uint64_t>(span, INT64_MAX - 1));
      return bounds.low + choose(most + 1);
    }
  }
}

Values values_in(Choose& choose, const std::vector<Variable>& variables) {
  Values values;
  for (const Variable& variable : variables) {
    int64_t value = value_in(choose, variable.bounds);
    if (choose.chance(1, 24) && value < INT64_MAX && value > INT64_MIN) {
      value = choose.chance(1, 2) ? variable.bounds.low : variable.bounds.high;
      if (value != INT64_MIN && value != INT64_MAX) value += value == variable.bounds.low ? -1 : 1;
    }
    values.push_back(value);
  }
  return values;
}

// Drops constraints and results until the text is short. A composition repeats the expressions of
// the first map for each variable of the second.
void make_short(IndexingMap& map) {
  constexpr size_t kFewResults = 3, kBytes = 600;
  map.results.resize(std::min(map.results.size(), kFewResults));
  while (to_text(map).size() > kBytes) {
    if (!map.constraints.empty()) {
      map.constraints.pop_back();
    } else if (map.results.size() > 1) {
      map.results.pop_back();
    } else {
      break;
    }
  }
}

// A map to compose with `first`: it has a dimension for each result of `first`. `shape` holds the
// sizes of these results, if they are known. Most dimensions get bounds of these sizes.
IndexingMap map_after(Choose& choose, const Limits& limits, const IndexingMap& first,
                      const std::vector<int64_t>& shape) {
  IndexingMap second = any_narrow_map(choose, limits);
  make_short(second);
  const size_t rank = first.results.size();
  const size_t had = second.dimensions.size();
  if (rank < had) {  // surplus dimensions become the constant 0
    for (Node& node : second.nodes) {
      if (node.op == Op::kDimension && node.value >= std::ssize(first.results)) {
        node = {.op = Op::kConstant};
      }
    }
  }
  second.dimensions.resize(rank);
  for (size_t i = 0; i < rank; ++i) {
    Variable& variable = second.dimensions[i];
    if (i >= had) variable = {{-100, 100}, ""};
    if (i < shape.size() && !choose.chance(1, 4)) variable.bounds = {0, shape[i] - 1};
  }
  return second;
}

Json evaluate_request(absl::string_view map, Values dims, Values ranges, Values runtime) {
  return json_object({{"op", "map.evaluate"},
                      {"map", map},
                      {"dims", dims},
                      {"ranges", ranges},
                      {"runtime", runtime}});
}

Json simplify_request(absl::string_view map) {
  return json_object({{"op", "map.simplify"}, {"map", map}});
}

Json compose_request(absl::string_view first, absl::string_view second) {
  return json_object({{"op", "map.compose"}, {"first", first}, {"second", second}});
}

Json equal_request(absl::string_view left, absl::string_view right) {
  return json_object({{"op", "map.equal"}, {"left", left}, {"right", right}});
}

using Texts = std::vector<std::string>;

constexpr int64_t kLeast = -3, kMost = 4;  // the range of constants
constexpr Interval kDim{-3, 4}, kRange{0, 2};

std::string text_of(Interval i) { return absl::StrCat("[", i.low, ", ", i.high, "]"); }

// Appends every operation on x by a constant.
void append_operations(const std::string& x, Texts& texts) {
  for (const char* op : {" + ", " * ", " floordiv ", " ceildiv ", " mod "}) {
    const bool divides = op[1] != '+' && op[1] != '*';
    for (int64_t c = kLeast; c <= kMost; ++c) {
      if (divides && c == 0) continue;
      texts.push_back(absl::StrCat("(", x, ")", op, "(", c, ")"));
    }
  }
}

// A variable, and every operation on it by a constant.
Texts short_ones(const std::string& variable) {
  Texts texts = {variable};
  append_operations(variable, texts);
  return texts;
}

// A map in canonical text.
std::string printed(absl::string_view results, Interval d0, Interval s0,
                    absl::string_view constraint = "") {
  return to_text(*parse_map(absl::StrCat("(d0)[s0] -> (", results, "), domain: d0 in ", text_of(d0),
                                         ", s0 in ", text_of(s0), constraint)));
}

Texts small_maps(Interval d0, Interval s0) {
  Texts maps;
  for (const std::string& text : bounded_expressions()) maps.push_back(printed(text, d0, s0));
  return maps;
}

// Every expression of at most one operation, constrained to each small interval.
Texts constrained_maps() {
  Texts maps;
  for (const char* variable : {"d0", "s0"}) {
    for (const std::string& text : short_ones(variable)) {
      for (int64_t low = -1; low <= 1; ++low) {
        for (int64_t high = low; high <= 2; ++high) {
          maps.push_back(printed("d0, s0", kDim, kRange,
                                 absl::StrCat(", ", text, " in ", text_of({low, high}))));
        }
      }
    }
  }
  return maps;
}

// Every constraint a * d0 + b * s0 in [low, high] of small numbers.
Texts sums_in_intervals() {
  Texts maps;
  for (Interval s0 : {Interval{0, 2}, {1, 3}, {-1, 1}}) {
    for (int64_t a : {-4, -3, -2, -1, 1, 2, 3, 4}) {
      for (int64_t b : {-4, -3, -2, -1, 1, 2, 3, 4}) {
        for (int64_t low = -2; low <= 2; ++low) {
          for (int64_t width : {0, 1, 2, 3, 5, 8}) {
            maps.push_back(printed("d0, s0", kDim, s0,
                                   absl::StrCat(", d0 * (", a, ") + s0 * (", b, ") in ",
                                                text_of({low, low + width}))));
          }
        }
      }
    }
  }
  return maps;
}

Texts with(Texts texts, Texts more) {
  for (std::string& text : more) texts.push_back(std::move(text));
  return texts;
}

std::string family_size() {
  return absl::StrCat(bounded_expressions().size(),
                      " small expressions of d0, s0 and constants in [-3, 4], ",
                      constrained_maps().size(), " constraints of one operation");
}

// The requests make(0), make(1), .., make(count - 1).
Family all_of(size_t count, std::function<Json(size_t)> make) {
  return [count, make = std::move(make), i = size_t{0}]() mutable -> std::optional<Json> {
    if (i == count) return std::nullopt;
    return make(i++);
  };
}

// Maps of one dimension and at most one operation.
Texts one_operation_maps(Interval d0) {
  Texts maps;
  for (const std::string& text : short_ones("d0")) {
    maps.push_back(
        to_text(*parse_map(absl::StrCat("(d0) -> (", text, "), domain: d0 in ", text_of(d0)))));
  }
  return maps;
}

Json fact_request(absl::string_view map, absl::string_view fact) {
  Json request = read_json(absl::StrCat("{", fact, "}"))->value;
  set(request, "op", "map.check");
  set(request, "map", map);
  return request;
}

std::string random_fact(Choose& choose, const IndexingMap& map) {
  std::vector<std::string> box, sizes;
  for (size_t i = 0; i < map.results.size(); ++i) {
    const int64_t size = choose.pick<int64_t>({4, 1, 10, 64});
    sizes.push_back(absl::StrCat(size));
    box.push_back(absl::StrCat("[", choose.chance(1, 3) ? -5 : 0, ",", size - 1, "]"));
  }
  switch (choose(4)) {
    case 0:
      return absl::StrCat(R"("inside":[)", absl::StrJoin(box, ","), "]");
    case 1:
      return absl::StrCat(R"("onto":[)", absl::StrJoin(sizes, ","), "]");
    case 2:
      return R"("one_to_one":true)";
    default:
      return absl::StrCat(R"("width":)", choose.between(3, 9));
  }
}

}  // namespace

Json make_map_request(Choose& choose, const Limits& limits) {
  const Decisions decide(choose);
  const IndexingMap map = any_map(choose, decide, limits);
  Values dims = values_in(choose, map.dimensions);
  Values ranges = values_in(choose, map.ranges);
  Values runtime = values_in(choose, map.runtime);
  if (choose.chance(1, 50)) dims.push_back(0);
  if (choose.chance(1, 50)) ranges.clear();
  return evaluate_request(text_of(choose, map), std::move(dims), std::move(ranges),
                          std::move(runtime));
}

Json make_simplify_request(Choose& choose, const Limits& limits) {
  const Decisions decide(choose);
  const IndexingMap map = any_map(choose, decide, limits);
  return simplify_request(text_of(choose, map));
}

Json make_compose_request(Choose& choose, const Limits& limits) {
  Decisions decide(choose);
  Chain first;
  if (decide.kind({1, 1}) == 0) {
    first = generate_chain(choose, {.steps = 3, .points = limits::kAskedPoints.most, .nodes = 200});
  } else {
    first.map = any_map(choose, decide, limits);
    make_short(first.map);
  }
  IndexingMap second = map_after(choose, limits, first.map, first.shape);
  if (choose.chance(1, 60)) second.dimensions.push_back({{0, 3}, "one_too_many"});
  const std::string text = text_of(choose, first.map);
  return compose_request(text, text_of(choose, second));
}

Json make_equal_request(Choose& choose, const Limits& limits) {
  const Decisions decide(choose);
  const IndexingMap left = any_map(choose, decide, limits);
  IndexingMap right = left;
  if (choose.chance(1, 2)) mutate_meaning(choose, right);
  if (choose.chance(3, 4)) right = rewrite_by_identities(choose, right);
  if (choose.chance(1, 60) && !right.results.empty()) right.results.pop_back();
  const std::string text = text_of(choose, left);
  return equal_request(text, text_of(choose, right));
}

Texts bounded_expressions() {
  const Texts of_d0 = short_ones("d0"), of_s0 = short_ones("s0");
  const Texts shorts = with(of_d0, of_s0);
  Texts texts = shorts;
  for (int64_t c = kLeast; c <= kMost; ++c) {
    texts.push_back(absl::StrCat(c));
    append_operations(absl::StrCat(c), texts);
    for (const char* variable : {"d0", "s0"}) texts.push_back(absl::StrCat(c, " + ", variable));
  }
  for (const Texts& of_one : {of_d0, of_s0}) {
    for (size_t i = 1; i < of_one.size(); ++i) append_operations(of_one[i], texts);
  }
  for (const char* sum : {"d0 + d0", "d0 + s0", "s0 + s0"}) append_operations(sum, texts);
  for (size_t i = 0; i < shorts.size(); ++i) {
    for (size_t j = 0; j <= i; ++j)
      texts.push_back(absl::StrCat("(", shorts[i], ") + (", shorts[j], ")"));
  }
  return texts;
}

Family evaluate_family() {
  constexpr int64_t kDims = kDim.high - kDim.low + 2;  // the last one is outside of the domain
  constexpr int64_t kRanges = kRange.high - kRange.low + 2;
  constexpr size_t kPoints = kDims * kRanges;
  Texts maps = with(small_maps(kDim, kRange), constrained_maps());
  const size_t count = maps.size() * kPoints;
  return all_of(count, [maps = std::move(maps)](size_t i) {
    const auto point = static_cast<int64_t>(i % kPoints);
    return evaluate_request(maps[i / kPoints], {kDim.low + point / kRanges},
                            {kRange.low + point % kRanges}, {});
  });
}

std::string evaluate_family_text() {
  return absl::StrCat(family_size(), ", at all d0 in [-3, 5] and s0 in [0, 3]");
}

Family simplify_family() {
  Texts maps = with(constrained_maps(), sums_in_intervals());
  for (const auto& [d0, s0] :
       {std::pair(kDim, kRange), {Interval{0, 5}, {0, 3}}, {Interval{0, 1}, {0, 0}}}) {
    maps = with(std::move(maps), small_maps(d0, s0));
  }
  const size_t count = maps.size();
  return all_of(count, [maps = std::move(maps)](size_t i) { return simplify_request(maps[i]); });
}

std::string simplify_family_text() {
  return absl::StrCat(family_size(), "; the expressions in three domains; ",
                      sums_in_intervals().size(), " constraints on a sum a * d0 + b * s0");
}

Family compose_family() {
  Texts firsts = one_operation_maps(kDim), seconds = one_operation_maps({-2, 5});
  const size_t count = firsts.size() * seconds.size();
  return all_of(count, [firsts = std::move(firsts), seconds = std::move(seconds)](size_t i) {
    return compose_request(firsts[i / seconds.size()], seconds[i % seconds.size()]);
  });
}

std::string compose_family_text() {
  return "every two maps of at most one operation on d0 by a constant in [-3, 4]";
}

Family equal_family() {
  Texts maps;
  for (const char* variable : {"d0", "s0"}) {
    for (const std::string& text : short_ones(variable))
      maps.push_back(printed(text, kDim, kRange));
  }
  const size_t count = maps.size() * maps.size();
  return all_of(count, [maps = std::move(maps)](size_t i) {
    return equal_request(maps[i / maps.size()], maps[i % maps.size()]);
  });
}

std::string equal_family_text() {
  return "every two maps of at most one operation on d0 or s0 by a constant in [-3, 4]";
}

Json make_facts_request(Choose& choose, const Limits&) {
  const int64_t kind = choose(3);
  if (kind == 0) {
    Json request = json_of(verify::random_grid(choose));
    set(request, "op", "grid.check");
    return request;
  }
  if (kind == 1) {
    verify::BanksQuestion question = verify::random_banks_question(choose);
    return json_object({{"op", "layout.banks"},
                        {"layout", to_text(question.layout)},
                        {"access", to_text(question.access)},
                        {"bits", question.element.bits},
                        {"vector", question.element.vector},
                        {"banks", question.memory.banks},
                        {"bank_bytes", question.memory.bank_bytes}});
  }
  const IndexingMap map = generate_map(choose);
  return fact_request(to_text(map), random_fact(choose, map));
}

}  // namespace tileproof::conform
