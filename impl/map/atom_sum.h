// Expressions as they are written, as sums of multiples of atoms.
//
//     d0 * 4 + (d1 floordiv 8) * 2 + 7         constant 7, factors {d0: 4, d1 floordiv 8: 2}
//
// An atom is a variable, or a quotient or remainder by a positive constant of what is again such a
// sum. Nothing is simplified: that has been done, or need not be.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

struct AtomSum {
  std::map<NodeId, int64_t> factors;  // of atoms, none 0
  int64_t constant = 0;
};

// Reads the expressions of one map, which has no variables but dimensions, at most 64 of them. An
// atom is named by a number that is the same for equal trees.
class AtomSums {
 public:
  explicit AtomSums(const IndexingMap& map);

  // The expression, down to its variables; nothing where it is no such sum (a product of variables,
  // a ceildiv), is very large, or a number leaves 64 bits.
  std::optional<AtomSum> of(NodeId root) const;

  // The node that an atom is: a variable, kFloorDiv or kMod.
  const Node& node(NodeId atom) const { return map_.nodes[positions_.at(atom)]; }
  int64_t divisor(NodeId atom) const { return map_.nodes[node(atom).right].value; }
  NodeId position(NodeId atom) const { return positions_.at(atom); }

  // The dimensions under an atom, as bits.
  uint64_t variables(NodeId atom) const;

 private:
  std::optional<AtomSum> sum_of(NodeId id) const;
  bool is_readable(const AtomSum& sum) const;

  const IndexingMap& map_;
  std::vector<NodeId> numbers_;         // of trees, by node
  std::map<NodeId, NodeId> positions_;  // a node with that tree
};

}  // namespace tileproof::impl
