// SPDX-License-Identifier: Apache-2.0
// The range lemmas: bounds of a value from the bounds of its parts.
//
// Letters: [a, b] contains x, [c, d] contains y (closed intervals); m or y is a divisor. If the
// bounds of the result are a minimum and maximum over corners, p is a number that is at most every
// corner, and q one that is at least every corner.
#pragma once

#include "impl/lemmas/lemma.h"

namespace tileproof::impl {

inline constexpr Lemma kRangePoint{
    "range-point", "a value with equal bounds is a constant", {"x", "v"}, [](auto x, auto v) {
      return given(between(v, x, v)).equal(x, v);
    }};

inline constexpr Lemma kRangeSum{
    "range-sum",
    "the bounds of a sum are the sums of the bounds",
    {"x", "y", "a", "b", "c", "d"},
    [](auto x, auto y, auto a, auto b, auto c, auto d) {
      return given(between(a, x, b), between(c, y, d)).holds(between(a + c, x + y, b + d));
    }};

inline constexpr Lemma kRangeScalePositive{
    "range-scale-positive",
    "a positive factor keeps the order of the bounds",
    {"x", "k", "a", "b"},
    [](auto x, auto k, auto a, auto b) {
      return given(k >= 0, between(a, x, b)).holds(between(k * a, k * x, k * b));
    }};

inline constexpr Lemma kRangeScaleNegative{
    "range-scale-negative",
    "a negative factor swaps the bounds",
    {"x", "k", "a", "b"},
    [](auto x, auto k, auto a, auto b) {
      return given(k <= 0, between(a, x, b)).holds(between(k * b, k * x, k * a));
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

inline constexpr Lemma kRangeFloorDivNegative{
    "range-floordiv-negative",
    "a floor by a negative divisor swaps the bounds",
    {"x", "m", "a", "b"},
    [](auto x, auto m, auto a, auto b) {
      return given(m < 0, between(a, x, b))
          .holds(between(floordiv(b, m), floordiv(x, m), floordiv(a, m)));
    }};

inline constexpr Lemma kRangeCeilDivPositive{
    "range-ceildiv-positive",
    "rounding up by a positive divisor keeps the order of the bounds",
    {"x", "m", "a", "b"},
    [](auto x, auto m, auto a, auto b) {
      return given(m > 0, between(a, x, b))
          .holds(between(ceildiv(a, m), ceildiv(x, m), ceildiv(b, m)));
    }};

inline constexpr Lemma kRangeCeilDivNegative{
    "range-ceildiv-negative",
    "rounding up by a negative divisor swaps the bounds",
    {"x", "m", "a", "b"},
    [](auto x, auto m, auto a, auto b) {
      return given(m < 0, between(a, x, b))
          .holds(between(ceildiv(b, m), ceildiv(x, m), ceildiv(a, m)));
    }};

inline constexpr Lemma kRangeModPositive{
    "range-mod-positive", "a mod lies in [0, m - 1]", {"x", "m"}, [](auto x, auto m) {
      return given(m > 0).holds(between(literal(x, 0), mod(x, m), m - 1));
    }};

inline constexpr Lemma kRangeModNegative{
    "range-mod-negative",
    "a mod with a negative modulus lies in [m + 1, 0]",
    {"x", "m"},
    [](auto x, auto m) { return given(m < 0).holds(between(m + 1, mod(x, m), literal(x, 0))); }};

inline constexpr Lemma kRangeModOneCell{
    "range-mod-one-cell",
    "a mod of an operand inside one cell is as narrow as the operand",
    {"x", "m", "k", "a", "b"},
    [](auto x, auto m, auto k, auto a, auto b) {
      return given(m > 0, between(a, x, b), k * m <= a, b < (k + 1) * m)
          .holds(between(a - k * m, mod(x, m), b - k * m))
          .by(floordiv(x, m) == k);
    }};

inline constexpr Lemma kRangeModOfNonNegative{
    "range-mod-of-nonnegative",
    "a mod of a non-negative operand is at most the operand",
    {"x", "m"},
    [](auto x, auto m) {
      return given(m > 0, x >= 0).holds(mod(x, m) <= x).by(floordiv(x, m) >= 0);
    }};

inline constexpr Lemma kRangeModOfMultiples{
    "range-mod-of-multiples",
    "a number with residue r modulo a factor g of the modulus has a mod with residue r",
    {"x", "g", "r", "m"},
    [](auto x, auto g, auto r, auto m) {
      return given(g > 0, m > 0, index_of(r, g))
          .holds(between(r, mod(g * x + r, g * m), g * m - g + r))
          .by(floordiv(g * x + r, g * m) == floordiv(x, m),
              mod(g * x + r, g * m) == g * mod(x, m) + r);
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

inline constexpr Lemma kRangeFloorOfSum{
    "range-floor-of-sum",
    "a floor of a sum exceeds the sum of the floors by at most one",
    {"x", "y", "m"},
    [](auto x, auto y, auto m) {
      return given(m > 0).holds(between(floordiv(x, m) + floordiv(y, m), floordiv(x + y, m),
                                        floordiv(x, m) + floordiv(y, m) + 1));
    }};

inline constexpr Lemma kRangeFloorDivByInterval{
    "range-floordiv-by-interval",
    "a floor by a positive divisor that varies lies between its extreme corners",
    {"x", "y", "a", "b", "c", "d", "p", "q"},
    [](auto x, auto y, auto a, auto b, auto c, auto d, auto p, auto q) {
      return given(c > 0, between(a, x, b), between(c, y, d), p <= floordiv(a, c),
                   p <= floordiv(a, d), floordiv(b, c) <= q, floordiv(b, d) <= q)
          .holds(between(p, floordiv(x, y), q))
          .by(p * c <= a, p * d <= a, b < (q + 1) * c, b < (q + 1) * d, p * y <= a, b < (q + 1) * y)
          .cases(p, q + 1);
    }};

inline constexpr Lemma kRangeModByInterval{
    "range-mod-by-interval",
    "a mod by a positive modulus that varies is below its largest value",
    {"x", "y", "c", "d"},
    [](auto x, auto y, auto c, auto d) {
      return given(c > 0, between(c, y, d)).holds(between(literal(x, 0), mod(x, y), d - 1));
    }};

}  // namespace tileproof::impl
