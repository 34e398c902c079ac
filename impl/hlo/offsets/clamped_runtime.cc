// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/offsets/clamped_runtime.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "impl/hlo/access_relation_limits.h"
#include "impl/map/simplify.h"
#include "impl/map/variables.h"
#include "impl/map/visit_nodes.h"

namespace tileproof::impl {
namespace {

bool is_inside(const Interval& inner, const Interval& outer) {
  return outer.low <= inner.low && inner.high <= outer.high;
}

// Whether both read the same element, and only the clamps differ.
bool is_clamped_twice(const AccessRelation& relation, const std::vector<size_t>& first, size_t wide,
                      size_t narrow) {
  const RuntimeValue &a = relation.runtime[wide], &b = relation.runtime[narrow];
  if (a.position != b.position || a.rank != b.rank || a.feasible == b.feasible ||
      !is_inside(b.feasible, a.feasible)) {
    return false;
  }
  const IndexingMap& map = relation.map;
  for (int32_t k = 0; k < a.rank; ++k) {
    const NodeId x = map.results[first[wide] + k], y = map.results[first[narrow] + k];
    if (!same_expression(map.nodes, x, map.nodes, y)) return false;
  }
  return true;
}

// The factor of a runtime variable in a sum that has it as a term of its own; 0 if it has not.
int64_t factor_of(const IndexingMap& map, NodeId root, int64_t variable) {
  const Node& node = map.nodes[root];
  if (node.op == Op::kRuntime) return node.value == variable ? 1 : 0;
  if (node.op == Op::kAdd) {
    const int64_t left = factor_of(map, node.left, variable);
    return left != 0 ? left : factor_of(map, node.right, variable);
  }
  if (node.op != Op::kMul) return 0;
  const Node &a = map.nodes[node.left], &b = map.nodes[node.right];
  if (a.op == Op::kRuntime && a.value == variable && b.op == Op::kConstant) return b.value;
  if (b.op == Op::kRuntime && b.value == variable && a.op == Op::kConstant) return a.value;
  return 0;
}

bool uses_variable(const IndexingMap& map, NodeId root, int64_t variable) {
  bool found = false;
  visit_nodes(map.nodes, {root}, [&](NodeId, const Node& node) {
    found |= node.op == Op::kRuntime && node.value == variable;
  });
  return found;
}

bool is_used(const IndexingMap& map, int64_t variable) {
  const auto uses_it = [&](NodeId root) { return uses_variable(map, root, variable); };
  return std::ranges::any_of(map.results, uses_it) ||
         std::ranges::any_of(map.constraints,
                             [&](const Constraint& one) { return uses_it(one.expr); });
}

// What the constraint says the variable is: a new node of the map.
std::optional<NodeId> value_by(IndexingMap& map, const Constraint& constraint, int64_t variable) {
  if (constraint.interval.low != constraint.interval.high) return std::nullopt;
  const int64_t factor = factor_of(map, constraint.expr, variable);
  if (factor != 1 && factor != -1) return std::nullopt;
  // factor * variable + rest == c: the variable is factor * (c - rest).
  const NodeId self = add_variable(map.nodes, Op::kRuntime, variable);
  const NodeId term = add_operation(map.nodes, Op::kMul, self, add_constant(map.nodes, -factor));
  const NodeId rest = add_operation(map.nodes, Op::kAdd, constraint.expr, term);
  const NodeId known = add_constant(map.nodes, constraint.interval.low);
  const NodeId minus = add_operation(map.nodes, Op::kMul, rest, add_constant(map.nodes, -1));
  const NodeId sum = add_operation(map.nodes, Op::kAdd, minus, known);
  return add_operation(map.nodes, Op::kMul, sum, add_constant(map.nodes, factor));
}

// The relation with the value of the wider variable in place of the narrow one, if all values of
// the expression are within the narrower clamp.
std::optional<AccessRelation> with_wider_value(const AccessRelation& relation, size_t wide,
                                               size_t narrow) {
  const auto number = static_cast<int64_t>(wide);
  for (const Constraint& constraint : relation.map.constraints) {
    AccessRelation changed = relation;
    const auto value = value_by(changed.map, constraint, number);
    if (!value) continue;
    IndexingMap alone = changed.map;
    alone.results = {*value};
    const absl::StatusOr<IndexingMap> simple = simplify(alone);
    if (!simple.ok() || simple->known_empty) continue;
    const NodeId root = simple->results[0];
    if (uses_variable(*simple, root, number) ||
        uses_variable(*simple, root, static_cast<int64_t>(narrow))) {
      continue;
    }
    const absl::StatusOr<Interval> range = range_of(*simple, root);
    if (!range.ok() || !is_inside(*range, relation.runtime[narrow].feasible)) continue;
    return with_value(std::move(changed), static_cast<int32_t>(narrow), *value);
  }
  return std::nullopt;
}

enum class Clamped { kBelow, kWithin, kAbove };

// The relation where the wide variable is below, within or above the clamp of the narrow one.
// Nothing if it has no pair there.
std::optional<AccessRelation> clamped(const AccessRelation& relation, size_t wide, size_t narrow,
                                      Clamped where) {
  const Interval inner = relation.runtime[narrow].feasible;
  Interval part = relation.runtime[wide].feasible;
  if (where == Clamped::kWithin) part = inner;
  if (where == Clamped::kBelow) part.high = inner.low - 1;
  if (where == Clamped::kAbove) part.low = inner.high + 1;
  if (part.low > part.high) return std::nullopt;
  AccessRelation changed = relation;
  IndexingMap& map = changed.map;
  const NodeId variable = add_variable(map.nodes, Op::kRuntime, static_cast<int64_t>(wide));
  const NodeId value =
      where == Clamped::kWithin
          ? variable
          : add_constant(map.nodes, where == Clamped::kBelow ? inner.low : inner.high);
  map.constraints.push_back({variable, part});
  changed = with_value(std::move(changed), static_cast<int32_t>(narrow), value);
  const absl::StatusOr<IndexingMap> simple = simplify(changed.map);
  if (simple.ok() && simple->known_empty) return std::nullopt;
  return changed;
}

// Whether the element of some variable depends on this one.
bool is_used_by_element(const AccessRelation& relation, int64_t variable) {
  const std::vector<NodeId>& results = relation.map.results;
  return std::any_of(results.begin() + relation.rank, results.end(),
                     [&](NodeId result) { return uses_variable(relation.map, result, variable); });
}

// Whether at most one of the three is possible. Then it is the relation.
bool clamp_again(AccessRelation& relation, size_t wide, size_t narrow) {
  // An element depends on earlier variables only.
  if (wide > narrow && is_used_by_element(relation, static_cast<int64_t>(narrow))) return false;
  std::optional<AccessRelation> only;
  for (const Clamped where : {Clamped::kBelow, Clamped::kWithin, Clamped::kAbove}) {
    auto one = clamped(relation, wide, narrow, where);
    if (!one) continue;
    if (only) return false;
    only = std::move(one);
  }
  if (only) {
    relation = *std::move(only);
  } else {
    relation.map.known_empty = true;
  }
  return true;
}

}  // namespace

bool replace_clamped_runtime(AccessRelation& relation) {
  const size_t count = relation.runtime.size();
  if (count < 2 || relation.map.constraints.empty()) return false;
  const std::vector<size_t> first = first_results(relation);
  for (size_t wide = 0; wide < count; ++wide) {
    for (size_t narrow = 0; narrow < count; ++narrow) {
      if (!is_clamped_twice(relation, first, wide, narrow)) continue;
      if (!is_used(relation.map, static_cast<int64_t>(narrow))) continue;
      if (auto changed = with_wider_value(relation, wide, narrow)) {
        relation = *std::move(changed);
        return true;
      }
      if (clamp_again(relation, wide, narrow)) return true;
    }
  }
  return false;
}

}  // namespace tileproof::impl
