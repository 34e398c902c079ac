// SPDX-License-Identifier: Apache-2.0
// The panel "Compare": two layouts or two maps.
#pragma once

#include "absl/status/statusor.h"
#include "explorer/answers/answer.h"

namespace tileproof::explorer {

// {"left", "right", "coloring"?}. A text with "->" is a map, any other a layout.
// {"kind": "layout" or "map", "verdict": "equal", "different" or "undecided", "by"?, "at"?, "left"?,
//  "right"?, "svg"?, "notes"}
//     at      of layouts: the smallest index where the offsets differ;
//             of maps: {"dims", "ranges", "runtime"}
//     left    the offset, or the results there: null outside the domain
absl::StatusOr<Json> compare_answer(const Json& question, Memory& memory);

}  // namespace tileproof::explorer
