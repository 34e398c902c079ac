// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/map_compare.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "generate/map/generate_map.h"
#include "impl/access/image.h"
#include "impl/map/compose.h"
#include "impl/map/evaluate.h"
#include "impl/map/simplify.h"
#include "impl/map/variables.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"
#include "verify/prove/map/map_points.h"
#include "verify/trace/trace_check.h"

namespace tileproof::verify {
namespace {

using Results = std::optional<std::vector<int64_t>>;

std::string shown(const Results& results) {
  return results ? absl::StrCat("(", absl::StrJoin(*results, ", "), ")") : "none";
}

bool bounds_within(const IndexingMap& inner, const IndexingMap& outer) {
  for (Op kind : kVariableKinds) {
    for (size_t i = 0; i < variables_of(outer, kind).size(); ++i) {
      const Interval in = variables_of(inner, kind)[i].bounds;
      const Interval out = variables_of(outer, kind)[i].bounds;
      if (in.low <= in.high && (in.low < out.low || in.high > out.high)) return false;
    }
  }
  return true;
}

bool same_variables(const IndexingMap& a, const IndexingMap& b, bool names) {
  for (Op kind : kVariableKinds) {
    if (variables_of(a, kind).size() != variables_of(b, kind).size()) return false;
    for (size_t i = 0; names && i < variables_of(a, kind).size(); ++i) {
      if (variables_of(a, kind)[i].name != variables_of(b, kind)[i].name) return false;
    }
  }
  return true;
}

}  // namespace

std::string enumeration_difference(const IndexingMap& expected, const IndexingMap& actual,
                                   int64_t budget, CaseCounts& tally) {
  if (!same_variables(expected, actual, false)) return "expected the same number of variables";
  if (!actual.known_empty && !bounds_within(actual, expected))
    return "expected bounds within those of the first map";
  std::string difference;
  int64_t &points = tally["points"], &inside = tally["points inside"];
  int64_t& skipped = tally["points without an answer"];
  const absl::Status status =
      spec::for_each_box_point(expected, budget, [&](const spec::Point& point) {
        ++points;
        const absl::StatusOr<Results> want = spec::evaluate(expected, point);
        if (!want.ok()) {
          ++skipped;
          return true;
        }
        inside += want->has_value();
        const absl::StatusOr<Results> got = spec::evaluate(actual, point);
        if (got.ok() && *want == *got) return true;
        difference =
            absl::StrCat("at ", spec::to_text(expected, point), ": expected ", shown(*want),
                         ", got ", got.ok() ? shown(*got) : std::string(got.status().message()));
        return false;
      });
  return status.ok() ? difference : std::string(status.message());
}

int64_t nodes_of(const IndexingMap& map) {
  int64_t nodes = 0;
  const auto add = [&](NodeId root) {
    nodes += std::min(tree_size(map.nodes, root), INT64_MAX - nodes);
  };
  for (const NodeId result : map.results) add(result);
  for (const Constraint& constraint : map.constraints) add(constraint.expr);
  return nodes;
}

int64_t unused_nodes(const IndexingMap& map) {
  std::vector<bool> used(map.nodes.size());
  for (const NodeId root : map.results) used[root] = true;
  for (const Constraint& constraint : map.constraints) used[constraint.expr] = true;
  for (size_t i = used.size(); i-- > 0;) {
    const Node& node = map.nodes[i];
    if (used[i] && node.left >= 0) used[node.left] = used[node.right] = true;
  }
  return std::ranges::count(used, false);
}

std::string form_difference(const IndexingMap& map, const IndexingMap& simplified) {
  if (!validate(simplified).ok()) return "simplified to an invalid map";
  if (!same_variables(map, simplified, true)) return "expected the same variable names";
  return nodes_of(simplified) > nodes_of(map) ? "longer" : "";
}

std::string further_simplified(const IndexingMap& simplified) {
  const absl::StatusOr<IndexingMap> again = impl::simplify(simplified);
  return again.ok() && *again == simplified ? "" : "simplified further the second time";
}

std::string simplified_difference(const IndexingMap& map, const IndexingMap& simplified,
                                  int64_t budget, CaseCounts& tally) {
  std::string difference = enumeration_difference(map, simplified, budget, tally);
  if (difference.empty() && !simplified.known_empty) difference = form_difference(map, simplified);
  return difference.empty() ? further_simplified(simplified) : difference;
}

std::string composition_difference(const IndexingMap& first, const IndexingMap& second,
                                   int64_t points, int64_t work, Choose& choose,
                                   CaseCounts& tally) {
  const std::string both = absl::StrCat("'", to_text(first), "' '", to_text(second), "'");
  const absl::StatusOr<IndexingMap> composed = impl::compose(first, second);
  if (first.results.size() != second.dimensions.size())
    return composed.ok() ? absl::StrCat("composed maps of different ranks: ", both) : "";
  if (!composed.ok()) return absl::StrCat("refused: ", both, ": ", composed.status().message());
  if (!composed->known_empty && !validate(*composed).ok())
    return absl::StrCat("composed to an invalid map: ", both);
  const absl::StatusOr<IndexingMap> expected = spec::compose(first, second);
  if (!expected.ok()) return "";
  const SearchResult found = search(*expected, *composed, points, work, choose);
  ++tally["composed"];
  tally["points"] += found.points;
  if (!found.difference) return "";
  return absl::StrCat("composed wrongly: ", both, " at ",
                      spec::to_text(*expected, point_of(*expected, *found.difference)));
}

// ---- Functions of maps ----

namespace {

std::string wrong(const IndexingMap& map, absl::string_view what, absl::string_view detail = "") {
  return absl::StrCat(what, " at '", to_text(map), "'", detail.empty() ? "" : ": ", detail);
}

using Pairs = std::set<std::vector<int64_t>>;

// Returns the kept variables and results at every point of the domain.
std::optional<Pairs> pairs_of(const IndexingMap& map, const std::vector<bool>& gone,
                              bool ranges_exist, int64_t points) {
  Pairs pairs;
  const absl::Status status = spec::for_each_point(
      map, points, [&](const spec::Point& point, const std::vector<int64_t>& results) {
        std::vector<int64_t> pair;
        for (size_t i = 0; i < point.dims.size(); ++i)
          if (gone.empty() || !gone[i]) pair.push_back(point.dims[i]);
        if (!ranges_exist) pair.insert(pair.end(), point.ranges.begin(), point.ranges.end());
        const size_t before = point.dims.size() + point.ranges.size();
        for (size_t i = 0; i < point.runtime.size(); ++i)
          if (gone.empty() || !gone[before + i]) pair.push_back(point.runtime[i]);
        pair.insert(pair.end(), results.begin(), results.end());
        pairs.insert(std::move(pair));
        return true;
      });
  if (!status.ok()) return std::nullopt;
  return pairs;
}

// Returns whether the pairs differ, if both can be enumerated.
bool differ(const std::optional<Pairs>& a, const std::optional<Pairs>& b) {
  return a && b && *a != *b;
}

// Moves one value just outside its bounds. Returns nothing if that integer does not exist.
std::optional<Values> beside_bounds(const IndexingMap& map, Values values, Choose& choose) {
  if (values.empty()) return std::nullopt;
  const std::vector<Interval> bounds = bounds_of(map);
  const int64_t at = choose(std::ssize(values));
  const bool below = choose.chance(1, 2);
  if (below ? bounds[at].low == INT64_MIN : bounds[at].high == INT64_MAX) return std::nullopt;
  values[at] = below ? bounds[at].low - 1 : bounds[at].high + 1;
  return values;
}

std::string removal_difference(const IndexingMap& map, Choose& choose, int64_t points) {
  const impl::Removable removable{choose.chance(1, 2), choose.chance(3, 4), choose.chance(1, 2)};
  const absl::StatusOr<impl::Removed> removed = impl::remove_unused_variables(map, removable);
  if (!removed.ok()) return wrong(map, "refused", removed.status().message());
  const auto of = [](const IndexingMap& m) {
    return m.dimensions.size() + m.ranges.size() + m.runtime.size();
  };
  const auto left = std::count(removed->gone.begin(), removed->gone.end(), false);
  if (removed->gone.size() != of(map) || static_cast<size_t>(left) != of(removed->map)) {
    return wrong(map, "expected the removed variables to be those it reports");
  }
  if (differ(pairs_of(map, removed->gone, true, points),
             pairs_of(removed->map, {}, true, points))) {
    return wrong(map, "a different map without unused variables", to_text(removed->map));
  }
  return "";
}

std::string moved_ranges_difference(const IndexingMap& map, int64_t points) {
  const absl::StatusOr<IndexingMap> moved = impl::ranges_to_dimensions(map);
  if (!moved.ok() || !moved->ranges.empty()) return wrong(map, "expected no ranges");
  const std::optional<Pairs> before = pairs_of(map, {}, false, points),
                             after = pairs_of(*moved, {}, true, points);
  const bool as_many = !before || !after || before->size() == after->size();
  return as_many ? "" : wrong(map, "a different map with ranges as dimensions");
}

}  // namespace

std::string evaluation_difference(const IndexingMap& map, Choose& choose) {
  if (map.known_empty) return "";
  IndexingMap every_node = map;
  every_node.results.clear();
  for (size_t id = 0; id < map.nodes.size(); ++id)
    every_node.results.push_back(static_cast<NodeId>(id));
  for (const Values& values : sample(map, map, 12, choose)) {
    spec::Point point = point_of(map, values);
    const auto expected = spec::evaluate(map, point);
    const auto actual = impl::evaluate(map, {point.dims, point.ranges, point.runtime});
    // An error is right only if an intermediate value exceeds 64 bits.
    const auto nodes = spec::evaluate(every_node, point);
    const bool fits = nodes.ok() && nodes->has_value();
    if (actual.ok() ? !expected.ok() || *expected != *actual : fits) {
      return wrong(map, "wrong value", spec::to_text(map, point));
    }
    if (const std::optional<Values> beside = beside_bounds(map, values, choose)) {
      const spec::Point outside = point_of(map, *beside);
      const auto results = impl::evaluate(map, {outside.dims, outside.ranges, outside.runtime});
      if (!results.ok() || results->has_value()) {
        return wrong(map, "expected an error just outside the bounds", spec::to_text(map, outside));
      }
    }
    point.dims.push_back(0);
    if (impl::evaluate(map, {point.dims, point.ranges, point.runtime}).ok()) {
      return wrong(map, "expected an error for a point of another space");
    }
  }
  return "";
}

std::string range_difference(const IndexingMap& map, int64_t points) {
  if (map.known_empty || map.results.empty()) return "";
  const absl::StatusOr<Interval> range = impl::range_of(map, map.results[0]);
  if (!range.ok()) return "";
  std::string found;
  const absl::Status status = spec::for_each_point(
      map, points, [&](const spec::Point&, const std::vector<int64_t>& results) {
        if (range->low <= results[0] && results[0] <= range->high) return true;
        found =
            wrong(map, "a value outside its range", absl::StrCat(range->low, " to ", range->high));
        return false;
      });
  return found;
}

std::string variables_difference(const IndexingMap& given, Choose& choose, int64_t points) {
  absl::StatusOr<IndexingMap> map = impl::simplify(given);
  if (!map.ok() || map->known_empty) return "";
  if (choose.chance(1, 4)) map = given;
  std::string difference = removal_difference(*map, choose, points);
  if (difference.empty()) difference = moved_ranges_difference(*map, points);
  return difference;
}

std::string traced_difference(const IndexingMap& map, bool may_reject) {
  const absl::StatusOr<IndexingMap> simple = impl::simplify(map);
  const absl::StatusOr<impl::Traced> traced = impl::simplify_with_trace(map);
  if (!simple.ok() || !traced.ok()) return wrong(map, "refused");
  if (!(traced->map == *simple)) return wrong(map, "another map with a trace");
  if (traced->trace.empty()) return "";
  const absl::StatusOr<trace::Checked> checked = trace::check_trace(traced->trace);
  if (!checked.ok())
    return may_reject ? "" : wrong(map, "a trace that is rejected", checked.status().message());
  const bool is_right =
      to_text(checked->before) == to_text(map) && to_text(checked->after) == to_text(*simple);
  return is_right ? "" : wrong(map, "a trace of other maps");
}

namespace {

constexpr int64_t kBudget = 5000;

std::vector<IndexingMap> random_maps(Choose& choose) {
  std::vector<IndexingMap> maps;
  const bool chains = choose.chance(1, 3);
  for (int64_t count = choose.between(1, 3); count > 0; --count) {
    if (chains) {
      maps.push_back(generate_chain(choose).map);
    } else {
      maps.push_back(generate_map(choose, {.runtime = 0}));
    }
  }
  return maps;
}

// Adds `by` to a result, so that its minimum becomes 0.
void shift(IndexingMap& map, size_t result, int64_t by) {
  map.results[result] =
      add_operation(map.nodes, Op::kAdd, map.results[result], add_constant(map.nodes, by));
}

absl::StatusOr<int64_t> counted_in_digits(const IndexingMap& map, absl::Span<const int64_t> sizes) {
  const impl::MapInDigits in_digits = impl::in_digits_of_results(map, sizes);
  std::vector<int64_t> digit_sizes;
  for (const impl::ResultDigit& digit : in_digits.digits) digit_sizes.push_back(digit.size);
  const impl::Image image = TRY(impl::image_of(in_digits.map, digit_sizes));
  return impl::union_size({&image, 1}, digit_sizes);
}

}  // namespace

std::string image_difference(Choose& choose, CaseCounts& tally) {
  return image_difference(random_maps(choose), choose, kBudget, tally);
}

std::string image_difference(std::vector<IndexingMap> maps, Choose& choose, int64_t points,
                             CaseCounts& tally) {
  const auto skip = [&tally] {
    ++tally["skipped: values beyond 64 bits, errors"];
    return "";
  };
  std::erase_if(maps,
                [](const IndexingMap& map) { return !map.runtime.empty() || map.known_empty; });
  std::erase_if(maps, [results = maps.empty() ? 0 : maps[0].results.size()](
                          const IndexingMap& map) { return map.results.size() != results; });
  bool skipped = maps.empty();
  std::set<std::vector<int64_t>> elements;
  for (const IndexingMap& map : maps) {
    const auto status = spec::for_each_point(
        map, points, [&](const spec::Point&, const std::vector<int64_t>& index) {
          elements.insert(index);
          return true;
        });
    skipped = skipped || !status.ok();
  }
  if (skipped) return skip();
  std::vector<int64_t> sizes(maps[0].results.size(), 1);
  for (size_t d = 0; d < sizes.size() && !elements.empty(); ++d) {
    const auto along = [d](const std::vector<int64_t>& index) { return index[d]; };
    const auto [low, high] = std::ranges::minmax(elements, {}, along);
    // Values this far apart cannot be indices of an array.
    if (low[d] < -(int64_t{1} << 40) || high[d] > int64_t{1} << 40) return skip();
    sizes[d] = high[d] - low[d] + 1 + choose(3);
    for (IndexingMap& map : maps) shift(map, d, -low[d]);
  }
  tally["elements"] += std::ssize(elements);
  std::vector<impl::Image> images;
  absl::StatusOr<int64_t> found = 0;
  for (const IndexingMap& map : maps) {
    absl::StatusOr<impl::Image> image = impl::image_of(map, sizes);
    if (!image.ok()) found = image.status();
    if (image.ok()) images.push_back(*std::move(image));
  }
  if (found.ok()) found = impl::union_size(images, sizes);
  if (found.ok() && *found == std::ssize(elements) && maps.size() == 1) {
    const absl::StatusOr<int64_t> in_digits = counted_in_digits(maps[0], sizes);
    if (!absl::IsResourceExhausted(in_digits.status())) found = in_digits;
  }
  const bool uncounted = absl::IsResourceExhausted(found.status());
  ++tally[uncounted ? "not counted" : "unions"];
  if (uncounted || (found.ok() && *found == std::ssize(elements))) return "";
  std::string difference = "different element counts at";
  for (const IndexingMap& map : maps) absl::StrAppend(&difference, " '", to_text(map), "'");
  absl::StrAppend(&difference, ": expected ", elements.size(), ", found ",
                  found.ok() ? absl::StrCat(*found) : std::string(found.status().message()));
  return difference;
}

}  // namespace tileproof::verify
