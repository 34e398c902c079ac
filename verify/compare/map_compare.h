// Two maps compared point by point, by the reference.
//
//     difference(m, simplify(m))      "" if both accept the same points with the same results
//
// Complete for the box of the first map, which is enumerated; outside it the second may not accept
// anything, which is seen from its bounds.
#pragma once

#include <cstdint>
#include <string>

#include "spec/lang/map/indexing_map.h"

namespace tileproof::verify {

struct MapComparison {
  std::string difference;  // empty, or one line that names the point and both answers
  int64_t points = 0;      // compared
  int64_t inside = 0;      // of these in the domain
  int64_t skipped = 0;     // where the reference itself has no answer within 64 bits
};

// The variables must be the same in number. More than `budget` points are an error in `difference`.
MapComparison compare_by_enumeration(const IndexingMap& expected, const IndexingMap& actual,
                                     int64_t budget);

// What is wrong with `simplified` as an answer for `map`: a point where they differ, changed names,
// more nodes than before, or a second simplification that changes something. Empty if nothing is.
MapComparison judge_simplified(const IndexingMap& map, const IndexingMap& simplified,
                               int64_t budget);

// Nodes of all results and constraints.
int64_t nodes_of(const IndexingMap& map);

// Nodes of the table that no result and no constraint needs.
int64_t unused_nodes(const IndexingMap& map);

}  // namespace tileproof::verify
