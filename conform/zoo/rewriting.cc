// SPDX-License-Identifier: Apache-2.0
#include "conform/zoo/rewriting.h"

#include <algorithm>
#include <utility>

#include "spec/lang/base/checked_arithmetic.h"

namespace tileproof::zoo {
absl::int128 floor_of(absl::int128 a, absl::int128 b) {
  const absl::int128 q = a / b;
  return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

namespace {

std::optional<int64_t> folded(Op op, int64_t a, int64_t b) {
  if (op == Op::kAdd) return checked_add(a, b);
  if (op == Op::kMul) return checked_mul(a, b);
  if (b == 0) return std::nullopt;
  const absl::int128 quotient =
      op == Op::kCeilDiv ? -floor_of(-absl::int128(a), b) : floor_of(a, b);
  const absl::int128 value = op == Op::kMod ? absl::int128(a) - quotient * b : quotient;
  if (value < INT64_MIN || value > INT64_MAX) return std::nullopt;
  return static_cast<int64_t>(value);
}

// No 64-bit map has values this large. A range that reaches them is treated as unbounded.
constexpr absl::int128 kMost = absl::int128(1) << 100;

Rewriting::Range clamped(Rewriting::Range range) {
  return {std::max(range.low, -kMost), std::min(range.high, kMost)};
}

Rewriting::Range range_of(Op op, const Rewriting::Range& a, const Rewriting::Range& b) {
  if (op == Op::kAdd) return {a.low + b.low, a.high + b.high};
  const auto small = [](absl::int128 n) {
    return n > -(absl::int128(1) << 62) * 2 && n < absl::int128(1) << 63;
  };
  if (!small(a.low) || !small(a.high) || !small(b.low) || !small(b.high)) return {-kMost, kMost};
  if (op == Op::kMul) {
    const auto [low, high] =
        std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
    return {low, high};
  }
  if (b.low != b.high || b.low == 0) return {-kMost, kMost};
  const absl::int128 c = b.low;
  if (op == Op::kMod) {
    const Rewriting::Range all = c > 0 ? Rewriting::Range{0, c - 1} : Rewriting::Range{c + 1, 0};
    return a.low >= all.low && a.high <= all.high ? a : all;
  }
  const auto divide = [&](absl::int128 n) {
    return op == Op::kCeilDiv ? -floor_of(-n, c) : floor_of(n, c);
  };
  const auto [low, high] = std::minmax({divide(a.low), divide(a.high)});
  return {low, high};
}

}  // namespace

std::optional<int64_t> Rewriting::constant(NodeId id) const {
  if (table_[id].op != Op::kConstant) return std::nullopt;
  return table_[id].value;
}

std::optional<Rewriting::By> Rewriting::by(Op op, NodeId id) const {
  const Node& node = table_[id];
  if (node.op != op) return std::nullopt;
  const std::optional<int64_t> c = constant(node.right);
  if (!c) return std::nullopt;
  return By{node.left, *c};
}

Rewriting::Scaled Rewriting::scaled(NodeId id) const {
  const std::optional<By> product = by(Op::kMul, id);
  return product ? Scaled{product->left, product->c} : Scaled{id, 1};
}

std::vector<NodeId> Rewriting::terms(NodeId id) const {
  std::vector<NodeId> result, open = {id};
  while (!open.empty()) {
    const Node node = table_[open.back()];
    const NodeId last = open.back();
    open.pop_back();
    if (node.op == Op::kAdd && result.size() + open.size() < 1000) {
      open.push_back(node.right);
      open.push_back(node.left);
    } else {
      result.push_back(last);
    }
  }
  return result;
}

Rewriting::Range Rewriting::range(NodeId id) {
  ranges_.resize(table_.size());
  for (NodeId i = 0; i <= id; ++i) {
    if (ranges_[i]) continue;
    const Node& node = table_[i];
    if (node.op == Op::kConstant) {
      ranges_[i] = {node.value, node.value};
    } else if (is_leaf(node.op)) {
      const Interval bounds = variables_of(map_, node.op)[node.value].bounds;
      ranges_[i] = {bounds.low, bounds.high};
    } else {
      ranges_[i] = clamped(range_of(node.op, *ranges_[node.left], *ranges_[node.right]));
    }
  }
  return *ranges_[id];
}

NodeId Rewriting::intern(const Node& node) {
  const auto [position, is_new] = positions_.emplace(node, static_cast<NodeId>(table_.size()));
  if (is_new) table_.push_back(node);
  return position->second;
}

NodeId Rewriting::number(int64_t value) { return intern({.op = Op::kConstant, .value = value}); }

NodeId Rewriting::make(Op op, NodeId left, NodeId right) {
  const std::optional<int64_t> a = constant(left), b = constant(right);
  if (a && b) {
    if (const std::optional<int64_t> value = folded(op, *a, *b)) return number(*value);
  }
  if (a && !b && (op == Op::kAdd || op == Op::kMul)) std::swap(left, right);
  return intern({.op = op, .left = left, .right = right});
}

NodeId Rewriting::times(NodeId left, int64_t factor) {
  return factor == 1 ? left : with(Op::kMul, left, factor);
}

NodeId Rewriting::sum(absl::Span<const NodeId> terms) {
  if (terms.empty()) return number(0);
  NodeId result = terms[0];
  for (size_t i = 1; i < terms.size(); ++i) result = plus(result, terms[i]);
  return result;
}

NodeId Rewriting::sum_without(const std::vector<NodeId>& terms, size_t i, size_t j, NodeId more) {
  std::vector<NodeId> rest;
  for (size_t k = 0; k < terms.size(); ++k) {
    if (k != i && k != j) rest.push_back(terms[k]);
  }
  rest.push_back(more);
  return sum(rest);
}

NodeId Rewriting::copy(const ExprTable& from, NodeId id) {
  std::vector<NodeId> positions;
  for (NodeId i = 0; i <= id; ++i) {
    const Node& node = from[i];
    positions.push_back(is_leaf(node.op)
                            ? intern(node)
                            : make(node.op, positions[node.left], positions[node.right]));
  }
  return positions[id];
}

std::optional<IndexingMap> rewritten(
    const IndexingMap& map, absl::FunctionRef<std::optional<NodeId>(Rewriting&, NodeId)> rule,
    Where where) {
  Rewriting rewriting(map);
  bool matched = false;
  std::vector<NodeId> plain, positions;
  for (const Node& node : map.nodes) {
    if (is_leaf(node.op)) {
      plain.push_back(rewriting.intern(node));
      positions.push_back(plain.back());
      continue;
    }
    plain.push_back(rewriting.make(node.op, plain[node.left], plain[node.right]));
    NodeId left = positions[node.left], right = positions[node.right];
    const bool swap = rewriting.constant(left) && !rewriting.constant(right) &&
                      (node.op == Op::kAdd || node.op == Op::kMul);
    if (swap) std::swap(left, right);
    // The rule sees an operation on two constants before it is folded.
    const std::optional<NodeId> other =
        rule(rewriting, rewriting.intern({.op = node.op, .left = left, .right = right}));
    matched |= other.has_value();
    positions.push_back(other ? *other : rewriting.make(node.op, left, right));
  }
  if (!matched) return std::nullopt;
  IndexingMap out = map;
  for (NodeId& result : out.results) result = positions[result];
  const std::vector<NodeId>& of_constraints = where == Where::kEverywhere ? positions : plain;
  for (Constraint& constraint : out.constraints) constraint.expr = of_constraints[constraint.expr];
  out.nodes = rewriting.table();
  return out;
}

}  // namespace tileproof::zoo
