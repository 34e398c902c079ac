// SPDX-License-Identifier: Apache-2.0
// The view of the array: slices of rows and columns, with their indices.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "picture/grid.h"
#include "picture/svg.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/swizzled_text.h"
#include "spec/layout/layout_function.h"

namespace tileproof::picture {

// ---- What is drawn of a layout: drawn_layout.cc ----
//
// What a picture needs of a layout: its function by the definition, the tiles to outline, and the
// element at each offset.

struct DrawnLayout {
  std::string text;               // as written
  spec::LayoutFunction function;  // by the definition
  Dims dims;                      // logical sizes; a scalar has one dimension of size 1
  Dims padded;                    // dims, rounded up to whole outermost tiles
  int64_t slots = 0;              // allocated elements; if unknown, the highest offset plus 1
  int64_t element_bits = 0;       // 0: the layout has no element type

  // The sizes of a tile in each dimension, outermost tiles first. 1: each index of the dimension
  // is a tile of its own. Layouts whose tiles are no boxes of the array have none.
  //
  //     bf16[16,256]{1,0:T(8,128)(2,1)}             {8,128}, {2,1}
  //     ((16,4),(16,6)):((16,256),(1,1024))         {16,16}
  //     dnnl:OIhw8i16o2i:f32[32,32,3,3]             {16,16,1,1}, {16,2,1,1}, {1,2,1,1}
  std::vector<Dims> tiles;
};

// Errors: those of verify::layout_function; a layout without elements.
absl::StatusOr<DrawnLayout> drawn_layout(const AnyLayout& layout);

// The offset by the definition. The index is in the array.
int64_t offset_of(const DrawnLayout& layout, const Dims& index);

// The indices by offset for `count` slots from `first` on: the first index that has the offset, in
// row-major order, or nothing in padding. Nothing at all if a layout that is not tiled has more than
// 2^20 elements.
std::optional<std::vector<std::optional<Dims>>> index_by_offset(const DrawnLayout& layout,
                                                                int64_t first, int64_t count);

// ---- The view ----

// A box of the array: `sizes` elements from `first` on.
struct ArrayBox {
  Dims first, sizes;
};

// Draws the elements of the box with their offsets.
struct ArrayView {
  const DrawnLayout& layout;
  std::function<Color(int64_t offset)> color;
  bool path = false;
  bool indices = false;       // as data-at
  int64_t most_columns = 32;  // longer rows have a gap
  // The other layout of a comparison, whose differing elements are marked.
  const DrawnLayout* other = nullptr;
  std::optional<Dims> chosen = {};  // an element with a ring

  int64_t drawn = 0;         // elements
  int64_t marked = 0;        // of these
  int64_t first_marked = 0;  // the offset by the other layout of the first one that is marked

  // Draws with the upper left corner at (x, y). Returns the width and height that it took.
  std::pair<int64_t, int64_t> draw(const ArrayBox& box, int64_t x, int64_t y, Svg& svg);
};

// What moves in memory between two layouts of one array.
//
//     left      0,0  0,1  0,2  1,0 ..       the element at each offset, as far as they are drawn
//                |     \   ..               a line from each element that moves
//     right     0,0  1,0  0,1  ..
//
// An element has the color of its offset in the left layout, so the right row shows how the order
// changes.

// Draws the offsets from about `begin` on with the upper left corner at (x, y). Returns the width and height that it took: {0, 0} if
// the array is too large to find the elements by offset. `color` is that of an offset of the left
// layout.
std::pair<int64_t, int64_t> draw_moves(const DrawnLayout& left, const DrawnLayout& right,
                                       const std::function<Color(int64_t offset)>& color,
                                       int64_t begin, int64_t x, int64_t y, Svg& svg);

// The bits of an offset before and after a swizzle, and of one offset as an example:
//
//     before     b5  b4  b3  b2      b1      b0           20 =  0 1 0 1 0 0
//     after      b5  b4  b3  b5^b2   b4^b1   b0           22 =  0 1 0 1 1 0
//
// A line goes from each bit that is xored into another one, and both have its color.

// Draws the bits of offsets in [0, slots) with the upper left corner at (x, y). `example` is an offset
// after the swizzle. Returns the width and height that it took.
std::pair<int64_t, int64_t> draw_swizzle(const SwizzledLayout& layout, int64_t slots,
                                         int64_t example, int64_t x, int64_t y, Svg& svg);

}  // namespace tileproof::picture
