// SPDX-License-Identifier: Apache-2.0
// Implements generate_chain of generate/map/generate_map.h. Each function is one kind of operation:
// it turns the index of an element of the result into the index of the element of the operand.
#include <algorithm>
#include <utility>

#include "generate/map/generate_map.h"
#include "spec/lang/base/cursor.h"

namespace tileproof {
namespace {

using Shape = std::vector<int64_t>;
using Index = std::vector<NodeId>;

struct ChainState {
  Choose& choose;
  const ChainLimits& limits;
  IndexingMap map;
  int64_t points;  // how much larger the box may become
  Shape shape;     // of the current array
  Index index;     // of the current element
};

NodeId with_constant(ChainState& m, Op op, NodeId left, int64_t value) {
  return add_operation(m.map.nodes, op, left, add_constant(m.map.nodes, value));
}

NodeId plus(ChainState& m, NodeId left, int64_t value) {
  return value == 0 ? left : with_constant(m, Op::kAdd, left, value);
}

NodeId times(ChainState& m, NodeId left, int64_t value) {
  return value == 1 ? left : with_constant(m, Op::kMul, left, value);
}

NodeId variable(ChainState& m, Op kind, int64_t size, const char* name = "") {
  std::vector<Variable>& variables = variables_of(m.map, kind);
  variables.push_back({{0, size - 1}, name});
  m.points /= size;
  return add_variable(m.map.nodes, kind, std::ssize(variables) - 1);
}

// Restricts the domain to the points where the expression is in the interval: narrows the bounds of
// a variable, or adds a constraint.
void require(ChainState& m, NodeId expr, Interval interval) {
  const Node node = m.map.nodes[expr];
  if (!is_variable(node.op)) {
    m.map.constraints.push_back({expr, interval});
    return;
  }
  Interval& bounds = variables_of(m.map, node.op)[node.value].bounds;
  bounds = {std::max(bounds.low, interval.low), std::min(bounds.high, interval.high)};
}

int64_t product(const Shape& shape) {
  int64_t result = 1;
  for (int64_t size : shape) result *= size;
  return result;
}

NodeId linearize(ChainState& m) {
  if (m.index.empty()) return add_constant(m.map.nodes, 0);
  NodeId sum = m.index[0];
  int64_t stride = product(m.shape) / m.shape[0];
  sum = times(m, sum, stride);
  for (size_t i = 1; i < m.index.size(); ++i) {
    stride /= m.shape[i];
    sum = add_operation(m.map.nodes, Op::kAdd, sum, times(m, m.index[i], stride));
  }
  return sum;
}

// Replaces the index by the one whose row-major position is `linear`.
void delinearize(ChainState& m, NodeId linear, Shape shape) {
  int64_t stride = product(shape);
  m.index.clear();
  for (size_t i = 0; i < shape.size(); ++i) {
    stride /= shape[i];
    NodeId digit = stride == 1 ? linear : with_constant(m, Op::kFloorDiv, linear, stride);
    if (i > 0) digit = with_constant(m, Op::kMod, digit, shape[i]);
    m.index.push_back(digit);
  }
  m.shape = std::move(shape);
}

// Returns a shape with the same number of elements: distributes its prime factors over the
// dimensions.
Shape regrouped(ChainState& m, int64_t elements) {
  const bool high = m.choose.chance(1, kRare);
  const int64_t most = high ? std::max(m.limits.rank, limits::kChainRank.most) : m.limits.rank;
  Shape shape(1 + m.choose(most), 1);
  const auto deal = [&](int64_t factor) { shape[m.choose(std::ssize(shape))] *= factor; };
  for (int64_t factor = 2; factor <= elements / factor; ++factor) {
    for (; elements % factor == 0; elements /= factor) deal(factor);
  }
  if (elements > 1) deal(elements);
  return shape;
}

void reshape(ChainState& m) {
  Shape shape = regrouped(m, product(m.shape));
  delinearize(m, linearize(m), std::move(shape));
}

void transpose(ChainState& m) {
  for (size_t left = m.index.size(); left > 1; --left) {
    const size_t other = left - 1 - m.choose(static_cast<int64_t>(left));
    std::swap(m.index[left - 1], m.index[other]);
    std::swap(m.shape[left - 1], m.shape[other]);
  }
}

// Splits one dimension into tiles, permutes the dimensions, and often views the memory as another
// shape.
void tiled_bitcast(ChainState& m) {
  static const std::vector<int64_t> tiles = {2, 4, 8, 3, 16, 5, 32, 128};
  if (m.index.empty()) return;
  const int64_t at = m.choose(std::ssize(m.index));
  const int64_t tile = m.choose.pick(tiles);
  if (m.shape[at] % tile == 0) {
    const NodeId index = m.index[at];
    m.index[at] = with_constant(m, Op::kFloorDiv, index, tile);
    m.index.insert(m.index.begin() + at + 1, with_constant(m, Op::kMod, index, tile));
    m.shape[at] /= tile;
    m.shape.insert(m.shape.begin() + at + 1, tile);
  }
  transpose(m);
  if (m.choose.chance(2, 3)) reshape(m);
}

void slice(ChainState& m) {
  for (size_t i = 0; i < m.index.size(); ++i) {
    const int64_t start = m.choose(4);
    const int64_t stride = choose_within(m.choose, limits::kChainStride);
    m.index[i] = plus(m, times(m, m.index[i], stride), start);
    m.shape[i] = start + (m.shape[i] - 1) * stride + 1 + m.choose(3);
  }
}

void pad(ChainState& m) {
  if (m.index.empty()) return;
  const int64_t at = m.choose(std::ssize(m.index));
  const int64_t size = m.shape[at];
  const int64_t low = m.choose(std::min<int64_t>(size, 4));
  const int64_t high = m.choose(std::min<int64_t>(size - low, 4));
  const int64_t step = choose_within(
      m.choose, limits::kChainStride);  // an element and the interior padding after it
  const int64_t inner = (size - low - high - 1) / step + 1;
  require(m, m.index[at], {low, low + (inner - 1) * step});
  const NodeId shifted = plus(m, m.index[at], -low);
  m.index[at] = step == 1 ? shifted : with_constant(m, Op::kFloorDiv, shifted, step);
  if (step > 1) require(m, with_constant(m, Op::kMod, shifted, step), {0, 0});
  m.shape[at] = inner;
}

// Follows one operand of a concatenate.
void concatenate(ChainState& m) {
  if (m.index.empty()) return;
  const int64_t at = m.choose(std::ssize(m.index));
  const int64_t offset = m.choose(m.shape[at]);
  const int64_t size = 1 + m.choose(m.shape[at] - offset);
  require(m, m.index[at], {offset, offset + size - 1});
  m.index[at] = plus(m, m.index[at], -offset);
  m.shape[at] = size;
}

void broadcast(ChainState& m) {
  if (m.index.empty()) return;
  const int64_t at = m.choose(std::ssize(m.index));
  m.index.erase(m.index.begin() + at);
  m.shape.erase(m.shape.begin() + at);
}

void reduce(ChainState& m) {
  const int64_t at = m.choose(std::ssize(m.index) + 1);
  const int64_t size = 1 + m.choose(std::min<int64_t>(m.points, 32));
  m.index.insert(m.index.begin() + at, variable(m, Op::kRange, size));
  m.shape.insert(m.shape.begin() + at, size);
}

void reverse(ChainState& m) {
  if (m.index.empty()) return;
  const int64_t at = m.choose(std::ssize(m.index));
  m.index[at] = plus(m, with_constant(m, Op::kMul, m.index[at], -1), m.shape[at] - 1);
}

void dynamic_slice(ChainState& m) {
  if (m.index.empty()) return;
  const int64_t at = m.choose(std::ssize(m.index));
  const int64_t offsets = 1 + m.choose(std::min<int64_t>(m.points, 16));
  const NodeId offset = variable(m, Op::kRuntime, offsets);
  m.index[at] = add_operation(m.map.nodes, Op::kAdd, m.index[at], offset);
  m.shape[at] += offsets - 1;
}

// Starts with the dimensions of an array.
void start_from_array(ChainState& m) {
  static const std::vector<int64_t> sizes = {2, 3, 4, 6, 8, 5, 12, 16, 1, 7, 10, 32, 64, 128, 100};
  for (int64_t left = m.choose(m.limits.rank + 1); left > 0; --left) {
    const int64_t size = std::min(m.choose.pick(sizes), m.points);
    m.index.push_back(variable(m, Op::kDimension, size));
    m.shape.push_back(size);
  }
}

// Starts with a grid of threads that hold a few elements each. The last threads may be past the end
// of the array.
void start_from_threads(ChainState& m) {
  static const std::vector<int64_t> threads = {4, 8, 32, 64, 128};
  const bool named = m.choose.chance(1, 2);
  const int64_t vector = int64_t{1} << m.choose(3);
  const int64_t in_block =
      std::max<int64_t>(1, std::min(m.choose.pick(threads), m.points / vector));
  const int64_t blocks = 1 + m.choose(std::clamp<int64_t>(m.points / vector / in_block, 1, 16));
  const NodeId thread = variable(m, Op::kDimension, in_block, named ? "th_x" : "");
  for (int i = 1; !named && i < 3; ++i) variable(m, Op::kDimension, 1);
  const NodeId block = variable(m, Op::kDimension, blocks, named ? "bl_x" : "");
  for (int i = 1; !named && i < 3; ++i) variable(m, Op::kDimension, 1);
  const NodeId element = variable(m, Op::kRange, vector, named ? "vector_elem" : "");
  NodeId linear = times(m, block, in_block * vector);
  linear = add_operation(m.map.nodes, Op::kAdd, linear, times(m, thread, vector));
  linear = add_operation(m.map.nodes, Op::kAdd, linear, element);
  const int64_t elements = in_block * vector * blocks - m.choose(std::min<int64_t>(in_block, 8));
  if (elements < in_block * vector * blocks) require(m, linear, {0, elements - 1});
  delinearize(m, linear, regrouped(m, elements));
}

bool may_grow(const ChainState& m) {
  int64_t nodes = 0;
  for (NodeId index : m.index) {
    nodes += tree_size(m.map.nodes, index);
    if (nodes > m.limits.nodes || tree_depth(m.map.nodes, index) > kMaxNesting / 2) return false;
  }
  return product(m.shape) <= int64_t{1} << 40;
}

// Implements generate_digits of generate/map/generate_map.h.

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
    const Op then = m.choose.pick({Op::kAdd, Op::kMul});
    result = with(m, then, result, m.choose.pick<int64_t>({c, -c, 2 * c, -2 * c, 1}));
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

Chain generate_chain(Choose& choose, const ChainLimits& limits) {
  using Operation = void (*)(ChainState&);
  static const std::vector<Operation> operations = {
      transpose, reshape,   tiled_bitcast, slice,  concatenate, pad,          reshape,
      broadcast, transpose, tiled_bitcast, reduce, reverse,     dynamic_slice};
  ChainState m{choose, limits, {}, std::max<int64_t>(limits.points, 1), {}, {}};
  if (m.points >= 4 && choose.chance(1, 3)) {
    start_from_threads(m);
  } else {
    start_from_array(m);
  }
  const bool is_long = limits.steps > 0 && choose.chance(1, kRare);
  const int64_t most = is_long ? std::max(limits.steps, limits::kChainSteps.most) : limits.steps;
  for (int64_t left = choose(most + 1); left > 0 && may_grow(m); --left) {
    choose.pick(operations)(m);
  }
  if (choose.chance(1, 5) && may_grow(m)) delinearize(m, linearize(m), {product(m.shape)});
  m.map.results = m.index;
  return {std::move(m.map), std::move(m.shape)};
}

IndexingMap generate_digits(Choose& choose, IndexingMap map) {
  DigitState m{choose, std::move(map)};
  const int64_t variables = 2 + choose(3);
  for (int64_t v = 0; v < variables; ++v) {
    const Op kind = choose.chance(1, 4) ? Op::kRange : Op::kDimension;
    std::vector<Variable>& list = variables_of(m.map, kind);
    int64_t width = int64_t{1} << std::min<int64_t>(choose(66), 61);  // often the widest
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
