// SPDX-License-Identifier: Apache-2.0
// isl simplifies integer maps, to compare with ours. Built only if it is installed.
#pragma once

#include <optional>

#include "spec/lang/map/indexing_map.h"

namespace tileproof {

// The nanoseconds, the best of a few runs, of isl on a piecewise function: gist by its box, then
// coalesce. Parsing the text is not measured. Nothing if the map is not affine, or takes more than ten
// million isl operations.
std::optional<double> simplify_with_isl(const IndexingMap& map);

}  // namespace tileproof
