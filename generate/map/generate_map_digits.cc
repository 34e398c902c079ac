// SPDX-License-Identifier: Apache-2.0
// Implements generate_digits of generate/map/generate_map.h.
#include <algorithm>

#include "generate/map/generate_map.h"

namespace tileproof {
namespace {

constexpr int64_t kMost = int64_t{1} << 61;  // the magnitude of ends and divisors

struct DigitState {
  Choose& choose;
  IndexingMap map;
};

NodeId with(DigitState& m, Op op, NodeId left, int64_t value) {
  return add_operation(m.map.nodes, op, left, add_constant(m.map.nodes, value));
}

// A divisor of values up to `width`: small, near a part of the width, or near the width.
int64_t divisor(DigitState& m, int64_t width) {
  int64_t c = 2;
  switch (m.choose(6)) {
    case 0:
      c = m.choose.pick<int64_t>({2, 3, 4, 5, 8, 7, 16, 12});
      break;
    case 1:
      c = int64_t{1} << m.choose(61);
      c = c > width ? std::max<int64_t>(2, width / 2) : c;
      break;
    case 2:
      c = width / m.choose.pick<int64_t>({2, 3, 4, 7, 16});
      break;
    case 3:
      c = width + m.choose.pick<int64_t>({0, -1, 1});
      break;
    case 4:
      c = 2 + m.choose(std::max<int64_t>(1, width - 1));
      break;
    default:
      c = width > 200 ? 100 + m.choose(width - 100) : width;
  }
  return std::clamp<int64_t>(c, 2, kMost);
}

Op division(DigitState& m) {
  return m.choose.pick({Op::kFloorDiv, Op::kMod, Op::kFloorDiv, Op::kMod, Op::kCeilDiv});
}

// A digit of a digit, by a divisor that is equal, a multiple, a part, a neighbor or unrelated.
NodeId digit_of_digit(DigitState& m, NodeId digit, int64_t c) {
  const Op outer = m.choose.pick({Op::kMod, Op::kFloorDiv, Op::kCeilDiv});
  const int64_t d = m.choose.pick<int64_t>({c, 2 * c, std::max<int64_t>(2, c / 2), c + 1, 3});
  return with(m, outer, digit, m.choose.chance(1, 2) ? -d : d);
}

// A digit of a variable, of its negation, of a small multiple, or of a shifted one.
NodeId digit(DigitState& m, NodeId x, int64_t c, int64_t width) {
  const Op op = division(m);
  int64_t by = m.choose.chance(1, 4) ? -c : c;
  const bool small = width < int64_t{1} << 30 && c < int64_t{1} << 30;
  switch (m.choose(8)) {
    case 0:
      x = with(m, Op::kMul, x, -1);
      break;
    case 1:
      x = with(m, Op::kAdd, x, m.choose.pick<int64_t>({1, -1, c - 1, c, -c, c + 1}));
      break;
    case 2:
      if (small) {
        x = with(m, Op::kMul, x, m.choose.pick<int64_t>({c, 2 * c, 2, c + 1, -c, 3}));
      } else if (width < int64_t{1} << 55) {
        x = with(m, Op::kMul, x, m.choose.pick<int64_t>({6, 12, 2, 3, -2, 5}));
        if (m.choose.chance(1, 2)) by = m.choose.pick<int64_t>({3, -3, 6, -6, 4});
      }
      break;
    default:
      break;
  }
  NodeId result = with(m, op, x, by);
  if (m.choose.chance(1, 3)) return digit_of_digit(m, result, c);
  if (m.choose.chance(1, 6)) {
    result = with(m, Op::kAdd, result, m.choose.pick<int64_t>({c, -c, 2 * c, -2 * c, 1}));
  }
  return result;
}

// Bounds of about `width` values whose ends are at, or beside, multiples of c.
Interval bounds(DigitState& m, int64_t c, int64_t width) {
  const int64_t periods = std::max<int64_t>(1, width / c) * c;  // whole ones
  switch (m.choose(10)) {
    case 0:
      return {0, periods};
    case 1:
      return {c, c + periods};
    case 6:
      return {-c - m.choose(2), -1};
    case 7:
      return {c, 2 * c - m.choose(2)};
    case 2:
      return {-c, periods - c};
    case 3:
      return {-periods, 0};
    case 4:
      return {m.choose.pick<int64_t>({-1, 1, -c - 1, 1 - c}), width};
    case 5:
      return {-width, m.choose.pick<int64_t>({-1, 1, c - 1, c})};
    default:
      return {0, width - 1};
  }
}

// A digit of the variable has one value, or is in a short interval around 0.
Constraint constraint(DigitState& m, NodeId x, int64_t c, int64_t width) {
  if (m.choose.chance(1, 2)) {
    const NodeId shifted = m.choose.chance(1, 2) ? with(m, Op::kAdd, x, 1 + m.choose(c)) : x;
    const int64_t residue = m.choose(c);
    return {with(m, Op::kMod, shifted, c), {residue, residue}};
  }
  const NodeId expr = digit(m, x, c, width);
  const int64_t low = m.choose.pick<int64_t>({0, 1, -1, -2, 0});
  return {expr, {low, low + m.choose(3)}};
}

}  // namespace

IndexingMap generate_digits(Choose& choose) {
  DigitState m{choose, {}};
  const int64_t variables = 1 + choose(3);
  for (int64_t v = 0; v < variables; ++v) {
    const Op kind = choose.chance(1, 4) ? Op::kRange : Op::kDimension;
    std::vector<Variable>& list = variables_of(m.map, kind);
    int64_t width = int64_t{1} << choose(62);
    width += choose(2) == 0 ? 0 : choose(width);
    const NodeId x = add_variable(m.map.nodes, kind, std::ssize(list));
    int64_t c = divisor(m, width);
    list.push_back({bounds(m, c, width), ""});
    for (int64_t results = 2 + choose(4); results > 0; --results) {
      m.map.results.push_back(digit(m, x, c, width));
      if (choose.chance(1, 2)) c = divisor(m, width);
    }
    if (choose.chance(1, 4)) m.map.constraints.push_back(constraint(m, x, c, width));
  }
  return std::move(m.map);
}

}  // namespace tileproof
