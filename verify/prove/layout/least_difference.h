// SPDX-License-Identifier: Apache-2.0
// The smallest index at which two layouts differ: its greatest coordinate is least, and among these
// indices it is the first in row-major order. Small coordinates are the easiest to check by hand.
//
//     f32[128,256]{1,0:T(8,128)} and f32[128,256]{1,0}
//     differ at [116,236], say, and first in row-major order at [0,128]; the smallest is [1,0]:
//     offsets 128 and 256
//
// Bisects the greatest coordinate, then the coordinates, the most major one first. Each step asks
// whether the layouts are equal in a part of the array (verify/prove/map/map_equal.h).
#pragma once

#include <cstdint>
#include <vector>

#include "spec/layout/layout_function.h"

namespace tileproof::verify {

// Returns the smallest index at which the offsets differ, given one such index. The functions have the
// same logical shape. If a step is undecided, or all take more than about `milliseconds` of
// processor time, the result still differs, but may not be the smallest.
std::vector<int64_t> least_difference(const spec::LayoutFunction& left,
                                      const spec::LayoutFunction& right, std::vector<int64_t> index,
                                      int64_t milliseconds);

}  // namespace tileproof::verify
