// SPDX-License-Identifier: Apache-2.0
// The inverse of a sum of digits: from an offset to the index.
#include <algorithm>
#include <optional>
#include <vector>

#include "impl/layout/digit_layout.h"
#include "spec/lang/map/expr.h"

namespace tileproof::impl {
namespace {

// Expressions of a map, with constants on the right.
class Terms {
 public:
  explicit Terms(ExprTable& nodes) : nodes_(nodes) {}

  NodeId constant(int64_t value) { return add_constant(nodes_, value); }
  NodeId by(Op op, NodeId x, int64_t c) { return add_operation(nodes_, op, x, constant(c)); }
  NodeId plus(NodeId x, NodeId y) { return add_operation(nodes_, Op::kAdd, x, y); }
  NodeId bit(NodeId x, int64_t t) { return by(Op::kMod, by(Op::kFloorDiv, x, int64_t{1} << t), 2); }

  // Each bit that the mask reads is added modulo 2 to the one that it changes.
  NodeId swizzled(NodeId x, const SwizzleWords& words) {
    NodeId result = x;
    for (int64_t i = 0; i < 62; ++i) {
      if ((words.mask >> i & 1) == 0 || i + words.left > 62 || i + words.right > 62) continue;
      const NodeId before = bit(x, i + words.left);
      const NodeId after = by(Op::kMod, plus(before, bit(x, i + words.right)), 2);
      const NodeId change = plus(after, by(Op::kMul, before, -1));
      result = plus(result, by(Op::kMul, change, int64_t{1} << (i + words.left)));
    }
    return result;
  }

 private:
  ExprTable& nodes_;
};

}  // namespace

bool are_digits_nested(const DigitLayout& layout) {
  std::vector<LayoutDigit> digits = layout.digits;
  std::ranges::sort(digits, {}, &LayoutDigit::stride);
  int64_t below = 0;
  for (const LayoutDigit& digit : digits) {
    if (digit.size == 1) continue;
    if (digit.stride <= below) return false;
    below += (digit.size - 1) * digit.stride;
  }
  return true;
}

std::optional<IndexingMap> inverse_map(const DigitLayout& layout, int64_t start,
                                       const SwizzleWords& words, int64_t elements) {
  if (!are_digits_nested(layout) || elements == 0) return std::nullopt;
  IndexingMap map;
  map.dimensions.push_back({{0, elements - 1}, ""});
  Terms terms(map.nodes);
  NodeId left = terms.swizzled(add_variable(map.nodes, Op::kDimension, 0), words);
  left = terms.plus(left, terms.constant(-start));
  std::vector<LayoutDigit> digits = layout.digits;
  std::ranges::sort(digits, std::ranges::greater(), &LayoutDigit::stride);
  // Nested digits have distinct offsets. So with as many values as elements, each offset has one.
  int64_t values = 1;
  std::vector<int64_t> reached(layout.dims.size(), 1);
  for (const LayoutDigit& digit : digits) {
    values *= digit.size;
    reached[digit.dimension] *= digit.size;
  }
  const bool has_gaps = start != 0 || values != elements;
  map.results.assign(layout.dims.size(), -1);
  for (const LayoutDigit& digit : digits) {
    if (digit.size == 1) continue;
    const NodeId value = terms.by(Op::kFloorDiv, left, digit.stride);
    if (has_gaps) map.constraints.push_back({value, {0, digit.size - 1}});
    left = terms.by(Op::kMod, left, digit.stride);
    NodeId& index = map.results[digit.dimension];
    const NodeId part = terms.by(Op::kMul, value, digit.divisor);
    index = index < 0 ? part : terms.plus(index, part);
  }
  if (has_gaps) map.constraints.push_back({left, {0, 0}});
  for (size_t d = 0; d < map.results.size(); ++d) {
    NodeId& index = map.results[d];
    if (index < 0) index = terms.constant(0);
    if (reached[d] > layout.dims[d]) map.constraints.push_back({index, {0, layout.dims[d] - 1}});
  }
  return map;
}

}  // namespace tileproof::impl
