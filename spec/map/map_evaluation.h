// Indexing maps by their definition: what a map gives at a point, and where it gives anything.
//
// The domain of a map is the set of points (a value for every variable) at which every variable is
// within its bounds and every constraint's expression within its interval. IterationPoint a point of the domain
// the results are the values of the result expressions; elsewhere there is no result.
//
//     (d0)[s0] -> (d0 * 4 - s0), domain: d0 in [0, 9], s0 in [0, 3], d0 mod 2 in [0, 0]
//
//     at d0 = 2, s0 = 1: (7)      at d0 = 1, s0 = 1: none      at d0 = 10, s0 = 1: none
//
// Slow on purpose, and right because it only computes what is written, in integers that cannot wrap
// (spec/base/exact_int.h). Maps must be valid, as everything that was parsed is.
// Source: INTERFACE, section 2 "Integers" and "Maps".
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::spec {

// A value for every variable.
struct Point {
  std::vector<int64_t> dims;
  std::vector<int64_t> ranges;
  std::vector<int64_t> runtime;

  bool operator==(const Point&) const = default;
};

// "d0 = 2, s0 = 1", with the names of the map. For errors and reports.
std::string to_text(const IndexingMap& map, const Point& point);

// The results at the point, or nothing if it is outside the domain. An error if the point has not
// as many values as the map has variables, or if a result does not fit int64, or an intermediate
// value not 127 bits.
absl::StatusOr<std::optional<std::vector<int64_t>>> evaluate(const IndexingMap& map,
                                                             const Point& point);

// Whether the point is in the domain. Errors as evaluate, but results are not looked at.
absl::StatusOr<bool> in_domain(const IndexingMap& map, const Point& point);

// The number of points within the bounds of the variables, whatever the constraints say; 0 if the
// map is known to be empty. Nothing if it does not fit int64.
std::optional<int64_t> box_size(const IndexingMap& map);

// Calls `visit` for every point within the bounds, the last variable fastest, until it returns
// false. An error, before the first call, if there are more than `budget` points.
absl::Status for_each_box_point(const IndexingMap& map, int64_t budget,
                                absl::FunctionRef<bool(const Point&)> visit);

// Calls `visit` for every point of the domain with its results, the last variable fastest, until it
// returns false. An error as in for_each_box_point, and at the first point that has one.
absl::Status for_each_point(
    const IndexingMap& map, int64_t budget,
    absl::FunctionRef<bool(const Point&, const std::vector<int64_t>&)> visit);

// The values of several expressions of one table, for any kind of number N: int64_t-like numbers
// are executed, the terms of a solver are reasoned about, a text is printed. The environment gives
//
//     N env.constant(int64_t value)
//     N env.variable(Op kind, int64_t number)
//
// and N has +, *, unary -, and floordiv(N, N) and mod(N, N) in its namespace.
template <class N, class Env>
std::vector<N> evaluate_expressions(const ExprTable& table, absl::Span<const NodeId> roots,
                                    const Env& env);

// The value of one.
template <class N, class Env>
N evaluate_expression(const ExprTable& table, NodeId root, const Env& env) {
  return evaluate_expressions<N>(table, absl::MakeConstSpan(&root, 1), env)[0];
}

// The nodes under the roots, operands before the nodes that use them.
std::vector<NodeId> nodes_under(const ExprTable& table, absl::Span<const NodeId> roots);

// The value of an operation, given its operands' values.
template <class N>
N apply(Op op, const N& left, const N& right) {
  switch (op) {
    case Op::kAdd:
      return left + right;
    case Op::kMul:
      return left * right;
    case Op::kFloorDiv:
      return floordiv(left, right);
    case Op::kCeilDiv:
      return -floordiv(-left, right);
    default:
      return mod(left, right);
  }
}

template <class N, class Env>
std::vector<N> evaluate_expressions(const ExprTable& table, absl::Span<const NodeId> roots,
                                    const Env& env) {
  std::vector<std::optional<N>> values(table.size());
  for (NodeId id : nodes_under(table, roots)) {
    const Node& node = table[id];
    if (node.op == Op::kConstant) {
      values[id] = env.constant(node.value);
    } else if (is_variable(node.op)) {
      values[id] = env.variable(node.op, node.value);
    } else {
      values[id] = apply<N>(node.op, *values[node.left], *values[node.right]);
    }
  }
  std::vector<N> results;
  for (NodeId root : roots) results.push_back(*values[root]);
  return results;
}

}  // namespace tileproof::spec
