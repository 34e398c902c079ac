// Indexing maps as isl reads them. The dimensions, then the ranges, then the runtime variables are
// x0, x1, ..
#pragma once

#include <optional>
#include <string>

#include "spec/lang/map/indexing_map.h"

namespace tileproof::peers {

// "{ [x0, x1] -> [..] : 0 <= x0 <= 9 and .. }", or only its domain. Nothing where it is not affine:
// a product of variables, a divisor that is not positive.
std::optional<std::string> isl_text(const IndexingMap& map, bool domain_only);

}  // namespace tileproof::peers
