// Tiles through indexing maps, in closed form, against the reference, which looks at each element.
#pragma once

#include <cstdint>
#include <string>

#include "generate/choose/choose.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::verify {

struct TileComparison {
  int64_t tiles = 0;       // arrays of which both have the same tile
  int64_t nothing = 0;     // .. say that no element is read
  int64_t none = 0;        // .. say that the elements are no tile
  int64_t unknown = 0;     // .. of which the closed form does not know
  int64_t superset = 0;    // .. of which the reference has a superset
  bool refused = false;    // by both, or too large to enumerate
  std::string difference;  // empty, or the tile, the array, what was expected and what was found
  std::string unknown_because;  // the last reason
};

// Chooses a tile of the result (or, half of the time, one of each operand), and one value for all
// offsets whose values are not known.
TileComparison compare_tiles(const HloModule& module, int32_t computation, int32_t instruction,
                             Choose& choose,
                             const spec::Limits& limits = {.elements = 1 << 14, .work = 1 << 20});

}  // namespace tileproof::verify
