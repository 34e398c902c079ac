// SPDX-License-Identifier: Apache-2.0
#include "impl/map/compose.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "impl/map/linear_bits.h"
#include "impl/map/normal_form/normalize.h"
#include "impl/map/simplify.h"
#include "impl/map/solve_ranges.h"
#include "impl/map/variables.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/expr.h"
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

namespace {

void drop_names(std::vector<Variable>& variables) {
  for (Variable& variable : variables) variable.name.clear();
}

// The inverse of a map without points.
IndexingMap nothing(const IndexingMap& map) {
  IndexingMap inverse;
  inverse.dimensions.assign(map.results.size(), Variable{{0, -1}, ""});
  inverse.runtime = map.runtime;
  drop_names(inverse.runtime);
  inverse.known_empty = true;
  return inverse;
}

// The inverse with all equations as constraints.
absl::StatusOr<IndexingMap> unsolved(const IndexingMap& map) {
  IndexingMap inverse;
  for (const NodeId result : map.results) {
    inverse.dimensions.push_back({TRY(range_of(map, result)), ""});
  }
  inverse.ranges = map.dimensions;
  inverse.ranges.insert(inverse.ranges.end(), map.ranges.begin(), map.ranges.end());
  inverse.runtime = map.runtime;
  drop_names(inverse.ranges);
  drop_names(inverse.runtime);
  inverse.nodes = map.nodes;
  for (Node& node : inverse.nodes) {
    if (node.op == Op::kRange) node.value += std::ssize(map.dimensions);
    if (node.op == Op::kDimension) node.op = Op::kRange;
  }
  inverse.constraints = map.constraints;
  ExprTable& nodes = inverse.nodes;
  for (size_t k = 0; k < map.results.size(); ++k) {
    const NodeId y = add_variable(nodes, Op::kDimension, static_cast<int64_t>(k));
    const NodeId negated = add_operation(nodes, Op::kMul, y, add_constant(nodes, -1));
    inverse.constraints.push_back(
        {add_operation(nodes, Op::kAdd, map.results[k], negated), {0, 0}});
  }
  for (size_t d = 0; d < map.dimensions.size(); ++d) {
    inverse.results.push_back(add_variable(nodes, Op::kRange, static_cast<int64_t>(d)));
  }
  return inverse;
}

// The simplified map without variables that nothing needs.
absl::StatusOr<IndexingMap> tidied(const IndexingMap& map) {
  const IndexingMap simple = TRY(simplify(map));
  if (simple.known_empty) return simple;
  const Removed removed = TRY(remove_unused_variables(simple));
  return simplify(removed.map);
}

// Counts what an inverse leaves open: ranges, whose values one may choose, and constraints on them.
size_t open_parts(const IndexingMap& map) {
  return map.known_empty ? 0 : map.ranges.size() + map.constraints.size();
}

}  // namespace

absl::StatusOr<IndexingMap> invert(const IndexingMap& map) {
  const IndexingMap simple = TRY(simplify(map));
  if (simple.known_empty) return nothing(map);
  const IndexingMap equations = TRY(unsolved(simple));
  const std::optional<IndexingMap> solved = solve_ranges(equations);
  IndexingMap inverse = TRY(tidied(solved ? *solved : equations));
  // Congruences that came to light may make a variable a multiple of another one.
  if (const std::optional<IndexingMap> again = solve_ranges(inverse)) {
    IndexingMap other = TRY(tidied(*again));
    if (open_parts(other) < open_parts(inverse)) inverse = std::move(other);
  }
  if (inverse.known_empty) return nothing(map);
  if (inverse.ranges.empty()) return inverse;
  std::optional<IndexingMap> by_bits = invert_bits(map);
  return by_bits ? *std::move(by_bits) : std::move(inverse);
}

}  // namespace tileproof::impl
