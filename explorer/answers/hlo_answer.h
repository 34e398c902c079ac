// SPDX-License-Identifier: Apache-2.0
// The panel "HLO": the instructions of a module, the maps of one, and tiles through it.
#pragma once

#include "absl/status/statusor.h"
#include "explorer/answers/answer.h"

namespace tileproof::explorer {

// {"text"}
// {"name", "entry", "computations": [{"name", "root", "instructions": [{"name", "opcode", "shape",
//  "operands": [..], "calls": [..], "line"}]}]}
// Only computations that are not larger than kMostInstructions together.
inline constexpr int64_t kMostInstructions = 2000;
absl::StatusOr<Json> module_answer(const Json& question, Memory& memory);

// {"text", "computation", "instruction", "output"?}
// {"line", "arrays": [{"operand", "name", "leaf", "dims", "maps": [..], "inexact"?: why,
//  "inverse": [..], "utilization": {"least", "most", "elements"} or {"uncounted"}}], "dims"}
absl::StatusOr<Json> instruction_answer(const Json& question, Memory& memory);

// {"text", "computation", "instruction", "tile": "4:4,0:8:2"}
// {"needs": [{"operand", "leaf", "tile": as in hlo.tile of the protocol, "why"?}]}
absl::StatusOr<Json> tile_answer(const Json& question, Memory& memory);

}  // namespace tileproof::explorer
