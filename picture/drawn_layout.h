// SPDX-License-Identifier: Apache-2.0
// What a picture needs of a layout: its function by the definition, the tiles to outline, and the
// element at each offset.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/layout/layout_function.h"

namespace tileproof::picture {

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

}  // namespace tileproof::picture
