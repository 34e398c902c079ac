// SPDX-License-Identifier: Apache-2.0
// Expressions, as written, as sums of multiples of atoms.
//
//     d0 * 4 + (d1 floordiv 8) * 2 + 7         constant 7, factors {d0: 4, d1 floordiv 8: 2}
//
// Products with a constant are taken apart, divisions are not. Nothing is simplified here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

struct AtomSum {
  std::map<NodeId, int64_t> factors = {};  // by atom; none is 0
  int64_t constant = 0;
};

// Adds a multiple. Returns whether all numbers fit int64.
bool add_multiple(AtomSum& to, const AtomSum& from, int64_t times);

// Nodes of the largest tree that is read as a sum.
inline constexpr int64_t kMaxSumTree = 2000;

// The expression as written. The atoms are nodes of the table: variables, divisions, and products of
// which no factor is a constant. Nothing if a number leaves 64 bits. Takes time for each node of the
// tree.
std::optional<AtomSum> sum_as_written(const ExprTable& nodes, NodeId root);

// Reads the expressions of one map, down to their variables. Here an atom is a variable, or the
// quotient or remainder of such a sum by a positive constant. Equal trees have the same atom number.
// The map has at most 64 dimensions and no other variables.
class AtomSums {
 public:
  explicit AtomSums(const IndexingMap& map);

  // The expression as a sum, down to its variables. Nothing if it has a product of variables or a
  // ceildiv, if it is very large, or if a number leaves 64 bits.
  std::optional<AtomSum> of(NodeId root) const;

  // The node of an atom: a variable, kFloorDiv or kMod.
  const Node& node(NodeId atom) const { return map_.nodes[positions_.at(atom)]; }
  int64_t divisor(NodeId atom) const { return map_.nodes[node(atom).right].value; }
  NodeId position(NodeId atom) const { return positions_.at(atom); }

  // The dimensions in an atom, as a bit mask.
  uint64_t variables(NodeId atom) const;

 private:
  std::optional<AtomSum> sum_of(NodeId id) const;
  bool is_readable(const AtomSum& sum) const;

  const IndexingMap& map_;
  std::vector<NodeId> numbers_;         // of trees, by node
  std::map<NodeId, NodeId> positions_;  // by number: a node with that tree
};

}  // namespace tileproof::impl
