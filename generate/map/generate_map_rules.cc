// SPDX-License-Identifier: Apache-2.0
// Implements generate_rule_shaped and widen of generate/map/generate_map.h.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "generate/map/generate_map.h"

namespace tileproof {
namespace {

struct RuleState {
  Choose& choose;
  IndexingMap map;
  int64_t base;  // the divisor of most quotients; all other constants are related to it
};

NodeId with(RuleState& m, Op op, NodeId left, int64_t value) {
  return add_operation(m.map.nodes, op, left, add_constant(m.map.nodes, value));
}

NodeId plus(RuleState& m, NodeId left, NodeId right) {
  return add_operation(m.map.nodes, Op::kAdd, left, right);
}

// Leaves out the operation if it is `x + 0` or `x * 1`.
NodeId shifted(RuleState& m, NodeId x, int64_t by) {
  return by == 0 ? x : with(m, Op::kAdd, x, by);
}
NodeId scaled(RuleState& m, NodeId x, int64_t by) { return by == 1 ? x : with(m, Op::kMul, x, by); }

// ---- Constants in relation to the base ----

// A second divisor: equal, a multiple, a neighbour, coprime, a divisor or negative.
int64_t divisor(RuleState& m) {
  const int64_t c = m.base;
  const int64_t value =
      m.choose.pick<int64_t>({c, c, 2 * c, 3 * c, c + 1, 4 * c, c - 1,
                              c % 2 == 0 ? c / 2 : 2 * c + 1, c < 1000 ? c * c : c});
  return m.choose.chance(1, 10) ? -std::max<int64_t>(value, 1) : std::max<int64_t>(value, 1);
}

int64_t factor(RuleState& m) {
  const int64_t c = m.base;
  return m.choose.pick<int64_t>(
      {1, -1, c, -c, 2, c + 1, c - 1, 2 * c, 3, -2, c % 2 == 0 ? c / 2 : 5, c + c / 4 + 1});
}

int64_t shift(RuleState& m) {
  const int64_t c = m.base;
  return m.choose.pick<int64_t>(
      {0, 1, c - 1, c, -1, c + 1, 2 * c - 1, -c, 1 - c, 2, c / 2, c + 2, -c - 1, 3 * c, 5});
}

// ---- Expressions that the rules of simplifiers match ----

NodeId variable(RuleState& m) {
  const bool range = !m.map.ranges.empty() && m.choose.chance(1, 3);
  const Op kind = range ? Op::kRange : Op::kDimension;
  return add_variable(m.map.nodes, kind, m.choose(std::ssize(variables_of(m.map, kind))));
}

// A variable, its multiple, or a multiple of one plus another one.
NodeId linear(RuleState& m) {
  const NodeId x = variable(m);
  switch (m.choose(6)) {
    case 0:
    case 1:
    case 2:
      return x;
    case 3:
      return scaled(m, x, factor(m));
    case 4: {
      const NodeId left = scaled(m, x, factor(m));
      return plus(m, left, variable(m));
    }
    default: {
      const NodeId left = scaled(m, x, factor(m));
      return plus(m, left, scaled(m, variable(m), factor(m)));
    }
  }
}

Op division(RuleState& m) {
  return m.choose.pick({Op::kFloorDiv, Op::kMod, Op::kFloorDiv, Op::kMod, Op::kFloorDiv, Op::kMod,
                        Op::kFloorDiv, Op::kMod, Op::kCeilDiv});
}

// (x + b) floordiv c
NodeId digit_of(RuleState& m, NodeId x) {
  const NodeId inside = shifted(m, x, shift(m));
  const Op op = division(m);
  return with(m, op, inside, divisor(m));
}

NodeId digit(RuleState& m) { return digit_of(m, linear(m)); }

// A digit of a digit: a multiple of it, shifted, and perhaps with another variable.
NodeId nested(RuleState& m) {
  NodeId inside = scaled(m, digit(m), factor(m));
  if (m.choose.chance(1, 2)) inside = plus(m, inside, linear(m));
  return digit_of(m, inside);
}

// The factors of two terms that a rule may cancel, combine or round.
std::pair<int64_t, int64_t> two_factors(RuleState& m) {
  const int64_t c = m.base;
  if (m.choose.chance(1, 4)) {
    const int64_t first = factor(m);
    return {first, factor(m)};
  }
  return m.choose.pick<std::pair<int64_t, int64_t>>(
      {{1, -1}, {1, c}, {1, -c}, {1, 1}, {-1, c}, {c, 1}, {-1, 1}, {c, -c}, {2, c}});
}

// The sum of two digits of one expression, each shifted by itself. Most have one divisor.
NodeId digits(RuleState& m) {
  const NodeId x = linear(m);
  const auto [k, l] = two_factors(m);
  const int64_t c = divisor(m);
  const Op op = division(m);
  const NodeId first = with(m, op, shifted(m, x, shift(m)), c);
  NodeId second = shifted(m, x, shift(m));
  const Op other = m.choose.chance(1, 2) ? division(m) : op;
  second = with(m, other, second, m.choose.chance(1, 3) ? divisor(m) : c);
  return plus(m, scaled(m, first, k), scaled(m, second, l));
}

// x and a digit of x. Most digits are of x as it is.
NodeId rest(RuleState& m) {
  const NodeId x = linear(m);
  const auto [k, l] = two_factors(m);
  const Op op = division(m);
  const int64_t c = m.choose.chance(1, 3) ? divisor(m) : m.base;
  const NodeId digit = with(m, op, m.choose.chance(1, 3) ? shifted(m, x, shift(m)) : x, c);
  return plus(m, scaled(m, x, k), scaled(m, digit, l));
}

// A sum of two digits, divided. Half have one divisor and no factors.
NodeId divided_sum(RuleState& m) {
  if (m.choose.chance(1, 2)) {
    const Op op = division(m);
    const int64_t c = divisor(m);
    const NodeId first = with(m, op, linear(m), c);
    return digit_of(m, plus(m, first, with(m, op, linear(m), c)));
  }
  const NodeId first = scaled(m, digit(m), factor(m));
  return digit_of(m, plus(m, first, m.choose.chance(1, 2) ? digit(m) : linear(m)));
}

NodeId expression(RuleState& m) {
  switch (m.choose(7)) {
    case 0: {  // 2 - (1 - d0) floordiv 3
      const NodeId x = scaled(m, digit(m), factor(m));
      return shifted(m, x, shift(m));
    }
    case 1:
    case 2:
      return digits(m);
    case 3:
      return nested(m);
    case 4:
      return rest(m);
    case 5:
      return divided_sum(m);
    default:
      return digit(m);
  }
}

// ---- Domains ----

// An interval whose ends are where a digit changes: multiples of the base, and their neighbours.
Interval interval(RuleState& m) {
  const int64_t c = m.base;
  const int64_t low = m.choose.pick<int64_t>({0, -c, 1, 1 - c, c, -1, c - 1, -2 * c, c + 1});
  const int64_t size = m.choose.pick<int64_t>({c, 2 * c, 1, c + 1, 2, c - 1, 3 * c, 4 * c, 3});
  return {low, low + std::max<int64_t>(size, 1) - 1};
}

// Sums of several variables, digits and congruences, in intervals that cut off few or most points.
void constrain(RuleState& m) {
  const NodeId x = m.choose.chance(1, 2) ? linear(m) : digit(m);
  if (m.choose.chance(1, 3)) {  // congruences of one expression that agree, conflict or merge
    const std::vector<int64_t> moduli = {m.base, m.base + 1, 2 * m.base};
    const int64_t residue = m.choose(m.base + 1);
    for (int64_t left = 1 + m.choose(2); left > 0; --left) {
      const int64_t c = m.choose.pick(moduli);
      const int64_t low = m.choose.chance(1, 3) ? m.choose(c) : residue;
      m.map.constraints.push_back({with(m, Op::kMod, x, c), {low, low}});
    }
    return;
  }
  if (m.choose.chance(1, 4)) {  // x + y, x - y or k*x, in an interval around 0 or on one side of it
    const int64_t k = m.choose.pick<int64_t>({-1, 1, m.base, -m.base});
    const NodeId first = variable(m);
    const NodeId second = scaled(m, k == 1 || k == -1 ? variable(m) : first, k);
    const NodeId sum = k == 1 || k == -1 ? plus(m, first, second) : second;
    const int64_t low = m.choose.pick<int64_t>({0, 0, -1, 1, 1 - m.base, -2 * m.base - 1});
    m.map.constraints.push_back({sum, {low, low + m.choose.pick<int64_t>({0, 1, m.base - 1})}});
    return;
  }
  if (m.choose.chance(1, 2)) {  // k*x + y, and ends near multiples of k
    const int64_t k = m.base * m.choose.pick<int64_t>({1, 2, -1, 3});
    const NodeId multiple = scaled(m, variable(m), k);
    const NodeId sum = plus(m, multiple, variable(m));
    const int64_t low = m.choose.pick<int64_t>({0, 0, 0, 1, -std::abs(k), k});
    const int64_t high = std::abs(k) * (1 + m.choose(3)) + m.choose.pick<int64_t>({0, -1, 1});
    m.map.constraints.push_back({sum, {low, high}});
    return;
  }
  m.map.constraints.push_back({x, m.choose.chance(1, 4) ? Interval{0, 0} : interval(m)});
}

}  // namespace

IndexingMap generate_rule_shaped(Choose& choose) {
  RuleState m{choose, {}, 2};
  if (choose.chance(1, 2)) {
    m.base = choose.pick<int64_t>({2, 3, 4, 5, 6, 8});
  } else if (choose.chance(3, 4)) {
    m.base = choose.pick<int64_t>({16, 256, 60, 128, 320, 255, 1000, 4096, 65'537, 1 << 20});
  } else {  // any power of two up to 2^34, or a neighbor of it
    m.base = (int64_t{1} << (5 + choose(30))) + choose.pick<int64_t>({0, 1, -1});
  }
  for (int64_t left = 2 + choose(5); left > 0; --left)
    m.map.dimensions.push_back({interval(m), ""});
  for (int64_t left = choose(3); left > 0; --left) m.map.ranges.push_back({interval(m), ""});
  for (int64_t left = choose_within(choose, limits::kRuleShapedResults); left > 0; --left) {
    m.map.results.push_back(expression(m));
  }
  const int64_t constraints = choose.chance(1, 3) ? 1 + choose(2) : 0;
  for (int64_t left = constraints; left > 0; --left) constrain(m);
  return std::move(m.map);
}

void widen(Choose& choose, IndexingMap& map) {
  for (Op kind : {Op::kDimension, Op::kRange}) {
    for (Variable& variable : variables_of(map, kind)) {
      if (variable.bounds.low > variable.bounds.high || choose.chance(1, 12)) continue;
      const int64_t power = int64_t{1} << (7 + choose(56));
      const int64_t width = power + choose.pick<int64_t>({0, 1, -1, power / 2});
      const int64_t low =
          choose.pick<int64_t>({0, 0, -(width / 2), 1 - width, variable.bounds.low});
      variable.bounds = {low, low + std::max<int64_t>(width, 1) - 1};
    }
  }
}

}  // namespace tileproof
