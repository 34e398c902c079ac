// Tiled layouts in closed form.
//
// A layout is compiled once, by letting the coordinates of an index go through transposing,
// combining, padding, splitting and moving as Numerals (impl/layout/digits.h) instead of numbers. What
// arrives is the offset as a formula in the coordinates, and, going the way back from an offset,
// the index as a formula in the offset with a check for each dimension that was padded. After that
// an answer costs a few multiplications and additions, whatever the size of the array.
//
//     bf16[16,256]{1,0:T(8,128)(2,1)}
//     offset = (d0 floordiv 8) * 2048 + ((d0 mod 8) floordiv 2) * 256 + d0 mod 2 + (d1 floordiv
//     128) * 1024 + (d1 mod 128) * 2
//
// An untiled array is the case of no tiles: XLA's IndexUtil.
// Source: seed "Tiled layout", "Linear index formula for tiling"; INTERFACE, section 2 "Layouts".
// The same questions are answered by definition in spec/layout/tiled_layout.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "impl/layout/closed_form.h"
#include "impl/layout/digits.h"
#include "spec/lang/layout/shape.h"

namespace tileproof::impl {

class TiledLayout {
 public:
  // Compiles an array's layout. Bounded dimensions count as their bound. Errors: a shape that is
  // not valid, an unbounded dimension, a tuple, token, opaque or buffer, a size that does not fit
  // int64.
  static absl::StatusOr<TiledLayout> create(const Shape& shape);

  const std::vector<int64_t>& logical() const { return logical_; }  // dimensions, as in the shape
  const std::vector<int64_t>& physical() const {
    return physical_;
  }                                               // major to minor, after all tiles
  int64_t elements() const { return elements_; }  // with all padding and the tail
  int64_t padding() const { return padding_; }    // how many of them hold no element of the array
  int64_t bytes() const { return bytes_; }        // ceil(elements * bits / 8)

  // The offset, in elements, of the element at a logical index. An error where the index is not in
  // the array.
  absl::StatusOr<int64_t> linearize(absl::Span<const int64_t> index) const;

  // The logical index of the element at an offset; nothing in padding and in the tail. An error
  // outside [0, elements).
  absl::StatusOr<std::optional<std::vector<int64_t>>> delinearize(int64_t offset) const;

  // The same without checks and allocations. linearize_unchecked: `index` is in the array.
  // delinearize_unchecked: `offset` is in [0, elements); false in padding; writes rank numbers to
  // `index`.
  int64_t linearize_unchecked(absl::Span<const int64_t> index) const;
  bool delinearize_unchecked(int64_t offset, absl::Span<int64_t> index) const;

  // The offset as a formula of d0, d1, ..; of an empty array "0".
  const std::string& formula() const { return formula_; }

  // The compiled programs: dims to offset, and offset to dims. Of an empty array they are empty.
  const ClosedForm& to_offset() const { return to_offset_; }
  const ClosedForm& to_index() const { return to_index_; }

 private:
  std::vector<int64_t> logical_;
  std::vector<int64_t> physical_;
  int64_t elements_ = 0;
  int64_t padding_ = 0;
  int64_t bytes_ = 0;
  std::string formula_;
  ClosedForm to_offset_;
  ClosedForm to_index_;
};

// The closed form of the physical index: coordinates d0, d1, .. to the index, major to minor, after
// all tiles; the offset is its row-major place. What a proof goes through on its way to the offset.
// Errors as for create; of an empty array it is empty.
absl::StatusOr<ClosedForm> physical_index(const Shape& shape);

// The offset as a sum of weighted digits of the coordinates; nothing where a tile cuts through
// digits. Of an array without elements there are none. Errors as for create.
absl::StatusOr<std::optional<std::vector<Numeral::Term>>> offset_digits(const Shape& shape);

}  // namespace tileproof::impl
