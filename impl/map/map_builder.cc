// SPDX-License-Identifier: Apache-2.0
#include "impl/map/map_builder.h"

#include <algorithm>

#include "impl/map/normal_form/normal_form.h"
#include "spec/lang/base/checked_arithmetic.h"

namespace tileproof::impl {

MapBuilder::MapBuilder(const Dims& sizes) {
  for (size_t i = 0; i < sizes.size(); ++i) {
    map_.dimensions.push_back({{0, sizes[i] - 1}, ""});
    dimensions_.push_back(add_variable(map_.nodes, Op::kDimension, static_cast<int64_t>(i)));
  }
}

NodeId MapBuilder::range(int64_t size) {
  if (size == 1) return constant(0);
  map_.ranges.push_back({{0, size - 1}, ""});
  return add_variable(map_.nodes, Op::kRange, std::ssize(map_.ranges) - 1);
}

NodeId MapBuilder::runtime(Interval feasible) {
  map_.runtime.push_back({feasible, ""});
  return add_variable(map_.nodes, Op::kRuntime, std::ssize(map_.runtime) - 1);
}

NodeId MapBuilder::constant(int64_t value) { return add_constant(map_.nodes, value); }

NodeId MapBuilder::plus(NodeId a, NodeId b) {
  if (is_constant(a)) std::swap(a, b);
  if (is_constant(b) && value(b) == 0) return a;
  if (!is_constant(a)) return add_operation(map_.nodes, Op::kAdd, a, b);
  const std::optional<int64_t> sum = checked_add(value(a), value(b));
  if (sum) return constant(*sum);
  failed_ = true;
  return a;
}

NodeId MapBuilder::times(NodeId a, int64_t b) {
  if (b == 1) return a;
  if (b == 0 || (is_constant(a) && value(a) == 0)) return constant(0);
  return add_operation(map_.nodes, Op::kMul, a, constant(b));
}

NodeId MapBuilder::floordiv(NodeId a, int64_t b) {
  if (b == 1) return a;
  if (is_constant(a)) return constant(floor_quotient(value(a), b));
  return add_operation(map_.nodes, Op::kFloorDiv, a, constant(b));
}

NodeId MapBuilder::mod(NodeId a, int64_t b) {
  if (b == 1) return constant(0);
  if (is_constant(a)) return constant(floor_remainder(value(a), b));
  return add_operation(map_.nodes, Op::kMod, a, constant(b));
}

void MapBuilder::require(NodeId expr, Interval interval) {
  const Node& node = map_.nodes[expr];
  if (node.op == Op::kDimension) {
    Interval& bounds = map_.dimensions[node.value].bounds;
    bounds = {std::max(bounds.low, interval.low), std::min(bounds.high, interval.high)};
  } else {
    map_.constraints.push_back({expr, interval});
  }
}

}  // namespace tileproof::impl
