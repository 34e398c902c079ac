// SPDX-License-Identifier: Apache-2.0
// The panel "Map": a map, its normal form with the lemma of each step, and a plot of its values.
#pragma once

#include "absl/status/statusor.h"
#include "explorer/answers/answer.h"

namespace tileproof::explorer {

// {"text"}
// {"map", "variables": [{"name", "kind", "low", "high"}], "results": number,
//  "simplified", "sections": [{"before", "after", "lets": [..], "steps": [{"number", "says",
//  "lemma"?, "by"}]}], "accepted": bool, "rejected"?: why}
// `accepted`: the checker (verify/trace) accepts the proof log.
absl::StatusOr<Json> map_answer(const Json& question, Memory& memory);

// {"text", "x", "y"?, "result", "at": values of all variables in order}
// {"x": [low, high], "y": [low, high], "values": rows of results, null outside of the domain}
// The values `at` are where the axes begin, and those of all other variables. At most kMostPlotted
// values along an axis.
inline constexpr int64_t kMostPlotted = 64;
absl::StatusOr<Json> plot_answer(const Json& question, Memory& memory);

// {"name"}
// {"name", "says", "statement", "subject", "variables"}
absl::StatusOr<Json> lemma_answer(const Json& question, Memory& memory);

}  // namespace tileproof::explorer
