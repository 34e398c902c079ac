// SPDX-License-Identifier: Apache-2.0
// Boxes of integers. next_point (spec/lang/base/odometer.h) visits their points.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "spec/lang/base/odometer.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::verify {

inline bool is_empty(const std::vector<Interval>& box) {
  return std::ranges::any_of(box, [](const Interval& i) { return i.low > i.high; });
}

}  // namespace tileproof::verify
