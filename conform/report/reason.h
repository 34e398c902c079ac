// Why the right answer is right: the reference's steps at the point in question, for people.
//
//     layout.linearize of (1) in f32[2]{0:T(2)(2,1)}
//       index (1) in [2]
//       split dimension 0 by 2: (0, 1) in [1, 2]
//       ..
//       offset 2
//
// For layouts: the index, or the sizes, after each step of the definition (spec/layout/tiled_layout.h).
// For maps: the value of each operation at the point where the answer differs. For hlo.index the
// judge's own words say which element flows where; nothing is added.
#pragma once

#include <string>
#include <vector>

#include "conform/protocol/json.h"

namespace tileproof::conform {

// The lines, or none where there is nothing to tell (an invalid request). `answer` is the wrong
// answer without its id.
std::vector<std::string> reason(const Json& request, const std::string& answer);

}  // namespace tileproof::conform
