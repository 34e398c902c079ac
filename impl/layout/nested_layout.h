// SPDX-License-Identifier: Apache-2.0
// Nested layouts in closed form.
//
// An integer coordinate of a mode is a number in mixed radix: the integers of the mode from left to
// right are its digits, least significant first, and their extents are the radices. So nesting
// inside a mode does not matter. Digit i, with extent n and stride d_i, above a product m of
// extents, adds
//
//     d_i * ((c floordiv m) mod n)          the last digit: d_i * (c floordiv m)
//
// Digits of extent 1 vanish. If d_{i+1} = n_i * d_i, digits i and i+1 are one digit of extent
// n_i * n_{i+1}:
//
//     ((4,2),(4,3)):((4,16),(1,32))
//     offset = d0 * 4 + d1 mod 4 + (d1 floordiv 4) * 32
//
// The inverse searches the digits from the last to the first. For each it tries only values that
// leave an offset which the earlier digits can reach: within their span, and a multiple of the
// greatest common divisor of their strides. Layouts in use have one such value.
//
// spec/layout/nested_layout.h answers the same questions by definition, with the same errors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/lang/layout/nested.h"

namespace tileproof::impl {

class NestedLayout {
 public:
  // Errors: an invalid layout.
  static absl::StatusOr<NestedLayout> create(const tileproof::NestedLayout& layout);

  const tileproof::NestedLayout& layout() const { return layout_; }

  // Number of coordinates; number of positions from the lowest to the highest offset. Errors:
  // kOutOfRange.
  absl::StatusOr<int64_t> size() const;
  absl::StatusOr<int64_t> cosize() const;

  // crd2offset. A coordinate is nested like the layout, or has an integer in place of a tuple.
  absl::StatusOr<int64_t> offset(const Coordinate& coordinate) const;

  // The first coordinate with that offset, or nothing if there is none. Errors: kOutOfRange if
  // cosize() is; kResourceExhausted if too many digits overlap for the search.
  absl::StatusOr<std::optional<Coordinate>> coordinate_at(int64_t offset) const;

  // The offset as a formula of d0, d1, .., one variable for each mode.
  std::string formula() const;

 private:
  explicit NestedLayout(tileproof::NestedLayout layout) : layout_(std::move(layout)) {}

  tileproof::NestedLayout layout_;
};

// The integer that a coordinate of a mode is: `(1,2)` of the mode (4,3) is 1 + 2 * 4. As above, it
// may have an integer in place of a tuple. Errors: OutOfRange if the coordinate is not in the mode,
// InvalidArgument if it is not nested like it.
absl::StatusOr<int64_t> mode_index(const Coordinate& coordinate, const IntTuple& mode);

// MakeLayout and GetTileLayout of TLA.
//
// Every tag is written as digits: a row has the digits a0, a1, .., a column b0, b1, .., each
// beginning with the one that changes fastest, and memory lists all of them in its own order:
//
//     zN of 16 bits: a row is (16,rest), a column (16,rest), memory b0 a0 a1 b1
//
// A stride is the product of the digits before it in memory. spec/layout/nested_layout.h answers the
// same questions by a table of strides, with the same errors.

// MakeLayout. Ignores the rows of a vector. Errors: bits that do not divide 256, a negative size,
// an extent or stride that does not fit int64 (kOutOfRange).
absl::StatusOr<tileproof::NestedLayout> make_layout(Tag tag, int64_t element_bits, int64_t rows,
                                                    int64_t cols);
absl::StatusOr<tileproof::NestedLayout> make_layout(const TaggedShape& tagged);

// GetTileLayout: a layout of `tile` elements with the strides of `layout`.
absl::StatusOr<tileproof::NestedLayout> make_layout_tile(const tileproof::NestedLayout& layout,
                                                         absl::Span<const int64_t> tile);

}  // namespace tileproof::impl
