// SPDX-License-Identifier: Apache-2.0
// Compares images of indexing maps and their unions in closed form with an enumeration of all
// points.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generate/choose/choose.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::verify {

struct ImageComparison {
  int64_t elements = 0;    // in the union
  bool uncounted = false;  // the closed form has no count
  bool skipped = false;    // a value exceeds 64 bits, or a map is not suitable
  std::string difference;  // the maps and both counts; empty if equal
};

// Uses the maps without runtime variables that have as many results as the first. Skips them if one
// has more than `points` points. Chooses array sizes that contain the elements.
ImageComparison compare_images(std::vector<IndexingMap> maps, Choose& choose, int64_t points);

// Chooses one to three maps, arbitrary or like those of compilers.
ImageComparison compare_images(Choose& choose);

}  // namespace tileproof::verify
