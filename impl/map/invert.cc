// SPDX-License-Identifier: Apache-2.0
#include "impl/map/invert.h"

#include <optional>
#include <utility>
#include <vector>

#include "impl/map/linear_bits.h"
#include "impl/map/simplify.h"
#include "impl/map/solve_ranges.h"
#include "impl/map/variables.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/expr.h"

namespace tileproof::impl {
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
