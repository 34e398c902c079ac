// SPDX-License-Identifier: Apache-2.0
// Unsigned integers of any size, for judging sizes that exceed 64 bits.
//
// Simple and slow: 32-bit digits, least significant first, without leading zeros. 2^64 is
// {0, 0, 1}, zero is {}. Has only what exact_layout.h needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tileproof::conform {

class BigUint {
 public:
  BigUint() = default;
  BigUint(int64_t value);  // value >= 0

  bool operator==(const BigUint&) const = default;

  std::vector<uint32_t> digits;
};

bool operator<(const BigUint& a, const BigUint& b);
BigUint operator+(const BigUint& a, const BigUint& b);
BigUint operator-(const BigUint& a, const BigUint& b);  // a >= b
BigUint operator*(const BigUint& a, const BigUint& b);

// The quotient and the remainder; b is not zero.
std::pair<BigUint, BigUint> divide(const BigUint& a, const BigUint& b);

// The same as functions that generic code calls.
inline BigUint floordiv(const BigUint& a, const BigUint& b) { return divide(a, b).first; }
inline BigUint mod(const BigUint& a, const BigUint& b) { return divide(a, b).second; }

// The value, if it fits.
std::optional<int64_t> to_int64(const BigUint& a);

// Decimal.
std::string to_text(const BigUint& a);

}  // namespace tileproof::conform
