// SPDX-License-Identifier: Apache-2.0
// Tiles of arrays and the dataflow between them, by enumeration of elements.
//
// A tile has `size` indices in each dimension: offset, offset + stride, .. Written as
// offset:size:stride (a stride of 1 is omitted), rows 4 to 7 and every second of 16 columns are
//
//     4:4, 0:8:2
//
// A tile of an instruction's result depends on a set of elements of an operand. That set is a tile,
// empty, or not a tile. The same holds in the other direction.
//
//     t = f32[16,8] transpose(f32[8,16] p), dimensions={1,0}    4:4, 0:4:2 of t reads 0:4:2, 4:4
//     r = f32[16] reverse(f32[16] p), dimensions={0}            0:4:3 of r reads 6:4:3
//     r = f32[128] reshape(f32[16,8] p)                         0:12 of r reads no tile
//
// A set of indices is a tile exactly if it is the product of its projections onto the dimensions
// and each projection is an arithmetic progression. This is the reference.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/map/symbolic_tile.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::spec {

struct TileDimension {
  int64_t offset = 0;
  int64_t size = 0;
  int64_t stride = 1;  // at least 1; 1 if the size is 1

  bool operator==(const TileDimension&) const = default;
};
using Tile = std::vector<TileDimension>;

using IndexSet = std::set<std::vector<int64_t>>;

// Returns all indices of the tile. Errors: an index outside the array, a negative size, a stride
// below 1.
absl::StatusOr<IndexSet> indices_of(const Tile& tile, const Dims& array);

// Returns the elements of a symbolic tile for these values of its variables. Errors: values outside of
// the domain; sizes of more than 2^20 elements.
absl::StatusOr<IndexSet> indices_at(const SymbolicTile& tile, const Point& point);

// Returns the set as a tile, or nullopt if it is not a tile. The set must not be empty.
std::optional<Tile> tile_of(const IndexSet& indices);

// Returns the elements of an operand's array (a leaf) that some element of `result` depends on.
IndexSet read_by(const Provenance& provenance, int32_t operand, int32_t leaf,
                 const IndexSet& result);

// Returns the elements of the result that depend on some of these elements of the operand.
IndexSet reading(const Provenance& provenance, int32_t operand, int32_t leaf,
                 const IndexSet& elements);

}  // namespace tileproof::spec
