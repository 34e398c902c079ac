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
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "picture/reader.h"
#include "spec/access/coalescing.h"
#include "spec/lang/layout/shape.h"

namespace tileproof::picture {

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
