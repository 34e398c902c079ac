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

// The nodes under the roots, operands first.
inline std::vector<NodeId> nodes_under(const ExprTable& nodes, absl::Span<const NodeId> roots) {
  std::vector<NodeId> found;
  visit_nodes(nodes, roots, [&](NodeId id, const Node&) { found.push_back(id); });
  std::ranges::reverse(found);
  return found;
}

// Calls compute(position) for each node under the root whose flag in `known` is not set, operands
// first, and sets the flag. Ends early, and returns false, if the call does.
template <class Compute>
bool compute_under(const ExprTable& nodes, NodeId root, std::vector<char>& known,
                   const Compute& compute) {
  constexpr char kNeeded = 2;
  if (known[root] != 0) return true;
  known[root] = kNeeded;
  NodeId lowest = root;
  for (NodeId id = root; id >= lowest; --id) {
    const Node& node = nodes[id];
    if (known[id] != kNeeded || is_leaf(node.op)) continue;
    for (const NodeId operand : {node.left, node.right}) {
      if (known[operand] != 0) continue;
      known[operand] = kNeeded;
      lowest = std::min(lowest, operand);
    }
  }
  bool done = true;
  for (NodeId id = lowest; id <= root; ++id) {
    if (known[id] != kNeeded) continue;
    done = done && compute(id);
    known[id] = done ? 1 : 0;
  }
  return done;
}

}  // namespace tileproof::impl
