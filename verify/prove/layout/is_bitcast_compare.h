// Proofs that a reshape, transpose or bitcast is free, or not, against a look at every element.
#pragma once

#include <cstdint>
#include <string>

#include "generate/choose/choose.h"

namespace tileproof::verify {

struct IsBitcastComparison {
  int64_t free = 0;
  int64_t moved = 0;
  std::string difference;  // empty, or the shapes and what was proven; undecided is a difference
};

// Chooses an operation and two layouts of at most 48 elements.
IsBitcastComparison compare_is_bitcast(Choose& choose);

}  // namespace tileproof::verify
