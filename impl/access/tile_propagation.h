// SPDX-License-Identifier: Apache-2.0
// Propagation of symbolic tiles (spec/lang/map/symbolic_tile.h) through indexing maps, in expressions.
//
//     r = f32[10] reverse(f32[10] p), dimensions={0}
//     of r    (tid)[ts] -> offsets [tid * ts] sizes [ts] strides [1] upper bounds [10]
//     of p    (tid)[ts] -> offsets [10 - (tid * ts + (ts - 1))] sizes [ts] strides [1] upper bounds [10]
//
// Each result of the map must be a constant, or a multiple of one dimension or of one range variable
// and a number, of which no other result has any. What lies beyond the array, or where the map is not
// defined, has to be cut off by 0 and by one upper bound.
#pragma once

#include <optional>

#include "spec/lang/map/indexing_map.h"
#include "spec/lang/map/symbolic_tile.h"

namespace tileproof::impl {

// The tile that the map makes of the tile; nothing if it makes none of this kind. The map has as many
// dimensions as the tile.
std::optional<SymbolicTile> propagate(const SymbolicTile& tile, const IndexingMap& map);

}  // namespace tileproof::impl
