// SPDX-License-Identifier: Apache-2.0
// Layouts whose tiles and numbers of tiles are powers of two: each bit of the offset is a bit of
// one coordinate. The processor moves such bits in one instruction (BMI2: pdep and pext).
//
//     f32[512,1024]{1,0:T(8,128)}      offset = deposit(x0, ..11111110001110000000)
//                                             + deposit(x1, ..00000001110001111111)
//     deposit(x, mask)     puts the bits of x, lowest first, to the set bits of the mask
//     extract(x, mask)     the inverse: takes the set bits of the mask
//
// In terms of floors, a run of n set bits at position p, whose lowest is the s-th set bit, is
//
//     2^p * (x floordiv 2^s) - 2^(p+n) * (x floordiv 2^(s+n))       deposit
//     2^s * (x floordiv 2^p) - 2^(s+n) * (x floordiv 2^(p+n))       extract
//
// and the last run has no second term.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "impl/layout/digits.h"

namespace tileproof::impl {

#ifdef __x86_64__
inline uint64_t deposit(uint64_t x, uint64_t mask) {
  uint64_t result;
  asm("pdep %2, %1, %0" : "=r"(result) : "r"(x), "rm"(mask));
  return result;
}
inline uint64_t extract(uint64_t x, uint64_t mask) {
  uint64_t result;
  asm("pext %2, %1, %0" : "=r"(result) : "r"(x), "r"(mask));
  return result;
}
#else
inline uint64_t deposit(uint64_t, uint64_t) { return 0; }  // never called: has_bit_moves()
inline uint64_t extract(uint64_t, uint64_t) { return 0; }
#endif

// Whether this processor has the two instructions.
bool has_bit_moves();

// One output: the sum of one deposit for each input.
class DepositForm {
 public:
  // The sum of digits of inputs, by falling weight. Nothing if it is not of this kind or has more than
  // kMostInputs inputs, or the processor lacks the instructions.
  static std::optional<DepositForm> of(const std::vector<Numeral::Term>& digits, size_t inputs);
  static constexpr size_t kMostInputs = 8;

  // What is executed, made from the masks.
  ClosedForm closed_form() const;

  size_t inputs() const { return inputs_; }

  int64_t output(const int64_t* inputs) const {
    uint64_t sum = 0;
    for (size_t i = 0; i < inputs_; ++i) sum += moved(inputs, i);
    return static_cast<int64_t>(sum);
  }
  // The same for a form of two inputs.
  int64_t output_of_two(const int64_t* inputs) const {
    return static_cast<int64_t>(moved(inputs, 0) + moved(inputs, 1));
  }

 private:
  uint64_t moved(const int64_t* inputs, size_t i) const {
    return deposit(static_cast<uint64_t>(inputs[i]), masks_[i]);
  }

  size_t inputs_ = 0;
  std::array<uint64_t, kMostInputs> masks_ = {};
};

// One input: each output and each checked value is an extract.
class ExtractForm {
 public:
  // Like Digits::compile, of numerals of one input.
  static std::optional<ExtractForm> of(const Digits& digits, const std::vector<Numeral>& outputs,
                                       const std::vector<std::pair<Numeral, int64_t>>& checks);
  ClosedForm closed_form() const;

  // Like evaluate of impl/layout/closed_form.h.
  bool evaluate(int64_t input, absl::Span<int64_t> results) const {
    const auto x = static_cast<uint64_t>(input);
    for (const Checked& check : checks_) {
      if (extract(x, check.mask) >= check.bound) return false;
    }
    for (size_t i = 0; i < results.size(); ++i)
      results[i] = static_cast<int64_t>(extract(x, masks_[i]));
    return true;
  }

 private:
  struct Checked {
    uint64_t mask, bound;
  };
  std::vector<uint64_t> masks_;  // by output
  std::vector<Checked> checks_;
};

}  // namespace tileproof::impl
