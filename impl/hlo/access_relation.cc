#include "impl/hlo/access_relation.h"

#include <algorithm>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "impl/hlo/access_relation_limits.h"
#include "impl/map/simplify.h"
#include "impl/map/variables.h"

namespace tileproof::impl {
namespace {

bool is_box(const IndexingMap& map, const Dims& sizes) {
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (map.dimensions[i].bounds != Interval{0, sizes[i] - 1}) return false;
  }
  return map.constraints.empty();
}

// The results that are the index, each a variable of its own with as many values as the operand's
// dimension (or 0 where that has one element)?
bool fills_box(const Relation& relation, const Dims& operand, bool ranges_only) {
  std::vector<const Node*> seen;
  for (int32_t i = 0; i < relation.rank; ++i) {
    const Node& node = relation.map.nodes[relation.map.results[i]];
    if (node.op == Op::kConstant && operand[i] == 1) continue;
    const bool suitable = node.op == Op::kRange || (node.op == Op::kDimension && !ranges_only);
    if (!suitable) return false;
    const Interval all{0, operand[i] - 1};
    if (variables_of(relation.map, node.op)[node.value].bounds != all) return false;
    for (const Node* other : seen) {
      if (*other == node) return false;
    }
    seen.push_back(&node);
  }
  return true;
}

bool keeps_index(const Relation& relation, const Dims& output, const Dims& operand) {
  if (output != operand) return false;
  for (int32_t i = 0; i < relation.rank; ++i) {
    const Node& node = relation.map.nodes[relation.map.results[i]];
    if (output[i] != 1 && !(node.op == Op::kDimension && node.value == i)) return false;
  }
  return true;
}

uint64_t fingerprint_of(const Relation& relation) {
  const IndexingMap& map = relation.map;
  std::vector<size_t> hashes;
  hashes.reserve(map.nodes.size());
  for (const Node& node : map.nodes) {
    const size_t left = is_leaf(node.op) ? 0 : hashes[node.left];
    const size_t right = is_leaf(node.op) ? 0 : hashes[node.right];
    hashes.push_back(absl::HashOf(node.op, node.value, left, right));
  }
  size_t hash = absl::HashOf(map.results.size(), map.runtime.size());
  for (const std::vector<Variable>* variables : {&map.dimensions, &map.ranges}) {
    for (const Variable& v : *variables) hash = absl::HashOf(hash, v.bounds.low, v.bounds.high);
  }
  for (NodeId result : map.results) hash = absl::HashOf(hash, hashes[result]);
  for (const Constraint& c : map.constraints) {
    hash = absl::HashOf(hash, hashes[c.expr], c.interval.low, c.interval.high);
  }
  for (const RuntimeValue& value : relation.runtime) {
    hash = absl::HashOf(hash, value.place.calls, value.place.instruction, value.feasible.low);
  }
  return hash;
}

bool same(const Relation& a, const Relation& b) {
  return a.fingerprint == b.fingerprint && a.runtime == b.runtime && a.map == b.map;
}

// No expression but variables and constants, no condition: composing this after something that is
// simplified needs no simplifying.
bool is_plain(const Relation& relation, const Dims& output) {
  return relation.runtime.empty() && is_box(relation.map, output) &&
         std::ranges::all_of(relation.map.results,
                             [&](NodeId result) { return is_leaf(relation.map.nodes[result].op); });
}

// The nodes of `second`, dimensions replaced by the results of `first`, which is in the table.
std::vector<NodeId> substitute(IndexingMap& into, const Relation& first,
                               const IndexingMap& second) {
  std::vector<NodeId> places;
  places.reserve(second.nodes.size());
  for (Node node : second.nodes) {
    if (node.op == Op::kDimension) {
      places.push_back(into.results[node.value]);
      continue;
    }
    if (node.op == Op::kRange) node.value += std::ssize(first.map.ranges);
    if (node.op == Op::kRuntime) node.value += std::ssize(first.map.runtime);
    if (!is_leaf(node.op)) {
      node.left = places[node.left];
      node.right = places[node.right];
    }
    into.nodes.push_back(node);
    places.push_back(static_cast<NodeId>(into.nodes.size() - 1));
  }
  return places;
}

// The pairs of both, as written. `y`: sizes of the array between them, in which every result of
// `first` is known to lie.
Relation joined(const Relation& first, const Relation& second, const Dims& y) {
  Relation out;
  out.map = first.map;
  out.rank = second.rank;
  const std::vector<NodeId> places = substitute(out.map, first, second.map);
  const std::vector<NodeId> between = std::exchange(out.map.results, {});
  for (int32_t i = 0; i < second.rank; ++i)
    out.map.results.push_back(places[second.map.results[i]]);
  out.map.results.insert(out.map.results.end(), between.begin() + first.rank, between.end());
  for (size_t i = second.rank; i < second.map.results.size(); ++i) {
    out.map.results.push_back(places[second.map.results[i]]);
  }
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(out.map.ranges, second.map.ranges);
  append(out.map.runtime, second.map.runtime);
  out.runtime = first.runtime;
  append(out.runtime, second.runtime);
  for (const Constraint& c : second.map.constraints) {
    out.map.constraints.push_back({places[c.expr], c.interval});
  }
  for (size_t i = 0; i < y.size(); ++i) {
    const Interval bounds = second.map.dimensions[i].bounds;
    if (bounds != Interval{0, y[i] - 1}) out.map.constraints.push_back({between[i], bounds});
  }
  out.inexact = first.inexact || second.inexact;
  out.reason = first.inexact ? first.reason : second.reason;
  return out;
}

RelationPtr nothing_or(Relation relation, const Dims& output, const Dims& operand) {
  tidy(relation);
  if (beyond_limits(relation)) {
    return everything_because(relation.inexact ? relation.reason : "a map of too many terms",
                              output, operand);
  }
  return finish(std::move(relation), output, operand);
}

}  // namespace

RelationPtr finish(Relation relation, const Dims& output, const Dims& operand) {
  const bool box = is_box(relation.map, output);
  const bool fixed = relation.runtime.empty();
  relation.identity = fixed && box && keeps_index(relation, output, operand);
  relation.everything = fixed && box && fills_box(relation, operand, true);
  relation.onto |= fixed && relation.map.constraints.empty() && fills_box(relation, operand, false);
  relation.fingerprint = fingerprint_of(relation);
  return std::make_shared<const Relation>(std::move(relation));
}

RelationPtr simplified(Relation relation, const Dims& output, const Dims& operand) {
  do {
    absl::StatusOr<IndexingMap> map = simplify(relation.map);
    if (!map.ok()) break;
    if (map->known_empty) return nullptr;
    relation.map = *std::move(map);
  } while (merge_runtime(relation));
  return nothing_or(std::move(relation), output, operand);
}

RelationPtr identity_relation(const Dims& output) {
  MapBuilder m(output);
  for (size_t i = 0; i < output.size(); ++i) m.result(m.dimension(static_cast<int64_t>(i)));
  Relation relation;
  relation.map = m.take();
  relation.rank = static_cast<int32_t>(output.size());
  return finish(std::move(relation), output, output);
}

RelationPtr everything_relation(const Dims& output, const Dims& operand) {
  MapBuilder m(output);
  for (int64_t size : operand) m.result(m.range(size));
  Relation relation;
  relation.map = m.take();
  relation.rank = static_cast<int32_t>(operand.size());
  return finish(std::move(relation), output, operand);
}

RelationPtr everything_because(const std::string& reason, const Dims& output, const Dims& operand) {
  Relation all = *everything_relation(output, operand);
  all.inexact = true;
  all.reason = reason;
  return finish(std::move(all), output, operand);
}

bool composes_to_everything(const Relation& first, const Relation& second, const Dims& x) {
  return second.everything && first.runtime.empty() && is_box(first.map, x);
}

RelationPtr compose(const RelationPtr& first, const RelationPtr& second, const Dims& x,
                    const Dims& y, const Dims& z) {
  if (second->identity) {
    if (!second->inexact || first->inexact) return first;
    Relation marked = *first;
    marked.inexact = true;
    marked.reason = second->reason;
    return finish(std::move(marked), x, z);
  }
  if (first->identity && !first->inexact) return second;
  const bool plain = is_plain(*second, y);
  Relation relation = joined(*first, *second, y);
  if (!plain) return simplified(std::move(relation), x, z);
  return nothing_or(std::move(relation), x, z);
}

Relation with_value(Relation relation, int32_t variable, NodeId value) {
  IndexingMap& map = relation.map;
  ExprTable nodes = map.nodes;
  std::vector<NodeId> places;
  for (Node node : map.nodes) {
    if (node.op == Op::kRuntime && node.value == variable) {
      places.push_back(value);
      continue;
    }
    if (!is_leaf(node.op)) {
      node.left = places[node.left];
      node.right = places[node.right];
    }
    nodes.push_back(node);
    places.push_back(static_cast<NodeId>(nodes.size() - 1));
  }
  map.nodes = std::move(nodes);
  for (NodeId& result : map.results) result = places[result];
  for (Constraint& constraint : map.constraints) constraint.expr = places[constraint.expr];
  // Bounds that are tighter than the feasible values were a condition.
  Interval& bounds = map.runtime[variable].bounds;
  const Interval feasible = relation.runtime[variable].feasible;
  if (bounds != feasible) map.constraints.push_back({value, bounds});
  bounds = feasible;
  return relation;
}

void add_everything(Bag& bag, std::shared_ptr<const std::string> reason) {
  if (bag.everything && reason != nullptr) return;
  bag = {{}, true, std::move(reason)};
}

std::vector<RelationPtr> relations_of(const Bag& bag, const Dims& output, const Dims& operand) {
  if (!bag.everything) return bag.relations;
  return {bag.reason == nullptr ? everything_relation(output, operand)
                                : everything_because(*bag.reason, output, operand)};
}

void add(Bag& bag, const RelationPtr& relation, const Dims& output, const Dims& operand) {
  if (relation->everything) {
    add_everything(
        bag, relation->inexact ? std::make_shared<const std::string>(relation->reason) : nullptr);
  }
  if (bag.everything) return;
  for (RelationPtr& other : bag.relations) {
    if (other == relation) return;
    if (same(*other, *relation)) {
      if (other->inexact && !relation->inexact) other = relation;
      return;
    }
  }
  bag.relations.push_back(relation);
  make_smaller(bag, output, operand);
}

}  // namespace tileproof::impl
