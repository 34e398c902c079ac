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

// Checks the functions of impl/map/variables.h, usually on the simplified map: each keeps exactly the
// pairs it must keep.
std::string variables_difference(const IndexingMap& map, Choose& choose,
                                 int64_t points = kComparedPoints);

// Checks that simplifying with a trace gives the same map, and that the trace is about it. A trace that
// the checker rejects is a difference, unless it may be: it proves nothing
// (corpus/maps/incomplete_logs.txt).
std::string traced_difference(const IndexingMap& map, bool may_reject);

}  // namespace tileproof::verify
