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

}  // namespace tileproof::spec
