// SPDX-License-Identifier: Apache-2.0
// Checks the trace checker's answer to an arbitrary text.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace tileproof::verify {

struct TraceJudgment {
  bool accepted = false;
  // "" if the answer is right, else one line. Wrong are: an error that is not one line naming a
  // line of the trace, and an accepted trace whose maps differ at a point.
  std::string wrong;
};

// Compares the maps of an accepted trace at every point if that evaluates at most `work` nodes,
// else at a sample of points that stays within `work`.
TraceJudgment judge_trace(absl::string_view text, int64_t work);

}  // namespace tileproof::verify
