// SPDX-License-Identifier: Apache-2.0
// Whether some disjuncts together have all pairs of an index of the result and one of the operand,
// or all of which some coordinates are equal. Then another union that they are to contain needs no
// look but at these coordinates.
//
//     (o0, o1) -> (o0, s0 * 2)        s0 in [0, 3]
//     (o0, o1) -> (o0, s0 * 2 + 1)    s0 in [0, 3]
//
//     of f32[10,7] and f32[10,8]: all pairs with o0 as the first coordinate of the operand
//
// Found without the solver, where a disjunct is a product of sets from each index that it starts from
// (verify/prove/hlo/product_of_sets.h). Indices that no disjunct tells apart are looked at once.
// Disjuncts are united that have every index but in one and the same coordinate.
#pragma once

#include <optional>
#include <vector>

#include "spec/hlo/dependence.h"
#include "verify/prove/hlo/disjunct.h"
#include "verify/prove/hlo/product_of_sets.h"

namespace tileproof::verify {

// The coordinates that are equal in the disjuncts' pairs, if they have all such pairs. Nothing if that
// is not known.
std::optional<Along> all_pairs_along(const std::vector<Disjunct>& disjuncts,
                                     const spec::Dims& result, const spec::Dims& operand);

// Whether they plainly have all pairs.
bool have_all_pairs(const std::vector<Disjunct>& disjuncts, const spec::Dims& result,
                    const spec::Dims& operand);

// Whether it is plain that these coordinates are equal in all pairs of the disjuncts.
bool keep(const std::vector<Disjunct>& disjuncts, const Along& along, const spec::Dims& result);

// Whether it is plain that the disjuncts have no other pairs than these. False says nothing.
bool stay_inside(const std::vector<Disjunct>& disjuncts, const spec::Dims& result,
                 const spec::Dims& operand);

}  // namespace tileproof::verify
