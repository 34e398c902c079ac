// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/layout/swizzled_map.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"
#include "spec/layout/layout_function.h"
#include "spec/layout/nested_layout.h"
#include "verify/prove/layout/layout_equal.h"

namespace tileproof::verify {
namespace {

NodeId number(IndexingMap& map, int64_t value) { return add_constant(map.nodes, value); }

NodeId plus(IndexingMap& map, NodeId a, NodeId b) {
  return add_operation(map.nodes, Op::kAdd, a, b);
}

NodeId times(IndexingMap& map, NodeId a, int64_t b) {
  return add_operation(map.nodes, Op::kMul, a, number(map, b));
}

NodeId mod2(IndexingMap& map, NodeId a) {
  return add_operation(map.nodes, Op::kMod, a, number(map, 2));
}

NodeId bit(IndexingMap& map, NodeId x, int64_t position) {
  if (position == 0) return mod2(map, x);
  const NodeId power = number(map, int64_t{1} << position);
  return mod2(map, add_operation(map.nodes, Op::kFloorDiv, x, power));
}

}  // namespace

absl::StatusOr<IndexingMap> swizzled_map(const SwizzledLayout& layout) {
  const spec::LayoutFunction function = TRY(spec::layout_function(AnyLayout{layout.layout}));
  const std::vector<int64_t> strides = leaves(layout.layout.stride);
  if (std::any_of(strides.begin(), strides.end(), [](int64_t d) { return d < 0; })) {
    return absl::InvalidArgumentError("expected strides of at least 0 in a swizzled layout");
  }
  const int64_t positions = TRY(spec::cosize(layout.layout));
  if (!checked_add(positions, layout.start)) {
    return absl::OutOfRangeError("expected offsets that fit 64 bits");
  }
  IndexingMap map = offset_map(function);
  NodeId x = map.results[0];
  if (layout.start != 0) x = plus(map, x, number(map, layout.start));
  const auto& [bits, base, shift] = layout.swizzle;
  NodeId result = x;
  for (int64_t i = base; i < base + bits; ++i) {
    const int64_t target = shift < 0 ? i - shift : i;
    const int64_t source = shift < 0 ? i : i + shift;
    const NodeId before = bit(map, x, target);
    const NodeId after = mod2(map, plus(map, before, bit(map, x, source)));
    const NodeId change = plus(map, after, times(map, before, -1));
    result = plus(map, result, times(map, change, int64_t{1} << target));
  }
  map.results = {result};
  return map;
}

}  // namespace tileproof::verify
