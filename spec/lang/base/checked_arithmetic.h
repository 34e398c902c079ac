// Arithmetic on int64 that refuses to wrap.
//
// Each function gives the exact result, or nothing where it does not fit 64 signed bits. This is
// the only arithmetic that the reference and the closed forms share; it is the compiler's own.
#pragma once

#include <cstdint>
#include <optional>

namespace tileproof {

inline std::optional<int64_t> checked_add(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

inline std::optional<int64_t> checked_sub(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_sub_overflow(a, b, &result)) return std::nullopt;
  return result;
}

inline std::optional<int64_t> checked_mul(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

}  // namespace tileproof
