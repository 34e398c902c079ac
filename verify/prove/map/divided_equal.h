// SPDX-License-Identifier: Apache-2.0
// Decides whether two maps are equal in which variables divide (spec/lang/map/variable_divisors.h).
//
//     (d0)[s0] -> (d0 mod s0), domain: d0 in [0, 99], s0 in [1, 8]
//     (d0)[s0] -> (d0 - (d0 floordiv s0) * s0), domain: d0 in [0, 99], s0 in [1, 8]       equal
//
// The methods, in this order:
//
//     enumerated   the reference evaluates every point of both boxes, if they are few
//     sampled      the reference finds a difference among small values, or among some points
//     for all quotients
//                  each division by an expression becomes a new variable (quotients.h), the same one
//                  in both maps for the same question. If the maps are equal for every value of these
//                  variables, they are equal. Anything else says nothing: real quotients have fewer
//                  values. If one may leave int64, the maps must be the same sums
//     by divisor   one question for each value of the divisors, if there are at most 1,024
//
// `equal` decides the maps of the last two, in which constants divide.
#pragma once

#include "absl/status/statusor.h"
#include "spec/lang/map/indexing_map.h"
#include "verify/prove/map/map_equal.h"

namespace tileproof::verify {

// `equal` for maps in which variables may divide. Writes no files of questions if they do. What
// divides in one affine_map, which has no bounds, is at least 1 in both. Errors: those of `equal`.
absl::StatusOr<MapEquality> equal_with_variable_divisors(const IndexingMap& left,
                                                         const IndexingMap& right,
                                                         const EqualOptions& options = {});

}  // namespace tileproof::verify
