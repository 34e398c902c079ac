// SPDX-License-Identifier: Apache-2.0
// The panel "HLO": the instructions of a module, the maps of one, and tiles through it.
#pragma once

#include "absl/status/statusor.h"
#include "explorer/answers/answer.h"

namespace tileproof::explorer {

// {"text"}
// {"name", "entry", "computations": [{"name", "root", "instructions": [{"name", "opcode", "shape",
//  "operands": [..], "calls": [..], "line"}]}]}
// At most memory.most_instructions instructions.
absl::StatusOr<Json> module_answer(const Json& question, Memory& memory);

// {"text", "computation", "instruction", "output"?}
// {"line", "arrays": [{"operand", "name", "leaf", "dims", "maps": [..], "inexact"?: why,
//  "inverse": [..], "utilization": {"least", "most", "elements"} or {"uncounted"}}], "dims"}
absl::StatusOr<Json> instruction_answer(const Json& question, Memory& memory);

// {"text", "computation", "instruction", "tile": "4:4,0:8:2"}
// {"needs": [{"operand", "leaf", "tile": [[offset, size, stride], ..], "why"?}]}
absl::StatusOr<Json> tile_answer(const Json& question, Memory& memory);

// {"text", "computation", "instruction", "output"?}, and
//     reads    "tile"?: "4:4,0:8"; without it, a tile in the corner
//     heat
//     traffic  "threads": a map, "warp"?, "width"?
// {"svg"}; the answer about traffic also has "arrays": [{"name", "accesses", "transactions", "most",
// "used": percent} or {"name", "uncounted": why}]
absl::StatusOr<Json> reads_answer(const Json& question, Memory& memory);
absl::StatusOr<Json> heat_answer(const Json& question, Memory& memory);
absl::StatusOr<Json> traffic_answer(const Json& question, Memory& memory);

}  // namespace tileproof::explorer
