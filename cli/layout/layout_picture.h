// SPDX-License-Identifier: Apache-2.0
// Pictures of layouts for a terminal: the array with the offset of each element, and memory with
// the element at each offset.
#pragma once

#include <string>

#include "impl/layout/tiled_layout.h"

namespace tileproof::cli {

// As text. Empty if the picture does not fit a screen: more than two dimensions, more than 1,024
// offsets, or rows that are too long.
std::string text_picture(const impl::TiledLayout& layout);

// For arrays whose picture does not fit: says so, and lists the offsets beside the edges of tiles.
std::string part_of_offsets(const impl::TiledLayout& layout);

}  // namespace tileproof::cli
