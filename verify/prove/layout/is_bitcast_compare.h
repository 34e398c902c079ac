// SPDX-License-Identifier: Apache-2.0
// Compares proofs that a reshape, transpose or bitcast is free or not with an enumeration of
// elements.
#pragma once

#include <cstdint>
#include <string>

#include "generate/choose/choose.h"

namespace tileproof::verify {

struct IsBitcastComparison {
  int64_t free = 0;
  int64_t moved = 0;
  std::string difference;  // the shapes and the verdict; empty if right. kUndecided is wrong
};

// Chooses an operation and two layouts of at most 48 elements.
IsBitcastComparison compare_is_bitcast(Choose& choose);

}  // namespace tileproof::verify
