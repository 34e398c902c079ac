// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/map/expr.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <optional>

#include "spec/lang/base/checked_arithmetic.h"

namespace tileproof {
namespace {

NodeId append(ExprTable& table, const Node& node) {
  assert(table.size() < static_cast<size_t>(std::numeric_limits<NodeId>::max()));
  table.push_back(node);
  return static_cast<NodeId>(table.size() - 1);
}

// Compares the trees node by node. Nothing if that takes more than so many steps.
std::optional<bool> same_small_tree(const ExprTable& a, NodeId x, const ExprTable& b, NodeId y,
                                    int& steps) {
  if (a[x].op != b[y].op || a[x].value != b[y].value) return false;
  if (is_leaf(a[x].op)) return true;
  if (--steps < 0) return std::nullopt;
  const std::optional<bool> left = same_small_tree(a, a[x].left, b, b[y].left, steps);
  return left == true ? same_small_tree(a, a[x].right, b, b[y].right, steps) : left;
}

}  // namespace

NodeId add_constant(ExprTable& table, int64_t value) {
  return append(table, Node{.op = Op::kConstant, .value = value});
}

NodeId add_variable(ExprTable& table, Op kind, int64_t number) {
  assert(is_variable(kind) && number >= 0);
  return append(table, Node{.op = kind, .value = number});
}

NodeId add_operation(ExprTable& table, Op op, NodeId left, NodeId right) {
  assert(!is_leaf(op));
  assert(0 <= left && left < std::ssize(table) && 0 <= right && right < std::ssize(table));
  return append(table, Node{.op = op, .left = left, .right = right});
}

std::vector<NodeId> TreeNumbers::of(const ExprTable& table, NodeId end) {
  std::vector<NodeId> numbers;
  numbers.reserve(end);
  for (NodeId id = 0; id < end; ++id) {
    Node key = table[id];
    if (!is_leaf(key.op)) {
      key.left = numbers[key.left];
      key.right = numbers[key.right];
    }
    numbers.push_back(seen_.try_emplace(key, static_cast<NodeId>(seen_.size())).first->second);
  }
  return numbers;
}

bool same_expression(const ExprTable& a, NodeId root_a, const ExprTable& b, NodeId root_b) {
  int steps = 100;
  const std::optional<bool> same = same_small_tree(a, root_a, b, root_b, steps);
  if (same) return *same;
  TreeNumbers numbers;
  return numbers.of(a, root_a + 1)[root_a] == numbers.of(b, root_b + 1)[root_b];
}

int64_t tree_size(const ExprTable& table, NodeId root) {
  std::vector<int64_t> sizes;
  sizes.reserve(root + 1);
  for (NodeId id = 0; id <= root; ++id) {
    const Node& node = table[id];
    std::optional<int64_t> size = 1;
    if (!is_leaf(node.op)) size = checked_add(sizes[node.left], sizes[node.right]);
    if (size && !is_leaf(node.op)) size = checked_add(*size, 1);
    sizes.push_back(size.value_or(INT64_MAX));
  }
  return sizes[root];
}

int64_t tree_depth(const ExprTable& table, NodeId root) {
  std::vector<int64_t> depths;
  depths.reserve(root + 1);
  for (NodeId id = 0; id <= root; ++id) {
    const Node& node = table[id];
    depths.push_back(is_leaf(node.op) ? 0 : 1 + std::max(depths[node.left], depths[node.right]));
  }
  return depths[root];
}

}  // namespace tileproof
