// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/swizzled_layout.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {

SwizzleWords words_of(const Swizzle& swizzle) {
  const int64_t mask = ((int64_t{1} << swizzle.bits) - 1) << swizzle.base;
  return {mask, std::max<int64_t>(swizzle.shift, 0), std::max<int64_t>(-swizzle.shift, 0)};
}

SwizzleWords words_of(const tileproof::SwizzledLayout& layout) {
  SwizzleWords words = words_of(layout.swizzle);
  if (!layout.pointer_bits) return words;
  const int64_t bits = *layout.pointer_bits;
  for (int64_t size = 8; size < bits; size *= 2) words.mask >>= 1;
  for (int64_t size = bits; size < 8; size *= 2) words.mask <<= 1;
  return words;
}

absl::StatusOr<int64_t> swizzled_positions(const SwizzleWords& words, int64_t greatest) {
  // All bits that an offset may have, and those of them that the swizzle changes.
  const int64_t bits = static_cast<int64_t>(
      (uint64_t{2} << (std::bit_width(static_cast<uint64_t>(greatest) | 1) - 1)) - 1);
  const int64_t changed = ((bits >> words.right) & words.mask) << words.left;
  const int64_t last = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(changed) + 1)) - 1;
  const std::optional<int64_t> positions = checked_add(greatest | last, 1);
  if (!positions) return absl::OutOfRangeError("expected offsets that fit 64 bits");
  return *positions;
}

absl::StatusOr<int64_t> swizzled(const Swizzle& swizzle, int64_t offset) {
  TRY(validate(swizzle));
  if (offset < 0) return absl::InvalidArgumentError("expected an offset of at least 0");
  return swizzled_word(words_of(swizzle), offset);
}

absl::StatusOr<SwizzledLayout> SwizzledLayout::create(const tileproof::SwizzledLayout& layout) {
  TRY(validate(layout));
  const std::vector<int64_t> strides = leaves(layout.layout.stride);
  if (std::any_of(strides.begin(), strides.end(), [](int64_t d) { return d < 0; })) {
    return absl::InvalidArgumentError("expected strides of at least 0");
  }
  NestedLayout nested = TRY(NestedLayout::create(layout.layout));
  const int64_t bytes = std::max<int64_t>(layout.pointer_bits.value_or(0) / 8, 1);
  return SwizzledLayout(std::move(nested), layout.start, bytes, words_of(layout));
}

absl::StatusOr<int64_t> SwizzledLayout::offset(const Coordinate& coordinate) const {
  const int64_t plain = TRY(nested_.offset(coordinate));
  const std::optional<int64_t> offset = checked_add(plain, start_);
  if (!offset || !checked_mul(*offset, bytes_)) {
    return absl::OutOfRangeError("the offset does not fit 64 signed bits");
  }
  return swizzled_word(words_, *offset);
}

absl::StatusOr<std::optional<Coordinate>> SwizzledLayout::coordinate_at(int64_t offset) const {
  if (offset < 0) return std::nullopt;
  const int64_t plain = swizzled_word(words_, offset) - start_;
  if (plain < 0) return std::nullopt;
  return nested_.coordinate_at(plain);
}

std::string SwizzledLayout::formula() const {
  const auto& [mask, right, left] = words_;
  const std::string x =
      absl::StrCat(nested_.formula(), start_ == 0 ? "" : absl::StrCat(" + ", start_));
  if (mask == 0) return x;
  const std::string moved = left == 0 ? absl::StrCat("(x >> ", right, ") & ", mask)
                                      : absl::StrCat("(x & ", mask, ") << ", left);
  return absl::StrCat("x ^ (", moved, "), x = ", x);
}

}  // namespace tileproof::impl
