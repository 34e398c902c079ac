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
      if (clamp_again(relation, wide, narrow)) return true;
    }
  }
  return false;
}

}  // namespace tileproof::impl
