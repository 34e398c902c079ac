// Tiles through indexing maps: the tile of an operand that a tile of a result needs, and the tile
// of the result that a tile of an operand is needed for.
//
// A tile is, in every dimension, the indices offset, offset + stride, ..: size of them.
//
//     t = f32[16,8] transpose(f32[8,16] p)       4:4, 0:8:2 of t needs 0:8:2, 4:4 of p
//     d = f32[4] dynamic-slice(f32[9] p, o)      1:2 of d needs 1 + o:2 of p
//
// The tile is put into the maps; what they then reach is counted in closed form (impl/access/image.h),
// altogether and along each dimension. It is a tile exactly if it is the product of its
// coordinates' sets, and each of these is a progression; else there is none. Offsets may move it as
// a whole; in other ways it may depend on them where few values (4096 times maps) all give one
// answer. By definition: spec/access/tile.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "impl/hlo/indexing.h"

namespace tileproof::impl {

// The value of an offset, times a factor.
struct OffsetTerm {
  int64_t factor;
  RuntimeSource by;
};

struct TileDimension {
  int64_t offset = 0;
  int64_t size = 0;
  int64_t stride = 1;  // at least 1; 1 where the size is 1
  std::vector<OffsetTerm> moved =
      {};  // what comes to the offset; of a tile that is asked about nothing
};
using Tile = std::vector<TileDimension>;

struct TileResult {
  enum class Kind : uint8_t {
    kTile,
    kNothing,  // no element
    kNone,     // the elements are no tile; why
    kUnknown,  // not found out; why: it depends on offsets otherwise, is a superset, or uncounted
  };
  Kind kind = Kind::kUnknown;
  Tile tile;
  std::string why;
};

// OK if the tile is one of an array of these sizes: all its indices are inside.
absl::Status expect_tile(const Tile& tile, const std::vector<int64_t>& array);

// What a tile of the result needs of the array of these sizes that the list is about.
TileResult tile_needed(const LeafMaps& list, const Tile& result, const std::vector<int64_t>& array);

// The elements of a result of these sizes that a tile of the array is needed for.
TileResult tile_served(const LeafMaps& list, const Tile& array, const std::vector<int64_t>& result);

}  // namespace tileproof::impl
