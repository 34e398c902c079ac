// SPDX-License-Identifier: Apache-2.0
// The whole question whether two maps are equal, as SMT-LIB for other solvers.
//
//     (declare-const d0 Int)
//     (assert (not (= (and left domain) (and right domain) ..)))
//
// It has a solution exactly if the maps differ at some point: only one of the domains contains it,
// or both do and a result differs. All numbers are integers without bounds, as in
// verify/prove/map/map_equal.h. A proof that needs no solver, by rearranging say, leaves no other
// question behind.
#pragma once

#include <string>

#include "spec/lang/map/indexing_map.h"

namespace tileproof::verify {

// The text without `(check-sat)`, as ask_solver takes it. The maps have as many variables and results as each other.
std::string whole_question(const IndexingMap& left, const IndexingMap& right);

}  // namespace tileproof::verify
