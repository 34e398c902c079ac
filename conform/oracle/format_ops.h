// SPDX-License-Identifier: Apache-2.0
// The operation of the protocol on a layout of any system, an extension. The suite `formats` asks
// about it.
//
//     layout.offset   layout (any form of spec/lang/layout/any_layout.h), index (array)   the offset
//
//     {"op":"layout.offset","layout":"Sw<1,0,1> o 0 o (2,2):(2,1)","index":[1,0]}     {"result":3}
//
// The index has a coordinate for each dimension: of a nested or swizzled layout, for each mode. A
// request is invalid if the index is outside.
#pragma once

#include "absl/status/statusor.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/json.h"

namespace tileproof::conform {

absl::StatusOr<Result> layout_offset(const Json& request, Engine engine);

}  // namespace tileproof::conform
