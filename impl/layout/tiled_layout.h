// SPDX-License-Identifier: Apache-2.0
// Tiled layouts in closed form.
//
// A layout is compiled once. The compiler passes the coordinates of an index, as Numerals
// (impl/layout/digits.h) instead of numbers, through transposing, combining, padding, splitting and
// moving. The result is the offset as a formula in the coordinates. In the other direction, the
// result is the index as a formula in the offset, with a check for each padded dimension. After
// that an answer costs a few multiplications and additions, whatever the size of the array.
//
//     bf16[16,256]{1,0:T(8,128)(2,1)}
//     offset = (d0 floordiv 8) * 2048 + ((d0 mod 8) floordiv 2) * 256 + d0 mod 2
//              + (d1 floordiv 128) * 1024 + (d1 mod 128) * 2
//
// An untiled array is the case without tiles (XLA's IndexUtil).
// Source: XLA, "Tiled layout", "Linear index formulas for tiling" (docs/sources.md).
// spec/layout/tiled_layout.h answers the same questions by definition.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "impl/layout/bit_form.h"
#include "impl/layout/closed_form.h"
#include "impl/layout/digits.h"
#include "spec/lang/layout/shape.h"

namespace tileproof::impl {

class TiledLayout {
 public:
  // Compiles the layout of an array. A bounded dimension counts as its bound. Errors: an invalid
  // shape, an unbounded dimension, a tuple, token, opaque or buffer, a size that does not fit
  // int64.
  static absl::StatusOr<TiledLayout> create(const Shape& shape);

  const std::vector<int64_t>& logical() const { return logical_; }  // dimensions, as in the shape
  const std::vector<int64_t>& physical() const {
    return physical_;
  }                                               // major to minor, after all tiles
  int64_t elements() const { return elements_; }  // with all padding and the tail
  int64_t padding() const { return padding_; }    // elements that hold no element of the array
  int64_t bytes() const { return bytes_; }        // ceil(elements * bits / 8)

  // The offset, in elements, of the element at a logical index. An error if the index is not in the
  // array.
  absl::StatusOr<int64_t> linearize(absl::Span<const int64_t> index) const;

  // The logical index of the element at an offset, or nothing in padding and in the tail. An error
  // if the offset is not in [0, elements).
  absl::StatusOr<std::optional<std::vector<int64_t>>> delinearize(int64_t offset) const;

  // The same without checks and allocations. `index` must be in the array, `offset` in
  // [0, elements). delinearize_unchecked writes rank numbers to `index`, and returns false in
  // padding.
  int64_t linearize_unchecked(absl::Span<const int64_t> index) const {
    if (moves_two_) [[likely]]
      return deposit_->output_of_two(index.data());
    return linearize_other(index);
  }
  bool delinearize_unchecked(int64_t offset, absl::Span<int64_t> index) const {
    if (extract_) return extract_->evaluate(offset, index);
    return evaluate(to_index_, absl::MakeConstSpan(&offset, 1), index);
  }

  // The offset as a formula of d0, d1, ..; "0" for an empty array.
  const std::string& formula() const { return formula_; }

  // The offset as a sum of weighted digits of the coordinates, by falling weight, or nothing if a tile
  // cuts through digits. No digits for an empty array.
  const std::optional<std::vector<Numeral::Term>>& digits() const { return digits_; }

  // The compiled programs: index to offset, and offset to index. Both are empty for an empty array.
  // They are what is executed: where bits are moved, they are made from the masks.
  const ClosedForm& to_offset() const { return to_offset_; }
  const ClosedForm& to_index() const { return to_index_; }

  // Whether the offset is a sum of one number for each coordinate: no tile cuts through digits.
  bool is_sum_of_parts() const { return to_offset_.sums.size() <= 1; }

  // The moves of bits that are executed, if the layout has them.
  const std::optional<DepositForm>& deposit_to_offset() const { return deposit_; }
  const std::optional<ExtractForm>& extract_to_index() const { return extract_; }

 private:
  // The offset of a layout that does not move the bits of two coordinates.
  int64_t linearize_other(absl::Span<const int64_t> index) const {
    if (deposit_) return deposit_->output(index.data());
    if (to_offset_.sums.size() == 1) return evaluate(to_offset_.sums[0], index.data());
    int64_t offset;
    evaluate(to_offset_, index, absl::MakeSpan(&offset, 1));
    return offset;
  }

  bool moves_two_ = false;  // deposit_ is there, and has two inputs: most arrays
  std::vector<int64_t> logical_;
  std::vector<int64_t> physical_;
  int64_t elements_ = 0;
  int64_t padding_ = 0;
  int64_t bytes_ = 0;
  std::string formula_;
  std::optional<std::vector<Numeral::Term>> digits_ = std::vector<Numeral::Term>();
  ClosedForm to_offset_;
  ClosedForm to_index_;
  std::optional<DepositForm> deposit_;
  std::optional<ExtractForm> extract_;
};

// The closed form of the physical index: from the coordinates d0, d1, .. to the index after all
// tiles, major to minor, whose row-major position is the offset. Proofs use it as an intermediate
// step. Errors: those of create. Empty for an empty array.
absl::StatusOr<ClosedForm> physical_index(const Shape& shape);

}  // namespace tileproof::impl
