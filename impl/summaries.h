// Computations that are entered by others, done once each.
#pragma once

#include <memory>
#include <vector>

#include "impl/trace.h"

namespace tileproof::impl {

// The computation that a fusion, call or async-start enters; -1 where it is not in the text, or for
// another operation.
int32_t entered_by(const HloInstruction& instruction);

// From the parameters to each leaf of the root.
Summary summary_of(ComputationFlows& flows);

// The flows of a computation, after summarizing all computations that it enters, and that these
// enter. `done` and `flows` are by computation.
ComputationFlows& flows_in(const HloModule& module, int32_t computation, Summaries& summaries,
                           std::vector<char>& done,
                           std::vector<std::unique_ptr<ComputationFlows>>& flows);

}  // namespace tileproof::impl
