// SPDX-License-Identifier: Apache-2.0
// Integer expressions over the variables of an indexing map, as values.
//
// The nodes of an expression are in one table, operands before the node that uses them. A NodeId is
// a position in the table. A loop from the first node to the last visits every operand before its
// use, without recursion. All expressions of a map share one table, and may share nodes. The table
// keeps the expression as written: it folds nothing.
//
//     d0 floordiv 8 + s0      0: d0   1: 8   2: floordiv(0, 1)   3: s0   4: add(2, 3)
//
// There is no subtraction. As in XLA, `a - b` is a + b * -1, and `a - 3` is a + -3. floordiv rounds
// toward minus infinity, x mod c = x - c * (x floordiv c), and ceildiv(x, c) = -((-x) floordiv c).
// Source: MLIR, "Affine" dialect (docs/sources.md).
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
constexpr bool is_division(Op op) {
  return op == Op::kFloorDiv || op == Op::kCeilDiv || op == Op::kMod;
}

using NodeId = int32_t;

struct Node {
  Op op = Op::kConstant;
  bool is_computed = true;  // false: it only writes an operation on bits, and nobody computes it
  NodeId left = -1;         // operands, before this node in the table; -1 in leaves
  NodeId right = -1;
  int64_t value = 0;  // of a constant, or the number of a variable within its kind; 0 in operations

  bool operator==(const Node& other) const {
    return op == other.op && left == other.left && right == other.right && value == other.value;
  }

  template <class H>
  friend H AbslHashValue(H hash, const Node& node) {
    return H::combine(std::move(hash), node.op, node.left, node.right, node.value);
  }
};

using ExprTable = std::vector<Node>;

// Each appends a node and returns its id. Operands must be in the table already.
NodeId add_constant(ExprTable& table, int64_t value);
NodeId add_variable(ExprTable& table, Op kind, int64_t number);
NodeId add_operation(ExprTable& table, Op op, NodeId left, NodeId right);

// Returns whether the two trees are the same, node for node.
bool same_expression(const ExprTable& a, NodeId root_a, const ExprTable& b, NodeId root_b);

// Numbers trees: two nodes, of any tables, have the same number exactly if their trees are the
// same. Takes time linear in the size of the tables, even if nodes are shared.
class TreeNumbers {
 public:
  // Returns the numbers of the nodes before `end`.
  std::vector<NodeId> of(const ExprTable& table, NodeId end);

 private:
  absl::flat_hash_map<Node, NodeId> seen_;  // here the operands are numbers of trees
};

// Returns the number of nodes of the tree under `root`. A shared node counts each time it occurs.
// Saturates at INT64_MAX.
int64_t tree_size(const ExprTable& table, NodeId root);

// Returns the number of operations on the longest path from `root` to a leaf; 0 for a leaf.
int64_t tree_depth(const ExprTable& table, NodeId root);

}  // namespace tileproof
