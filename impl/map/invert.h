// SPDX-License-Identifier: Apache-2.0
// The inverse of an indexing map: which index a result was made from.
//
//     (y, rt) -> x   is a pair of the inverse   exactly if   y = map(x, s, rt) for some ranges s
//
//     map      (d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]
//     inverse  (d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]
//
//     map      (d0) -> (d0 floordiv 2), domain: d0 in [0, 9]
//     inverse  (d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 4], s0 in [0, 1]
//
// The inverse has a dimension for each result, in the bounds that the result has over the domain.
// Its range variables are first the dimensions and ranges of the map, with one equation for each
// result as a constraint. Then the equations are solved (impl/map/solve_ranges.h), the map is
// simplified, and the variables that nothing needs are dropped; all that once more, if it leaves fewer
// variables and constraints. Where range variables are left and the map is one-to-one and linear over
// bits (impl/map/linear_bits.h), its bits are solved in their place. Runtime variables stay. Names are
// the default names.
#pragma once

#include "absl/status/statusor.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// Errors: an invalid map, and results whose bounds leave 64 bits.
absl::StatusOr<IndexingMap> invert(const IndexingMap& map);

}  // namespace tileproof::impl
