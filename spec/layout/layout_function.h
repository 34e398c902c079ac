// SPDX-License-Identifier: Apache-2.0
// A layout of any system as a function from a logical index to an offset in elements.
//
//     f16[64,96]{0,1:T(16,16)(16,1)}     (d0, d1) in [64,96]
//     zN:f16[64,96]                      the same function
//     ((16,4),(16,6)):((16,256),(1,1024))
//     Sw<3,3,3> o 0 o (8,64):(64,1)      (d0, d1) in [8,64]
//     memref<4x8xf32, strided<[1, 4]>>   (d0, d1) in [4,8]
//
// The reference defines the function: the steps of a tiled layout (spec/layout/tiled_layout.h) or
// of a blocked format (spec/layout/blocked_layout.h), or the nested layout's map from coordinates
// to modes (spec/layout/nested_layout.h). A tag means the layout that MakeLayout makes. A swizzle
// changes bits of the offset (spec/layout/swizzled_layout.h). A memref evaluates its map.
//
// A NESTED has one logical dimension for each mode, as large as the mode, and no element type. TLA
// and CuTe pad arrays to whole tiles and write the padded sizes. So a NESTED also represents every
// array that pads to its modes: mode (n1, .., nk) fits dimension d if ceil(d / (n1 * .. * n(k-1)))
// = nk. An integer mode fits exactly its own size.
//
//     ((16,4),(16,6)):((16,256),(1,1024))     [64,96], and also [60,90], [49,81]; not [48,96]
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/base/integers.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/layout/nested_layout.h"
#include "spec/layout/swizzled_layout.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::spec {

// The modes of a nested layout, in the form that indices of any number type need.
struct NestedModes {
  NestedLayout layout;
  std::vector<Modes> modes;                   // one for each dimension
  std::vector<std::vector<int64_t>> strides;  // strides of the integers of a mode
};

// The swizzle of start + the offset by the modes.
struct SwizzledModes {
  SwizzledLayout layout;
  NestedModes modes;
};

struct LayoutFunction {
  AnyLayout layout;  // as written
  Dims dims;         // logical sizes
  std::variant<TiledLayout, NestedModes, SwizzledModes, MemRef> meaning;

  // Properties of the layout other than the function.
  std::optional<int64_t> element_bits;
  std::optional<int64_t> elements;      // allocated elements
  std::optional<int64_t> memory_space;  // memory space of a tiled layout
};

// Errors: no array with elements, an unbounded dimension, sizes or offsets beyond int64.
absl::StatusOr<LayoutFunction> layout_function(const AnyLayout& layout);

// Gives both functions the same logical shape; a NESTED takes the shape of the other's array.
// Errors: no common shape.
absl::Status share_shape(LayoutFunction& left, LayoutFunction& right);

// Returns the differences that move no element: allocations, memory spaces.
std::vector<std::string> notes(const LayoutFunction& left, const LayoutFunction& right);

// Returns the offset by the reference. Errors: the index is out of bounds.
absl::StatusOr<int64_t> offset_at(const LayoutFunction& function,
                                  const std::vector<int64_t>& index);

// The same for any number type, without checks.
template <class N>
N offset_of(const LayoutFunction& function, const std::vector<N>& index);

// ---- The definition ----

template <class N>
N offset_of(const NestedModes& nested, const std::vector<N>& index) {
  N offset(0);
  for (size_t d = 0; d < index.size(); ++d) {
    std::vector<N> leaves;
    spread_integer(nested.modes[d], index[d], leaves);
    for (size_t i = 0; i < leaves.size(); ++i) offset = offset + leaves[i] * nested.strides[d][i];
  }
  return offset;
}

template <class N>
N offset_of(const SwizzledModes& swizzled, const std::vector<N>& index) {
  return swizzled_element(swizzled.layout,
                          offset_of(swizzled.modes, index) + N(swizzled.layout.start));
}

// MemRef says which operations occur.
template <class N>
N offset_of(const MemRef& memref, const std::vector<N>& index) {
  const ExprTable& nodes = memref.map.nodes;
  std::vector<N> values;
  for (const Node& node : nodes) {
    if (is_leaf(node.op)) {
      values.push_back(node.op == Op::kConstant ? N(node.value) : index[node.value]);
      continue;
    }
    const bool left_is_number = node.op == Op::kMul && nodes[node.left].op == Op::kConstant;
    const N& x = values[left_is_number ? node.right : node.left];
    const N& y = values[left_is_number ? node.left : node.right];
    const int64_t c = nodes[left_is_number ? node.left : node.right].value;
    values.push_back(node.op == Op::kAdd        ? x + y
                     : node.op == Op::kMul      ? x * c
                     : node.op == Op::kFloorDiv ? floordiv(x, c)
                                                : mod(x, c));
  }
  return values[memref.map.results[0]];
}

template <class N>
N offset_of(const LayoutFunction& function, const std::vector<N>& index) {
  return std::visit([&](const auto& meaning) { return offset_of(meaning, index); },
                    function.meaning);
}

}  // namespace tileproof::spec
