// Images of indexing maps, and their unions, in closed form against all points.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generate/choose/choose.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::verify {

struct ImageComparison {
  int64_t elements = 0;    // in the union
  bool uncounted = false;  // by the closed form
  bool skipped = false;    // a value leaves 64 bits; other results
  std::string difference;  // empty, or the maps and both counts
};

// Of the maps that have as many results as the first, and no runtime variables; skipped if one has
// more than `points` points. Chooses the sizes of the array, which its elements fit.
ImageComparison compare_images(std::vector<IndexingMap> maps, Choose& choose, int64_t points);

// Chooses one to three maps, of any kind or as compilers make them.
ImageComparison compare_images(Choose& choose);

}  // namespace tileproof::verify
