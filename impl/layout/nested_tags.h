// SPDX-License-Identifier: Apache-2.0
// MakeLayout and GetTileLayout of TLA.
//
// All tags except RowMajor, ColumnMajor and VectorLayout are one layout with four parameters. The
// matrix is padded to fractals of fr rows and fc columns, and each fractal is contiguous. The order
// inside a fractal and the order of the fractals are each by rows (z, Z) or by columns (n, N):
//
//     zN: 16 x C0, inside by rows, fractals by columns        zN:f16[64,96]
//     offset of (r, c) = number of the fractal * fr * fc + position inside it
//
// spec/layout/nested_tags.h answers the same questions by a table, with the same errors.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/lang/layout/nested.h"

namespace tileproof::impl {

// MakeLayout. Ignores the rows of a vector. Errors: bits that do not divide 256, a negative size,
// an extent or stride that does not fit int64 (kOutOfRange).
absl::StatusOr<tileproof::NestedLayout> make_layout(Tag tag, int64_t element_bits, int64_t rows,
                                                    int64_t cols);
absl::StatusOr<tileproof::NestedLayout> make_layout(const TaggedShape& tagged);

// GetTileLayout: a layout of `tile` elements with the strides of `layout`.
absl::StatusOr<tileproof::NestedLayout> make_layout_tile(const tileproof::NestedLayout& layout,
                                                         absl::Span<const int64_t> tile);

}  // namespace tileproof::impl
