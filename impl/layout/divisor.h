// SPDX-License-Identifier: Apache-2.0
// Division by a number that is known in advance and used many times.
//
//     x floordiv c   for 0 <= x < 2^63 and 1 <= c < 2^63, by one multiplication and a shift
//
// With l = ceil(log2 c) and M = ceil(2^(63+l) / c), the quotient is (x * M) >> (63 + l). Proof
// (lemma divide-by-multiplication): c*M exceeds 2^(63+l) by less than c <= 2^l, so x*M / 2^(63+l)
// exceeds x/c by less than x / (c * 2^63) < 1/c, which is too little to reach the next integer. M
// fits 64 bits unless c is a power of two; then the shift alone divides. Source: Granlund and
// Montgomery, "Division by invariant integers using multiplication", theorem 4.2.
//
//     c = 10    l = 4    M = ceil(2^67 / 10) = 14757395258967641293    (123 * M) >> 67 = 12
#pragma once

#include <bit>
#include <cstdint>

namespace tileproof::impl {

// ceil(x / n). Does not compute a rounded-up x, which might not fit.
inline int64_t ceil_div(int64_t x, int64_t n) { return x / n + (x % n != 0 ? 1 : 0); }

class Divisor {
 public:
  explicit Divisor(int64_t c)
      : divisor_(c), shift_(static_cast<int>(std::bit_width(static_cast<uint64_t>(c) - 1))) {
    if (std::has_single_bit(static_cast<uint64_t>(c))) return;
    const Wide power = Wide{1} << (63 + shift_);
    multiplier_ = static_cast<uint64_t>((power - 1) / static_cast<uint64_t>(c) + 1);
  }

  // A divisor with these numbers, right or wrong. Proofs check the numbers
  // (verify/prove/layout/word_arithmetic.h), and their tests need wrong ones.
  Divisor(int64_t c, uint64_t multiplier, int shift)
      : divisor_(c), multiplier_(multiplier), shift_(shift) {}

  int64_t value() const { return divisor_; }           // c; quotient() does not read it
  uint64_t multiplier() const { return multiplier_; }  // M; 0: c is a power of two
  int shift() const { return shift_; }                 // l
  bool operator==(const Divisor&) const = default;

  uint64_t quotient(uint64_t x) const {
    if (multiplier_ == 0) return x >> shift_;
    return static_cast<uint64_t>((Wide{x} * multiplier_) >> 63 >> shift_);
  }

 private:
  __extension__ using Wide = unsigned __int128;

  int64_t divisor_;
  uint64_t multiplier_ = 0;  // 0: a power of two
  int shift_;                // ceil(log2 divisor)
};

}  // namespace tileproof::impl
