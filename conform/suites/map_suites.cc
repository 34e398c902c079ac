// SPDX-License-Identifier: Apache-2.0
#include "conform/suites/map_suites.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "conform/oracle/map_judge.h"
#include "generate/choose/limits.h"
#include "generate/map/equivalent_rewrite.h"
#include "generate/map/generate_map.h"
#include "generate/map/mutate_map.h"
#include "spec/lang/map/map_text.h"

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
