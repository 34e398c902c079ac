// SPDX-License-Identifier: Apache-2.0
// The nodes of some expressions of a map, each once.
#pragma once

#include <algorithm>
#include <vector>

#include "absl/types/span.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// Calls visit(position, node) for each node under the roots, from the last of them to the first.
template <class Visit>
void visit_nodes(const ExprTable& nodes, absl::Span<const NodeId> roots, const Visit& visit) {
  NodeId last = -1;
  for (const NodeId root : roots) last = std::max(last, root);
  std::vector<char> needed(last + 1, 0);
  for (const NodeId root : roots) needed[root] = 1;
  for (NodeId id = last; id >= 0; --id) {
    if (!needed[id]) continue;
    const Node& node = nodes[id];
    if (!is_leaf(node.op)) needed[node.left] = needed[node.right] = 1;
    visit(id, node);
  }
}

}  // namespace tileproof::impl
