// SPDX-License-Identifier: Apache-2.0
// Pictures of layouts for a terminal: the array with the offset of each element, and memory with
// the element at each offset.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "impl/layout/tiled_layout.h"

namespace tileproof::cli {

// As text. Empty if the picture does not fit a screen: more than two dimensions, more than 1,024
// offsets, or rows that are too long.
std::string text_picture(const impl::TiledLayout& layout);

// For arrays whose picture does not fit: says so, and lists the offsets beside the edges of tiles.
std::string part_of_offsets(const impl::TiledLayout& layout);

// The offsets beside the edges of tiles, for arrays that are too large to draw as text. Along each
// dimension, the other coordinates being 0: the first step, and both sides of the first edge of each
// tile. Then the last element. For f32[4096,4096]{1,0:T(8,128)}:
//
//     offsets beside the edges of tiles
//       [0,1]  1
//       [0,127]  127
//       [0,128]  1024
//       [1,0]  128
//       [7,0]  896
//       [8,0]  32768
//       [4095,4095]  16777215
//
// An edge is where the offset stops growing by equal steps. So the rule needs no tiles, and serves
// the layouts of every system.

// `offset` gives the offset of an index inside of `dims`. Empty if there is no element or no edge.
// Looks for an edge among the first 4,096 steps of each size only.
std::string edge_offsets(const std::vector<int64_t>& dims,
                         absl::FunctionRef<int64_t(const std::vector<int64_t>&)> offset);

}  // namespace tileproof::cli
