// SPDX-License-Identifier: Apache-2.0
// Compares two maps point by point, using the reference.
//
//     difference(m, simplify(m))      "" if both accept the same points with the same results
//
// Enumerates the whole box of the first map. The second map's bounds show that it accepts nothing
// outside that box.
#pragma once

#include <cstdint>
#include <string>

#include "spec/lang/map/indexing_map.h"

namespace tileproof::verify {

struct MapComparison {
  std::string difference;  // one line with the point and both answers; empty if equal
  int64_t points = 0;      // points compared
  int64_t inside = 0;      // of these, in the domain
  int64_t skipped = 0;     // the reference's value exceeds 64 bits
};

// Both maps need the same number of variables. More than `budget` points are an error in
// `difference`.
MapComparison compare_by_enumeration(const IndexingMap& expected, const IndexingMap& actual,
                                     int64_t budget);

// Checks `simplified` as an answer for `map`. Reports a point where they differ, changed names,
// more nodes, or a second simplification that changes something; empty if none.
MapComparison judge_simplified(const IndexingMap& map, const IndexingMap& simplified,
                               int64_t budget);

// Counts the nodes of all results and constraints.
int64_t nodes_of(const IndexingMap& map);

// Counts the nodes of the table that no result and no constraint uses.
int64_t unused_nodes(const IndexingMap& map);

}  // namespace tileproof::verify
