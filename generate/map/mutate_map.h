// A small change to an indexing map: what a fuzzer does to a map instead of flipping its bits, and
// how a test makes two maps that are nearly the same.
#pragma once

#include "generate/choose/choose.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof {

// Changes one thing of a valid map: a constant, a variable or an operation of an expression, a
// bound, an interval; or adds, drops or swaps a result, a constraint or a variable. The result is
// valid, and hardly ever the map as it was. Expressions stay below some thousand nodes.
void mutate_map(Choose& choose, IndexingMap& map);

// The same, but keeps the number of variables of each kind and of results.
void mutate_meaning(Choose& choose, IndexingMap& map);

// Valid, and its expressions are below some thousand nodes, however much is shared.
bool acceptable(const IndexingMap& map);

}  // namespace tileproof
