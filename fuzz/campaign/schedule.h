// SPDX-License-Identifier: Apache-2.0
// Decides which target runs next: time goes to targets that still find coverage.
//
// Each target has a weight of 1 to 10, by its recent rate of new features per second compared with
// the best rate. The target with the least time per weight runs next. So a target that finds
// nothing gets a tenth of the time of the best one, and every target gets some.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"

namespace tileproof::campaign {

struct Standing {
  int64_t milliseconds = 0;  // in this campaign, including what runs now
  int64_t before = 0;        // milliseconds of earlier campaigns
  double rate = 0;           // recent new features per second
  bool open = true;          // whether it can run
};

// Returns the target that runs next, or nullopt if none can run. Among equals it is the one with
// the least time in earlier campaigns, so that several short campaigns reach all targets.
std::optional<size_t> next_target(absl::Span<const Standing> standings);

// Updates the rate after a run: half of it is the rate of the last run.
void credit(Standing& standing, int64_t new_features, int64_t milliseconds);

}  // namespace tileproof::campaign
