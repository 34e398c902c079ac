// Coalescing in closed form against the reference, which looks at each thread.
#pragma once

#include <cstdint>
#include <string>

#include "fuzz/choose.h"
#include "spec/lang/hlo.h"

namespace tileproof::verify {

struct CoalescingComparison {
  int64_t equal = 0;       // access maps for which all counts are the same
  int64_t accesses = 0;    // in these
  int64_t uncounted = 0;   // access maps that the closed form does not count
  int64_t skipped = 0;     // access maps with runtime variables; too large to enumerate
  std::string difference;  // empty, or the maps, the layout, and both counts
  std::string uncounted_because;
};

// Chooses a thread map for the result of the instruction, a warp, a width, and layouts; each map of
// each operand, and the result itself, is an access. Those of more than `points` points are
// skipped.
CoalescingComparison compare_coalescing(const HloModule& module, int32_t computation,
                                        int32_t instruction, Choose& choose,
                                        int64_t points = 60'000);

}  // namespace tileproof::verify
