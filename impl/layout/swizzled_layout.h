// SPDX-License-Identifier: Apache-2.0
// Swizzled layouts of CuTe in closed form.
//
// A swizzle takes three operations on words. With mask = (2^bits - 1) * 2^base:
//
//     shift >= 0      x ^ ((x >> shift) & mask)            Sw<3,3,3>:    x ^ ((x >> 3) & 56)
//     shift < 0       x ^ ((x & mask) << -shift)           Sw<2,0,-3>:   x ^ ((x & 3) << 3)
//
// Behind a pointer to elements of 2^k bytes, the words are offsets of elements, so the mask is
// shifted by k to the right; k is negative for elements of less than a byte:
//
//     Sw<3,4,3> o smem_ptr[16b](unset)    x ^ ((x >> 3) & 56), the words of Sw<3,3,3>
//
// It is its own inverse. So the coordinate at an offset is that of the nested layout at the
// swizzled offset, minus the start.
//
// spec/layout/swizzled_layout.h defines the same bit by bit;
// verify/prove/layout/swizzle_proof.h proves that both agree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "impl/layout/nested_layout.h"
#include "spec/lang/layout/swizzled_text.h"

namespace tileproof::impl {

// x ^ (((x >> right) & mask) << left), where right or left is 0.
struct SwizzleWords {
  int64_t mask = 0;
  int64_t right = 0;
  int64_t left = 0;
};

// The swizzle, or the layout, is valid.
SwizzleWords words_of(const Swizzle& swizzle);
SwizzleWords words_of(const tileproof::SwizzledLayout& layout);

// The swizzle of x >= 0, on int64 or on any type of words.
template <class W>
W swizzled_word(const SwizzleWords& words, const W& x) {
  return x ^ (((x >> words.right) & words.mask) << words.left);
}

// The positions that offsets need whose greatest one was `greatest`, at least 0, before the swizzle:
// whole blocks, as the swizzle moves elements within a block. Sw<2,0,-3> on (4,3):(3,1) needs 32.
// Errors: more than int64 counts.
absl::StatusOr<int64_t> swizzled_positions(const SwizzleWords& words, int64_t greatest);

// Errors: an invalid swizzle; a negative offset.
absl::StatusOr<int64_t> swizzled(const Swizzle& swizzle, int64_t offset);

class SwizzledLayout {
 public:
  // Errors: an invalid layout; strides or a start below 0.
  static absl::StatusOr<SwizzledLayout> create(const tileproof::SwizzledLayout& layout);

  // The layout before the swizzle.
  const NestedLayout& nested() const { return nested_; }

  // Errors: those of NestedLayout::offset; behind a pointer, more than 2^63 bytes.
  absl::StatusOr<int64_t> offset(const Coordinate& coordinate) const;

  // The first coordinate with that offset, or nothing. Errors: those of NestedLayout.
  absl::StatusOr<std::optional<Coordinate>> coordinate_at(int64_t offset) const;

  // "x ^ ((x >> 3) & 56), x = d0 * 64 + d1"
  std::string formula() const;

 private:
  SwizzledLayout(NestedLayout nested, int64_t start, int64_t bytes, SwizzleWords words)
      : nested_(std::move(nested)), start_(start), bytes_(bytes), words_(words) {}

  NestedLayout nested_;
  int64_t start_;
  int64_t bytes_;  // of an element behind a pointer; else 1
  SwizzleWords words_;
};

}  // namespace tileproof::impl
