// SPDX-License-Identifier: Apache-2.0
// Simplifications that need no trust in the simplifier: their proof logs are checked.
//
//     map        (d0) -> ((-d0) mod 2), domain: d0 in [0, 127]
//     simple     (d0) -> (d0 mod 2), domain: d0 in [0, 127]
//     log        by pull-multiple(x = -d0, y = d0, c = 2), ..      accepted by verify/trace
#pragma once

#include "spec/lang/map/indexing_map.h"

namespace tileproof::verify {

// Simplifies the map again with a proof log (impl/map/simplify.h). Returns whether
// verify/trace/trace_check.h accepts the log, and the log leads from `map` to `simple`. False if
// the map is known to be empty or has too many steps to log. The map has no names.
bool simplification_is_logged(const IndexingMap& map, const IndexingMap& simple);

}  // namespace tileproof::verify
