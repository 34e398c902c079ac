// SPDX-License-Identifier: Apache-2.0
// Pictures of layouts: the array with the offset of each element, and memory with the element at
// each offset.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "impl/layout/tiled_layout.h"

namespace tileproof::cli {

// As text. Empty if the picture does not fit a screen: more than two dimensions, more than 1,024
// offsets, or rows that are too long.
std::string text_picture(const impl::TiledLayout& layout);

// For arrays whose picture does not fit: says so, and lists the offsets of the first elements.
std::string part_of_offsets(const impl::TiledLayout& layout);

// As SVG: one color for each tile, gray for padding. Errors: more than two dimensions, no elements,
// more than 4,096 offsets.
absl::StatusOr<std::string> svg_picture(const impl::TiledLayout& layout);

}  // namespace tileproof::cli
