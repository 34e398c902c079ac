// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/access_relation.h"

#include <algorithm>
#include <utility>

#include "impl/hlo/access_relation_limits.h"
#include "impl/hlo/offsets/clamped_runtime.h"
#include "impl/hlo/remembered/relation_memo.h"
#include "impl/map/ranges/range_sums.h"
#include "impl/map/simplify.h"
#include "impl/map/variables.h"

namespace tileproof::impl {
namespace {

// Whether each result of the index is a variable of its own with all values of the operand's
// dimension. (In a dimension of size 1 it may be the constant 0.)
bool fills_box(const AccessRelation& relation, const Dims& operand, bool ranges_only) {
  for (int32_t i = 0; i < relation.rank; ++i) {
    const Node& node = relation.map.nodes[relation.map.results[i]];
    if (node.op == Op::kConstant && operand[i] == 1) continue;
    const bool suitable = node.op == Op::kRange || (node.op == Op::kDimension && !ranges_only);
    if (!suitable) return false;
    const Interval all{0, operand[i] - 1};
    if (variables_of(relation.map, node.op)[node.value].bounds != all) return false;
    for (int32_t j = 0; j < i; ++j) {
      if (relation.map.nodes[relation.map.results[j]] == node) return false;
    }
  }
  return true;
}

bool keeps_index(const AccessRelation& relation, const Dims& output, const Dims& operand) {
  if (output != operand) return false;
  for (int32_t i = 0; i < relation.rank; ++i) {
    const Node& node = relation.map.nodes[relation.map.results[i]];
    if (output[i] != 1 && !(node.op == Op::kDimension && node.value == i)) return false;
  }
  return true;
}

bool same(const AccessRelation& a, const AccessRelation& b) {
  return a.fingerprint == b.fingerprint && a.runtime == b.runtime && a.map == b.map;
}

// Whether all expressions are variables and constants, without constraints. A simplified relation
// composed with such a relation is simplified.
bool is_plain(const AccessRelation& relation, const Dims& output) {
  return relation.runtime.empty() && is_box(relation.map, output) &&
         std::ranges::all_of(relation.map.results,
                             [&](NodeId result) { return is_leaf(relation.map.nodes[result].op); });
}

// Appends the nodes of `second` to those of `first`, which `into` holds. Replaces dimensions by the
// results of `first`. Returns the new position of each node.
std::vector<NodeId> substitute(IndexingMap& into, const AccessRelation& first,
                               const IndexingMap& second) {
  std::vector<NodeId> positions;
  positions.reserve(second.nodes.size());
  for (Node node : second.nodes) {
    if (node.op == Op::kDimension) {
      positions.push_back(into.results[node.value]);
      continue;
    }
    if (node.op == Op::kRange) node.value += std::ssize(first.map.ranges);
    if (node.op == Op::kRuntime) node.value += std::ssize(first.map.runtime);
    if (!is_leaf(node.op)) {
      node.left = positions[node.left];
      node.right = positions[node.right];
    }
    into.nodes.push_back(node);
    positions.push_back(static_cast<NodeId>(into.nodes.size() - 1));
  }
  return positions;
}

// Drops the nodes that nothing uses. So most equal maps have equal tables, whatever they were made
// of. The others keep their order, on which the simplifier's choice between equal forms depends.
void drop_unused_nodes(IndexingMap& map) {
  std::vector<NodeId> positions(map.nodes.size(), -1);
  for (const NodeId result : map.results) positions[result] = 0;
  for (const Constraint& constraint : map.constraints) positions[constraint.expr] = 0;
  for (NodeId id = static_cast<NodeId>(map.nodes.size()) - 1; id >= 0; --id) {
    const Node& node = map.nodes[id];
    if (positions[id] == 0 && !is_leaf(node.op)) positions[node.left] = positions[node.right] = 0;
  }
  NodeId kept = 0;
  for (size_t id = 0; id < positions.size(); ++id) {
    if (positions[id] < 0) continue;
    Node node = map.nodes[id];
    if (!is_leaf(node.op)) {
      node.left = positions[node.left];
      node.right = positions[node.right];
    }
    positions[id] = kept;
    map.nodes[kept++] = node;
  }
  map.nodes.resize(kept);
  for (NodeId& result : map.results) result = positions[result];
  for (Constraint& constraint : map.constraints) constraint.expr = positions[constraint.expr];
}

AccessRelationPtr nothing_or(AccessRelation relation, const Dims& output, const Dims& operand) {
  tidy(relation);
  if (beyond_limits(relation)) {
    return universe_because(relation.inexact ? relation.reason : "a map of too many terms", output,
                            operand);
  }
  return finish(std::move(relation), output, operand);
}

}  // namespace

bool is_box(const IndexingMap& map, const Dims& sizes) {
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (map.dimensions[i].bounds != Interval{0, sizes[i] - 1}) return false;
  }
  return map.constraints.empty();
}

NodeId append_nodes(ExprTable& to, const ExprTable& more) {
  const auto shift = static_cast<NodeId>(to.size());
  for (Node node : more) {
    if (!is_leaf(node.op)) {
      node.left += shift;
      node.right += shift;
    }
    to.push_back(node);
  }
  return shift;
}

AccessRelationPtr finish(AccessRelation relation, const Dims& output, const Dims& operand) {
  drop_unused_nodes(relation.map);
  const bool box = is_box(relation.map, output);
  const bool fixed = relation.runtime.empty();
  relation.identity = fixed && box && keeps_index(relation, output, operand);
  relation.universe = fixed && box && fills_box(relation, operand, true);
  relation.onto |= fixed && relation.map.constraints.empty() && fills_box(relation, operand, false);
  relation.fingerprint = fingerprint_of(relation);
  return std::make_shared<const AccessRelation>(std::move(relation));
}

AccessRelationPtr simplified(AccessRelation relation, const Dims& output, const Dims& operand) {
  do {
    absl::StatusOr<IndexingMap> map = simplify(relation.map);
    if (!map.ok()) break;
    if (map->known_empty) return nullptr;
    relation.map = *std::move(map);
  } while (reduce_ranges(relation.map) || merge_runtime(relation) ||
           replace_clamped_runtime(relation));
  return nothing_or(std::move(relation), output, operand);
}

AccessRelationPtr identity_relation(const Dims& output) {
  return remembered_between(output, output, /*universe=*/false, [&] {
    MapBuilder m(output);
    for (size_t i = 0; i < output.size(); ++i) m.result(m.dimension(static_cast<int64_t>(i)));
    AccessRelation relation;
    relation.map = m.take();
    relation.rank = static_cast<int32_t>(output.size());
    return finish(std::move(relation), output, output);
  });
}

AccessRelationPtr universe_relation(const Dims& output, const Dims& operand) {
  return remembered_between(output, operand, /*universe=*/true, [&] {
    MapBuilder m(output);
    for (int64_t size : operand) m.result(m.range(size));
    AccessRelation relation;
    relation.map = m.take();
    relation.rank = static_cast<int32_t>(operand.size());
    return finish(std::move(relation), output, operand);
  });
}

AccessRelationPtr universe_because(const std::string& reason, const Dims& output,
                                   const Dims& operand) {
  AccessRelation all = *universe_relation(output, operand);
  all.inexact = true;
  all.reason = reason;
  return finish(std::move(all), output, operand);
}

bool composes_to_universe(const AccessRelation& first, const AccessRelation& second,
                          const Dims& x) {
  return second.universe && first.runtime.empty() && is_box(first.map, x);
}

AccessRelation joined(const AccessRelation& first, const AccessRelation& second, const Dims& y) {
  AccessRelation out;
  out.map = first.map;
  out.rank = second.rank;
  const std::vector<NodeId> positions = substitute(out.map, first, second.map);
  const std::vector<NodeId> between = std::exchange(out.map.results, {});
  for (int32_t i = 0; i < second.rank; ++i)
    out.map.results.push_back(positions[second.map.results[i]]);
  out.map.results.insert(out.map.results.end(), between.begin() + first.rank, between.end());
  for (size_t i = second.rank; i < second.map.results.size(); ++i) {
    out.map.results.push_back(positions[second.map.results[i]]);
  }
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(out.map.ranges, second.map.ranges);
  append(out.map.runtime, second.map.runtime);
  out.runtime = first.runtime;
  append(out.runtime, second.runtime);
  for (const Constraint& c : second.map.constraints) {
    out.map.constraints.push_back({positions[c.expr], c.interval});
  }
  for (size_t i = 0; i < y.size(); ++i) {
    const Interval bounds = second.map.dimensions[i].bounds;
    if (bounds != Interval{0, y[i] - 1}) out.map.constraints.push_back({between[i], bounds});
  }
  out.inexact = first.inexact || second.inexact;
  out.reason = first.inexact ? first.reason : second.reason;
  return out;
}

AccessRelationPtr compose(const AccessRelationPtr& first, const AccessRelationPtr& second,
                          const Dims& x, const Dims& y, const Dims& z) {
  if (second->identity) {
    if (!second->inexact || first->inexact) return first;
    AccessRelation marked = *first;
    marked.inexact = true;
    marked.reason = second->reason;
    return finish(std::move(marked), x, z);
  }
  if (first->identity && !first->inexact) return second;
  return remembered_composition(first, second, x, y, z, [&] {
    AccessRelation relation = joined(*first, *second, y);
    return is_plain(*second, y) ? nothing_or(std::move(relation), x, z)
                                : simplified(std::move(relation), x, z);
  });
}

AccessRelation with_value(AccessRelation relation, int32_t variable, NodeId value) {
  IndexingMap& map = relation.map;
  ExprTable nodes = map.nodes;
  std::vector<NodeId> positions;
  for (Node node : map.nodes) {
    if (node.op == Op::kRuntime && node.value == variable) {
      positions.push_back(value);
      continue;
    }
    if (!is_leaf(node.op)) {
      node.left = positions[node.left];
      node.right = positions[node.right];
    }
    nodes.push_back(node);
    positions.push_back(static_cast<NodeId>(nodes.size() - 1));
  }
  map.nodes = std::move(nodes);
  for (NodeId& result : map.results) result = positions[result];
  for (Constraint& constraint : map.constraints) constraint.expr = positions[constraint.expr];
  // Bounds tighter than the feasible values are a constraint.
  Interval& bounds = map.runtime[variable].bounds;
  const Interval feasible = relation.runtime[variable].feasible;
  if (bounds != feasible) map.constraints.push_back({value, bounds});
  bounds = feasible;
  return relation;
}

void add_universe(UnionMap& union_map, std::shared_ptr<const std::string> reason) {
  if (union_map.universe && reason != nullptr) return;
  union_map = {{}, true, std::move(reason)};
}

std::vector<AccessRelationPtr> relations_of(const UnionMap& union_map, const Dims& output,
                                            const Dims& operand) {
  if (!union_map.universe) return union_map.relations;
  return {union_map.reason == nullptr ? universe_relation(output, operand)
                                      : universe_because(*union_map.reason, output, operand)};
}

void add(UnionMap& union_map, const AccessRelationPtr& relation, const Dims& output,
         const Dims& operand) {
  if (relation->universe) {
    add_universe(union_map, relation->inexact
                                ? std::make_shared<const std::string>(relation->reason)
                                : nullptr);
  }
  if (union_map.universe) return;
  for (AccessRelationPtr& other : union_map.relations) {
    if (other == relation) return;
    if (same(*other, *relation)) {
      if (other->inexact && !relation->inexact) other = relation;
      return;
    }
  }
  union_map.relations.push_back(relation);
  reduce_union(union_map, output, operand);
}

}  // namespace tileproof::impl
