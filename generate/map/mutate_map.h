// SPDX-License-Identifier: Apache-2.0
// A small change to an indexing map. A fuzzer mutates maps this way, instead of flipping bits, and
// tests make two maps that are nearly the same.
#pragma once

#include "generate/choose/choose.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof {

// Makes one change to a valid map: to a constant, a variable or an operation of an expression, a
// bound or an interval; or adds, drops or swaps a result, a constraint or a variable. The result is
// valid and almost always another map. Expressions stay below some thousand nodes.
void mutate_map(Choose& choose, IndexingMap& map);

// Does the same, but keeps the number of results and of variables of each kind.
void mutate_meaning(Choose& choose, IndexingMap& map);

// Returns whether the map is valid and its expressions have less than some thousand nodes, counting
// shared nodes each time.
bool acceptable(const IndexingMap& map);

}  // namespace tileproof
