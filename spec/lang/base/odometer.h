// SPDX-License-Identifier: Apache-2.0
// Walks all indices of an array, or all points of a box, in row-major order: the last coordinate
// moves fastest.
//
//   Dims index(dims.size(), 0);
//   do {
//     visit(index);                        // dims {2,3}: 00 01 02 10 11 12
//   } while (next_index(dims, index));
//
// The walk starts at the lowest index, so there must be one: no size is 0 and no interval is empty.
// An array without dimensions has one index, {}.
#pragma once

#include <cstddef>
#include <functional>

#include "spec/lang/base/dims.h"

namespace tileproof {

// Moves to the next index. After the last one, returns false and starts again at 0.
inline bool next_index(const Dims& dims, Dims& index) {
  for (size_t d = dims.size(); d-- > 0;) {
    if (++index[d] < dims[d]) return true;
    index[d] = 0;
  }
  return false;
}

// Moves to the next point of a box, the product of intervals [low, high]. `interval` takes an
// element of the box to its interval. After the last point, returns false and starts again at the
// lowest.
//
//   next_point(map.dimensions, point, &Variable::bounds)
template <class Box, class Projection = std::identity>
bool next_point(const Box& box, Dims& point, const Projection& interval = {}) {
  for (size_t i = point.size(); i-- > 0;) {
    const auto& [low, high] = std::invoke(interval, box[i]);
    if (point[i] < high) {
      ++point[i];
      return true;
    }
    point[i] = low;
  }
  return false;
}

}  // namespace tileproof
