// SPDX-License-Identifier: Apache-2.0
// Compares two maps point by point, using the reference.
//
// Both return "" if both accept the same points with the same results, else one line with the point
// and both answers. They count the "points" compared, those of them "inside" the domain, and those
// "without an answer": the reference's value exceeds 64 bits.
//
// Enumerates the whole box of the first map. The second map's bounds show that it accepts nothing
// outside that box.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generate/choose/choose.h"
#include "spec/lang/map/indexing_map.h"
#include "verify/compare/case_counts.h"

namespace tileproof::verify {

// Both maps need the same number of variables. More than `budget` points are a difference.
std::string enumeration_difference(const IndexingMap& expected, const IndexingMap& actual,
                                   int64_t budget, CaseCounts& tally);

// Checks `simplified` as an answer for `map`. Reports a point where they differ, changed names,
// more nodes, or a second simplification that changes something.
std::string simplified_difference(const IndexingMap& map, const IndexingMap& simplified,
                                  int64_t budget, CaseCounts& tally);

// "" if `simplified`, which is not empty, is a valid map of the same variables and no longer than `map`.
std::string form_difference(const IndexingMap& map, const IndexingMap& simplified);

// "" if another simplification changes nothing.
std::string further_simplified(const IndexingMap& simplified);

// Compares the composition, which is refused if the ranks differ, with second(first(x)): at all points
// if `work` evaluations of a node are enough, else at some. Counts the maps "composed" and "points".
std::string composition_difference(const IndexingMap& first, const IndexingMap& second,
                                   int64_t points, int64_t work, Choose& choose, CaseCounts& tally);

// Counts the nodes of all results and constraints.
int64_t nodes_of(const IndexingMap& map);

// Counts the nodes of the table that no result and no constraint uses.
int64_t unused_nodes(const IndexingMap& map);

// ---- Functions of maps ----

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

// Compares images of indexing maps and their unions in closed form with an enumeration of all
// points.

// Returns "", or the maps and both counts. Uses the maps without runtime variables that have as many
// results as the first. Skips them if one has more than `points` points. Chooses array sizes that
// contain the elements.
std::string image_difference(std::vector<IndexingMap> maps, Choose& choose, int64_t points,
                             CaseCounts& tally);

// Chooses one to three maps, arbitrary or like those of compilers.
std::string image_difference(Choose& choose, CaseCounts& tally);

}  // namespace tileproof::verify
