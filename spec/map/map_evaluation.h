// SPDX-License-Identifier: Apache-2.0
// The meaning of an indexing map: its domain, and its results at a point.
//
// A point gives a value to every variable. It is in the domain if every variable is within its
// bounds and the expression of every constraint is within its interval. At a point of the domain
// the results are the values of the result expressions. Elsewhere there are no results.
//
//     (d0)[s0] -> (d0 * 4 - s0), domain: d0 in [0, 9], s0 in [0, 3], d0 mod 2 in [0, 0]
//
//     at d0 = 2, s0 = 1: (7)      at d0 = 1, s0 = 1: none      at d0 = 10, s0 = 1: none
//
// This is the reference. It is slow on purpose, and right because it evaluates each expression as
// written, in integers that never wrap (spec/base/exact_int.h). Maps must be valid; every parsed
// map is. Source: XLA, "Indexing analysis" (docs/sources.md).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/base/exact_int.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::spec {

// A value for every variable.
struct Point {
  std::vector<int64_t> dims;
  std::vector<int64_t> ranges;
  std::vector<int64_t> runtime;

  bool operator==(const Point&) const = default;
};

// Return the values of the variables of one kind: kDimension, kRange or kRuntime.
const std::vector<int64_t>& values_of(const Point& point, Op kind);
std::vector<int64_t>& values_of(Point& point, Op kind);

// Prints "d0 = 2, s0 = 1", with the names of the map. For errors and reports.
std::string to_text(const IndexingMap& map, const Point& point);

// Returns the results at the point, or nullopt if it is outside the domain. Errors: too few or too
// many values; a result that does not fit int64; an intermediate value that does not fit 127 bits.
absl::StatusOr<std::optional<std::vector<int64_t>>> evaluate(const IndexingMap& map,
                                                             const Point& point);

// Returns whether the point is in the domain. Fails like evaluate, except that the results may be
// too large.
absl::StatusOr<bool> in_domain(const IndexingMap& map, const Point& point);

// Returns the number of points within the bounds of the variables, ignoring constraints. Returns 0
// if the map is known to be empty, and nullopt if the number does not fit int64.
std::optional<int64_t> box_size(const IndexingMap& map);

// Calls `visit` for every point within the bounds, the last variable fastest, until it returns
// false. If there are more than `budget` points, fails before the first call.
absl::Status for_each_box_point(const IndexingMap& map, int64_t budget,
                                absl::FunctionRef<bool(const Point&)> visit);

// Calls `visit` for every point of the domain with its results, the last variable fastest, until it
// returns false. Fails like for_each_box_point, and at the first point where evaluate fails.
absl::Status for_each_point(
    const IndexingMap& map, int64_t budget,
    absl::FunctionRef<bool(const Point&, const std::vector<int64_t>&)> visit);

// Returns the values of several expressions of one table, in any number type N. With an integer
// type this computes; with SMT terms it builds a question for the solver. The environment gives
//
//     N env.constant(int64_t value)
//     N env.variable(Op kind, int64_t number)
//
// and N's namespace has +, *, unary -, floordiv(N, N) and mod(N, N).
template <class N, class Env>
std::vector<N> evaluate_expressions(const ExprTable& table, absl::Span<const NodeId> roots,
                                    const Env& env);

// The environment of a point, in integers that never wrap.
struct ExactAtPoint {
  const Point& point;
  Exact constant(int64_t value) const { return exact(value); }
  Exact variable(Op kind, int64_t number) const { return exact(values_of(point, kind)[number]); }
};

// Returns the value of one expression.
template <class N, class Env>
N evaluate_expression(const ExprTable& table, NodeId root, const Env& env) {
  return evaluate_expressions<N>(table, absl::MakeConstSpan(&root, 1), env)[0];
}

// Returns the nodes under the roots, each after its operands.
std::vector<NodeId> nodes_under(const ExprTable& table, absl::Span<const NodeId> roots);

// Returns the value of an operation on the values of its operands.
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

// Composition of indexing maps by definition.
//
//     compose(first, second): x -> second(first(x)) on { x in dom(first), first(x) in dom(second) }
//
// The composed map replaces each dimension i of `second` by result i of `first`. A new constraint
// keeps that result within the bounds of dimension i.
//
//     first     (d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 1]
//     second    (d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 4], s0 in [0, 1]
//     composed  (d0)[s0, s1] -> ((d0 + s1) * 2 + s0),
//               domain: d0 in [0, 3], s0 in [0, 1], s1 in [0, 1], d0 + s1 in [0, 4]
//
// The dimensions are those of `first`. The range variables are those of `second`, then those of
// `first`; runtime variables likewise. All variables have their default names.

// Fails unless `first` has as many results as `second` has dimensions. Both maps must be valid and
// not known to be empty.
absl::StatusOr<IndexingMap> compose(const IndexingMap& first, const IndexingMap& second);

}  // namespace tileproof::spec
