// Integer expressions over the variables of an indexing map, as values.
//
// An expression is a tree whose nodes lie in one table, operands before the node that uses them: a
// NodeId is a place in the table, and a walk from the first node to the last meets every operand
// before its use, without recursion. One table serves all expressions of a map, so they may share
// nodes. Nothing is folded: the table holds what was written.
//
//     d0 floordiv 8 + s0      0: d0   1: 8   2: floordiv(0, 1)   3: s0   4: add(2, 3)
//
// There is no subtraction: as in XLA, `a - b` is a + b * -1, and `a - 3` is a + -3.
// Meaning (INTERFACE, section 2 "Integers"): floordiv rounds towards minus infinity for every sign,
// x mod c = x - c * (x floordiv c), ceildiv(x, c) = -((-x) floordiv c).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace tileproof {

enum class Op : uint8_t {
  kConstant,   // value
  kDimension,  // d<value>
  kRange,      // s<value>
  kRuntime,    // rt<value>
  kAdd,
  kMul,
  kFloorDiv,
  kCeilDiv,
  kMod,
};

constexpr bool is_leaf(Op op) { return op <= Op::kRuntime; }
constexpr bool is_variable(Op op) { return op != Op::kConstant && is_leaf(op); }

using NodeId = int32_t;

struct Node {
  Op op = Op::kConstant;
  NodeId left = -1;  // operands, before this node in the table; -1 in leaves
  NodeId right = -1;
  int64_t value = 0;  // of a constant, or the number of a variable within its kind; 0 in operations

  bool operator==(const Node&) const = default;

  template <class H>
  friend H AbslHashValue(H hash, const Node& node) {
    return H::combine(std::move(hash), node.op, node.left, node.right, node.value);
  }
};

using ExprTable = std::vector<Node>;

// Appends a node and returns its place. Operands must be places in the table.
NodeId add_constant(ExprTable& table, int64_t value);
NodeId add_variable(ExprTable& table, Op kind, int64_t number);
NodeId add_operation(ExprTable& table, Op op, NodeId left, NodeId right);

// The two trees are the same, node for node.
bool same_expression(const ExprTable& a, NodeId root_a, const ExprTable& b, NodeId root_b);

// Numbers trees so that two nodes, of whatever tables, have one number exactly if their trees are
// the same. Takes time in proportion to the tables, however much their nodes are shared.
class TreeNumbers {
 public:
  // The numbers of the nodes before `end`.
  std::vector<NodeId> of(const ExprTable& table, NodeId end);

 private:
  absl::flat_hash_map<Node, NodeId> seen_;  // operands told by their numbers
};

// Nodes of the tree under `root`; a shared node counts each time it is met. Saturates at INT64_MAX.
int64_t tree_size(const ExprTable& table, NodeId root);

// Operations on the longest way from `root` to a leaf; 0 for a leaf.
int64_t tree_depth(const ExprTable& table, NodeId root);

}  // namespace tileproof
