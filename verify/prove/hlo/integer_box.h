// Enumerates the points of an integer box.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "spec/lang/map/indexing_map.h"

namespace tileproof::verify {

// Advances to the next point of the box, the last variable fastest. Returns false after the last.
inline bool next_point(const std::vector<Interval>& box, std::vector<int64_t>& values) {
  for (size_t i = values.size(); i-- > 0;) {
    if (++values[i] <= box[i].high) return true;
    values[i] = box[i].low;
  }
  return false;
}

inline bool is_empty(const std::vector<Interval>& box) {
  return std::ranges::any_of(box, [](const Interval& i) { return i.low > i.high; });
}

}  // namespace tileproof::verify
