// SPDX-License-Identifier: Apache-2.0
// Integers that never wrap: 127 bits and a sign, or "too large".
//
// floordiv rounds toward minus infinity, whatever the signs. mod and ceildiv follow from it:
//
//     x            c     floordiv   mod    ceildiv
//     7            2     3          1      4
//     -7           2     -4         1      -3
//     7            -2    -4         -1     -3
//     -7           -2    3          -1     4
//
// A result that does not fit becomes "too large", and so does everything computed from it. A
// division by 0 also gives "too large"; callers must avoid it.
#pragma once

#include <cstdint>
#include <optional>

namespace tileproof::spec {

__extension__ typedef __int128 Wide;  // __extension__ silences -Wpedantic

struct Exact {
  std::optional<Wide> value;  // nullopt: too large
};

inline Exact exact(Wide value) { return Exact{value}; }

// Returns the value, or nullopt if it does not fit int64.
inline std::optional<int64_t> to_int64(const Exact& x) {
  if (!x.value || *x.value < INT64_MIN || *x.value > INT64_MAX) return std::nullopt;
  return static_cast<int64_t>(*x.value);
}

inline Exact operator+(const Exact& a, const Exact& b) {
  Wide sum;
  if (!a.value || !b.value || __builtin_add_overflow(*a.value, *b.value, &sum)) return {};
  return exact(sum);
}

inline Exact operator-(const Exact& a, const Exact& b) {
  Wide difference;
  if (!a.value || !b.value || __builtin_sub_overflow(*a.value, *b.value, &difference)) return {};
  return exact(difference);
}

inline Exact operator*(const Exact& a, const Exact& b) {
  Wide product;
  if (!a.value || !b.value || __builtin_mul_overflow(*a.value, *b.value, &product)) return {};
  return exact(product);
}

inline Exact operator-(const Exact& a) { return exact(0) - a; }

inline Exact floordiv(const Exact& x, const Exact& c) {
  if (!x.value || !c.value || *c.value == 0) return {};
  if (*c.value == -1) return -x;                  // the only quotient that may not fit
  const Wide towards_zero = *x.value / *c.value;  // C++ truncates
  const bool exactly = towards_zero * *c.value == *x.value;
  const bool negative = (*x.value < 0) != (*c.value < 0);
  return exact(!exactly && negative ? towards_zero - 1 : towards_zero);
}

inline Exact mod(const Exact& x, const Exact& c) { return x - c * floordiv(x, c); }

// For code that is generic over the number type: it multiplies and divides by int64 constants.
inline Exact operator*(const Exact& a, int64_t b) { return a * exact(b); }
inline Exact floordiv(const Exact& x, int64_t c) { return floordiv(x, exact(c)); }

}  // namespace tileproof::spec
