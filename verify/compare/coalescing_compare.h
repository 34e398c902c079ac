// SPDX-License-Identifier: Apache-2.0
// Compares coalescing in closed form with the reference, which visits each thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generate/choose/choose.h"
#include "spec/access/coalescing.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/layout/shape.h"
#include "spec/lang/map/indexing_map.h"
#include "verify/compare/case_counts.h"

namespace tileproof::verify {

// An access of a kernel; its transactions are counted.
struct KernelAccess {
  IndexingMap threads, access;
  Shape array;
  Warps warps;
};
// Chooses a thread map for the result of the instruction, a warp, a width, and layouts. The
// accesses are each map of each operand without offsets, and the result itself.
std::vector<KernelAccess> choose_accesses(const HloModule& module, int32_t computation,
                                          int32_t instruction, Choose& choose);

// Compares one access, unless it has more than `points` points. Returns "", or the maps, the layout and
// both counts. Counts access maps with equal counts, their accesses, the maps without a closed-form
// count, and those that are skipped.
std::string access_difference(const KernelAccess& kernel, int64_t points, CaseCounts& tally);

// Compares chosen accesses. Skipped are those of more than `points` points, or of arrays without a
// layout.
std::string coalescing_difference(const HloModule& module, int32_t computation, int32_t instruction,
                                  Choose& choose, CaseCounts& tally, int64_t points = 60'000);

}  // namespace tileproof::verify
