// Nested layouts of TLA and CuTe: the reference.
//
// The offset of a coordinate c in the layout s:d (shape, stride) is
//
//     c, s, d tuples of one rank     the sum of the offsets of their elements
//     c an integer, s, d tuples      mode k takes c mod size(s_k), and c becomes
//                                    c floordiv size(s_k); the last mode takes the rest unreduced
//     c, s, d integers               c * d
//     c a tuple, s an integer        an error
//
// A coordinate past the end of the last mode therefore extrapolates. TLA calls this function
// crd2offset, CuTe crd2idx. Here the first two rules spread c over the integers of the shape; the
// offset is the sum of their products with the strides:
//
//     ((4,2),(4,3)):((4,16),(1,32)), c = (1,5)
//         spread    ((1,0),(1,1))
//         offset    1*4 + 0*16 + 1*1 + 1*32 = 37
//
// The empty tuple has size 1 and one coordinate, 0 or (). Negative coordinates are errors. A result
// that does not fit int64 is an error (kOutOfRange); nothing wraps.
//
// Source: seed "TLA Layouts"; facts "TLA", "crd2offset". impl/layout/nested_layout.h answers the
// same questions fast.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/base/integers.h"
#include "spec/lang/layout/nested.h"

namespace tileproof::spec {

// The product of all extents: how many coordinates there are.
absl::StatusOr<int64_t> size(const IntTuple& shape);

// The number of places from the lowest offset to the highest, both included; 0 where there is no
// coordinate. With strides of at least 0 it is one more than the highest offset.
absl::StatusOr<int64_t> cosize(const NestedLayout& layout);

// The coordinate of the same nesting as the shape. An error where it does not belong to the shape:
// negative, a tuple of another rank, an integer where a mode that is not last has no elements.
absl::StatusOr<Coordinate> spread(const IntTuple& shape, const Coordinate& coordinate);

// crd2offset.
absl::StatusOr<int64_t> offset(const NestedLayout& layout, const Coordinate& coordinate);

// The first coordinate, counted by the integers 0, 1, .. below the size, whose offset this is, as
// nested as the shape; nothing where there is none. Found by trying all: layouts of more than
// kMaxWalked coordinates are kUnimplemented.
inline constexpr int64_t kMaxWalked = int64_t{1} << 22;
absl::StatusOr<std::optional<Coordinate>> coordinate_at(const NestedLayout& layout, int64_t offset);

// ---- On any number type ----

// A shape with the size of each mode at hand; nothing: it exceeds every int64.
struct Modes {
  bool is_tuple = false;
  std::optional<int64_t> size;
  std::vector<Modes> modes;  // of a tuple
};
Modes modes_of(const IntTuple& shape);

// Spreads one integer over the integers of a shape, appending to `leaves`. No mode but the last
// has size 0. With int64 this is executed, with the terms of a solver it is what a proof is about.
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
