// SPDX-License-Identifier: Apache-2.0
// The panel "Layout": the picture, the way of an element, the steps as an animation, conversions.
#pragma once

#include "absl/status/statusor.h"
#include "explorer/answers/answer.h"

namespace tileproof::explorer {

// {"text", "coloring"?: "offset", "tile", "line", "bank", "path"?: bool}
// {"layout", "dims", "elements", "slots", "padding", "bits"?, "bytes"?, "svg"}
absl::StatusOr<Json> layout_answer(const Json& question, Memory& memory);

// {"text", "index": [2,3]}
// {"index", "steps": [{"step", "dims", "index"}], "modes": [{"mode", "digits", "extents",
// "strides"}], "physical"?, "tile"?, "position"?, "offset", "bit"?}
absl::StatusOr<Json> element_answer(const Json& question, Memory& memory);

// {"text"}
// {"stages": [{"step", "dims", "ids"}]}: ids are row-major numbers of elements, -1 is padding. Only
// for tiled layouts and blocked formats of at most kMostAnimated positions.
inline constexpr int64_t kMostAnimated = 4096;
absl::StatusOr<Json> steps_answer(const Json& question, Memory& memory);

// {"text"}
// {"systems": [{"system", "text"?, "verdict", "reason"?, "notes"}]}
absl::StatusOr<Json> convert_answer(const Json& question, Memory& memory);

}  // namespace tileproof::explorer
