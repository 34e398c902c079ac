// SPDX-License-Identifier: Apache-2.0
// The way of one element through the steps of a layout, for people who want to see it.
//
//     f32[3,5]{1,0:T(2,2)}, element [2,3]
//       pad dimension 0 to 4, now [4,5]: at [2,3]
//       ..
//       transpose to 0,2,1,3, now [2,3,2,2]: at [1,1,0,1]
//       offset 17 = tile [1,1] of [2,3], position [0,1] of [2,2] in it
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "spec/layout/layout_function.h"
#include "spec/layout/layout_steps.h"

namespace tileproof::spec {

// Whether the step is a transpose that leaves the dimensions in their order.
bool moves_nothing(const Step& step);

// One step on the way of an element: where it is afterwards.
struct ExplainedStep {
  std::string step;
  bool moves;  // false: it moves nothing, or only counts the offset
  Dims dims, index;
};

// A nested layout's digits of one mode of the index.
struct ExplainedMode {
  int64_t mode;
  Dims extents, digits, strides;
};

struct Explanation {
  Dims index;
  std::vector<ExplainedStep> steps;   // of a tiled layout or blocked format
  std::vector<ExplainedMode> modes;   // of a nested layout
  std::optional<int64_t> unswizzled;  // the offset before the swizzle
  Dims physical;                      // the index after all tiles
  Dims tile, position;    // its parts: the tile, and the place in it; empty without tiles
  Dims tiles, tile_dims;  // the sizes of both
  int64_t offset = 0;
  std::optional<int64_t> bit;  // the first bit of the element
};

// The index is in the array. `bits` are those of an element, if they are known.
Explanation explain_index(const LayoutFunction& function, Dims index, std::optional<int64_t> bits);

}  // namespace tileproof::spec
