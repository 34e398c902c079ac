// Coalescing in closed form against the reference, which looks at each thread.
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

// An access of a kernel, whose transactions are counted.
struct KernelAccess {
  IndexingMap threads, access;
  Shape array;
  spec::Warps warps;
};
// For the result of the instruction: a thread map, a warp, a width, and layouts that are chosen.
// Each map of each operand without offsets, and the result itself, is an access.
std::vector<KernelAccess> choose_accesses(const HloModule& module, int32_t computation,
                                          int32_t instruction, Choose& choose);

struct CoalescingComparison {
  int64_t equal = 0;       // access maps for which all counts are the same
  int64_t accesses = 0;    // in these
  int64_t uncounted = 0;   // access maps that the closed form does not count
  int64_t skipped = 0;     // access maps too large to enumerate, of arrays without a layout
  std::string difference;  // empty, or the maps, the layout, and both counts
  std::string uncounted_because;
};

// Of chosen accesses. Those of more than `points` points are skipped.
CoalescingComparison compare_coalescing(const HloModule& module, int32_t computation,
                                        int32_t instruction, Choose& choose,
                                        int64_t points = 60'000);

}  // namespace tileproof::verify
