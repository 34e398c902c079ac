// SPDX-License-Identifier: Apache-2.0
// Arithmetic on int64 that reports overflow.
//
// Each function returns the exact result, or nullopt if it does not fit int64. This is the only
// arithmetic that the reference and the closed forms share; it consists of compiler built-ins.
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
