// SPDX-License-Identifier: Apache-2.0
// Indexing maps in the syntax of isl.
//
//     (d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 9], s0 in [0, 3]
//     { [x0, x1] -> [((4 * x0) + x1)] : 0 <= x0 <= 9 and 0 <= x1 <= 3 }
//
// x0, x1, .. are the dimensions, then the range variables, then the runtime variables.
#pragma once

#include <optional>
#include <string>

#include "spec/lang/map/indexing_map.h"

namespace tileproof::peers {

// The map, or only its domain. No value if isl cannot express it: a product of variables, or a
// divisor below 1.
std::optional<std::string> isl_text(const IndexingMap& map, bool domain_only);

}  // namespace tileproof::peers
