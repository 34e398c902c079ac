// SPDX-License-Identifier: Apache-2.0
#include "conform/suites/map_suites.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conform/oracle/map_judge.h"
#include "conform/suites/map_boundaries.h"
#include "conform/suites/map_shapes.h"
#include "generate/choose/limits.h"
#include "generate/map/equivalent_rewrite.h"
#include "generate/map/generate_map.h"
#include "generate/map/mutate_map.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::conform {
namespace {

using Values = std::vector<int64_t>;

// These maps cover: every kind of variable, a congruence, all operations and signs, no results or
// variables, domains that are empty by their bounds or by their constraints, an intermediate value
// of 2^70, and the ends of 64 bits.
constexpr absl::string_view kMaps[] = {
    "(d0) -> (d0), domain: d0 in [0, 9]",
    "(d0, d1)[s0]{rt0} -> (d0 + rt0, s0), domain: d0 in [0, 9], d1 in [0, 3], s0 in [0, 7], "
    "rt0 in [0, 2], d0 mod 2 in [0, 0]",
    "(d0) -> ((-d0) mod 2, d0 floordiv -3, d0 ceildiv 4, d0 mod -5), domain: d0 in [-9, 9]",
    "()[s0] -> ((s0 * 6 + 9) floordiv 18), domain: s0 in [0, 40]",
    "(d0) -> (), domain: d0 in [0, 9]",
    "() -> ()",
    "() -> (7)",
    "(d0) -> (d0), domain: d0 in [5, 4]",
    "(d0) -> (d0), domain: d0 in [0, 9], d0 mod 2 in [0, 0], d0 mod 4 in [1, 1]",
    "(d0, d1) -> ((d0 * 24 + d1) mod 6, (d0 * 24 + d1) floordiv 6), domain: d0 in [0, 3], "
    "d1 in [0, 23]",
    "()[s0] -> (s0), domain: s0 in [0, 99], s0 mod 4 in [3, 3], s0 mod 6 in [1, 1]",
    "(d0) -> ((d0 * 1073741824) * 1099511627776 floordiv 1099511627776), domain: d0 in [0, 1]",
    "(d0) -> (d0), domain: d0 in [-9223372036854775808, 9223372036854775807]",
    "(th_x)[elem] -> (th_x * 4 + elem), domain: th_x in [0, 3], elem in [0, 3]",
};

// Texts that are invalid as the map of a request. KNOWN EMPTY is none: some programs read it.
constexpr absl::string_view kNoMaps[] = {
    "KNOWN",
    "(d0) -> (d0 floordiv 0), domain: d0 in [0, 9]",
    "(d0) -> (d0 mod (d0 - d0)), domain: d0 in [0, 9]",
    "(d0) -> (d1), domain: d0 in [0, 9]",
    "(d0) -> (d0)",
    "",
};

constexpr absl::string_view kDivisionTexts[] = {"floordiv 7",  "ceildiv 7",  "mod 7",
                                                "floordiv -7", "ceildiv -7", "mod -7",
                                                "floordiv -1", "ceildiv -1", "mod -1"};

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
  const int64_t kind = choose(20);
  if (kind < 3) return generate_map(choose, small);
  if (kind < 9) return generate_related(choose);
  if (kind < 15) return generate_rule_shaped(choose);
  switch (kind) {
    case 15:
      small.depth = limits::kAskedDepth.most;
      return rewrite_by_identities(choose, generate_map(choose, small));
    case 16:
      small.extremes = wide;
      return generate_map(choose, small);
    case 17:
      return rewrite_by_identities(choose,
                                   generate_chain(choose, {.steps = 3, .points = kPoints}).map);
    case 18:
      return generate_chain(choose, {.points = wide ? int64_t{1} << 40 : kPoints, .nodes = 400})
          .map;
    default:
      return generate_chain(choose, {.points = kPoints, .nodes = 400}).map;
  }
}

// Most maps have wide bounds, because real arrays have thousands to billions of elements. The fixed
// requests and the other maps are small.
IndexingMap any_map(Choose& choose, const Limits& limits) {
  if (width(limits) == 64 && choose.chance(1, 4)) {
    IndexingMap digits = generate_digits(choose);
    drop_beyond_64_bits(digits);
    return digits;
  }
  IndexingMap map = any_narrow_map(choose, limits);
  if (width(limits) == 64 && choose.chance(7, 8)) widen_within_64_bits(choose, map);
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
        node = {Op::kConstant, -1, -1, 0};
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

}  // namespace

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

std::vector<Json> map_fixed() {
  const std::string plain(kMaps[0]), full(kMaps[1]), signs(kMaps[2]), wide(kMaps[12]);
  std::vector<Json> requests;
  for (int64_t d = -1; d <= 3; ++d) requests.push_back(evaluate_request(full, {d, 3}, {7}, {2}));
  for (int64_t d = -9; d <= 9; ++d) requests.push_back(evaluate_request(signs, {d}, {}, {}));
  requests.push_back(evaluate_request(kMaps[4], {3}, {}, {}));
  requests.push_back(evaluate_request(kMaps[4], {10}, {}, {}));
  requests.push_back(evaluate_request("() -> ()", {}, {}, {}));
  requests.push_back(evaluate_request("() -> (7)", {}, {}, {}));
  requests.push_back(evaluate_request(kMaps[7], {5}, {}, {}));
  requests.push_back(evaluate_request(kMaps[11], {1}, {}, {}));
  requests.push_back(evaluate_request("(d0) -> (d0 * 2), domain: d0 in [0, 9223372036854775807]",
                                      {INT64_MAX}, {}, {}));
  for (int64_t end : {INT64_MIN, INT64_MAX})
    requests.push_back(evaluate_request(wide, {end}, {}, {}));
  for (absl::string_view division : kDivisionTexts) {
    const std::string map = absl::StrCat("(d0) -> (d0 ", std::string(division), "), domain: d0 in ",
                                         "[-9223372036854775808, 9223372036854775807]");
    for (int64_t value : {INT64_MIN, INT64_MIN + 1, INT64_MAX}) {
      requests.push_back(evaluate_request(map, {value}, {}, {}));
    }
  }
  requests.push_back(evaluate_request(full, {0}, {7}, {2}));
  requests.push_back(evaluate_request(full, {0, 0}, {}, {2}));
  requests.push_back(evaluate_request(full, {0, 0}, {7}, {2, 2}));
  Json beyond = evaluate_request(plain, {0}, {}, {});
  set(beyond, "dims", Json::Array{Json::Number{"18446744073709551616"}});
  requests.push_back(std::move(beyond));
  for (absl::string_view text : kNoMaps) requests.push_back(evaluate_request(text, {0}, {}, {}));
  return requests;
}

std::vector<Json> simplify_fixed() {
  std::vector<Json> requests;
  for (absl::string_view map : kMaps) requests.push_back(simplify_request(map));
  for (absl::string_view text : kNoMaps) requests.push_back(simplify_request(text));
  for (const auto& maps : {simplify_boundaries, maps_of_shapes, maps_of_sums_in_intervals}) {
    for (const std::string& map : maps()) requests.push_back(simplify_request(map));
  }
  return requests;
}

std::vector<Json> compose_fixed() {
  std::vector<Json> requests;
  for (absl::string_view first : kMaps) {
    for (absl::string_view second : kMaps) {
      const auto results = parse_map(first)->results.size();
      if (results == parse_map(second)->dimensions.size()) {
        requests.push_back(compose_request(first, second));
      }
    }
  }
  requests.push_back(compose_request(kMaps[0], kMaps[1]));
  // Empty without a dimension or range variable to say so; a name of both maps.
  const absl::string_view empty = "(){rt0} -> (rt0), domain: rt0 in [0, 1], 1 in [0, 0]";
  requests.push_back(
      compose_request("() -> ()", "(){rt0} -> (), domain: rt0 in [0, 0], 1 in [0, 0]"));
  requests.push_back(compose_request(empty, "(d0) -> (d0), domain: d0 in [0, 9]"));
  requests.push_back(compose_request("()[elem] -> (elem), domain: elem in [0, 3]",
                                     "(d0)[elem] -> (d0 * 2 + elem), domain: d0 in [0, 3], "
                                     "elem in [0, 1]"));
  for (absl::string_view text : kNoMaps) {
    requests.push_back(compose_request(text, kMaps[0]));
    requests.push_back(compose_request(kMaps[0], text));
  }
  return requests;
}

std::vector<Json> equal_fixed() {
  std::vector<Json> requests;
  for (absl::string_view map : kMaps) requests.push_back(equal_request(map, map));
  requests.push_back(equal_request("(d0) -> (d0 mod 6), domain: d0 in [0, 99]",
                                   "(d0) -> (d0 - (d0 floordiv 6) * 6), domain: d0 in [0, 99]"));
  requests.push_back(
      equal_request("(d0) -> (d0 mod 6), domain: d0 in [0, 99]",
                    "(d0) -> (d0 mod 6), domain: d0 in [0, 99], d0 * 3 in [0, 290]"));
  requests.push_back(equal_request(kMaps[7], kMaps[8]));
  requests.push_back(equal_request(kMaps[0], kMaps[1]));
  requests.push_back(equal_request(kMaps[0], kMaps[4]));
  requests.push_back(
      equal_request("(d0) -> (d0 * 1099511627776 + d0), domain: d0 in [0, 1099511627775]",
                    "(d0) -> (d0 * 1099511627777), domain: d0 in [0, 1099511627775]"));
  for (absl::string_view text : kNoMaps) requests.push_back(equal_request(kMaps[0], text));
  return requests;
}

Json make_map_request(Choose& choose, const Limits& limits) {
  const IndexingMap map = any_map(choose, limits);
  Values dims = values_in(choose, map.dimensions);
  Values ranges = values_in(choose, map.ranges);
  Values runtime = values_in(choose, map.runtime);
  if (choose.chance(1, 50)) dims.push_back(0);
  if (choose.chance(1, 50)) ranges.clear();
  return evaluate_request(text_of(choose, map), std::move(dims), std::move(ranges),
                          std::move(runtime));
}

Json make_simplify_request(Choose& choose, const Limits& limits) {
  return simplify_request(text_of(choose, any_map(choose, limits)));
}

Json make_compose_request(Choose& choose, const Limits& limits) {
  Chain first;
  if (choose.chance(1, 2)) {
    first = generate_chain(choose, {.steps = 3, .points = limits::kAskedPoints.most, .nodes = 200});
  } else {
    first.map = choose.chance(1, 3) ? any_map(choose, limits) : any_narrow_map(choose, limits);
    make_short(first.map);
  }
  IndexingMap second = map_after(choose, limits, first.map, first.shape);
  if (choose.chance(1, 60)) second.dimensions.push_back({{0, 3}, "one_too_many"});
  const std::string text = text_of(choose, first.map);
  return compose_request(text, text_of(choose, second));
}

Json make_equal_request(Choose& choose, const Limits& limits) {
  const IndexingMap left = any_map(choose, limits);
  IndexingMap right = left;
  if (choose.chance(1, 2)) mutate_meaning(choose, right);
  if (choose.chance(3, 4)) right = rewrite_by_identities(choose, right);
  if (choose.chance(1, 60) && !right.results.empty()) right.results.pop_back();
  const std::string text = text_of(choose, left);
  return equal_request(text, text_of(choose, right));
}

}  // namespace tileproof::conform
