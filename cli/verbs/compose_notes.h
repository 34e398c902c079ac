// SPDX-License-Identifier: Apache-2.0
// What compose and inverse note on standard error about maps that do not fit each other.
//
//     compose '(d0) -> (d0), domain: d0 in [0, 29]' '(d0) -> (d0), domain: d0 in [0, 23]'
//       6 of 30 values of d0 are outside the domain of SECOND
//     inverse '(d0) -> (d0 floordiv 2), domain: d0 in [0, 9]'
//       MAP is not one-to-one: d0 = 0 and d0 = 1 both give (0)
//
// Up to 65,536 points are evaluated. Above that, a note may lack the number, or say "may".
#pragma once

#include <string>

#include "spec/lang/map/indexing_map.h"

namespace tileproof::cli {

// The points of FIRST that the composition leaves out. Empty if there are none, or if a variable
// divides.
std::string left_out_note(const IndexingMap& first, const IndexingMap& second,
                          const IndexingMap& composed);

// Whether several elements have the same results. Empty if not.
std::string one_to_one_note(const IndexingMap& map, const IndexingMap& inverse);

}  // namespace tileproof::cli
