// SPDX-License-Identifier: Apache-2.0
// Parts of wrong rules. The rules leave large numbers alone, so that the mistake of an entry is the
// one that its line names, and no overflow.
#pragma once

#include <cstdint>

#include "spec/lang/map/indexing_map.h"

namespace tileproof::zoo {

inline bool is_small(int64_t n) { return n > -(1 << 30) && n < 1 << 30; }
inline bool is_small(const Interval& i) { return is_small(i.low) && is_small(i.high); }

// floor(a / b), for small numbers: floor_of(-1, 2) is -1.
inline int64_t floor_of(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

// Calls `change` for each constraint with a small interval until it returns true.
template <class Change>
bool any_constraint(IndexingMap& map, Change change) {
  for (Constraint& constraint : map.constraints) {
    if (is_small(constraint.interval) && change(constraint)) return true;
  }
  return false;
}

}  // namespace tileproof::zoo
