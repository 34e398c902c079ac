// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/relation_memo.h"

#include <algorithm>
#include <vector>

#include "absl/hash/hash.h"

namespace tileproof::impl {
namespace {

bool same_tables(const IndexingMap& a, const IndexingMap& b) {
  const auto same_constraint = [](const Constraint& x, const Constraint& y) {
    return x.expr == y.expr && x.interval == y.interval;
  };
  return a.nodes == b.nodes && a.results == b.results &&
         std::ranges::equal(a.constraints, b.constraints, same_constraint) &&
         a.dimensions == b.dimensions && a.ranges == b.ranges && a.runtime == b.runtime;
}

// Whether a composition reads the same of both.
bool compose_alike(const AccessRelation& a, const AccessRelation& b) {
  return &a == &b ||
         (a.fingerprint == b.fingerprint && a.rank == b.rank && a.inexact == b.inexact &&
          a.reason == b.reason && a.runtime == b.runtime && same_tables(a.map, b.map));
}

// Whether all fields are the same, but for those that `finish` sets.
bool are_alike(const AccessRelation& a, const AccessRelation& b) {
  return compose_alike(a, b) && a.onto == b.onto && a.written == b.written &&
         a.backwards == b.backwards;
}

constexpr size_t kSlots = 2048;

struct Composition {
  AccessRelationPtr first, second;
  Dims x, y, z;
  AccessRelationPtr result;
};

struct LoopRead {
  AccessRelationPtr relation;
  Dims output, operand;
  AccessRelationPtr result;
};

}  // namespace

uint64_t fingerprint_of(const AccessRelation& relation) {
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
    hash = absl::HashOf(hash, value.position.calls, value.position.instruction, value.feasible.low);
  }
  return hash;
}

AccessRelationPtr remembered_composition(const AccessRelationPtr& first,
                                         const AccessRelationPtr& second, const Dims& x,
                                         const Dims& y, const Dims& z, MakeRelation make) {
  thread_local std::vector<Composition> slots(kSlots);
  Composition& known =
      slots[absl::HashOf(first->fingerprint, second->fingerprint, z.size()) % kSlots];
  if (known.first == nullptr || !compose_alike(*known.first, *first) ||
      !compose_alike(*known.second, *second) || known.x != x || known.y != y || known.z != z) {
    known = {first, second, x, y, z, make()};
  }
  return known.result;
}

AccessRelationPtr remembered_loop_read(const AccessRelationPtr& relation, const Dims& output,
                                       const Dims& operand, MakeRelation make) {
  thread_local std::vector<LoopRead> slots(kSlots);
  LoopRead& known = slots[relation->fingerprint % kSlots];
  if (known.relation == nullptr || !are_alike(*known.relation, *relation) ||
      known.output != output || known.operand != operand) {
    known = {relation, output, operand, make()};
  }
  return known.result;
}

}  // namespace tileproof::impl
