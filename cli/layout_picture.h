// Pictures of layouts: the array with the offset of each element, and the memory with the element
// at each place.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "impl/layout/tiled_layout.h"

namespace tileproof::cli {

// As text. Empty where it would not fit a screen: more than two dimensions, more than 1,024 places,
// rows too long.
std::string text_picture(const impl::TiledLayout& layout);

// As SVG: one colour for each tile, padding grey. Errors: more than two dimensions, no elements,
// more than 4,096 places.
absl::StatusOr<std::string> svg_picture(const impl::TiledLayout& layout);

}  // namespace tileproof::cli
