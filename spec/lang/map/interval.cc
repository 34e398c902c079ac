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
  for (NodeId id = 0; id <= root; ++id) {
    const Node& node = map.nodes[id];
    if (node.op == Op::kConstant) {
      known[id] = Interval{node.value, node.value};
    } else if (is_variable(node.op)) {
      known[id] = variables_of(map, node.op)[node.value].bounds;
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
