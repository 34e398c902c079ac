// SPDX-License-Identifier: Apache-2.0
#include "impl/map/compose.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "impl/map/normal_form/normalize.h"
#include "impl/map/variable_names.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/expr_text.h"
#include "spec/lang/map/interval.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/variable_divisors.h"

namespace tileproof::impl {
namespace {

void append(std::vector<Variable>& to, const std::vector<Variable>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Drops the names of `second` if there is a conflict, and all names if that is not enough.
void keep_names_distinct(IndexingMap& composed, const IndexingMap& second) {
  if (names_are_distinct(composed)) return;
  for (size_t i = 0; i < second.ranges.size(); ++i) composed.ranges[i].name.clear();
  for (size_t i = 0; i < second.runtime.size(); ++i) composed.runtime[i].name.clear();
  if (!names_are_distinct(composed)) clear_names(composed);
}

// Appends the nodes of `second` with its dimensions replaced by the results of `first`, whose nodes
// are in the table already. Returns the positions of the nodes of `second`.
std::vector<NodeId> substitute(ExprTable& table, const std::vector<NodeId>& results,
                               const IndexingMap& second) {
  std::vector<NodeId> positions;
  positions.reserve(second.nodes.size());
  for (Node node : second.nodes) {
    if (node.op == Op::kDimension) {
      positions.push_back(results[node.value]);
      continue;
    }
    if (!is_leaf(node.op)) {
      node.left = positions[node.left];
      node.right = positions[node.right];
    }
    table.push_back(node);
    positions.push_back(static_cast<NodeId>(table.size() - 1));
  }
  return positions;
}

// The composition of valid maps.
absl::StatusOr<IndexingMap> composed(const IndexingMap& first, const IndexingMap& second) {
  const bool empty = first.known_empty || second.known_empty;
  if (!empty && first.results.size() != second.dimensions.size()) {
    return absl::InvalidArgumentError(absl::StrCat("expected a first map with ",
                                                   second.dimensions.size(), " results, found ",
                                                   first.results.size()));
  }
  IndexingMap out;
  out.dimensions = first.dimensions;
  out.ranges = second.ranges;
  append(out.ranges, first.ranges);
  out.runtime = second.runtime;
  append(out.runtime, first.runtime);
  keep_names_distinct(out, second);
  if (empty) return no_points(out);

  out.nodes = first.nodes;
  for (Node& node : out.nodes) {
    if (node.op == Op::kRange) node.value += std::ssize(second.ranges);
    if (node.op == Op::kRuntime) node.value += std::ssize(second.runtime);
  }
  const std::vector<NodeId> positions = substitute(out.nodes, first.results, second);
  for (NodeId result : second.results) out.results.push_back(positions[result]);
  for (const Constraint& constraint : second.constraints) {
    out.constraints.push_back({positions[constraint.expr], constraint.interval});
  }
  for (const Constraint& constraint : first.constraints) out.constraints.push_back(constraint);
  for (size_t i = 0; i < second.dimensions.size(); ++i) {
    out.constraints.push_back({first.results[i], second.dimensions[i].bounds});
  }
  return out;
}

Interval common(Interval a, Interval b) {
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}

}  // namespace

absl::StatusOr<IndexingMap> compose(const IndexingMap& first, const IndexingMap& second) {
  for (const IndexingMap* map : {&first, &second}) {
    TRY(validate_map(*map));
  }
  return composed(first, second);
}

absl::StatusOr<IndexingMap> compose_with_variable_divisors(const IndexingMap& first,
                                                           const IndexingMap& second) {
  IndexingMap map = TRY(composed(first, second));
  if (map.known_empty) return map;
  const std::set<VariableId> divisors = variables_that_divide(second);
  for (size_t i = 0; i < second.dimensions.size(); ++i) {
    if (!divisors.contains({Op::kDimension, static_cast<int64_t>(i)})) continue;
    const Node by = map.nodes[first.results[i]];
    const Interval bounds = second.dimensions[i].bounds;
    if (is_variable(by.op)) {
      Interval& own = variables_of(map, by.op)[by.value].bounds;
      own = common(own, bounds);
      continue;
    }
    const std::optional<Interval> constant = interval_of(map, first.results[i]);
    if (!constant || constant->low != constant->high) {
      std::string text;
      append_expression(text, map, first.results[i]);
      return absl::InvalidArgumentError(
          absl::StrCat("expected a variable or a constant for ", name_of(second, Op::kDimension, i),
                       " of the second map, which divides, found '", text, "'"));
    }
    if (constant->low < bounds.low || constant->low > bounds.high) return no_points(map);
  }
  return map;
}

}  // namespace tileproof::impl
