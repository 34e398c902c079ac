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

// Computes nodes on demand, in the order of the table.
class Values {
 public:
  Values(const IndexingMap& map, const PointValues& point)
      : nodes_(map.nodes), point_(point), known_(map.nodes.size()), values_(map.nodes.size()) {}

  Number at(NodeId root) {
    std::vector<NodeId> waiting = {root};
    while (!waiting.empty()) {
      const NodeId id = waiting.back();
      if (known_[id]) {
        waiting.pop_back();
        continue;
      }
      const Node& node = nodes_[id];
      if (!is_leaf(node.op) && (!known_[node.left] || !known_[node.right])) {
        if (!known_[node.right]) waiting.push_back(node.right);
        if (!known_[node.left]) waiting.push_back(node.left);
        continue;
      }
      known_[id] = true;
      values_[id] = value(node);
      waiting.pop_back();
    }
    return values_[root];
  }

 private:
  Number value(const Node& node) const {
    if (node.op == Op::kConstant) return node.value;
    if (is_leaf(node.op)) return values_of(point_, node.op)[static_cast<size_t>(node.value)];
    const Number left = values_[node.left], right = values_[node.right];
    return left && right ? apply(node.op, *left, *right) : std::nullopt;
  }

  const ExprTable& nodes_;
  const PointValues& point_;
  std::vector<bool> known_;
  std::vector<Number> values_;
};

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
  Values values(map, point);
  for (const Constraint& constraint : map.constraints) {
    const Number value = values.at(constraint.expr);
    if (!value) return too_large;
    if (!within(*value, constraint.interval)) return outside;
  }
  std::vector<int64_t> results;
  for (NodeId root : map.results) {
    const Number value = values.at(root);
    if (!value) return too_large;
    results.push_back(*value);
  }
  return std::optional(std::move(results));
}

}  // namespace tileproof::impl
