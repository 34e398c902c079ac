// SPDX-License-Identifier: Apache-2.0
// Nested layouts of TLA and CuTe: the reference.
//
// The offset of a coordinate c in the layout s:d (shape, stride) is
//
//     c, s, d tuples of one rank     the sum of the offsets of their elements
//     c an integer, s, d tuples      mode k takes c mod size(s_k), and c becomes
//                                    c floordiv size(s_k); the last mode takes all that remains
//     c, s, d integers               c * d
//     c a tuple, s an integer        an error
//
// So a coordinate past the end of the last mode extrapolates. TLA calls this function crd2offset,
// CuTe crd2idx. The code first spreads c over the integers of the shape (the first two rules); the
// offset is then the sum of their products with the strides:
//
//     ((4,2),(4,3)):((4,16),(1,32)), c = (1,5)
//         spread    ((1,0),(1,1))
//         offset    1*4 + 0*16 + 1*1 + 1*32 = 37
//
// The empty tuple has size 1 and one coordinate, 0 or (). Negative coordinates are errors. A result
// that does not fit int64 is an error (kOutOfRange); nothing wraps.
//
// impl/layout/nested_layout.h answers the same questions fast. Source: CATLASS, "TLA
// Layouts", crd2offset (docs/sources.md).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/base/integers.h"
#include "spec/lang/layout/nested.h"

namespace tileproof::spec {

// Returns the product of all extents, which is the number of coordinates.
absl::StatusOr<int64_t> size(const IntTuple& shape);

// Returns the number of slots from the lowest offset to the highest, both included; 0 if there is
// no coordinate. If no stride is negative, this is the highest offset plus 1.
absl::StatusOr<int64_t> cosize(const NestedLayout& layout);

// Returns the same coordinate, nested like the shape. Errors: a negative integer; a tuple of
// another rank; an integer for a tuple in which a mode before the last has size 0; an integer that
// is not below the size although the last mode is the empty tuple.
absl::StatusOr<Coordinate> spread(const IntTuple& shape, const Coordinate& coordinate);

// Returns the offset of a coordinate: crd2offset.
absl::StatusOr<int64_t> offset(const NestedLayout& layout, const Coordinate& coordinate);

// Returns the first coordinate that has this offset, nested like the shape, or nullopt if there is
// none. Tries the integers 0, 1, .. below the size; layouts of more than kMaxWalked coordinates are
// kResourceExhausted.
inline constexpr int64_t kMaxWalked = int64_t{1} << 22;
absl::StatusOr<std::optional<Coordinate>> coordinate_at(const NestedLayout& layout, int64_t offset);

// ---- On any number type ----

// A shape with the size of each mode.
struct Modes {
  bool is_tuple = false;
  std::optional<int64_t> size;  // nullopt: exceeds int64
  std::vector<Modes> modes;     // of a tuple
};
Modes modes_of(const IntTuple& shape);

// Spreads one integer over the integers of a shape and appends them to `leaves`. Only the last mode
// may have size 0. With int64 this computes; with SMT terms it builds a question for the solver.
template <class N>
void spread_integer(const Modes& shape, N c, std::vector<N>& leaves) {
  if (!shape.is_tuple) leaves.push_back(c);
  for (size_t k = 0; k < shape.modes.size(); ++k) {
    const Modes& mode = shape.modes[k];
    const bool reduced = k + 1 < shape.modes.size() && mode.size.has_value();
    spread_integer(mode, reduced ? mod(c, *mode.size) : c, leaves);
    c = reduced ? floordiv(c, *mode.size) : c * int64_t{0};
  }
}

// MakeLayout and GetTileLayout of TLA: the layouts of the tags, and tiles of layouts. Formats of
// other systems that have a name are tags, too.
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
//     COL32         (r,(32,up(c,32)/32))                   : (32,(1,r*32))
//     COL4_4R2_8C   ((2,4,up(r,8)/8),(4,2,4,up(c,32)/32))  : ((128,4,256),(1,16,32,up(r,8)*32))
//     COL32_2R_4R4  ((2,4,4,up(r,32)/32),(32,up(c,32)/32)) : ((32,256,64,1024),(1,up(r,32)*32))
//     SWIZZLE_32_4_4  ((32,4,up(r,128)/128),(4,up(c,4)/4)) : ((16,4,up(c,4)*128),(1,512))
//     VNNI          ((n,up(r,n)/n),c), n = max(32 / b, 1)  : ((1,c*n),n)
//     Q4_0_n_m      ((n,up(r,n)/n),(m,16/m,2,up(c,32)/32)) : ((2*m,up(c,32)/32*36*n),(2,2*m*n,1,36*n))
//
// zN:f16[64,96] has b = 16, C0 = 16 and F = 256, so it is ((16,4),(16,6)):((16,256),(1,1024)).
//
// A fractal is the inner block of a tag: 16 rows of C0 columns in zN. The small letter of a tag is
// the order of elements inside a fractal, the capital letter the order of fractals: z is row by
// row, n is column by column. The tests walk the fractals in that order.
//
// Rows of 4-bit elements begin at a byte, as in CATLASS (corpus/nested/catlass.tsv). CATLASS has no
// narrower elements; their layouts follow the table unchanged. Source: CATLASS, include/tla/layout.hpp,
// MakeLayout (docs/sources.md).
//
// The other tags, and where they are defined:
//   COL32, COL4_4R2_8C, COL32_2R_4R4  cuBLAS, cublasLtOrder_t. Groups of 32 columns; in each, rows
//       of 32 elements; tiles of 8 rows, in which 4 columns of 4 even rows are neighbors, then those
//       of the odd rows; tiles of 32 rows, whose row is ((row % 8) / 2 * 4 + row / 8) * 2 + row % 2.
//   SWIZZLE_32_4_4  cuBLAS, "1D block scaling factors layout" (PyTorch has the name): scales of 128
//       rows and 4 columns are a tile, tiles go row by row.
//   VNNI  oneDNN's BA2a, BA4a and the like: 32 bits hold one column of neighboring rows, as dot
//       products of CPUs (VNNI, AMX) read the right operand.
//   Q4_0_4_4, Q4_0_4_8, Q4_0_8_8  ggml, ggml-cpu/repack.cpp: Q4_0 of n rows side by side, in chunks
//       of m bytes. A block is 32 columns; before its values come n scales of 16 bits, so there are
//       4 * n slots between blocks. Offsets count values of 4 bits from the first value.

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
