// SPDX-License-Identifier: Apache-2.0
// Pictures of accesses: which elements of its operands an instruction reads.
//
//   reads_svg     a tile of the result at the left; at the right the operands, with their maps. An
//                 element of the tile and the elements that it reads have one number and one color.
//   heat_svg      how often each element of the operands is read. Elements that nothing reads are
//                 hatched. Large arrays have a square for each block of elements.
//   traffic_svg   how many memory transactions of a kernel's warps move each element: the heat of
//                 coalescing (spec/access/coalescing.h). Elements that are moved and never used are
//                 marked; the elements of the first warp have a thick outline.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/access/coalescing.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/layout/shape.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::picture {

// ---- Readers of arrays: reader.cc ----
//
// Which elements of an array single elements of a result read: indexing maps, evaluated by their
// definition.
//
//     maps {(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 3], s0 in [0, 1]}, array [8]
//     reads({3})      {6, 7}
//
// Runtime variables have their least value.

// The limit on evaluated points of one picture.
inline constexpr int64_t kMostPoints = int64_t{1} << 20;

// The row-major number of an element; nothing if the index is outside of the array.
std::optional<int64_t> number_of(const Dims& index, const Dims& dims);

// One array that is read, and the maps to its elements, which stand for their union.
struct ReadArray {
  std::string name;  // "operand 0, p"
  Dims dims;
  std::vector<IndexingMap> maps;
  std::string note = {};  // shown below the name
};

class Reader {
 public:
  explicit Reader(const ReadArray& array);

  // Row-major numbers of the elements that one element of the result reads. Errors: maps of another
  // rank; an index outside of the array; more than kMostPoints points in all calls.
  absl::StatusOr<std::set<int64_t>> reads(const Dims& result);

  // "rt0 = 0" for maps with runtime variables, or "".
  std::string assumed() const;

 private:
  std::vector<IndexingMap> maps_;  // with one value for each dimension and runtime variable
  Dims dims_;
  int64_t points_left_ = kMostPoints;
};

// How many elements of the result read each element of the array, by row-major number. Errors as
// above.
absl::StatusOr<std::vector<int64_t>> times_read(const ReadArray& array, const Dims& result);

// ---- Pictures ----

// What a picture is about.
struct Access {
  std::string title;  // the line of the instruction
  Dims result;
  std::vector<ReadArray> arrays;
};

// The limit on elements of a tile that are drawn.
inline constexpr int64_t kMostTile = 4096;

// The indices offset, offset + stride, .. of one dimension of a tile.
struct TileSpan {
  int64_t offset = 0, size = 1, stride = 1;
};

// A tile in the corner of the result: at most 2 by 4 elements.
std::vector<TileSpan> corner_tile(const Dims& result);

// Errors: those of Reader; a tile outside of the result, or of more than kMostTile elements.
absl::StatusOr<std::string> reads_svg(const Access& access, const std::vector<TileSpan>& tile);

// Errors: those of times_read.
absl::StatusOr<std::string> heat_svg(const Access& access);

// `shapes` are those of access.arrays, with layouts. Errors: those of spec::count_transactions.
absl::StatusOr<std::string> traffic_svg(const Access& access, const std::vector<Shape>& shapes,
                                        const IndexingMap& threads, const Warps& warps);

}  // namespace tileproof::picture
