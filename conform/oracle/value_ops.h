// SPDX-License-Identifier: Apache-2.0
// The operation hlo.equal of the protocol: do two modules compute the same values? An extension; the
// suite `values` asks it.
//
//     hlo.equal      left, right (HLO); may have laws (names or levels), sharding (as a file of
//                    equiv --sharding: conform/oracle/sharding_json.h)
//                    {"equal": true}, {"equal": null} (undecided), or {"equal": false, "leaf": 0,
//                    "at": [..]}, an element that is different, and its "device" if there are several
//
//     {"op":"hlo.equal","left":"r = f32[2] reverse(f32[2] p), dimensions={0}","right":"r = f32[2] copy(f32[2] p)"}
//     {"result":{"equal":false,"leaf":0,"at":[0]}}
//
// Any element that is different is right: the judge compares the terms of the definition there
// (spec/hlo/terms.h). Reductions may add in any order.
#pragma once

#include "absl/status/statusor.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/json.h"

namespace tileproof::conform {

absl::StatusOr<Result> hlo_equal(const Json& request, Engine engine);
Assessment judge_values(const Json& request, const Answer& answer);

}  // namespace tileproof::conform
