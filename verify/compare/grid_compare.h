// SPDX-License-Identifier: Apache-2.0
// Compares what the prover says of a grid with the reference, fact by fact, and the reference with
// itself: a fact holds if no step and no element refutes it.
#pragma once

#include <string>

#include "generate/choose/choose.h"
#include "spec/access/grid.h"
#include "verify/compare/case_counts.h"

namespace tileproof::verify {

// Returns "", or the fact, the grid and both verdicts. Counts the facts that the index maps decide and
// refute. The grid is small enough for the reference, and has no runtime variables.
std::string grid_difference(const spec::Grid& grid, CaseCounts& tally);

// At most 64 steps, one or two outputs, and an input that may share the memory of one.
spec::Grid random_grid(Choose& choose);

}  // namespace tileproof::verify
