// Computations that are entered by others, done once each.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "impl/hlo/backward_slice.h"

namespace tileproof::impl {

// The computation that a fusion, call or async-start enters; -1 where it is not in the text, or for
// another operation.
int32_t callee_of(const HloInstruction& instruction);

// The computation that these calls lead to from `computation`, outermost first (HloPosition::calls).
int32_t computation_at(const HloModule& module, int32_t computation,
                       absl::Span<const int32_t> calls);

// Of a parameter of a computation that the place's calls enter, the operand that the caller gives
// for it; of any other place nothing.
std::optional<HloPosition> argument_in_caller(const HloModule& module, int32_t computation,
                                              HloPosition position);

// From the parameters to each leaf of the root.
Summary summary_of(ComputationDependences& dependences);

// The flows of a computation, after summarizing all computations that it enters, and that these
// enter. `summaries` and `dependences` are by computation, empty where that was not done yet.
ComputationDependences& dependences_in(
    const HloModule& module, int32_t computation, Summaries& summaries,
    std::vector<std::unique_ptr<ComputationDependences>>& dependences);

}  // namespace tileproof::impl
