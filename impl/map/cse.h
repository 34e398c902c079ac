// SPDX-License-Identifier: Apache-2.0
// Common subexpression elimination: a map in which equal expressions are one node.
//
// Compilers write the same index again and again: six times in a chain of reshapes is common. If
// equal expressions are one node, all work for a node is done once:
//
//     (d0 * 8 + s0) floordiv 4 + (d0 * 8 + s0) mod 4        13 nodes, of which 9 are distinct
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// Makes such maps and reuses its memory. One thread at a time.
class CommonSubexpressions {
 public:
  // Writes to `out` the map with each expression once, at its first occurrence. Operands precede
  // their use. Errors: those of validate_map (impl/map/normal_form/normalize.h).
  absl::Status read(const IndexingMap& map, IndexingMap& out);

  // The position in that table of a node of the map that was read last.
  NodeId position(NodeId id) const { return positions_[id]; }

 private:
  absl::flat_hash_map<Node, NodeId> known_;  // the distinct nodes
  std::vector<NodeId> positions_;            // of the nodes of the map, among the distinct nodes
  std::vector<NodeId> firsts_;  // of the distinct nodes: their first occurrence in the map
};

}  // namespace tileproof::impl
