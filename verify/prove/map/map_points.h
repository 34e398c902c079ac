// Points where two maps may differ, looked at with the reference.
//
// Two maps differ at a point if it is in one domain and not in the other, or in both with different
// results, as integers. Where the reference cannot say (a value leaves 127 bits) nothing is known.
// A result that leaves int64 is still an integer: maps whose results are equal integers there do
// not differ, though the answer for either is an error.
//
//     (d0) -> (d0 mod 4), domain: d0 in [0, 7]     and     (d0) -> (d0), domain: d0 in [0, 7]
//     differ at d0 = 4, ..; they agree at d0 = 0, .., 3
//
// Maps must be valid and have variables of the same number. Source: INTERFACE, section 2 "Maps".
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "generate/choose/choose.h"
#include "spec/lang/map/indexing_map.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::verify {

enum class AtPoint { kSame, kDiffer, kUnknown };

AtPoint compare_at(const IndexingMap& left, const IndexingMap& right, const spec::Point& point);

// A value for each variable: dimensions, ranges, runtime.
using Values = std::vector<int64_t>;
spec::Point point_of(const IndexingMap& map, const Values& values);

struct SearchResult {
  std::optional<Values> difference;  // the first found
  bool complete = false;             // both boxes were walked through, and every point compared
  int64_t points = 0;
};

// Every point of both boxes, if that takes at most `work` evaluations of a node.
SearchResult search_all(const IndexingMap& left, const IndexingMap& right, int64_t work);

// Corners of the boxes, points at the edges of quotients and constraints, random points; many of
// them led into one of the domains. At most `points`, and no more than `work` evaluations of a
// node.
SearchResult search_some(const IndexingMap& left, const IndexingMap& right, int64_t points,
                         int64_t work, Choose& choose);

// The points that search_some would look at, within the boxes of both.
std::vector<Values> sample(const IndexingMap& left, const IndexingMap& right, int64_t points,
                           Choose& choose);

// A difference with smaller numbers, found from this one: values go towards 0, or the bound next to
// it. Prefers points at which the reference has an answer for both maps.
Values smaller_difference(const IndexingMap& left, const IndexingMap& right, Values values);

// The bounds of the variables, narrowed by the constraints on single variables. May have no points.
std::vector<Interval> box_of(const IndexingMap& map);

}  // namespace tileproof::verify
