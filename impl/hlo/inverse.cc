// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/inverse.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "impl/hlo/access_relation_limits.h"
#include "impl/map/extraction/render_expr.h"
#include "impl/map/simplify.h"
#include "impl/map/solve_ranges.h"

namespace tileproof::impl {
namespace {

// The inverse of `from`, which has the same pairs as the relation, with all equations as
// constraints. The range variables are the output index, then those of `from`.
AccessRelation turned(const AccessRelation& relation, const IndexingMap& from, const Dims& output,
                      const Dims& operand) {
  MapBuilder m(operand);
  IndexingMap& map = m.map();
  map.ranges = from.dimensions;
  map.ranges.insert(map.ranges.end(), from.ranges.begin(), from.ranges.end());
  map.runtime = from.runtime;
  const NodeId first = append_nodes(map.nodes, from.nodes);
  for (auto node = map.nodes.begin() + first; node != map.nodes.end(); ++node) {
    if (node->op == Op::kRange) node->value += std::ssize(from.dimensions);
    if (node->op == Op::kDimension) node->op = Op::kRange;
  }
  for (size_t i = 0; i < output.size(); ++i) {
    m.result(add_variable(map.nodes, Op::kRange, static_cast<int64_t>(i)));
  }
  for (const Constraint& c : from.constraints) {
    map.constraints.push_back({first + c.expr, c.interval});
  }
  for (int32_t k = 0; k < relation.rank; ++k) {
    map.constraints.push_back({m.minus(first + from.results[k], m.dimension(k)), {0, 0}});
  }
  for (size_t k = relation.rank; k < from.results.size(); ++k) m.result(first + from.results[k]);
  AccessRelation inverse;
  inverse.map = m.take();
  inverse.rank = static_cast<int32_t>(output.size());
  inverse.runtime = relation.runtime;
  inverse.inexact = relation.inexact;
  inverse.reason = relation.reason;
  return inverse;
}

// Solving may copy an expression many times. The trees of all expressions must not be larger.
constexpr int64_t kMaxTreeSize = 20'000;

bool is_small(const IndexingMap& map) {
  std::vector<int64_t> sizes;
  tree_sizes(map.nodes, sizes);
  int64_t left = kMaxTreeSize;
  const auto take = [&](NodeId root) { left -= std::min(left + 1, sizes[root]); };
  for (const NodeId result : map.results) take(result);
  for (const Constraint& constraint : map.constraints) take(constraint.expr);
  return left >= 0;
}

// The simplified relation, or nothing if no pair is left.
std::optional<AccessRelation> tidied(AccessRelation relation, IndexingMap map) {
  absl::StatusOr<IndexingMap> simple = simplify(map);
  if (simple.ok() && simple->known_empty) return std::nullopt;
  relation.map = simple.ok() ? *std::move(simple) : std::move(map);
  tidy_ranges(relation);
  return relation;
}

constexpr size_t kUnsolved = SIZE_MAX;

struct Solution {
  std::optional<AccessRelation> relation;  // none: no pair, or unsolved
  size_t ranges = kUnsolved;               // the number of range variables that are left
};

// Simplifying may make further equations solvable, so this solves again as long as it helps.
Solution solution_of(const AccessRelation& plain) {
  Solution best;
  std::optional<IndexingMap> solved = solve_ranges(plain.map);
  while (solved && is_small(*solved)) {
    std::optional<AccessRelation> relation = tidied(plain, *std::move(solved));
    if (!relation) return {std::nullopt, 0};
    const size_t ranges = relation->map.ranges.size();
    if (beyond_limits(*relation) || ranges >= best.ranges) break;
    best = {std::move(relation), ranges};
    solved = solve_ranges(best.relation->map);
  }
  return best;
}

}  // namespace

AccessRelationPtr inverse(const AccessRelation& relation, const Dims& output, const Dims& operand) {
  if (relation.universe) {
    return relation.inexact ? universe_because(relation.reason, operand, output)
                            : universe_relation(operand, output);
  }
  Solution best = solution_of(turned(relation, relation.map, output, operand));
  if (best.ranges > 0 && relation.written) {
    Solution other = solution_of(turned(relation, *relation.written, output, operand));
    if (other.ranges < best.ranges) best = std::move(other);
  }
  if (best.ranges > 0 && relation.backwards && !relation.inexact) {
    AccessRelation known;
    known.map = *relation.backwards;
    known.rank = static_cast<int32_t>(output.size());
    return simplified(std::move(known), operand, output);
  }
  if (best.ranges == kUnsolved) return unsolved_inverse(relation, output, operand);
  return best.relation ? finish(*std::move(best.relation), operand, output) : nullptr;
}

AccessRelationPtr unsolved_inverse(const AccessRelation& relation, const Dims& output,
                                   const Dims& operand) {
  AccessRelation plain = turned(relation, relation.map, output, operand);
  IndexingMap map = plain.map;
  std::optional<AccessRelation> unsolved = tidied(std::move(plain), std::move(map));
  return unsolved ? finish(*std::move(unsolved), operand, output) : nullptr;
}

}  // namespace tileproof::impl
