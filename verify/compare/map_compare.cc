// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/map_compare.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "impl/map/simplify.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"

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

MapComparison compare_by_enumeration(const IndexingMap& expected, const IndexingMap& actual,
                                     int64_t budget) {
  MapComparison result;
  if (!same_variables(expected, actual, false)) {
    result.difference = "expected the same number of variables";
    return result;
  }
  if (!actual.known_empty && !bounds_within(actual, expected)) {
    result.difference = "expected bounds within those of the first map";
    return result;
  }
  const absl::Status status =
      spec::for_each_box_point(expected, budget, [&](const spec::Point& point) {
        ++result.points;
        const absl::StatusOr<Results> want = spec::evaluate(expected, point);
        if (!want.ok()) {
          ++result.skipped;
          return true;
        }
        result.inside += want->has_value();
        const absl::StatusOr<Results> got = spec::evaluate(actual, point);
        if (got.ok() && *want == *got) return true;
        result.difference =
            absl::StrCat("at ", spec::to_text(expected, point), ": expected ", shown(*want),
                         ", got ", got.ok() ? shown(*got) : std::string(got.status().message()));
        return false;
      });
  if (!status.ok()) result.difference = std::string(status.message());
  return result;
}

int64_t nodes_of(const IndexingMap& map) {
  int64_t nodes = 0;
  for (NodeId result : map.results) nodes += tree_size(map.nodes, result);
  for (const Constraint& constraint : map.constraints) {
    nodes += tree_size(map.nodes, constraint.expr);
  }
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

MapComparison judge_simplified(const IndexingMap& map, const IndexingMap& simplified,
                               int64_t budget) {
  MapComparison result = compare_by_enumeration(map, simplified, budget);
  if (!result.difference.empty()) return result;
  if (!simplified.known_empty && !same_variables(map, simplified, true)) {
    result.difference = "expected the same variable names";
  } else if (nodes_of(simplified) > nodes_of(map)) {
    result.difference =
        absl::StrCat("longer: ", nodes_of(simplified), " nodes, before ", nodes_of(map));
  } else {
    const absl::StatusOr<IndexingMap> again = impl::simplify(simplified);
    if (!again.ok()) {
      result.difference = absl::StrCat("simplifying the result failed: ", again.status().message());
    } else if (!(*again == simplified)) {
      result.difference = absl::StrCat("a second simplification changes it: ", to_text(*again));
    }
  }
  return result;
}

}  // namespace tileproof::verify
