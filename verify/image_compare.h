// Images of indexing maps, and their unions, in closed form against all points.
#pragma once

#include <cstdint>
#include <string>

#include "fuzz/choose.h"

namespace tileproof::verify {

struct ImageComparison {
  int64_t elements = 0;    // in the union
  bool uncounted = false;  // by the closed form
  bool skipped = false;    // a value leaves 64 bits; other results
  std::string difference;  // empty, or the maps and both counts
};

// Chooses one to three maps, of any kind or as compilers make them.
ImageComparison compare_images(Choose& choose);

}  // namespace tileproof::verify
