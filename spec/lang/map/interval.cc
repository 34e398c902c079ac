// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/map/interval.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "spec/lang/base/checked_arithmetic.h"

namespace tileproof {
namespace {

// The interval between the least and the greatest of the corners, if all fit int64.
std::optional<Interval> hull(const std::optional<int64_t> (&corners)[4]) {
  if (std::ranges::any_of(corners, [](const auto& corner) { return !corner; })) return std::nullopt;
  const auto [low, high] = std::minmax({*corners[0], *corners[1], *corners[2], *corners[3]});
  return Interval{low, high};
}

// a floordiv b, a ceildiv b; nothing if the result does not fit int64. b is not 0.
std::optional<int64_t> quotient(Op op, int64_t a, int64_t b) {
  if (b == -1) return checked_sub(0, a);
  const int64_t towards_zero = a / b, rest = a % b;
  const bool below = rest != 0 && (rest < 0) != (b < 0);
  if (op == Op::kFloorDiv) return towards_zero - (below ? 1 : 0);
  return towards_zero + (rest != 0 && !below ? 1 : 0);
}

// Recognizes the minimum and the maximum of two numbers, as spec/lang/map/bitwise.h writes them.
class Extremes {
 public:
  explicit Extremes(const IndexingMap& map) : nodes_(map.nodes) {}

  // The interval of a node, whose parts have these; nothing if it is no minimum or maximum.
  //
  //     x - positive(x + r)      min(x, -r)          y + positive(x - y)      max(x, y)
  std::optional<Interval> interval_of(NodeId id,
                                      const std::vector<std::optional<Interval>>& known) {
    if (nodes_[id].op != Op::kAdd) return std::nullopt;
    const NodeId one = nodes_[id].left, change = nodes_[id].right;
    const NodeId opposite = negated(change);
    const bool is_min = opposite >= 0;
    const NodeId difference = positive_part(is_min ? opposite : change, known);
    if (difference < 0 || nodes_[difference].op != Op::kAdd || !known[one]) return std::nullopt;
    const auto [left, right] = std::pair(nodes_[difference].left, nodes_[difference].right);
    const auto &x = *known[one], &r = *known[is_min ? right : left];
    if (!is_min) {
      if (!are_opposite(one, right)) return std::nullopt;
      return Interval{std::max(x.low, r.low), std::max(x.high, r.high)};
    }
    const auto low = checked_sub(0, r.high), high = checked_sub(0, r.low);
    if (!low || !high || !is_same(left, one)) return std::nullopt;
    return Interval{std::min(x.low, *low), std::min(x.high, *high)};
  }

 private:
  bool is_constant(NodeId id, int64_t value) const {
    return nodes_[id].op == Op::kConstant && nodes_[id].value == value;
  }

  // x of `x * -1`, else -1.
  NodeId negated(NodeId id) const {
    return nodes_[id].op == Op::kMul && is_constant(nodes_[id].right, -1) ? nodes_[id].left : -1;
  }

  bool are_opposite(NodeId x, NodeId y) {
    if (nodes_[x].op == Op::kConstant && nodes_[y].op == Op::kConstant)
      return checked_add(nodes_[x].value, nodes_[y].value) == 0;
    return negated(y) >= 0 && is_same(negated(y), x);
  }

  // x of `x * (x floordiv 2^k + 1)`, if -2^k <= x < 2^k, else -1.
  NodeId positive_part(NodeId id, const std::vector<std::optional<Interval>>& known) {
    if (nodes_[id].op != Op::kMul) return -1;
    const NodeId x = nodes_[id].left;
    const Node& holds = nodes_[nodes_[id].right];
    if (holds.op != Op::kAdd || !is_constant(holds.right, 1)) return -1;
    const Node& sign = nodes_[holds.left];
    if (sign.op != Op::kFloorDiv || nodes_[sign.right].op != Op::kConstant || !known[x]) return -1;
    const int64_t most = nodes_[sign.right].value;
    const bool is_sign = most > 0 && -most <= known[x]->low && known[x]->high < most;
    return is_sign && is_same(sign.left, x) ? x : -1;
  }

  bool is_same(NodeId a, NodeId b) {
    if (a != b && trees_.empty())
      trees_ = TreeNumbers().of(nodes_, static_cast<NodeId>(nodes_.size()));
    return a == b || trees_[a] == trees_[b];
  }

  const ExprTable& nodes_;
  std::vector<NodeId> trees_;  // once two are compared
};

}  // namespace

std::optional<Interval> interval_of(Op op, Interval a, Interval b) {
  switch (op) {
    case Op::kAdd: {
      const std::optional<int64_t> low = checked_add(a.low, b.low);
      const std::optional<int64_t> high = checked_add(a.high, b.high);
      return hull({low, low, high, high});
    }
    case Op::kMul:
      return hull({checked_mul(a.low, b.low), checked_mul(a.low, b.high),
                   checked_mul(a.high, b.low), checked_mul(a.high, b.high)});
    case Op::kMod:
      if (a.low == a.high && b.low == b.high && b.low != 0) {
        const int64_t rest = b.low == -1 ? 0 : a.low % b.low;
        const int64_t value = rest != 0 && (rest < 0) != (b.low < 0) ? rest + b.low : rest;
        return Interval{value, value};
      }
      if (b.low <= 0) {
        if (b.low != b.high || b.low == 0 || b.low == INT64_MIN) return std::nullopt;
        return Interval{b.low + 1, 0};
      }
      if (0 <= a.low && a.high < b.low) return a;
      return Interval{0, b.high - 1};
    default:
      if (b.low <= 0 && (b.low != b.high || b.low == 0)) return std::nullopt;
      b.high = std::max(b.low, b.high);  // [2, 0] has no values, so any interval is right
      return hull({quotient(op, a.low, b.low), quotient(op, a.low, b.high),
                   quotient(op, a.high, b.low), quotient(op, a.high, b.high)});
  }
}

std::optional<Interval> interval_of(const IndexingMap& map, NodeId root) {
  std::vector<std::optional<Interval>> known(static_cast<size_t>(root) + 1);
  Extremes extremes(map);
  for (NodeId id = 0; id <= root; ++id) {
    const Node& node = map.nodes[id];
    if (node.op == Op::kConstant) {
      known[id] = Interval{node.value, node.value};
    } else if (is_variable(node.op)) {
      known[id] = variables_of(map, node.op)[node.value].bounds;
    } else if (const auto extreme = extremes.interval_of(id, known)) {
      known[id] = extreme;
    } else if (known[node.left] && known[node.right]) {
      known[id] = interval_of(node.op, *known[node.left], *known[node.right]);
    }
  }
  return known[root];
}

std::optional<int64_t> value_of(Op op, int64_t a, int64_t b) {
  const std::optional<Interval> only = interval_of(op, {a, a}, {b, b});
  return only ? std::optional(only->low) : std::nullopt;
}

}  // namespace tileproof
