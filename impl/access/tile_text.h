// SPDX-License-Identifier: Apache-2.0
// The text of a tile.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "impl/access/tile.h"

namespace tileproof::impl {

// Parses OFFSET:SIZE or OFFSET:SIZE:STRIDE for each dimension: "4:4,0:8:2" is the indices 4 to 7 of
// the first dimension and 0, 2, .., 14 of the second. "" is the tile of a scalar.
absl::StatusOr<Tile> parse_tile(absl::string_view text);

}  // namespace tileproof::impl
