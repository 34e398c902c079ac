// SPDX-License-Identifier: Apache-2.0
// Operations of the protocol on layouts of threads. Extensions; the suite `threads` asks them.
//
//     layout.owner     layout, index (array)                   all places that hold it, in order
//     layout.element   layout, register, lane, warp, block     the index that the place holds
//
//     {"op":"layout.element","layout":"tensor<16x8xf16, #ttg.nvidia_mma<{..}>>","register":2,"lane":5,..}
//     {"result":[9,2]}
//
// spec/layout/thread_layout.h is the definition.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/json.h"
#include "spec/lang/layout/thread_layout.h"

namespace tileproof::conform {

// [{"register":0,"lane":0,"warp":0,"block":0}, ..]
Json json_of_places(const std::vector<Place>& places);

absl::StatusOr<Result> layout_owner(const Json& request, Engine engine);
absl::StatusOr<Result> layout_element(const Json& request, Engine engine);

}  // namespace tileproof::conform
