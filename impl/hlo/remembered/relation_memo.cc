// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/remembered/relation_memo.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/container/flat_hash_map.h"
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

// Whether all fields are the same, but for positions of runtime variables and those that `finish` sets.
bool are_alike(const AccessRelation& a, const AccessRelation& b) {
  const auto same_value = [](const RuntimeValue& x, const RuntimeValue& y) {
    return x.rank == y.rank && x.feasible == y.feasible;
  };
  const auto same_maps = [](const auto& x, const auto& y) {
    return x == y || (x && y && same_tables(*x, *y));
  };
  return &a == &b ||
         (a.fingerprint == b.fingerprint && a.rank == b.rank && a.inexact == b.inexact &&
          a.reason == b.reason && std::ranges::equal(a.runtime, b.runtime, same_value) &&
          same_tables(a.map, b.map) && a.onto == b.onto && same_maps(a.written, b.written) &&
          same_maps(a.backwards, b.backwards));
}

// The positions of all runtime variables.
using Positions = std::vector<const HloPosition*>;

Positions positions_of(const AccessRelationPtr& first, const AccessRelationPtr& second) {
  Positions all;
  for (const AccessRelation* relation : {first.get(), second.get()}) {
    if (relation == nullptr) continue;
    for (const RuntimeValue& value : relation->runtime) all.push_back(&value.position);
  }
  return all;
}

// Whether two positions of one list are equal exactly if they are in the other.
bool is_renaming(const Positions& from, const Positions& to) {
  for (size_t i = 0; i < from.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if ((*from[i] == *from[j]) != (*to[i] == *to[j])) return false;
    }
  }
  return true;
}

AccessRelationPtr renamed(const AccessRelationPtr& relation, const Positions& from,
                          const Positions& to) {
  const auto same = [](const HloPosition* x, const HloPosition* y) { return *x == *y; };
  if (relation == nullptr || relation->runtime.empty() || std::ranges::equal(from, to, same)) {
    return relation;
  }
  auto copy = std::make_shared<AccessRelation>(*relation);
  for (RuntimeValue& value : copy->runtime) {
    size_t k = 0;
    while (*from[k] != value.position) ++k;  // a composition has no other positions
    value.position = *to[k];
  }
  return copy;
}

size_t nodes_of(const AccessRelationPtr& relation) {
  if (relation == nullptr) return 0;
  size_t nodes = relation->map.nodes.size();
  for (const auto& also : {relation->written, relation->backwards}) {
    if (also != nullptr) nodes += also->nodes.size();
  }
  return nodes;
}

enum class Made : uint8_t { kUniverse, kIdentity, kComposition, kLoopRead, kInverse };

// A result and what it was made of: no, one or two relations.
struct Entry {
  Made made;
  AccessRelationPtr first, second;
  Dims x, y, z;
  AccessRelationPtr result;
};

bool is_alike(const AccessRelationPtr& a, const AccessRelationPtr& b) {
  return a == nullptr ? b == nullptr : b != nullptr && are_alike(*a, *b);
}

uint64_t fingerprint(const AccessRelationPtr& relation) {
  return relation == nullptr ? 0 : relation->fingerprint;
}

// The newest entry of each hash.
AccessRelationPtr remembered(Made made, const AccessRelationPtr& first,
                             const AccessRelationPtr& second, const Dims& x, const Dims& y,
                             const Dims& z, MakeRelation make) {
  constexpr size_t kMostNodes = size_t{1} << 19;  // about 13 MB; then all are forgotten
  constexpr size_t kNodesOfEntry = 32;            // of about the size of its other fields
  thread_local absl::flat_hash_map<size_t, Entry> entries;
  thread_local size_t nodes = 0;
  const size_t hash = absl::HashOf(made, fingerprint(first), fingerprint(second), x, z);
  const auto known = entries.find(hash);
  if (known != entries.end()) {
    const Entry& at = known->second;
    if (at.made == made && is_alike(at.first, first) && is_alike(at.second, second) && at.x == x &&
        at.y == y && at.z == z) {
      const Positions from = positions_of(at.first, at.second), to = positions_of(first, second);
      if (is_renaming(from, to)) return renamed(at.result, from, to);
    }
  }
  AccessRelationPtr result = make();
  const size_t more = nodes_of(first) + nodes_of(second) + nodes_of(result) + kNodesOfEntry;
  if (nodes + more > kMostNodes) {
    entries.clear();
    nodes = 0;
  }
  nodes += more;
  entries.insert_or_assign(hash, Entry{made, first, second, x, y, z, result});
  return result;
}

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
    hash = absl::HashOf(hash, value.feasible.low, value.feasible.high);
  }
  return hash;
}

AccessRelationPtr remembered_between(const Dims& output, const Dims& operand, bool universe,
                                     MakeRelation make) {
  return remembered(universe ? Made::kUniverse : Made::kIdentity, nullptr, nullptr, output, {},
                    operand, make);
}

AccessRelationPtr remembered_composition(const AccessRelationPtr& first,
                                         const AccessRelationPtr& second, const Dims& x,
                                         const Dims& y, const Dims& z, MakeRelation make) {
  return remembered(Made::kComposition, first, second, x, y, z, make);
}

AccessRelationPtr remembered_one(MadeOf made, const AccessRelationPtr& relation, const Dims& output,
                                 const Dims& operand, MakeRelation make) {
  return remembered(made == MadeOf::kInverse ? Made::kInverse : Made::kLoopRead, relation, nullptr,
                    output, {}, operand, make);
}

}  // namespace tileproof::impl
