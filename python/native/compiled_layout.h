// SPDX-License-Identifier: Apache-2.0
// A layout of any system, compiled for Python.
//
//     f32[3,5]{1,0:T(2,2)}               impl::TiledLayout
//     ((2,2),3):((1,6),2)                a sum of digits (impl/layout/digit_layout.h)
//     zN:f16[64,96], dnnl:nChw16c:f32[2,32,5,5]
//
//     Sw<3,3,3> o 0 o (8,64):(64,1)      the same, its sum swizzled
//     memref<4x3xf32, strided<[4, 1], offset: 5>>
//
// A NESTED has one dimension for each mode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "impl/layout/digit_layout.h"
#include "impl/layout/swizzled_layout.h"
#include "impl/layout/tiled_layout.h"
#include "spec/lang/layout/any_layout.h"

namespace tileproof::python {

class CompiledLayout {
 public:
  // Errors: those of the text; no array; sizes or offsets beyond int64.
  static absl::StatusOr<CompiledLayout> create(absl::string_view text);

  const AnyLayout& layout() const { return layout_; }
  const std::vector<int64_t>& dims() const { return dims_; }
  // The nested shape of dimension d. Null if the system has no nested coordinates.
  const IntTuple* mode(size_t d) const;
  // As CuTe has it: (4,(2,3)); `dims` if the system has no nested coordinates.
  IntTuple shape() const;
  // Of the same nesting: in elements, before a swizzle. Nothing if a dimension has no stride.
  std::optional<IntTuple> stride() const;
  // With all padding. A NESTED, a SWIZZLED and a MEMREF allocate nothing: one more than the greatest
  // offset, and the rest of a block that a swizzle moves (impl/layout/swizzled_layout.h).
  int64_t elements() const { return elements_; }
  // Offsets without an element. Nothing if two elements may share one.
  std::optional<int64_t> padding() const { return padding_; }
  std::optional<int64_t> bits() const { return bits_; }  // of an element in memory
  std::optional<int> packed_bits() const;                // 1, 2 or 4: if several may share a byte
  std::optional<int64_t> bytes() const;                  // of all elements
  std::string formula() const;                           // "" if the system has none
  std::optional<std::string> element_type() const;

  // `index` must be in the array, `offset` in [0, elements).
  int64_t offset(const int64_t* index) const {
    if (tiled_) return tiled_->linearize_unchecked(absl::MakeConstSpan(index, dims_.size()));
    return impl::swizzled_word(sum_.words, sum_.start + impl::offset_of(sum_.layout, index));
  }
  // Writes the index, or returns false in padding. An error if two indices may share an offset.
  absl::StatusOr<bool> index(int64_t offset, int64_t* index) const;

  // The offsets of a row-major box of the array (impl/layout/offset_array.h).
  absl::Status offsets(absl::Span<const int64_t> begin, absl::Span<const int64_t> sizes,
                       absl::Span<int64_t> out) const;

 private:
  AnyLayout layout_;
  std::vector<int64_t> dims_;
  std::optional<NestedLayout> modes_;  // if the system has nested coordinates
  int64_t elements_ = 0;
  std::optional<int64_t> padding_ = 0;  // nothing: to be counted
  std::optional<int64_t> bits_;
  std::optional<impl::TiledLayout> tiled_;
  impl::DigitsFrom sum_;      // by falling stride
  bool is_injective_ = true;  // each stride exceeds the sum of all smaller digits
};

}  // namespace tileproof::python
