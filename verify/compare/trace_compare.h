// SPDX-License-Identifier: Apache-2.0
// Checks the trace checker's answer to an arbitrary text.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "verify/compare/case_counts.h"

namespace tileproof::verify {

// Returns "" if the answer is right, else one line. Wrong are: an error that is not one line naming a
// line of the trace, and an accepted trace whose maps differ at a point. Compares the maps of an
// accepted trace, which counts as "read", at every point if that evaluates at most `work` nodes, else
// at a sample of points that stays within `work`.
std::string trace_difference(absl::string_view text, int64_t work, CaseCounts& tally);

}  // namespace tileproof::verify
