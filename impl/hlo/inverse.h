// SPDX-License-Identifier: Apache-2.0
// The inverse of a relation: to which elements of the output an element of the operand flows.
//
//     (i, o) is in the inverse   exactly if   (o, i) is in the relation
//
// If the relation takes o to i = e(o, s), the inverse has range variables for o and s, the result
// o, and the equations e(o, s) = i as constraints. This is right for every e. solve_ranges then
// solves the equations as far as it can (impl/map/solve_ranges.h).
//
//     f32[2,4,4] reshape(f32[4,8])      (o0, o1, o2) -> (o0*2 + o1 floordiv 2, (o1 mod 2)*4 + o2)
//     inverse                           (i0, i1) -> (i0 floordiv 2, (i0 mod 2)*2 + i1 floordiv 4,
//                                       i1 mod 4)
#pragma once

#include "impl/hlo/access_relation.h"

namespace tileproof::impl {

// Swaps output and operand. Keeps all runtime variables in their order, also those that no pair
// depends on. Null if no pair is left.
AccessRelationPtr inverse(const AccessRelation& relation, const Dims& output, const Dims& operand);

// The same with all equations as constraints. Each runtime variable stays a function of the output
// index, so it depends on the same runtime variables as before. (After solving, the output index,
// and so the variable, may depend on later runtime variables.)
AccessRelationPtr unsolved_inverse(const AccessRelation& relation, const Dims& output,
                                   const Dims& operand);

}  // namespace tileproof::impl
