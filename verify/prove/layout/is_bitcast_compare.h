// SPDX-License-Identifier: Apache-2.0
// Compares proofs that a reshape, transpose or bitcast is free or not with an enumeration of
// elements.
#pragma once

#include <cstdint>
#include <string>

#include "generate/choose/choose.h"
#include "verify/compare/case_counts.h"

namespace tileproof::verify {

// Chooses an operation and two layouts of at most 48 elements. Returns "", or the shapes and the
// verdict; kUndecided is wrong. Counts "free" and "not free".
std::string is_bitcast_difference(Choose& choose, CaseCounts& tally);

}  // namespace tileproof::verify
