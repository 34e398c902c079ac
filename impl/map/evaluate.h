// SPDX-License-Identifier: Apache-2.0
// Evaluation of an indexing map at a point, in 64-bit integers.
//
//     (d0)[s0] -> (d0 * 4 - s0), domain: d0 in [0, 9], s0 in [0, 3], d0 mod 2 in [0, 0]
//
//     at d0 = 2, s0 = 1: (7)      at d0 = 1, s0 = 1: nothing
//
// Bounds are checked first, and a violated constraint ends the evaluation. An intermediate value that leaves
// 64 bits is an error, even if the result fits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "impl/map/normal_form/linear.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// The value of an operation. Nothing if it leaves 64 bits or divides by 0.
std::optional<int64_t> apply(Op op, int64_t a, int64_t b);

// The values of the nodes before `end`, each computed once. Nothing for a node whose value, or that of
// an operand, leaves 64 bits, is divided by 0, or is that of a variable that has none.
std::vector<std::optional<int64_t>> values_of_nodes(
    const ExprTable& nodes, NodeId end,
    absl::FunctionRef<std::optional<int64_t>(const Node&)> value_of_variable);

// One value for each variable, by kind.
struct PointValues {
  absl::Span<const int64_t> dims, ranges, runtime;
};

// The results, or nothing if the point is outside the domain. The map must be valid. An error if
// the number of values differs from the number of variables.
absl::StatusOr<std::optional<std::vector<int64_t>>> evaluate(const IndexingMap& map,
                                                             const PointValues& point);

// Evaluates the expressions of a map without range and runtime variables, point by point.

// Returns whether `points` are at most `most`, or a smaller limit for a map with many nodes.
inline bool is_affordable(Wide points, const ExprTable& nodes, int64_t most) {
  return points * (std::ssize(nodes) / 32 + 1) <= most;
}

// The number of points within the bounds of the dimensions, at most 2^62. No bounds are empty.
inline Wide points_in_box(const IndexingMap& map) {
  Wide points = 1;
  for (const Variable& variable : map.dimensions) {
    points =
        std::min(points * (Wide{variable.bounds.high} - variable.bounds.low + 1), Wide{1} << 62);
  }
  return points;
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

// Calls visit(values of the nodes, whether the constraints hold) at each point of this box, in
// row-major order, until it returns false. Returns false if a value leaves 64 bits.
template <class Visit>
bool for_each_point(const IndexingMap& map, const Visit& visit) {
  std::vector<int64_t> point, values(map.nodes.size());
  for (const Variable& variable : map.dimensions) point.push_back(variable.bounds.low);
  const auto holds = [&values](const Constraint& c) {
    return c.interval.low <= values[c.expr] && values[c.expr] <= c.interval.high;
  };
  do {
    if (!evaluate_nodes(map.nodes, point, values)) return false;
    if (!visit(values, std::ranges::all_of(map.constraints, holds))) return true;
  } while (next_point(map.dimensions, point, &Variable::bounds));
  return true;
}

}  // namespace tileproof::impl
