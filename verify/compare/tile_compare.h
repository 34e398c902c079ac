// SPDX-License-Identifier: Apache-2.0
// Compares tiles propagated through indexing maps in closed form with the reference, which visits
// each element.
#pragma once

#include <cstdint>
#include <string>

#include "generate/choose/choose.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::verify {

struct TileComparison {
  int64_t tiles = 0;            // arrays for which both find the same tile
  int64_t nothing = 0;          // .. find that no element is read
  int64_t none = 0;             // .. find that the elements do not form a tile
  int64_t unknown = 0;          // arrays for which the closed form does not know
  int64_t superset = 0;         // arrays for which the reference has a superset
  bool refused = false;         // both refuse, or too large to enumerate
  std::string difference;       // the tile, the array, expected and found; empty if equal
  std::string unknown_because;  // last reason
};

// Chooses a tile of the result or (half of the time) one of each operand, and one value for all
// offsets with unknown values.
TileComparison compare_tiles(const HloModule& module, int32_t computation, int32_t instruction,
                             Choose& choose,
                             const spec::Limits& limits = {.elements = 1 << 14, .work = 1 << 20});

}  // namespace tileproof::verify
