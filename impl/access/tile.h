// SPDX-License-Identifier: Apache-2.0
// Tile propagation through indexing maps: the tile of an operand that a tile of a result needs, and
// the tile of the result that needs a tile of an operand.
//
// In every dimension, a tile has `size` indices: offset, offset + stride, ..
//
//     t = f32[16,8] transpose(f32[8,16] p)       4:4, 0:8:2 of t needs 0:8:2, 4:4 of p
//     d = f32[4] dynamic-slice(f32[9] p, o)      1:2 of d needs 1 + o:2 of p
//
// The tile is substituted into the maps. Their image is then counted in closed form
// (impl/access/image.h), in total and along each dimension. The image is a tile exactly if it is
// the product of its coordinate sets and each of these is a progression. Offsets may shift the tile
// as a whole. If it depends on them in another way, all their values must give one answer, and
// there may be at most 4096 combinations of values and maps. By definition: spec/access/tile.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "impl/hlo/indexing.h"

namespace tileproof::impl {

// The value of an offset times a factor.
struct OffsetTerm {
  int64_t factor;
  RuntimeSource by;
};

struct TileDimension {
  int64_t offset = 0;
  int64_t size = 0;
  int64_t stride = 1;                  // at least 1; 1 if the size is 1
  std::vector<OffsetTerm> moved = {};  // terms added to the offset; empty in a question
};
using Tile = std::vector<TileDimension>;

struct TileResult {
  enum class Kind : uint8_t {
    kTile,
    kNothing,  // it has no element
    kNone,     // the elements form no tile; with a reason
    kUnknown,  // with a reason: depends on offsets otherwise, a superset, not counted
  };
  Kind kind = Kind::kUnknown;
  Tile tile;
  std::string why;
};

// OK if all indices of the tile are inside an array of these sizes.
absl::Status expect_tile(const Tile& tile, const std::vector<int64_t>& array);

// The tile of the array, with these sizes, that a tile of the result needs. The list is about the
// array.
TileResult tile_needed(const LeafMaps& list, const Tile& result, const std::vector<int64_t>& array);

// The elements of a result, with these sizes, that need a tile of the array.
TileResult tile_served(const LeafMaps& list, const Tile& array, const std::vector<int64_t>& result);

// Parses OFFSET:SIZE or OFFSET:SIZE:STRIDE for each dimension: "4:4,0:8:2" is the indices 4 to 7 of
// the first dimension and 0, 2, .., 14 of the second. "" is the tile of a scalar.
absl::StatusOr<Tile> parse_tile(absl::string_view text);

}  // namespace tileproof::impl
