// SPDX-License-Identifier: Apache-2.0
#include "impl/map/cse.h"

#include "impl/map/normal_form/normalize.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
absl::Status CommonSubexpressions::read(const IndexingMap& map, IndexingMap& out) {
  out.dimensions = map.dimensions;
  out.ranges = map.ranges;
  out.runtime = map.runtime;
  out.known_empty = map.known_empty;
  out.results = map.results;
  out.constraints = map.constraints;
  out.nodes.clear();
  known_.clear();
  positions_.resize(map.nodes.size());
  firsts_.clear();
  // A repeated expression usually has its nodes in the same order as its first occurrence.
  NodeId guess = 0;
  for (NodeId id = 0; id < std::ssize(map.nodes); ++id) {
    const Node& node = map.nodes[id];
    NodeId left = -1, right = -1;
    if (!is_leaf(node.op)) {
      if (!operands_precede(node, id)) return check_node(map, id);
      left = positions_[node.left];
      right = positions_[node.right];
    }
    if (guess < id) {
      const Node& like = out.nodes[positions_[guess]];
      if (like.left == left && like.right == right && like.op == node.op &&
          like.value == node.value) {
        positions_[id] = positions_[guess++];
        continue;
      }
    }
    const Node copy{.op = node.op, .left = left, .right = right, .value = node.value};
    const auto [known, is_new] = known_.try_emplace(copy, static_cast<NodeId>(firsts_.size()));
    positions_[id] = known->second;
    if (is_new) {
      TRY(check_node(map, id));
      out.nodes.push_back(copy);
      firsts_.push_back(id);
    }
    guess = firsts_[known->second] + 1;
  }
  for (NodeId& result : out.results) result = positions_[result];
  for (Constraint& constraint : out.constraints) constraint.expr = positions_[constraint.expr];
  return absl::OkStatus();
}

}  // namespace tileproof::impl
