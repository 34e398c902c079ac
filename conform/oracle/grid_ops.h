// SPDX-License-Identifier: Apache-2.0
// The operation of the protocol on tile grids, an extension; the suite `facts` asks it.
//
//     grid.check     the keys of a grid (conform/oracle/grid_json.h)
//                    {"inside": .., "covered": .., "once": .., "races": ..}
//
// A fact that holds is true; an undecided one is null. One that does not hold is a step of the grid
// that refutes it, and `covered` is {"operand": NAME, "element": [..]}, an element that no step
// writes. Of two steps that touch an element, either one refutes `once` or `races`.
//
//     {"op":"grid.check","grid":[2],"operands":[{"name":"out","kind":"out","shape":[3],"block":[1],
//      "index_map":"(i) -> (i * 3), domain: i in [0, 1]"}]}
//     {"result":{"inside":[1],"covered":{"operand":"out","element":[1]},"once":true,"races":true}}
//
// spec/access/grid.h is the definition.
#pragma once

#include "absl/status/statusor.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/json.h"

namespace tileproof::conform {

absl::StatusOr<Result> grid_check(const Json& request, Engine engine);

// Any step or element that refutes a fact is right.
Assessment judge_grid(const Json& request, const Answer& answer);

}  // namespace tileproof::conform
