// SPDX-License-Identifier: Apache-2.0
// Compares functions on maps, other than simplification and composition, with the reference at
// points.
//
// Each function returns "", or one line with the error and the map. Maps with more than `points`
// points are not enumerated.
#pragma once

#include <cstdint>
#include <string>

#include "generate/choose/choose.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::verify {

inline constexpr int64_t kComparedPoints = 1 << 12;

// Checks impl::evaluate at chosen points. It may return an error only if an intermediate value
// exceeds 64 bits.
std::string evaluation_difference(const IndexingMap& map, Choose& choose);

// Checks impl::range_of of the first result: no value is outside the range.
std::string range_difference(const IndexingMap& map, int64_t points = kComparedPoints);

// Check one function of impl/map/variables.h each: it keeps exactly the pairs it must keep. The map
// must not be empty.
std::string removal_difference(const IndexingMap& map, Choose& choose,
                               int64_t points = kComparedPoints);
std::string moved_ranges_difference(const IndexingMap& map, int64_t points = kComparedPoints);

// Both, usually on the simplified map.
std::string variables_difference(const IndexingMap& map, Choose& choose,
                                 int64_t points = kComparedPoints);

}  // namespace tileproof::verify
