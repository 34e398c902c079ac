// SPDX-License-Identifier: Apache-2.0
// What moves in memory between two layouts of one array.
//
//     left      0,0  0,1  0,2  1,0 ..       the element at each offset, as far as they are drawn
//                |     \   ..               a line from each element that moves
//     right     0,0  1,0  0,1  ..
//
// An element has the color of its offset in the left layout, so the right row shows how the order
// changes.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "picture/drawn_layout.h"
#include "picture/svg.h"

namespace tileproof::picture {

// Draws the offsets from about `begin` on with the upper left corner at (x, y). Returns the width and height that it took: {0, 0} if
// the array is too large to find the elements by offset. `color` is that of an offset of the left
// layout.
std::pair<int64_t, int64_t> draw_moves(const DrawnLayout& left, const DrawnLayout& right,
                                       const std::function<Color(int64_t offset)>& color,
                                       int64_t begin, int64_t x, int64_t y, Svg& svg);

}  // namespace tileproof::picture
