// SPDX-License-Identifier: Apache-2.0
// Drops a dimension of a module: of the root of its entry computation, and of all arrays where it
// comes from.
//
//     t = f32[3,2,5] transpose(f32[2,3,5] p), dimensions={1,0,2}       without dimension 0:
//     t = f32[2,5] transpose(f32[2,5] p), dimensions={0,1}
#pragma once

#include <cstdint>
#include <optional>

#include "spec/lang/hlo/hlo.h"

namespace tileproof::conform {

// Nothing if the dimension meets an operation that does not pass single dimensions on, or if an
// array would lose two. The result may be invalid.
std::optional<HloModule> without_dimension(HloModule module, int64_t dimension);

}  // namespace tileproof::conform
