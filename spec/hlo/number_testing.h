// SPDX-License-Identifier: Apache-2.0
// For tests: a number type with no more than spec/hlo/access_function.h needs. Like the terms of
// proofs, its conditions are not known to be false until all is said.
#pragma once

#include <cstdint>

#include "spec/base/integers.h"

namespace tileproof::spec {

struct Sure {
  bool is;
  Sure(bool b) : is(b) {}  // NOLINT: a truth value
  friend Sure operator&&(const Sure& a, const Sure& b) { return a.is && b.is; }
  friend Sure operator||(const Sure& a, const Sure& b) { return a.is || b.is; }
  Sure operator!() const { return !is; }
};
struct Number {
  int64_t v;
  explicit Number(int64_t value) : v(value) {}
  Number operator+(const Number& other) const { return Number(v + other.v); }
  Number operator*(int64_t c) const { return Number(v * c); }
  Sure operator<(int64_t c) const { return v < c; }
  Sure operator==(const Number& other) const { return v == other.v; }
  friend Number floordiv(const Number& x, int64_t c) { return Number(spec::floordiv(x.v, c)); }
  friend Number mod(const Number& x, int64_t c) { return Number(spec::mod(x.v, c)); }
};

inline bool is_true(bool truth) { return truth; }
inline bool is_true(const Sure& truth) { return truth.is; }
inline int64_t number_of(int64_t number) { return number; }
inline int64_t number_of(const Number& number) { return number.v; }

}  // namespace tileproof::spec
