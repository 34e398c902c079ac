// SPDX-License-Identifier: Apache-2.0
// Propagation of symbolic tiles (spec/lang/map/symbolic_tile.h) through indexing maps, in expressions.
//
//     r = f32[10] reverse(f32[10] p), dimensions={0}
//     of r    (tid)[ts] -> offsets [tid * ts] sizes [ts] strides [1] upper bounds [10]
//     of p    (tid)[ts] -> offsets [10 - (tid * ts + (ts - 1))] sizes [ts] strides [1] upper bounds [10]
//
// Each result of the map must be a constant, a multiple of one variable and a number, or
//
//     a sum      d0 * 6 + d1, d0 + s0: parts that go on where the lesser ones end, or within them. Only
//                the largest may be cut off
//     a digit    d0 floordiv 6, (d0 floordiv 6) mod 4, also of a sum, whose tile begins at a multiple of
//                its size, and either is of whole periods or lies within one. Each tile is whole, or beyond
//                the array
//
// of which no other result has the same variables, or digits. What lies beyond the array, or where the
// map is not defined, has to be cut off by 0 and by one upper bound. A tile without an element may become
// any.
#pragma once

#include <optional>

#include "spec/lang/map/indexing_map.h"
#include "spec/lang/map/symbolic_tile.h"

namespace tileproof::impl {

// The tile that the map makes of the tile; nothing if it makes none of this kind. The map has as many
// dimensions as the tile.
std::optional<SymbolicTile> propagate(const SymbolicTile& tile, const IndexingMap& map);

}  // namespace tileproof::impl
