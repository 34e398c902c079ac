// SPDX-License-Identifier: Apache-2.0
// Summaries of called computations, each computed once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "impl/hlo/backward_slice.h"

namespace tileproof::impl {

// The dependences of each leaf of the root on the parameters. `summaries`: of what it calls.
Summary summary_of(ComputationDependences& dependences, const Summaries& summaries);

// The dependences in a computation. First summarizes all computations that it calls, and that these
// call. `summaries` and `dependences` are by computation, and empty for computations that were not
// needed yet.
ComputationDependences& dependences_in(
    const HloModule& module, int32_t computation, Summaries& summaries,
    std::vector<std::unique_ptr<ComputationDependences>>& dependences);

}  // namespace tileproof::impl
