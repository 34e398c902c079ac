// SPDX-License-Identifier: Apache-2.0
// Compares what the prover says of a grid with the reference, fact by fact, and the reference with
// itself: a fact holds if no step and no element refutes it.
#pragma once

#include <cstdint>
#include <string>

#include "generate/choose/choose.h"
#include "spec/access/grid.h"

namespace tileproof::verify {

struct GridComparison {
  int64_t by_maps = 0;     // facts that the index maps decide
  int64_t refuted = 0;     // those of them that do not hold
  std::string difference;  // the fact, the grid and both verdicts; empty if equal
};

// The grid is small enough for the reference, and has no runtime variables.
GridComparison compare_grid(const spec::Grid& grid);

// At most 64 steps, one or two outputs, and an input that may share the memory of one.
spec::Grid random_grid(Choose& choose);

}  // namespace tileproof::verify
