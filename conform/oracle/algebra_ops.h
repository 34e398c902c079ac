// SPDX-License-Identifier: Apache-2.0
// The operations of the protocol on the layout algebra, an extension. The suite `algebra` asks
// about them.
//
//     tla.coalesce, tla.right_inverse, tla.left_inverse        layout
//     tla.composition, tla.logical_product                     layout, by (NESTED)
//     tla.logical_divide, tla.zipped_divide, tla.tiled_divide  layout, by (a tiler)
//     tla.complement                                           layout, size
//
// The result is the NESTED that spec/layout/layout_algebra.h defines, in any spelling and with any
// stride of an extent of 1; tla.left_inverse may be any left inverse. A request is invalid if that
// definition has no result.
//
//     {"op":"tla.coalesce","layout":"(2,(1,6)):(1,(6,2))"}     {"result":"12:1"}
#pragma once

#include "absl/status/statusor.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/json.h"

namespace tileproof::conform {

// Answers any of these operations; `op` of the request says which.
absl::StatusOr<Result> tla_algebra(const Json& request, Engine engine);
Assessment judge_tla_algebra(const Json& request, const Answer& answer);

}  // namespace tileproof::conform
