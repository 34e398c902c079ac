// The inverse of a relation: which elements of the output an element of the operand flows to.
//
//     (i, o) is in the inverse   exactly when   (o, i) is in the relation
//
// Output index and range variables change places with the operand index: where the relation takes o
// to i = e(o, s), the inverse has range variables for o and s, the result o, and the equations
// e(o, s) = i as conditions. That is right whatever e is. The equations are then solved as far as
// they can be (impl/map/solve_ranges.h).
//
//     f32[2,4,4] reshape(f32[4,8])      (o0, o1, o2) -> (o0*2 + o1 floordiv 2, (o1 mod 2)*4 + o2)
//     inverse                           (i0, i1) -> (i0 floordiv 2, (i0 mod 2)*2 + i1 floordiv 4,
//                                       i1 mod 4)
//
// Source: INTERFACE, section 2 "HLO".
#pragma once

#include "impl/hlo/access_relation.h"

namespace tileproof::impl {

// The operand becomes the output and the other way round; the same runtime variables in the same
// order, those too that no pair depends on. Nothing (nullptr) where no pair is left.
AccessRelationPtr inverse(const AccessRelation& relation, const Dims& output, const Dims& operand);

// The same with all equations as conditions. The elements that runtime variables are, are told by
// the output index as before, so by no other runtime variables than before; solved, that index may
// itself be told by later ones.
AccessRelationPtr unsolved_inverse(const AccessRelation& relation, const Dims& output,
                                   const Dims& operand);

}  // namespace tileproof::impl
