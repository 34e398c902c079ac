// SPDX-License-Identifier: Apache-2.0
// The operation tile.propagate of the protocol: symbolic tiles of operands from one of a result, or the
// reverse. An extension; the suite `tile` asks it.
//
//     tile.propagate   hlo, direction, tile; and as hlo.index instruction, scope, output, input
//
//     {"op":"tile.propagate","hlo":"t = f32[3,8] transpose(f32[8,3] p), dimensions={1,0}",
//      "direction":"output_to_input","tile":"(t)[n] -> offsets [0, t * n] sizes [3, n] strides [1, 1]
//      upper bounds [3, 8], domain: t in [0, 3], n in [2, 2]"}
//     {"result":["(t)[n] -> offsets [t * n, 0] sizes [n, 3] strides [1, 1] upper bounds [8, 3], .."]}
//
// An item for each leaf at the other end is a tile of the same variables (spec/lang/map/symbolic_tile.h),
// null where nothing flows, or "unknown". The upper bounds that are given are at most the sizes of the
// array. A tile is right if it has exactly the elements that flow, for
// all values of the variables for which the given tile has any.
#pragma once

#include "absl/status/statusor.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/json.h"

namespace tileproof::conform {

absl::StatusOr<Result> tile_propagate(const Json& request, Engine engine);
Assessment judge_propagation(const Json& request, const Answer& answer);

}  // namespace tileproof::conform
