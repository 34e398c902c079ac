// What is done with a map, beside simplifying and composing it, against the reference at its
// points.
//
// Each function returns nothing, or one line: what is wrong, at which map. Maps of more than
// `points` points are not enumerated.
#pragma once

#include <cstdint>
#include <string>

#include "generate/choose/choose.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::verify {

inline constexpr int64_t kComparedPoints = 1 << 12;

// impl::evaluate, at chosen points. An error is right only where a value on the way leaves 64 bits.
std::string evaluation_difference(const IndexingMap& map, Choose& choose);

// impl::range_of, of the first result: no value is outside it.
std::string range_difference(const IndexingMap& map, int64_t points = kComparedPoints);

// The functions of impl/map/variables.h: the pairs that each of them keeps are still there, and no
// others. Of the simplified map, mostly.
std::string variables_difference(const IndexingMap& map, Choose& choose,
                                 int64_t points = kComparedPoints);

}  // namespace tileproof::verify
