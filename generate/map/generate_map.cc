// SPDX-License-Identifier: Apache-2.0
#include "generate/map/generate_map.h"

#include <algorithm>
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

}  // namespace tileproof
