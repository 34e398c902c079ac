// SPDX-License-Identifier: Apache-2.0
// Evaluates the expressions of a map without range and runtime variables, point by point.
#pragma once

#include <cstdint>
#include <vector>

#include "impl/map/normal_form/linear.h"
#include "spec/lang/map/expr.h"

namespace tileproof::impl {

// Returns whether `points` are at most `most`, or a smaller limit for a map with many nodes.
inline bool is_affordable(Wide points, const ExprTable& nodes, int64_t most) {
  return points * (std::ssize(nodes) / 32 + 1) <= most;
}

// Writes the value of each node to `values`, which holds one number for each node. Returns false if
// a value leaves 64 bits or a divisor is not positive.
inline bool evaluate_nodes(const ExprTable& nodes, const std::vector<int64_t>& point,
                           std::vector<int64_t>& values) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    if (is_leaf(node.op)) {
      values[i] = node.op == Op::kConstant ? node.value : point[node.value];
      continue;
    }
    const int64_t a = values[node.left], b = values[node.right];
    if (node.op == Op::kAdd) {
      if (__builtin_add_overflow(a, b, &values[i])) return false;
    } else if (node.op == Op::kMul) {
      if (__builtin_mul_overflow(a, b, &values[i])) return false;
    } else {
      if (b < 1 || node.op == Op::kCeilDiv) return false;
      const int64_t rest = a % b;
      values[i] = node.op == Op::kMod ? rest + (rest < 0 ? b : 0) : a / b - (rest < 0 ? 1 : 0);
    }
  }
  return true;
}

}  // namespace tileproof::impl
