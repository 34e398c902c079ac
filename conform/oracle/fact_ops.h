// SPDX-License-Identifier: Apache-2.0
// Operations of the protocol on what maps do: facts of a map, and the bank conflicts of an access.
// Extensions; the suite `facts` asks them.
//
//     map.check      map, and one of inside ([[low, high], ..]), onto ([size, ..]), one_to_one (true),
//                    width (bits)
//                    {"holds": true}, {"holds": null} (undecided), or {"holds": false, "at": ..}: a
//                    point; of one_to_one, two points; of onto, the element that is never reached
//     layout.banks   layout, access (a map from lanes to an index), vector; and may have bits, which
//                    the layout may name, banks (32), bank_bytes (4)
//                    {"phases": [ways, ..]}
//
//     {"op":"map.check","map":"(k) -> (k floordiv 2), domain: k in [0, 7]","one_to_one":true}
//     {"result":{"holds":false,"at":[{"dims":[0],..},{"dims":[1],..}]}}
//
// spec/access/map_facts.h and spec/access/banks.h are the definitions.
#pragma once

#include "absl/status/statusor.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/json.h"

namespace tileproof::conform {

absl::StatusOr<Result> map_check(const Json& request, Engine engine);
absl::StatusOr<Result> layout_banks(const Json& request, Engine engine);

// Proves a fact that the answer claims, and evaluates the map where the answer refutes it.
Assessment judge_check(const Json& request, const Answer& answer);

}  // namespace tileproof::conform
