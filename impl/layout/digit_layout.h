// SPDX-License-Identifier: Apache-2.0
// Layouts as digits of coordinates: the common form of tiled layouts, nested layouts and blocked
// formats, and the intermediate form of conversions between them.
//
//     offset(e) = sum of ((e_d floordiv divisor) mod size) * stride over the digits
//
// One layout in three systems, and its digits:
//
//     f16[64,96]{0,1:T(16,16)(16,1)}                 d1 floordiv 16 * 1024    d0 floordiv 16 * 256
//     zN:f16[64,96]                                  d0 mod 16 * 16           d1 mod 16
//     ((16,4),(16,6)):((16,256),(1,1024))
//     dnnl:BA16a16b:f16[64,96]
//
// The digits of a dimension belong to one mixed radix: the smallest divisor is 1, each next divisor
// is the one before times its size, and the last digit is the whole remaining quotient. Every
// nested layout and every blocked format has this form. A tiled layout has it unless a tile cuts
// through a digit (`T(8)(3)` does: 3 does not divide 8) or through a sum of two.
//
// Nothing is proven here; verify/prove/layout/layout_equal.h proves conversions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "impl/layout/swizzled_layout.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/blocked.h"
#include "spec/lang/layout/nested.h"
#include "spec/lang/layout/shape.h"
#include "spec/lang/map/indexing_map.h"
#include "spec/lang/map/memref_text.h"

namespace tileproof::impl {

struct LayoutDigit {
  int64_t dimension;
  int64_t divisor;
  int64_t size;  // at least 1
  int64_t stride;

  bool operator==(const LayoutDigit&) const = default;
};

struct DigitLayout {
  std::vector<int64_t> dims;        // logical
  std::vector<LayoutDigit> digits;  // in memory order, major to minor; empty if the array is empty

  bool operator==(const DigitLayout&) const = default;
};

// ---- From the systems ----

// Errors: FailedPrecondition if a tile cuts through digits; else the errors of TiledLayout::create.
absl::StatusOr<DigitLayout> digits_of(const Shape& shape);

// The nested layout of an array with these dimensions: one for each mode, none larger than the
// mode.
// Errors: sizes that do not fit int64.
absl::StatusOr<DigitLayout> digits_of(const tileproof::NestedLayout& layout,
                                      std::vector<int64_t> dims);

// Errors: sizes that do not fit int64.
absl::StatusOr<DigitLayout> digits_of(const BlockedShape& shape);

// The offset is swizzled_word(words, start + the digits).
struct DigitsFrom {
  int64_t start = 0;
  DigitLayout layout;
  SwizzleWords words;
};

// Errors: FailedPrecondition if the offset is no sum of digits.
absl::StatusOr<DigitsFrom> digits_from(const MemRef& memref);

// A layout of any system. A NESTED or SWIZZLED is taken as that of an array with these dimensions;
// without them, as that of its modes. Errors: as above; those of the layout.
absl::StatusOr<DigitsFrom> digits_from(const AnyLayout& layout,
                                       const std::vector<int64_t>* dims = nullptr);

// The offset of an index by the digits alone.
inline int64_t offset_of(const DigitLayout& layout, const int64_t* index) {
  int64_t offset = 0;
  for (const LayoutDigit& digit : layout.digits)
    offset += index[digit.dimension] / digit.divisor % digit.size * digit.stride;
  return offset;
}

// The offset as a formula of d0, d1, ..; empty if the layout is not valid.
std::string formula_of(const AnyLayout& layout);

// ---- The way back ----

// Whether each stride exceeds the sum of all smaller digits, so that no two indices share an offset.
// The strides are at least 0, and the offsets fit int64.
bool are_digits_nested(const DigitLayout& layout);

// The map from an offset in [0, elements) to the index whose offset is swizzled_word(words, start +
// its digits); outside of its domain no element is there. Each digit is a quotient of what the
// greater strides left:
//
//     d0 * 8 + d1 of [4,8]      (d0) -> (d0 floordiv 8, (d0 mod 8) floordiv 1), domain: ..
//
// Nothing if the digits are not nested, or there are no elements. Not simplified.
std::optional<IndexingMap> inverse_map(const DigitLayout& layout, int64_t start,
                                       const SwizzleWords& words, int64_t elements);

// ---- The simplest form ----

// The same function with the fewest digits: without digits that are always 0, and with each digit
// that continues the one before merged into it. Two layouts of one logical shape are equal exactly
// if their simplest forms are, up to the order of digits with equal strides.
DigitLayout simplest(const DigitLayout& layout);

// ---- To the systems ----

// One mode for each dimension: an integer if it has one digit, else a tuple of digits, minor first.
// Always possible.
tileproof::NestedLayout to_nested(const DigitLayout& layout);

// In a tiled layout with these digits, the digits in memory order are the dimensions after all
// tiles. minor_to_major and a first tile bring the outermost digits to the front; each further tile
// does so for a run of digits that is not in order yet. A gap between strides is padding of a
// dimension. Errors: FailedPrecondition if no dimensions have these strides.
absl::StatusOr<Layout> to_tiled(const DigitLayout& layout);

// Errors: FailedPrecondition, naming a digit that no blocked format can express.
absl::StatusOr<BlockedFormat> to_blocked(const DigitLayout& layout);

}  // namespace tileproof::impl
