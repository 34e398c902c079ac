// SPDX-License-Identifier: Apache-2.0
#include "impl/map/evaluate.h"

#include "absl/strings/str_cat.h"
#include "impl/map/normal_form/normal_form.h"
#include "spec/lang/base/checked_arithmetic.h"

namespace tileproof::impl {
namespace {

using Number = std::optional<int64_t>;  // nothing: beyond 64 bits

absl::Span<const int64_t> values_of(const PointValues& point, Op kind) {
  if (kind == Op::kDimension) return point.dims;
  return kind == Op::kRange ? point.ranges : point.runtime;
}

bool within(int64_t value, Interval interval) {
  return interval.low <= value && value <= interval.high;
}

}  // namespace

std::optional<int64_t> apply(Op op, int64_t a, int64_t b) {
  if (op == Op::kAdd) return checked_add(a, b);
  if (op == Op::kMul) return checked_mul(a, b);
  if (b == 0) return std::nullopt;
  const Wide quotient = op == Op::kCeilDiv ? ceil_wide(a, b) : floor_wide(a, b);
  if (op == Op::kMod) return static_cast<int64_t>(a - b * quotient);
  if (quotient > INT64_MAX) return std::nullopt;  // INT64_MIN floordiv -1
  return static_cast<int64_t>(quotient);
}

std::vector<std::optional<int64_t>> values_of_nodes(
    const ExprTable& nodes, NodeId end,
    absl::FunctionRef<std::optional<int64_t>(const Node&)> value_of_variable) {
  std::vector<Number> values(static_cast<size_t>(end));
  for (NodeId id = 0; id < end; ++id) {
    const Node& node = nodes[id];
    if (node.op == Op::kConstant) {
      values[id] = node.value;
    } else if (is_leaf(node.op)) {
      values[id] = value_of_variable(node);
    } else if (const Number left = values[node.left], right = values[node.right]; left && right) {
      values[id] = apply(node.op, *left, *right);
    }
  }
  return values;
}

absl::StatusOr<std::optional<std::vector<int64_t>>> evaluate(const IndexingMap& map,
                                                             const PointValues& point) {
  const auto outside = std::optional<std::vector<int64_t>>();
  const auto too_large = absl::OutOfRangeError("an intermediate value leaves 64 bits");
  bool inside = !map.known_empty;
  for (Op kind : kVariableKinds) {
    const std::vector<Variable>& variables = variables_of(map, kind);
    const absl::Span<const int64_t> given = values_of(point, kind);
    if (variables.size() != given.size()) {
      return absl::InvalidArgumentError(absl::StrCat("expected ", variables.size(), " values of ",
                                                     default_name(kind, 0), ".., found ",
                                                     given.size()));
    }
    for (size_t i = 0; i < given.size(); ++i) inside &= within(given[i], variables[i].bounds);
  }
  if (!inside) return outside;
  const std::vector<Number> values = values_of_nodes(
      map.nodes, static_cast<NodeId>(map.nodes.size()), [&](const Node& node) -> Number {
        return values_of(point, node.op)[static_cast<size_t>(node.value)];
      });
  for (const Constraint& constraint : map.constraints) {
    const Number value = values[constraint.expr];
    if (!value) return too_large;
    if (!within(*value, constraint.interval)) return outside;
  }
  std::vector<int64_t> results;
  for (NodeId root : map.results) {
    const Number value = values[root];
    if (!value) return too_large;
    results.push_back(*value);
  }
  return std::optional(std::move(results));
}

}  // namespace tileproof::impl
