// SPDX-License-Identifier: Apache-2.0
// The view of the array: slices of rows and columns, with their indices.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "picture/drawn_layout.h"
#include "picture/grid.h"
#include "picture/svg.h"

namespace tileproof::picture {

// A box of the array: `sizes` elements from `first` on.
struct ArrayBox {
  Dims first, sizes;
};

// Draws the elements of the box with their offsets.
struct ArrayView {
  const DrawnLayout& layout;
  std::function<Color(int64_t offset)> color;
  bool path = false;
  bool indices = false;       // as data-at
  int64_t most_columns = 32;  // longer rows have a gap
  // The other layout of a comparison, whose differing elements are marked.
  const DrawnLayout* other = nullptr;
  std::optional<Dims> chosen = {};  // an element with a ring

  int64_t drawn = 0;         // elements
  int64_t marked = 0;        // of these
  int64_t first_marked = 0;  // the offset by the other layout of the first one that is marked

  // Draws with the upper left corner at (x, y). Returns the width and height that it took.
  std::pair<int64_t, int64_t> draw(const ArrayBox& box, int64_t x, int64_t y, Svg& svg);
};

}  // namespace tileproof::picture
