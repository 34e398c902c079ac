// SPDX-License-Identifier: Apache-2.0
// MakeLayout and GetTileLayout of TLA: the layouts of the tags, and tiles of layouts.
//
// Let an element have b bits, C0 = 256 / b, F = 4096 / b, and let up(x, n) be x rounded up to a
// multiple of n. MakeLayout<Element, Tag>(r, c) is
//
//     RowMajor      (r,c)                                  : (c,1)          4 bits: (up(c,2),1)
//     ColumnMajor   (r,c)                                  : (1,r)          4 bits: (1,up(r,2))
//     zN            ((16,up(r,16)/16),(C0,up(c,C0)/C0))    : ((C0,F),(1,up(r,16)*C0))
//     nZ            ((C0,up(r,C0)/C0),(16,up(c,16)/16))    : ((1,up(c,16)*C0),(C0,F))
//     zZ            ((16,up(r,16)/16),(C0,up(c,C0)/C0))    : ((C0,up(c,C0)*16),(1,F))
//     nN            ((C0,up(r,C0)/C0),(16,up(c,16)/16))    : ((1,F),(C0,up(r,C0)*16))
//     L0C           ((16,up(r,16)/16),(16,up(c,16)/16))    : ((16,256),(1,up(r,16)*16))
//     Weight4BitnZ  ((32,up(r,32)/32),(16,up(c,16)/16))    : ((1,up(c,16)*32),(32,512))
//     VectorLayout  (c)                                    : (1)
//
// zN:f16[64,96] has b = 16, C0 = 16 and F = 256, so it is ((16,4),(16,6)):((16,256),(1,1024)).
//
// A fractal is the inner block of a tag: 16 rows of C0 columns in zN. The small letter of a tag is
// the order of elements inside a fractal, the capital letter the order of fractals: z is row by
// row, n is column by column. The tests walk the fractals in that order.
//
// Rows of 4-bit elements begin at a byte, as in CATLASS (corpus/nested/catlass.tsv). CATLASS has no
// narrower elements; their layouts follow the table unchanged. Source: facts "TLA", "MakeLayout".
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/lang/layout/nested.h"

namespace tileproof::spec {

// MakeLayout. A vector ignores `rows`. Errors: bits that do not divide 256; a negative size; an
// extent or stride that does not fit int64 (kOutOfRange).
absl::StatusOr<NestedLayout> make_layout(Tag tag, int64_t element_bits, int64_t rows, int64_t cols);
absl::StatusOr<NestedLayout> make_layout(const TaggedShape& tagged);

// MakeLayoutTile, now called GetTileLayout: a layout with tile[k] elements in mode k and the
// strides of the given one. A flat mode n:d becomes tile:d. A mode (inner,outer) becomes (inner,
// tile / inner rounded up). The tile may exceed the layout. Errors: another rank; a negative size;
// a mode of another nesting; an inner extent of 0.
//
//     ((4,2),(4,3)):((4,16),(1,32)) by (4,4) is ((4,1),(4,1)):((4,16),(1,32))
absl::StatusOr<NestedLayout> make_layout_tile(const NestedLayout& layout,
                                              absl::Span<const int64_t> tile);

// Returns how many elements the tile at a coordinate holds along each dimension, in a layout that
// holds `extent` elements: min(tile, max(extent - coord, 0)). Errors: another rank; a negative
// number.
absl::StatusOr<std::vector<int64_t>> valid_extent(absl::Span<const int64_t> extent,
                                                  absl::Span<const int64_t> coord,
                                                  absl::Span<const int64_t> tile);

}  // namespace tileproof::spec
