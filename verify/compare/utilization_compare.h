// SPDX-License-Identifier: Apache-2.0
// Compares operand utilization in closed form with the reference, which visits each element for
// every value of the offsets, or for a sample if there are too many values.
#pragma once

#include <cstdint>
#include <string>

#include "spec/hlo/provenance.h"
#include "spec/lang/hlo/hlo.h"
#include "verify/compare/case_counts.h"

namespace tileproof::verify {

// Returns "", or the array, expected and found, in the first of both scopes that differs. Counts the
// arrays with equal counts, those whose counts hold "within" the sampled values, those of which the
// reference has a superset, and those without a closed-form count; or "refused": both refuse, or it
// is too large to enumerate.
std::string utilization_difference(const HloModule& module, int32_t computation,
                                   int32_t instruction, uint64_t seed, CaseCounts& tally,
                                   int64_t combinations = 600,
                                   const spec::Limits& limits = {.elements = 1 << 14,
                                                                 .work = 1 << 20});

}  // namespace tileproof::verify
