// SPDX-License-Identifier: Apache-2.0
// A module with one thing changed that decides whether an instruction fits: a size or the rank of
// an array, the parts of a tuple, the operands, a number of an attribute, an attribute. Element
// types stay.
//
//     p = f32[2,7] pad(x, v), padding=0_0x1_1_1
//
// may get the result f32[2,8], the attribute padding=0_0x1_1_2, or the operands (x) or (v, v).
//
// Many of the results do not fit; some do.
#pragma once

#include <string>

#include "generate/choose/choose.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::xla {

// Returns the text of the changed module, or of the module itself if there was nothing to change.
std::string near_miss(Choose& choose, HloModule module);

}  // namespace tileproof::xla
