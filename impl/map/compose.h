// SPDX-License-Identifier: Apache-2.0
// Composition of indexing maps.
//
//     compose(first, second): x -> second(first(x)) on { x in dom(first), first(x) in dom(second) }
//
// The dimensions are those of `first`. The ranges are those of `second`, then those of `first`. The
// runtime variables have the same order. Example:
//
//     first    (d0)[s0] -> (d0, s0), domain: d0 in [0, 3], s0 in [0, 3]
//     second   (d0, d1)[s0] -> (d1 + s0), domain: d0 in [0, 3], d1 in [0, 2], s0 in [0, 1]
//     composed (d0)[s0, s1] -> (s1 + s0), domain: d0 in [0, 3], s0 in [0, 1], s1 in [0, 3],
//              d0 in [0, 3], s1 in [0, 2]
//
// Nothing is simplified: the constraints are those of `second`, those of `first`, and one for each
// dimension of `second`. Names stay as long as they are distinct.
#pragma once

#include "absl/status/statusor.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// An error unless `first` has as many results as `second` has dimensions, and every divisor in both
// is a constant other than 0.
absl::StatusOr<IndexingMap> compose(const IndexingMap& first, const IndexingMap& second);

// The same for maps in which variables may divide (spec/lang/map/variable_divisors.h). If a
// dimension of `second` divides, and is a variable of `first`, the variable gets the bounds of that
// dimension, which exclude 0. An error if it is a result of `first` that is neither a variable nor a
// constant.
absl::StatusOr<IndexingMap> compose_with_variable_divisors(const IndexingMap& first,
                                                           const IndexingMap& second);

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

// Errors: an invalid map, and results whose bounds leave 64 bits.
absl::StatusOr<IndexingMap> invert(const IndexingMap& map);

}  // namespace tileproof::impl
