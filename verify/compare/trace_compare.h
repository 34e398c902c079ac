// What the checker of traces says of any text, and whether it may say so.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace tileproof::verify {

struct TraceJudgment {
  bool accepted = false;
  // "" if all is well; else one line: an error that is not one line naming a line of the trace, or
  // an accepted trace of two maps that differ at a point, by the reference.
  std::string wrong;
};

// The maps of an accepted trace are compared at every point if that takes no more than `work`
// evaluations of a node, else at a sample of points that does.
TraceJudgment judge_trace(absl::string_view text, int64_t work);

}  // namespace tileproof::verify
