// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/map_compare.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "impl/map/compose.h"
#include "impl/map/simplify.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/compose.h"
#include "spec/map/map_evaluation.h"
#include "verify/prove/map/map_points.h"

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

}  // namespace tileproof::verify
