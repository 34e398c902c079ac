// SPDX-License-Identifier: Apache-2.0
#include "impl/map/cse.h"

#include <bit>

#include "impl/map/normal_form/normalize.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

uint64_t hash_of(const Node& node) {
  const uint64_t leaf = static_cast<uint64_t>(node.value) * 16 + static_cast<uint64_t>(node.op);
  const auto operands = static_cast<uint64_t>(node.left) << 32 ^ static_cast<uint32_t>(node.right);
  const uint64_t hash = (leaf ^ operands * 0xBF58476D1CE4E5B9u) * 0x9E3779B97F4A7C15u;
  return hash >> 32;
}

}  // namespace

// Empties the table, with room for so many nodes.
void CommonSubexpressions::begin(size_t nodes) {
  const size_t size = std::bit_ceil(2 * nodes + 1);
  if (size > slots_.size()) slots_.resize(size);
  mask_ = size - 1;
  if (++epoch_ != 0) return;
  slots_.assign(slots_.size(), {});  // after 2^32 maps
  epoch_ = 1;
}

// The position of the node; appends it if it is new.
NodeId CommonSubexpressions::position_of(const Node& node, ExprTable& nodes) {
  for (uint64_t at = hash_of(node);; ++at) {
    Slot& slot = slots_[at & mask_];
    if (slot.epoch != epoch_) {
      slot = {epoch_, static_cast<NodeId>(nodes.size())};
      nodes.push_back(node);
      return slot.position;
    }
    if (nodes[slot.position] == node) return slot.position;
  }
}

absl::Status CommonSubexpressions::read(const IndexingMap& map, IndexingMap& out) {
  out.dimensions = map.dimensions;
  out.ranges = map.ranges;
  out.runtime = map.runtime;
  out.known_empty = map.known_empty;
  out.results = map.results;
  out.constraints = map.constraints;
  out.nodes.clear();
  begin(map.nodes.size());
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
    const NodeId position = positions_[id] =
        position_of({.op = node.op, .left = left, .right = right, .value = node.value}, out.nodes);
    if (position == std::ssize(firsts_)) {
      TRY(check_node(map, id));
      firsts_.push_back(id);
    }
    guess = firsts_[position] + 1;
  }
  for (NodeId& result : out.results) result = positions_[result];
  for (Constraint& constraint : out.constraints) constraint.expr = positions_[constraint.expr];
  return absl::OkStatus();
}

}  // namespace tileproof::impl
