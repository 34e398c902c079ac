// SPDX-License-Identifier: Apache-2.0
// Compares images of indexing maps and their unions in closed form with an enumeration of all
// points.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generate/choose/choose.h"
#include "spec/lang/map/indexing_map.h"
#include "verify/compare/case_counts.h"

namespace tileproof::verify {

// Returns "", or the maps and both counts. Uses the maps without runtime variables that have as many
// results as the first. Skips them if one has more than `points` points. Chooses array sizes that
// contain the elements.
std::string image_difference(std::vector<IndexingMap> maps, Choose& choose, int64_t points,
                             CaseCounts& tally);

// Chooses one to three maps, arbitrary or like those of compilers.
std::string image_difference(Choose& choose, CaseCounts& tally);

}  // namespace tileproof::verify
