// A map with every expression once.
//
// Compilers write the same index again and again: six times in a chain of reshapes is common. All
// that is done for each node is done a few times less where equal expressions are one node:
//
//     (d0 * 8 + s0) floordiv 4 + (d0 * 8 + s0) mod 4        13 nodes, of which 9 are distinct
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// Makes such maps; its memory is used again. One thread at a time.
class CommonSubexpressions {
 public:
  // `out` becomes the map, each expression in the table once, where it was met first; operands
  // stand before their use. The error of validate_map (impl/map/normal_form/normalize.h) if it is no map.
  absl::Status read(const IndexingMap& map, IndexingMap& out);

  // Where a node of the map that was read last is in that table.
  NodeId position(NodeId id) const { return positions_[id]; }

 private:
  NodeId position_of(const Node& node, ExprTable& nodes);

  std::vector<NodeId> slots_;      // a hash table of places among the distinct nodes; -1 is free
  std::vector<NodeId> positions_;  // of the nodes of the map, among the distinct nodes
  std::vector<NodeId> firsts_;     // of the distinct nodes: where the map has them first
};

}  // namespace tileproof::impl
