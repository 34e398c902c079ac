// SPDX-License-Identifier: Apache-2.0
// Explains why the right answer is right: the steps of the reference at the point in question.
//
//     layout.linearize of (1) in f32[2]{0:T(2)(2,1)}
//       index (1) in [2]
//       split dimension 0 by 2: (0, 1) in [1, 2]
//       ..
//       offset 2
//
//     layout.*   the index, or the sizes, after each layout step (spec/layout/tiled_layout.h)
//     map.*      the value of each operation at a point where the answer differs
//     hlo.*      nothing: the judge already names the elements that differ
#pragma once

#include <string>
#include <vector>

#include "conform/protocol/json.h"

namespace tileproof::conform {

// The lines of the explanation; none for an invalid request. `answer` is the wrong answer without
// its id.
std::vector<std::string> reason(const Json& request, const std::string& answer);

// The first question of a list of indices or offsets that has another answer than the right one, or
// none, alone. The request itself if there is no such question.
//
//     "indices":[[0],[1]], answered [0, 7] in place of [0, 1]     "index":[1]
Json first_wrong(const Json& request, const Json& answer, const Json& right);

}  // namespace tileproof::conform
