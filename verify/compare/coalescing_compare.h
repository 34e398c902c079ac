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

namespace tileproof::verify {

// An access of a kernel; its transactions are counted.
struct KernelAccess {
  IndexingMap threads, access;
  Shape array;
  spec::Warps warps;
};
// Chooses a thread map for the result of the instruction, a warp, a width, and layouts. The
// accesses are each map of each operand without offsets, and the result itself.
std::vector<KernelAccess> choose_accesses(const HloModule& module, int32_t computation,
                                          int32_t instruction, Choose& choose);

struct CoalescingComparison {
  int64_t equal = 0;       // access maps with equal counts
  int64_t accesses = 0;    // accesses of these maps
  int64_t uncounted = 0;   // access maps without a closed-form count
  int64_t skipped = 0;     // access maps too large to enumerate, or of arrays without a layout
  std::string difference;  // the maps, the layout and both counts; empty if equal
  std::string uncounted_because;
};

// Compares one access, unless it has more than `points` points, and adds to the result.
void compare_access(const KernelAccess& kernel, int64_t points, CoalescingComparison& result);

// Compares chosen accesses. Skips those with more than `points` points.
CoalescingComparison compare_coalescing(const HloModule& module, int32_t computation,
                                        int32_t instruction, Choose& choose,
                                        int64_t points = 60'000);

}  // namespace tileproof::verify
