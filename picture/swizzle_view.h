// SPDX-License-Identifier: Apache-2.0
// The bits of an offset before and after a swizzle, and of one offset as an example:
//
//     before     b5  b4  b3  b2      b1      b0           20 =  0 1 0 1 0 0
//     after      b5  b4  b3  b5^b2   b4^b1   b0           22 =  0 1 0 1 1 0
//
// A line goes from each bit that is xored into another one, and both have its color.
#pragma once

#include <cstdint>
#include <utility>

#include "picture/svg.h"
#include "spec/lang/layout/swizzled_text.h"

namespace tileproof::picture {

// Draws the bits of offsets in [0, slots) with the upper left corner at (x, y). `example` is an offset
// after the swizzle. Returns the width and height that it took.
std::pair<int64_t, int64_t> draw_swizzle(const SwizzledLayout& layout, int64_t slots,
                                         int64_t example, int64_t x, int64_t y, Svg& svg);

}  // namespace tileproof::picture
