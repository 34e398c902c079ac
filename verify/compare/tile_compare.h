// SPDX-License-Identifier: Apache-2.0
// Compares tiles propagated through indexing maps in closed form with the reference, which visits
// each element.
#pragma once

#include <cstdint>
#include <string>

#include "generate/choose/choose.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/hlo/hlo.h"
#include "verify/compare/case_counts.h"

namespace tileproof::verify {

// Returns "", or the tile, the array, expected and found. Chooses a tile of the result or (half of
// the time) one of each operand, and one value for all offsets with unknown values. Counts the arrays
// for which both find "the same tile", "nothing" or "no tile", the closed form's answer is "unknown",
// or the reference has a superset; or "refused": both refuse, or it is too large to enumerate.
std::string tile_difference(const HloModule& module, int32_t computation, int32_t instruction,
                            Choose& choose, CaseCounts& tally,
                            const spec::Limits& limits = {.elements = 1 << 14, .work = 1 << 20});

}  // namespace tileproof::verify
