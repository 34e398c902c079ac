// SPDX-License-Identifier: Apache-2.0
// The operation map.transactions of the protocol: the memory transactions of warps, as
// spec/access/coalescing.h defines them.
//
//     {"op":"map.transactions","threads":"(th_x) -> (th_x), domain: th_x in [0, 63]",
//      "access":"(d0) -> (d0), domain: d0 in [0, 63]","shape":"f32[64]","warp":32,"width":32}
//     {"result":{"accesses":2,"transactions":8,"most":4,"elements":64}}
//
// `warp` and `width` (in bytes) are 32 by default. In the result, "accesses" counts the accesses
// with at least one active thread. "most" is the largest number of transactions of one access.
// "elements" counts the different elements of each access, summed over all accesses.
#pragma once

#include "absl/status/statusor.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/json.h"
#include "generate/choose/choose.h"

namespace tileproof::conform {

absl::StatusOr<Result> map_transactions(const Json& request, Engine engine);
Assessment judge_transactions(const Json& request, const Answer& answer);

}  // namespace tileproof::conform
