// SPDX-License-Identifier: Apache-2.0
#include "generate/map/generate_map.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace tileproof {
namespace {

// The state of a generator. Make choices in statements of their own, never in the arguments of one
// call: the compiler chooses the order of arguments.
struct RandomState {
  Choose& choose;
  const MapLimits& limits;
  IndexingMap map;
};

int64_t any_constant(RandomState& m) {
  static const std::vector<int64_t> small = {0, 1, 2, 3, -1, 4, 5, 7, 8, -2, 10, 16, -7, 63, 128};
  static const std::vector<int64_t> extreme = {INT64_MAX,     INT64_MIN,        INT64_MIN + 1,
                                               INT64_MAX - 1, int64_t{1} << 32, int64_t{1} << 62};
  if (m.limits.extremes && m.choose.chance(1, 4)) return m.choose.pick(extreme);
  return m.choose.pick(small);
}

NodeId constant(RandomState& m, int64_t value) { return add_constant(m.map.nodes, value); }

NodeId operation(RandomState& m, Op op, NodeId left, NodeId right) {
  return add_operation(m.map.nodes, op, left, right);
}

// Returns a nonzero constant, or an expression of constants that is not 0.
NodeId divisor(RandomState& m) {
  static const std::vector<int64_t> factors = {2, 3, 4, 5, 8, 6, 7, 12, 16, 1, 10, 64};
  int64_t value = m.choose.pick(factors);
  if (m.choose.chance(1, 4)) value = -value;
  if (m.limits.extremes && m.choose.chance(1, 8))
    value = m.choose.chance(1, 2) ? INT64_MIN : 1 << 30;
  const NodeId plain = constant(m, value);
  if (!m.choose.chance(1, 16) || value == INT64_MIN) return plain;
  if (m.choose.chance(1, 2)) return operation(m, Op::kMul, plain, constant(m, -1));
  return operation(m, Op::kAdd, plain, constant(m, value > 0 ? 3 : -3));
}

NodeId leaf(RandomState& m) {
  const int64_t dimensions = std::ssize(m.map.dimensions);
  const int64_t ranges = std::ssize(m.map.ranges);
  const int64_t variables = dimensions + ranges + std::ssize(m.map.runtime);
  if (variables == 0 || m.choose.chance(1, 5)) return constant(m, any_constant(m));
  const int64_t number = m.choose(variables);
  if (number < dimensions) return add_variable(m.map.nodes, Op::kDimension, number);
  if (number < dimensions + ranges) {
    return add_variable(m.map.nodes, Op::kRange, number - dimensions);
  }
  return add_variable(m.map.nodes, Op::kRuntime, number - dimensions - ranges);
}

NodeId expression(RandomState& m, int64_t depth);

// Returns an existing node, if it is small.
NodeId shared(RandomState& m, int64_t depth) {
  if (m.map.nodes.empty()) return leaf(m);
  const auto node = static_cast<NodeId>(m.choose(std::ssize(m.map.nodes)));
  return tree_depth(m.map.nodes, node) <= depth ? node : leaf(m);
}

NodeId rare_expression(RandomState& m, int64_t depth) {
  switch (m.choose(5)) {
    case 0: {
      const NodeId left = expression(m, depth - 1);
      return operation(m, Op::kCeilDiv, left, divisor(m));
    }
    case 1: {
      const NodeId left = constant(m, any_constant(m));
      return operation(m, Op::kMul, left, expression(m, depth - 1));
    }
    case 2:
      return shared(m, depth);
    case 3: {  // a product of small operands, so that values stay small
      const int64_t below = std::min<int64_t>(depth - 1, 1);
      const NodeId left = expression(m, below);
      return operation(m, Op::kMul, left, expression(m, below));
    }
    default: {
      const NodeId inner = expression(m, depth - 1);
      return operation(m, Op::kMul, inner, constant(m, -1));
    }
  }
}

NodeId expression(RandomState& m, int64_t depth) {
  if (depth <= 0) return leaf(m);
  const int64_t kind = m.choose(10);
  if (kind <= 1) return leaf(m);
  if (kind == 9) return rare_expression(m, depth);
  const NodeId left = expression(m, depth - 1);
  switch (kind) {
    case 2:
    case 3:
      return operation(m, Op::kAdd, left, expression(m, depth - 1));
    case 4:
      return operation(m, Op::kAdd, left, constant(m, any_constant(m)));
    case 5:
    case 6:
      return operation(m, Op::kMul, left, constant(m, any_constant(m)));
    case 7:
      return operation(m, Op::kFloorDiv, left, divisor(m));
    default:
      return operation(m, Op::kMod, left, divisor(m));
  }
}

// Returns a number up to `usual`, rarely one up to that of the table.
int64_t count_of(RandomState& m, int64_t usual, Limit limit) {
  limit.usual = usual;
  limit.most = usual == 0 ? 0 : std::max(usual, limit.most);
  return choose_within(m.choose, limit);
}

// Returns the depth of an expression. Each level doubles it, so more is very rare.
int64_t depth_of(RandomState& m) {
  const bool deep = m.choose.chance(1, 4 * kRare);
  return deep ? std::max(m.limits.depth, limits::kMapDepth.most) : m.limits.depth;
}

// Returns bounds with at most `points` values, and divides `points` by their number.
Interval bounds(RandomState& m, int64_t& points) {
  if (m.limits.extremes && m.choose.chance(1, 3)) return {any_constant(m), any_constant(m)};
  const int64_t low = m.choose.chance(1, 3) ? m.choose.between(-20, 20) : 0;
  if (m.choose.chance(1, 60)) return {low, low - 1 - m.choose(2)};
  const int64_t most =
      std::min(points, m.choose.chance(1, 8) ? limits::kMapSize.most : limits::kMapSize.usual);
  const int64_t size = 1 + m.choose(most);
  points /= size;
  return {low, low + size - 1};
}

// Returns a constraint. Most hold somewhere, so that most domains have points.
Constraint constraint(RandomState& m) {
  const NodeId expr = expression(m, m.limits.depth - 1);
  if (m.limits.extremes && m.choose.chance(1, 3)) {
    return {expr, {any_constant(m), any_constant(m)}};
  }
  const int64_t kind = m.choose(24);
  if (kind <= 4) return {expr, {-1000, 1000}};
  if (kind <= 13) {
    const int64_t modulus = 2 + m.choose(7);
    const int64_t low = m.choose.chance(1, 2) ? m.choose(modulus) : 0;
    const int64_t high = low + m.choose(modulus - low);
    return {operation(m, Op::kMod, expr, constant(m, modulus)), {low, high}};
  }
  int64_t low = m.choose(13);
  low -= m.choose(7);
  if (kind <= 19) return {expr, {low - 20, low + m.choose(200)}};
  if (kind <= 21) return {expr, {low, low + m.choose(40)}};
  if (kind == 22) return {expr, {low, low}};
  return {expr, {low, low - 1 - m.choose(3)}};
}

// Gives some variables names of their own, all distinct.
void name_variables(RandomState& m) {
  static constexpr const char* kNames[] = {"th_x", "bl_x", "vector_elem", "i", "r0", "x_1", "Z9"};
  if (m.map.dimensions.size() >= 2 && m.choose.chance(1, 3)) {
    m.map.dimensions[0].name = "d1";
    m.map.dimensions[1].name = "d0";
    return;
  }
  size_t next = 0;
  for (Op kind : kVariableKinds) {
    for (Variable& variable : variables_of(m.map, kind)) {
      if (next < std::size(kNames) && m.choose.chance(1, 2)) variable.name = kNames[next++];
    }
  }
}

}  // namespace

IndexingMap generate_map(Choose& choose, const MapLimits& limits) {
  RandomState m{choose, limits, {}};
  int64_t points = limits.points;
  struct Kind {
    Op op;
    int64_t usual;
    Limit limit;
  };
  const Kind kinds[] = {{Op::kDimension, limits.dimensions, limits::kMapDimensions},
                        {Op::kRange, limits.ranges, limits::kMapRanges},
                        {Op::kRuntime, limits.runtime, limits::kMapRuntime}};
  for (const Kind& kind : kinds) {
    for (int64_t left = count_of(m, kind.usual, kind.limit); left > 0; --left) {
      variables_of(m.map, kind.op).push_back({bounds(m, points), ""});
    }
  }
  if (choose.chance(1, 6)) name_variables(m);
  for (int64_t left = count_of(m, limits.results, limits::kMapResults); left > 0; --left) {
    m.map.results.push_back(expression(m, depth_of(m)));
  }
  for (int64_t left = count_of(m, limits.constraints, limits::kMapConstraints); left > 0; --left) {
    m.map.constraints.push_back(constraint(m));
  }
  return std::move(m.map);
}

// Implements generate_related of generate/map/generate_map.h.

namespace {

struct RelatedState {
  Choose& choose;
  IndexingMap map;
  int64_t base = 2;          // all constants are related to it
  std::vector<NodeId> pool;  // expressions to use again
};

NodeId with(RelatedState& m, Op op, NodeId left, int64_t value) {
  return add_operation(m.map.nodes, op, left, add_constant(m.map.nodes, value));
}

// Returns a divisor of the family or a multiple of one, so that most divide each other.
int64_t modulus(RelatedState& m) {
  static const std::vector<int64_t> factors = {1, 2, 3, 4, 1, 6, 8};
  const int64_t value = m.base * m.choose.pick(factors);
  return m.choose.chance(1, 6) ? -value : value;
}

// Returns a factor or a summand.
int64_t constant(RelatedState& m) {
  switch (m.choose(10)) {
    case 0:
    case 1:
      return 1;
    case 2:
      return -1;
    case 3:
      return m.base - 1;
    case 4:
      return m.base + 1;
    case 5:
      return -m.base;
    case 6:  // more than 32 bits, far above the other constants
      return m.choose.chance(1, 2) ? m.base << 32 : m.base;
    default:
      return modulus(m);
  }
}

NodeId variable(RelatedState& m) {
  const auto dimensions = std::ssize(m.map.dimensions);
  const int64_t number = m.choose(dimensions + std::ssize(m.map.ranges));
  return number < dimensions ? add_variable(m.map.nodes, Op::kDimension, number)
                             : add_variable(m.map.nodes, Op::kRange, number - dimensions);
}

NodeId keep(RelatedState& m, NodeId id) {
  m.pool.push_back(id);
  return id;
}

NodeId known(RelatedState& m) {
  if (m.pool.empty() || m.choose.chance(1, 3)) return keep(m, variable(m));
  return m.choose.pick(m.pool);
}

NodeId negative(RelatedState& m, NodeId x) { return with(m, Op::kMul, x, -1); }

// Applies one operation to an expression of the pool.
NodeId step(RelatedState& m) {
  struct Step {
    Op op;
    int64_t (*by)(RelatedState&);
  };
  const NodeId x = known(m);
  const Step step = m.choose.pick<Step>({{Op::kFloorDiv, modulus},
                                         {Op::kFloorDiv, modulus},
                                         {Op::kMod, modulus},
                                         {Op::kMod, modulus},
                                         {Op::kMul, constant},
                                         {Op::kMul, constant},
                                         {Op::kAdd, constant},
                                         {Op::kCeilDiv, modulus}});
  return keep(m, with(m, step.op, x, step.by(m)));
}

// Adds a quotient and a remainder as if they were the digits of one number. They may be of two
// different expressions, and their factors may not match.
NodeId digits(RelatedState& m) {
  const NodeId x = known(m);
  const NodeId y = m.choose.chance(1, 3) ? known(m) : x;
  const int64_t c = modulus(m);
  const int64_t k = m.choose.chance(1, 2) ? 1 : modulus(m);
  NodeId low = with(m, Op::kMod, x, c);
  NodeId high = with(m, Op::kFloorDiv, y, c);
  if (m.choose.chance(1, 3)) {  // take the digit above x mod d
    const int64_t d = modulus(m);
    low = with(m, Op::kMod, with(m, Op::kFloorDiv, x, d), c);
    high = with(m, Op::kFloorDiv, y, d * c);
  }
  if (k != 1) low = with(m, Op::kMul, low, k);
  return keep(m, add_operation(m.map.nodes, Op::kAdd, low, with(m, Op::kMul, high, c * k)));
}

// Subtracts from x a multiple of its quotient, or nearly that.
NodeId remainder(RelatedState& m) {
  const NodeId x = known(m);
  const int64_t c = modulus(m);
  const Op op = m.choose.pick(std::vector<Op>{Op::kFloorDiv, Op::kCeilDiv, Op::kMod});
  NodeId inside = x;
  if (m.choose.chance(1, 3)) inside = add_operation(m.map.nodes, Op::kAdd, x, known(m));
  NodeId part = with(m, op, inside, c);
  switch (m.choose(4)) {
    case 0:
      break;
    case 1:
      part = with(m, Op::kMul, part, c);
      break;
    case 2:
      part = with(m, Op::kMul, part, -c);
      break;
    default:  // another operation instead of the factor
      part = with(m, m.choose.chance(1, 2) ? Op::kFloorDiv : Op::kMod, part, -c);
  }
  const bool minus = m.choose.chance(1, 2);
  const NodeId left = minus && m.choose.chance(1, 2) ? negative(m, x) : x;
  const NodeId right = minus && left == x ? negative(m, part) : part;
  return keep(m, add_operation(m.map.nodes, Op::kAdd, left, right));
}

// Returns an expression of the pool, or a digit of it.
NodeId part(RelatedState& m) {
  const NodeId x = known(m);
  if (m.choose.chance(1, 2)) return x;
  return keep(m, with(m, m.choose.chance(1, 2) ? Op::kMod : Op::kFloorDiv, x, modulus(m)));
}

// Returns the sum of a multiple of c and up to two other terms.
NodeId nearly_multiple(RelatedState& m, int64_t c) {
  NodeId sum = with(m, Op::kMul, part(m), c);
  static const std::vector<int64_t> counts = {0, 1, 1, 2};
  for (int64_t left = m.choose.pick(counts); left > 0; --left) {
    const NodeId more = part(m);
    sum =
        add_operation(m.map.nodes, Op::kAdd, sum, m.choose.chance(1, 4) ? negative(m, more) : more);
  }
  return keep(m, m.choose.chance(1, 5) ? with(m, Op::kAdd, sum, constant(m)) : sum);
}

// Returns such a sum divided by a related number.
NodeId quotient_of_sum(RelatedState& m) {
  static const std::vector<int64_t> ratios = {2, 1, 3, 4};
  const int64_t c = modulus(m);
  const NodeId sum = nearly_multiple(m, c);
  const Op op = m.choose.chance(1, 2) ? Op::kFloorDiv : Op::kMod;
  return keep(m, with(m, op, sum, m.choose.chance(1, 4) ? modulus(m) : c * m.choose.pick(ratios)));
}

// Returns a difference that cancels to a constant, perhaps divided again.
NodeId cancelling(RelatedState& m) {
  const NodeId x = known(m);
  const NodeId more = with(m, Op::kAdd, x, constant(m));
  NodeId result = keep(m, add_operation(m.map.nodes, Op::kAdd, x, negative(m, more)));
  if (!m.choose.chance(1, 2)) return result;
  const int64_t c = modulus(m);
  result = keep(m, with(m, Op::kFloorDiv, result, c));
  return m.choose.chance(1, 2) ? keep(m, with(m, Op::kMod, result, c)) : result;
}

NodeId expression(RelatedState& m) {
  using Make = NodeId (*)(RelatedState&);
  NodeId result = 0;
  for (int64_t left = 1 + m.choose(4); left > 0; --left) {
    result =
        m.choose.pick<Make>({step, step, step, digits, digits, remainder, remainder,
                             quotient_of_sum, quotient_of_sum, quotient_of_sum, cancelling})(m);
  }
  return result;
}

// Returns an interval: of residues, of one value, open on one side (at +-1000), or with arbitrary
// ends.
Interval interval(RelatedState& m) {
  switch (m.choose(6)) {
    case 0:
      return {0, modulus(m) - 1};
    case 1:
      return {-1000, modulus(m) - 1};
    case 2: {
      const int64_t value = m.choose(m.base + 2);
      return {value, value};
    }
    case 3:
      return {1, 1000};
    case 4:
      return {-1000, -1};
    default: {
      const int64_t low = m.choose.between(-m.base, m.base);
      return {low, low + m.choose(3 * m.base)};
    }
  }
}

void constrain(RelatedState& m) {
  if (!m.choose.chance(1, 2)) {
    m.map.constraints.push_back({m.choose.chance(1, 3) ? expression(m) : known(m), interval(m)});
    return;
  }
  if (m.choose.chance(1, 3)) {  // a sum that stays below a multiple of c
    const int64_t c = std::abs(modulus(m));
    const NodeId sum = nearly_multiple(m, c);
    const int64_t low = m.choose.chance(1, 2) ? 0 : -1000;
    const int64_t high = c * m.choose(3) - (m.choose.chance(2, 3) ? 1 : m.choose(c));
    m.map.constraints.push_back({sum, {low, high}});
    return;
  }
  // Congruences of one expression, with the same residue or with several.
  const NodeId x = m.choose.chance(1, 2) ? variable(m) : known(m);
  const int64_t residue = m.choose(m.base + 2);
  std::vector<int64_t> moduli = {m.base, m.base + 1};
  if (m.choose.chance(1, 2)) moduli = {m.base, 2 * m.base};
  if (m.choose.chance(1, 2))
    moduli.push_back(moduli[0] * moduli[1] / (moduli[1] % moduli[0] == 0 ? moduli[0] : 1));
  moduli.resize(static_cast<size_t>(1 + m.choose(std::ssize(moduli))));
  for (size_t i = 0; i < moduli.size(); ++i) {
    const int64_t low = i < 2 ? residue : m.choose(moduli[i]);
    const int64_t high = i < 2 ? residue : low + m.choose(moduli[i] - low);
    m.map.constraints.push_back({with(m, Op::kMod, x, moduli[i]), {low, high}});
  }
}

Interval bounds(RelatedState& m) {
  const int64_t size = m.choose.chance(1, 2) ? 1 + m.choose(m.base + 2) : 1 + m.choose(4 * m.base);
  const int64_t low = m.choose.chance(1, 3) ? -m.choose(3 * m.base) : 0;
  return {low, low + size - 1};
}

}  // namespace

IndexingMap generate_related(Choose& choose) {
  static const std::vector<int64_t> bases = {2, 3, 4, 5, 8, 7};
  RelatedState m{choose, {}, choose.pick(bases), {}};
  for (int64_t left = choose_within(choose, limits::kRelatedDimensions); left > 0; --left) {
    m.map.dimensions.push_back({bounds(m), ""});
  }
  if (choose.chance(1, 3)) m.map.ranges.push_back({bounds(m), ""});
  // A domain with few points tests results poorly, so about half of the maps have no constraints.
  for (int64_t left = choose_within(choose, limits::kRelatedResults); left > 0; --left) {
    m.map.results.push_back(expression(m));
  }
  const int64_t constraints = choose.chance(1, 2) ? 1 + choose(3) : 0;
  for (int64_t left = constraints; left > 0; --left) constrain(m);
  return std::move(m.map);
}

}  // namespace tileproof
