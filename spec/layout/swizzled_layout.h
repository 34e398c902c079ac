// SPDX-License-Identifier: Apache-2.0
// Swizzles of CuTe: the definition.
//
// A swizzle Sw<bits,base,shift> replaces bits of an offset x. With the bits x_t = (x floordiv 2^t)
// mod 2, for each i in [base, base + bits)
//
//     shift >= 0      x_i            becomes   x_i xor x_(i + shift)
//     shift < 0       x_(i - shift)  becomes   x_(i - shift) xor x_i
//
// and a xor b is (a + b) mod 2. As bits <= |shift|, no bit that changes is read for another one.
//
//     Sw<1,0,1>:  0, 1, 3, 2, 4, 5, 7, 6, ..
//
// Without a pointer, x is an offset of elements. Behind a pointer, smem_ptr[Nb], x is the address of
// the byte in which an element of N bits begins. An element of less than a byte keeps its place in
// the byte.
//
//     Sw<3,4,3> o smem_ptr[16b](unset): element 64 begins at byte 128, which becomes byte 144, so
//     the element is at 72.    Sw<3,4,3> o 0: it stays at 64.
//
// impl/layout/swizzled_layout.h computes the same with three operations on words.
// Source: CuTe's documentation, "Swizzle"; for pointers, its pointer_swizzle.hpp.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "spec/base/integers.h"
#include "spec/lang/layout/layout_algebra.h"
#include "spec/lang/layout/swizzled_text.h"

namespace tileproof::spec {

// The swizzle of x >= 0, for any number type. The swizzle is valid.
template <class N>
N swizzled_number(const Swizzle& swizzle, const N& x) {
  const auto bit = [&x](int64_t t) { return mod(floordiv(x, int64_t{1} << t), 2); };
  N result = x;
  for (int64_t i = swizzle.base; i < swizzle.base + swizzle.bits; ++i) {
    const int64_t target = swizzle.shift < 0 ? i - swizzle.shift : i;
    const int64_t source = swizzle.shift < 0 ? i : i + swizzle.shift;
    const N before = bit(target);
    const N after = mod(before + bit(source), 2);
    result = result + (after + before * -1) * (int64_t{1} << target);
  }
  return result;
}

// The offset of the element at x >= 0 before the swizzle, both counted in elements. The layout is
// valid, and with a pointer the bytes of x are less than 2^63.
template <class N>
N swizzled_element(const SwizzledLayout& layout, const N& x) {
  if (!layout.pointer_bits) return swizzled_number(layout.swizzle, x);
  const int64_t bits = *layout.pointer_bits;
  if (bits < 8) {
    const int64_t in_byte = 8 / bits;
    const N byte = swizzled_number(layout.swizzle, floordiv(x, in_byte));
    return byte * in_byte + mod(x, in_byte);
  }
  return floordiv(swizzled_number(layout.swizzle, x * (bits / 8)), bits / 8);
}

// Errors: an invalid swizzle; a negative offset.
absl::StatusOr<int64_t> swizzled(const Swizzle& swizzle, int64_t offset);

}  // namespace tileproof::spec
