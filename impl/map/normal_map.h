// SPDX-License-Identifier: Apache-2.0
// Maps in normal form: recognized in one walk, as they need no rounds of the simplifier.
//
// Most maps that a compiler makes are such, but for bounds:
//
//     (d0, d1)[s0] -> (s0, (d0 floordiv 8) * 4 + d1 - 192), domain: .., d1 - s0 in [0, 17]
//
// Results may be sums of variables, and of the floor or mod of one variable, with constant factors.
// Constraints may be sums and differences of variables, and congruences of sums. Nothing in them adds
// up, each has one order of terms, and no rule applies to them but those that normal_map.cc asks for.
// The answer has tighter bounds, constraints in order, and constants in place of results with one
// value. A map that needs more is left to the general way, which says the same of each that is
// recognized (simplify_test).
#pragma once

#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// What simplify answers: `map`, or `out`, which is written. Null if that is unknown.
const IndexingMap* simplify_normal(const IndexingMap& map, IndexingMap& out);

}  // namespace tileproof::impl
