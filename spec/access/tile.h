// Tiles of arrays, and what flows between them, by looking at each element.
//
// A tile is, in every dimension, the indices offset, offset + stride, ..: size of them. The tile
// of rows 4 to 7 and every second of 16 columns:
//
//     4:4, 0:8:2                       offset:size:stride, a stride of 1 left out
//
// For a tile of the result of an instruction, the elements of an operand that flow into some
// element of it are a tile, nothing, or no tile; and the other way round.
//
//     t = f32[16,8] transpose(f32[8,16] p), dimensions={1,0}      4:4, 0:8:2 of t is 0:8:2, 4:4 of
//     p r = f32[16] reverse(f32[16] p), dimensions={0}              0:4:3 of r is 6:4:3 of p r =
//     f32[128] reshape(f32[16,8] p)                           0:12 of r is no tile of p
//
// This is the reference. A set of indices is a tile exactly if it is the product of its
// coordinates' sets, and each of these is a progression.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/hlo/provenance.h"

namespace tileproof::spec {

struct TileDimension {
  int64_t offset = 0;
  int64_t size = 0;
  int64_t stride = 1;  // at least 1; 1 where the size is 1

  bool operator==(const TileDimension&) const = default;
};
using Tile = std::vector<TileDimension>;

using IndexSet = std::set<std::vector<int64_t>>;

// All indices of the tile. An error where one is outside the array, or a size is negative or a
// stride below 1.
absl::StatusOr<IndexSet> indices_of(const Tile& tile, const Dims& array);

// The tile that the set is, if it is one; it is not empty.
std::optional<Tile> tile_of(const IndexSet& indices);

// The elements of an array of the operands that flow into some element of these of the result.
IndexSet read_by(const Provenance& provenance, int32_t operand, int32_t leaf,
                 const IndexSet& result);

// The elements of the result that some of these elements of the operand flow into.
IndexSet reading(const Provenance& provenance, int32_t operand, int32_t leaf,
                 const IndexSet& elements);

}  // namespace tileproof::spec
