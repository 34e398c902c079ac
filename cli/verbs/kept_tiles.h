// SPDX-License-Identifier: Apache-2.0
// The option --keep of simplify and compose: tile sizes whose digits stay in a result.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "impl/map/tile_digits/simplify_keeping.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::cli {

inline constexpr char kKeepWhat[] =
    "keep the digits of these tile sizes, N,N,..; tiles for every divisor of the map";

// "tiles", or sizes: "8,128". Nothing for nothing.
absl::StatusOr<std::optional<impl::TileSizes>> kept_tiles(const std::optional<std::string>& text);

// The simplest map, or the simplest with these digits.
absl::StatusOr<IndexingMap> simplified(const IndexingMap& map,
                                       const std::optional<impl::TileSizes>& keep);

}  // namespace tileproof::cli
