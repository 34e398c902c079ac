// SPDX-License-Identifier: Apache-2.0
// Predicates of selects that follow from iotas and constants of the same computation, or of
// computations that it calls:
//
//     i = s32[4,4] iota(), iota_dimension=0          j = s32[4,4] iota(), iota_dimension=1
//     p = pred[4,4] compare(i, j), direction=GE
//     r = f32[4,4] select(p, x, y)
//
//     x    (d0, d1) -> (d0, d1), domain: .., d0 - d1 in [0, 3]
//     y    (d0, d1) -> (d0, d1), domain: .., d0 - d1 in [-3, -1]
//
// The rules are those of the manual ("Predicates that are known"). A value is a list of cases: an
// expression in the index of the select's result, and the conditions under which it may be the
// value. A predicate has two lists of conditions: under which it may be true, and may be false.
#pragma once

#include <optional>

#include "impl/hlo/backward_slice.h"

namespace tileproof::impl {

// The dependences of a select inside of what is analyzed. `plain`: the same if its predicate is not
// known. Nothing if nothing is known about the predicate. A predicate of too many cases gives
// inexact relations.
std::optional<Dependences> with_known_predicate(ComputationDependences& within, int32_t select,
                                                const Dependences& plain);

}  // namespace tileproof::impl
