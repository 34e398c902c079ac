// Layouts as digits of coordinates: what tiled layouts, nested layouts and blocked formats have in
// common, and what one is turned into another through.
//
//     offset(e) = sum of ((e_d floordiv divisor) mod size) * stride over the digits
//
//     f16[64,96]{0,1:T(16,16)(16,1)}                 d1 floordiv 16 * 1024    d0 floordiv 16 * 256
//     zN:f16[64,96]                                  d0 mod 16 * 16           d1 mod 16
//     ((16,4),(16,6)):((16,256),(1,1024))
//     dnnl:BA16a16b:f16[64,96]
//
// The digits of a dimension are those of one mixed radix: the smallest divisor is 1, each next one
// is the one before times its size, and the last digit is all that is left of the coordinate. Every
// nested layout is of this kind, and every blocked format; of tiled layouts those in which no tile
// cuts through a digit (`T(8)(3)` does: 3 does not divide 8) or through a sum of two.
//
// What is made here is not proven here: verify/prove/layout/layout_equal.h does that.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/lang/layout/blocked.h"
#include "spec/lang/layout/nested.h"
#include "spec/lang/layout/shape.h"

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
  std::vector<LayoutDigit> digits;  // by their place in memory, major to minor; of an array without
                                    // elements there are none

  bool operator==(const DigitLayout&) const = default;
};

// ---- From the systems ----

// Errors: FailedPrecondition where a tile cuts through digits; else what TiledLayout::create says.
absl::StatusOr<DigitLayout> digits_of(const Shape& shape);

// The nested layout on an array of these dimensions, one for each mode, none larger than the mode.
// Errors: sizes that do not fit int64.
absl::StatusOr<DigitLayout> digits_of(const tileproof::NestedLayout& layout,
                                      std::vector<int64_t> dims);

// Errors: sizes that do not fit int64.
absl::StatusOr<DigitLayout> digits_of(const BlockedShape& shape);

// ---- The simplest form ----

// The same function with the fewest digits: no digit that is always 0, none that continues the one
// before it. Two layouts of one logical shape are equal exactly if these are, but for the order of
// digits of equal strides.
DigitLayout simplest(const DigitLayout& layout);

// ---- To the systems ----

// A mode for each dimension: an integer where it has one digit, else its digits, minor first.
// Always possible.
tileproof::NestedLayout to_nested(const DigitLayout& layout);

// Digits in the order of memory are dimensions after all tiles: minor_to_major and a first tile
// bring the outermost digits forward, and a further tile each run of digits that is not in order
// yet. Where strides leave gaps a dimension is padded. Errors: FailedPrecondition where no
// dimensions have these strides.
absl::StatusOr<Layout> to_tiled(const DigitLayout& layout);

// Errors: FailedPrecondition with the digit that has no place in a blocked format.
absl::StatusOr<BlockedFormat> to_blocked(const DigitLayout& layout);

}  // namespace tileproof::impl
