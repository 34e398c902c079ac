// MakeLayout and GetTileLayout of TLA, by what the tags have in common.
//
// All tags but RowMajor, ColumnMajor and VectorLayout are one layout with four parameters: the
// matrix is padded to fractals of fr rows and fc columns, each fractal lies together, and the order
// inside a fractal and the order of the fractals are each by rows (z, Z) or by columns (n, N):
//
//     zN: 16 x C0, inside by rows, fractals by columns        zN:f16[64,96]
//     place (r, c) = place of the fractal * fr * fc + place inside of it
//
// The same questions are answered by a table in spec/layout/nested_tags.h, with the same errors.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/lang/layout/nested.h"

namespace tileproof::impl {

// MakeLayout. The rows of a vector do not count. Errors: bits that do not divide 256, a negative
// size, an extent or stride that does not fit int64 (kOutOfRange).
absl::StatusOr<tileproof::NestedLayout> make_layout(Tag tag, int64_t element_bits, int64_t rows,
                                                    int64_t cols);
absl::StatusOr<tileproof::NestedLayout> make_layout(const TaggedShape& tagged);

// A layout of `tile` elements with the strides of the given one: GetTileLayout.
absl::StatusOr<tileproof::NestedLayout> make_layout_tile(const tileproof::NestedLayout& layout,
                                                         absl::Span<const int64_t> tile);

}  // namespace tileproof::impl
