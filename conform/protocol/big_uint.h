// Natural numbers of any size, for judging sizes that leave 64 bits.
//
// Plain and slow: digits of 32 bits, least significant first, without leading zeros. 2^64 is
// {0, 0, 1}, zero is {}. Only what exact_layout.h needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tileproof::conform {

class Natural {
 public:
  Natural() = default;
  Natural(int64_t value);  // value >= 0

  bool operator==(const Natural&) const = default;

  std::vector<uint32_t> digits;
};

bool operator<(const Natural& a, const Natural& b);
Natural operator+(const Natural& a, const Natural& b);
Natural operator-(const Natural& a, const Natural& b);  // a >= b
Natural operator*(const Natural& a, const Natural& b);

// The quotient and the remainder; b is not zero.
std::pair<Natural, Natural> divide(const Natural& a, const Natural& b);

// The value, where it fits.
std::optional<int64_t> to_int64(const Natural& a);

// Decimal.
std::string to_text(const Natural& a);

}  // namespace tileproof::conform
