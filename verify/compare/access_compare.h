// SPDX-License-Identifier: Apache-2.0
// Compares tiles propagated through indexing maps in closed form with the reference, which visits
// each element.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generate/choose/choose.h"
#include "spec/access/coalescing.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/layout/shape.h"
#include "spec/lang/map/indexing_map.h"
#include "verify/compare/case_counts.h"

namespace tileproof::verify {

// Returns "", or the tile, the array, expected and found. Chooses a tile of the result or (half of
// the time) one of each operand, and one value for all offsets with unknown values. Counts the arrays
// for which both find "the same tile", "nothing" or "no tile", the closed form's answer is "unknown",
// or the reference has a superset; or "refused": both refuse, or it is too large to enumerate.
std::string tile_difference(const HloModule& module, int32_t computation, int32_t instruction,
                            Choose& choose, CaseCounts& tally,
                            const spec::Limits& limits = {.elements = 1 << 14, .work = 1 << 20});

// Compares operand utilization in closed form with the reference, which visits each element for
// every value of the offsets, or for a sample if there are too many values.

// Returns "", or the array, expected and found, in the first of both scopes that differs. Counts the
// arrays with equal counts, those whose counts hold "within" the sampled values, those of which the
// reference has a superset, and those without a closed-form count; or "refused": both refuse, or it
// is too large to enumerate.
std::string utilization_difference(const HloModule& module, int32_t computation,
                                   int32_t instruction, uint64_t seed, CaseCounts& tally,
                                   int64_t combinations = 600,
                                   const spec::Limits& limits = {.elements = 1 << 14,
                                                                 .work = 1 << 20});

// Compares coalescing in closed form with the reference, which visits each thread.

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
