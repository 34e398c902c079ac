// SPDX-License-Identifier: Apache-2.0
// The range lemmas: bounds of a value from the bounds of its parts.
//
// Letters: [a, b] contains x, [c, d] contains y (closed intervals); m is a divisor; p is at most
// every corner of a product, and q at least every corner.
#pragma once

#include "impl/lemmas/lemma.h"

namespace tileproof::impl {

inline constexpr Lemma kRangePoint{
    "range-point", "a value with equal bounds is a constant", {"x", "v"}, [](auto x, auto v) {
      return given(between(v, x, v)).equal(x, v);
    }};

inline constexpr Lemma kRangeProduct{
    "range-product",
    "a product lies between its extreme corners",
    {"x", "y", "a", "b", "c", "d", "p", "q"},
    [](auto x, auto y, auto a, auto b, auto c, auto d, auto p, auto q) {
      return given(between(a, x, b), between(c, y, d), between(p, a * c, q), between(p, a * d, q),
                   between(p, b * c, q), between(p, b * d, q))
          .holds(between(p, x * y, q))
          .cases(y, a, b);
    }};

inline constexpr Lemma kRangeFloorDivPositive{
    "range-floordiv-positive",
    "a floor by a positive divisor keeps the order of the bounds",
    {"x", "m", "a", "b"},
    [](auto x, auto m, auto a, auto b) {
      return given(m > 0, between(a, x, b))
          .holds(between(floordiv(a, m), floordiv(x, m), floordiv(b, m)));
    }};

inline constexpr Lemma kRangeModPositive{
    "range-mod-positive", "a mod lies in [0, m - 1]", {"x", "m"}, [](auto x, auto m) {
      return given(m > 0).holds(between(literal(x, 0), mod(x, m), m - 1));
    }};

inline constexpr Lemma kRangeHiddenMod{
    "range-hidden-mod",
    "a linear combination that contains k * (T mod m), written with a floor",
    {"T", "R", "k", "m", "a", "b"},
    [](auto T, auto R, auto k, auto m, auto a, auto b) {
      return given(k >= 0, m > 0, between(a, R, b))
          .holds(between(a, k * T - k * m * floordiv(T, m) + R, b + k * (m - 1)));
    }};

inline constexpr Lemma kRangeHiddenModNegative{
    "range-hidden-mod-negative",
    "the same with a negative factor",
    {"T", "R", "k", "m", "a", "b"},
    [](auto T, auto R, auto k, auto m, auto a, auto b) {
      return given(k <= 0, m > 0, between(a, R, b))
          .holds(between(a + k * (m - 1), k * T - k * m * floordiv(T, m) + R, b));
    }};

}  // namespace tileproof::impl
