// SPDX-License-Identifier: Apache-2.0
// One element that is read twice with different clamps: a scatter does not clamp its indices, the
// gather after it does.
//
//     (d0)[s0]{rt0, rt1} -> (rt1), domain: d0 in [0, 95], .., d0 - rt0 in [0, 0]
//       rt0 in [-1, 96] is element (s0) of i         rt1 in [0, 95] is element (s0) of i
//
//     (d0)[s0]{rt0} -> (d0), domain: d0 in [0, 95], .., d0 - rt0 in [0, 0]
//
// A constraint says that the variable with the wider clamp equals an expression. If all values of
// the expression lie within the narrower clamp, the other variable has that value too.
//
// And the narrow variable is the wide one, clamped again. It has a value of its own if the wide one
// is always within the narrower clamp, always above or always below; the relation has no pair if
// it is none of the three.
#pragma once

#include "impl/hlo/access_relation.h"

namespace tileproof::impl {

// Replaces runtime variables in this way. Returns whether there were any, or whether the relation
// turned out to have no pair; then its map is known to be empty.
bool replace_clamped_runtime(AccessRelation& relation);

}  // namespace tileproof::impl
