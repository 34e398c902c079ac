// SPDX-License-Identifier: Apache-2.0
// Implements generate_rule_shaped and widen of generate/map/generate_map.h.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "generate/map/generate_map.h"
#include "spec/lang/base/checked_arithmetic.h"

namespace tileproof {
namespace {

// What the rules of simplifiers decide on. All constants are related to the base c.
enum Column {
  kBase,
  kLow,   // of the first variable x
  kSize,  // of its interval
  kForm,  // of what is divided; of a constraint
  kOuter,
  kDivisor,  // its relation to c
  kSign,     // of the divisor
  kFactor,
  kShift,
  kInner,   // the sign of an inner divisor
  kAround,  // what the digit is part of
  kEnds,    // of a constraint; the factors of a sum
  kSecond,  // a second constraint
};

struct RuleVariable {
  Op kind;
  int64_t number;
  int64_t at;  // the value at a point that most constraints accept
};

struct RuleState {
  Choose& choose;
  Decisions decide;
  IndexingMap map;
  int64_t base;
  std::vector<RuleVariable> variables = {};  // x, which the decisions are about; others
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

int64_t base_of(Choose& choose, const Decisions& decide) {
  const int64_t base = decide.pick<int64_t>(kBase, {2, 3, 4, 6, 5, 8, 12, 16, 60, 256, 4096, 0, 0});
  if (base > 0) return base;
  return (int64_t{1} << (5 + choose(30))) + choose.pick<int64_t>({0, 1, -1});
}

// A divisor: equal, a multiple, a neighbour, a divisor, with a common factor, or the square.
int64_t divisor(RuleState& m) {
  const int64_t c = m.base;
  const int64_t value = m.decide.pick<int64_t>(
      kDivisor, {c, 2 * c, c + 1, c % 2 == 0 ? c / 2 : 2 * c + 1, 3 * c, c - 1, 4 * c,
                 c % 2 == 0 ? c / 2 * 3 : 2 * c - 1, c < 1000 ? c * c : c});
  return std::max<int64_t>(value, 1) * m.decide.pick<int64_t>(kSign, {1, 1, -1});
}

int64_t factor(RuleState& m) {
  const int64_t c = m.base;
  return m.decide.pick<int64_t>(
      kFactor, {1, -1, c, -c, 2, c + 1, c - 1, 2 * c, 3, -2, c % 2 == 0 ? c / 2 : 5, -2 * c, 6});
}

int64_t shift(RuleState& m) {
  const int64_t c = m.base;
  return m.decide.pick<int64_t>(
      kShift, {1, c - 1, c, -1, c + 1, 2 * c - 1, -c, 1 - c, 2, c / 2, -c - 1, 3 * c, 5});
}

// ---- Expressions that the rules match ----

NodeId variable(RuleState& m, size_t i) {
  return add_variable(m.map.nodes, m.variables[i].kind, m.variables[i].number);
}

// k * x + y and a multiple of the third variable: often digits of one number.
NodeId three_terms(RuleState& m) {
  const NodeId first = scaled(m, variable(m, 0), factor(m));
  const NodeId third = scaled(m, variable(m, 2), m.choose.pick<int64_t>({1, m.base, factor(m)}));
  return plus(m, plus(m, first, variable(m, 1)), third);
}

// What is divided: x, a multiple of it, a digit, or a sum of these and other variables.
NodeId inside(RuleState& m) {
  const NodeId x = variable(m, 0);
  const auto digit = [&](Op op) {
    return with(m, op, x, m.decide.pick<int64_t>(kInner, {m.base, m.base, -m.base}));
  };
  const Op quotient = m.choose.pick({Op::kFloorDiv, Op::kFloorDiv, Op::kCeilDiv});
  const auto and_other = [&](NodeId first) { return plus(m, first, variable(m, 1)); };
  switch (m.decide(kForm, Decisions::kMost)) {
    case 0:
      return x;
    case 1:
      return shifted(m, x, shift(m));
    case 2:
      return scaled(m, x, factor(m));
    case 3:
      return shifted(m, scaled(m, x, factor(m)), shift(m));
    case 4:
      return digit(quotient);
    case 5:
      return digit(Op::kMod);
    case 6:
      return and_other(scaled(m, digit(Op::kFloorDiv), factor(m)));
    case 7:
      return and_other(scaled(m, digit(Op::kMod), factor(m)));
    case 8:
      return and_other(scaled(m, x, factor(m)));
    case 9:
      return shifted(m, digit(quotient), shift(m));
    case 10:
      return shifted(m, scaled(m, digit(Op::kMod), factor(m)), shift(m));
    case 11:
      if (m.base > 256) return and_other(x);  // products of wide variables are slow to decide
      return add_operation(m.map.nodes, Op::kMul, x, variable(m, 1));
    default:
      return three_terms(m);
  }
}

Op division(RuleState& m) {
  return m.decide.pick(kOuter, {Op::kFloorDiv, Op::kMod, Op::kFloorDiv, Op::kMod, Op::kCeilDiv});
}

// k * first + l * second, with factors that a rule may cancel, combine or round; d is a divisor.
NodeId sum(RuleState& m, NodeId first, NodeId second, int64_t d) {
  const auto [k, l] = m.decide.pick<std::pair<int64_t, int64_t>>(kEnds, {{1, -1},
                                                                         {1, d},
                                                                         {1, -d},
                                                                         {1, 1},
                                                                         {-1, d},
                                                                         {d, 1},
                                                                         {-1, 1},
                                                                         {d, -d},
                                                                         {2, d},
                                                                         {factor(m), shift(m)}});
  return plus(m, scaled(m, first, k), scaled(m, second, l));
}

// x mod d + ((x floordiv d) mod e) * d, or nearly that.
NodeId two_digits(RuleState& m, NodeId x, int64_t d) {
  const NodeId high = with(m, Op::kFloorDiv, x, m.choose.chance(1, 3) ? m.base : d);
  const int64_t k = m.choose.pick<int64_t>({1, 2, std::min<int64_t>(m.base, 1000)});
  const int64_t l = k * m.choose.pick<int64_t>({d, d, d, m.base, 1});
  const NodeId low = scaled(m, with(m, Op::kMod, x, d), k);
  return plus(m, low, scaled(m, with(m, Op::kMod, high, 2 + m.choose(4)), l));
}

// A digit, or an expression that a rule combines with it.
NodeId expression(RuleState& m) {
  const NodeId of = inside(m);
  const int64_t d = divisor(m);
  const Op op = division(m);
  const NodeId digit = with(m, op, of, d);
  switch (m.decide(kAround, Decisions::kMost)) {
    case 3:  // 2 - (1 - d0) floordiv 3
      return shifted(m, scaled(m, digit, factor(m)), shift(m));
    case 4:
    case 5:  // x - (x floordiv d) * d
      return sum(m, of, digit, d);
    case 6: {  // two quotients, shifted differently
      const int64_t e = m.choose.chance(1, 3) ? m.base : d;
      return sum(m, digit, with(m, op, shifted(m, of, shift(m)), e), e);
    }
    case 2:
    case 7: {  // a quotient and a remainder
      const int64_t e = m.choose.chance(1, 2) ? m.base : d;
      return sum(m, digit, with(m, op == Op::kMod ? Op::kFloorDiv : Op::kMod, of, e), e);
    }
    case 8:
      return two_digits(m, of, d);
    case 9: {  // the sum of two digits, divided
      const NodeId both = plus(m, digit, with(m, op, variable(m, 1), d));
      return with(m, op, both, m.choose.pick<int64_t>({d, m.base, 2}));
    }
    case 10:
      return with(m, op, shifted(m, digit, shift(m)), m.base);
    case 11:
      return with(m, Op::kMod, scaled(m, digit, factor(m)), m.base);
    case 12:
      return plus(m, digit, with(m, Op::kFloorDiv, variable(m, 1), d));
    default:
      return digit;
  }
}

// ---- Domains ----

// An interval whose ends are where a digit changes: multiples of the base, and their neighbours.
Interval interval(RuleState& m, int64_t low_of, int64_t size_of) {
  const int64_t c = m.base;
  const std::initializer_list<int64_t> lows = {0, -c, 1, 1 - c, c, -1, c - 1, -2 * c, c + 1};
  const std::initializer_list<int64_t> sizes = {c, 2 * c, c + 1, 2, c - 1, 3 * c, 4 * c, 3, 1};
  const int64_t low = lows.begin()[low_of];
  return {low, low + std::max<int64_t>(sizes.begin()[size_of], 1) - 1};
}

// The ends of a constraint on a digit: one value, one that is not reduced, nearly all residues, or
// one side.
Interval ends_of_digit(RuleState& s, int64_t m) {
  const int64_t far = 1000 * m;
  return s.decide.pick<Interval>(kEnds, {{0, 0},
                                         {1, 1},
                                         {m - 1, m - 1},
                                         {0, m - 2},
                                         {1, m - 1},
                                         {m / 2, m / 2},
                                         {0, 1},
                                         {1, far},
                                         {-far, 0},
                                         {-1, 1},
                                         {m, m},
                                         {-1, -1},
                                         {m, m}});
}

const Interval& bounds_of(RuleState& m, size_t i) {
  return variables_of(m.map, m.variables[i].kind)[m.variables[i].number].bounds;
}

int64_t floor_of(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

// The value at a point that most constraints accept.
std::optional<int64_t> value_of(const RuleState& m, NodeId id) {
  const Node& node = m.map.nodes[id];
  if (node.op == Op::kConstant) return node.value;
  if (is_variable(node.op)) {
    const auto found = std::ranges::find_if(m.variables, [&node](const RuleVariable& v) {
      return v.kind == node.op && v.number == node.value;
    });
    return found->at;
  }
  const std::optional<int64_t> a = value_of(m, node.left), b = value_of(m, node.right);
  if (!a || !b) return std::nullopt;
  if (node.op == Op::kAdd) return checked_add(*a, *b);
  if (node.op == Op::kMul) return checked_mul(*a, *b);
  if (node.op == Op::kCeilDiv) return -floor_of(-*a, *b);
  return node.op == Op::kFloorDiv ? floor_of(*a, *b) : *a - *b * floor_of(*a, *b);
}

// Adds a constraint. Mostly moves the interval, by multiples of `unit` if possible, to where it accepts
// the point: an empty domain hides all other mistakes.
void require(RuleState& m, NodeId expr, Interval ends, int64_t unit = 1) {
  const std::optional<int64_t> value = value_of(m, expr);
  const bool accepts = value && ends.low <= *value && *value <= ends.high;
  if (value && !accepts && m.choose.chance(5, 6)) {
    const int64_t width = ends.high - ends.low;
    const int64_t low = ends.low + unit * floor_of(*value - ends.low, unit);
    ends.low = *value - low <= width ? low : *value;
    ends.high = ends.low + width;
  }
  m.map.constraints.push_back({expr, ends});
}

// The ends of a constraint on k * x + y and perhaps more: those of k * x + y, or multiples of k; and
// numbers beside them.
Interval ends_of_sum(RuleState& m, int64_t k) {
  if (m.base <= 4096 && m.choose.chance(1, 2)) {
    const Interval x = bounds_of(m, 0), y = bounds_of(m, 1);
    const auto [least, most] = std::minmax({k * x.low, k * x.high});
    return {least + y.low + m.choose.pick<int64_t>({0, 1, -1}),
            most + y.high + m.choose.pick<int64_t>({0, 1, -1})};
  }
  const int64_t n = std::max<int64_t>(std::abs(k), 2);
  const int64_t low = m.decide.pick<int64_t>(kEnds, {0, n, 1, -n, 1 - n, -1, n - 1, 0, n});
  const int64_t size =
      m.choose.pick<int64_t>({n, 2 * n, n, 1, n + 1, n - 1, 2 * n + 1, 2, n + 2, 1000 * n});
  return {low, low + size - 1};
}

// Adds a constraint that something else has to agree with: on another remainder of `of`, on `first`
// itself, or on another variable. c is the divisor of `first`, whose interval is `at`.
void constrain_again(RuleState& m, NodeId of, NodeId first, int64_t c, Interval at) {
  const int64_t residue = at.low + m.choose.pick<int64_t>({0, 0, 0, 1, c, -1});
  const int64_t width = m.choose.pick<int64_t>({0, 0, 0, 1});
  const auto congruence = [&](NodeId x, int64_t modulus) {
    require(m, with(m, Op::kMod, x, modulus), {residue, residue + width});
  };
  switch (m.decide(kSecond, Decisions::kMost)) {
    case 0:
      return congruence(of, 2 * c);
    case 1:
      return congruence(of, c + 1);
    case 2:
      return congruence(of, c);
    case 3:
      return congruence(of, c % 2 == 0 ? c / 2 : 3 * c);
    case 4:
      return congruence(variable(m, 1), c);
    case 5: {
      const Interval ends = {at.low + 1 - m.choose(3), at.high + m.choose(3) - 1};
      return require(m, first, ends);
    }
    case 6:
      return require(m, plus(m, variable(m, 0), variable(m, 1)), at);
    default:
      return;
  }
}

// What a constraint is about: a remainder or quotient of `of`, or `of` itself, a sum.
struct Statement {
  NodeId of;
  Op op;  // kAdd: a sum
};

Statement statement(RuleState& m) {
  const NodeId x = variable(m, 0);
  const int64_t e = m.base * m.decide.pick<int64_t>(kInner, {1, 1, -1});
  const auto and_other = [&](NodeId first) { return plus(m, first, variable(m, 1)); };
  switch (m.decide(kForm, Decisions::kMost)) {
    case 0:
      return {x, Op::kMod};
    case 1:
      return {shifted(m, x, shift(m)), Op::kMod};
    case 2:
      return {scaled(m, x, factor(m)), Op::kMod};
    case 3:
      return {with(m, Op::kFloorDiv, x, e), Op::kMod};
    case 4:
      return {with(m, Op::kMod, x, e), m.decide.pick(kOuter, {Op::kMod, Op::kFloorDiv})};
    case 5:
      return {and_other(scaled(m, x, factor(m))), Op::kMod};
    case 6:
      return {and_other(scaled(m, x, factor(m))), Op::kFloorDiv};
    case 7:
      return {x, m.decide.pick(kOuter, {Op::kFloorDiv, Op::kCeilDiv})};
    case 8:
      return {shifted(m, scaled(m, x, factor(m)), shift(m)),
              m.decide.pick(kOuter, {Op::kMod, Op::kFloorDiv, Op::kCeilDiv})};
    case 9:
      return {and_other(scaled(m, x, factor(m))), Op::kAdd};
    case 10:
      return {three_terms(m), Op::kAdd};
    case 11:
      return {and_other(scaled(m, with(m, Op::kMod, x, e), factor(m))), Op::kAdd};
    default:
      if (m.choose.chance(1, 2)) return {x, Op::kAdd};
      if (m.base > 256) return {scaled(m, x, factor(m)), Op::kAdd};  // products take long to decide
      return {add_operation(m.map.nodes, Op::kMul, x, variable(m, 1)), Op::kAdd};
  }
}

void constrain(RuleState& m) {
  const auto [of, op] = statement(m);
  const int64_t d = divisor(m), c = std::max<int64_t>(std::abs(d), 2);
  if (op == Op::kAdd) {
    const Interval at = ends_of_sum(m, factor(m));
    require(m, of, at, std::abs(factor(m)));
    return constrain_again(m, of, of, c, at);
  }
  const NodeId digit = with(m, op, of, d);
  const Interval at = ends_of_digit(m, c);
  const bool unreduced = at.low == at.high && (at.low < 0 || at.low >= c);
  if (unreduced && m.choose.chance(2, 3)) return m.map.constraints.push_back({digit, at});
  require(m, digit, at);
  constrain_again(m, of, digit, c, at);
}

// ---- Maps ----

RuleVariable new_variable(RuleState& m, Interval bounds) {
  const Op kind = m.choose.pick({Op::kDimension, Op::kDimension, Op::kRange, Op::kRuntime});
  variables_of(m.map, kind).push_back({bounds, ""});
  return {kind, std::ssize(variables_of(m.map, kind)) - 1,
          bounds.low + m.choose(bounds.high - bounds.low + 1)};
}

// x, whose interval is decided. If it is constrained, half of the intervals go on for a period of the
// remainder of a quotient.
RuleVariable decided_variable(RuleState& m, bool constrained) {
  constexpr int64_t kMostPeriod = 2000;
  Interval bounds = interval(m, m.decide(kLow, 9), m.decide(kSize, 9));
  const bool small = m.base < kMostPeriod && m.base * std::abs(divisor(m)) <= kMostPeriod;
  if (constrained && small && m.choose.chance(1, 2)) bounds.high += m.base * std::abs(divisor(m));
  return new_variable(m, bounds);
}

}  // namespace

IndexingMap generate_rule_shaped(Choose& choose, Decisions decide) {
  const bool constrained = decide.kind({1, 1}) == 1;
  RuleState m{choose, decide, {}, base_of(choose, decide)};
  m.variables.push_back(decided_variable(m, constrained));
  const int64_t low = choose.pick<int64_t>({0, 0, 0, 1, 2, 3, 5});
  m.variables.push_back(new_variable(m, interval(m, low, choose.chance(1, 2) ? 0 : choose(9))));
  m.variables.push_back(new_variable(m, {0, choose.pick<int64_t>({0, 1, 2, 4})}));
  const int64_t parts = constrained ? 1 + choose(3) : 0;
  for (int64_t i = 0; i < parts; ++i) {
    m.decide = decide.part(i);
    if (i > 0) {
      m.variables.push_back(decided_variable(m, constrained));
      std::swap(m.variables.front(), m.variables.back());
    }
    constrain(m);
  }
  const int64_t results = choose_within(choose, limits::kRuleShapedResults);
  for (int64_t i = 0; i < results; ++i) {
    m.decide = decide.part(i);
    m.map.results.push_back(expression(m));
  }
  return std::move(m.map);
}

IndexingMap generate_rule_shaped(Choose& choose) {
  return generate_rule_shaped(choose, Decisions(choose));
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
