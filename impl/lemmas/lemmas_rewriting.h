// SPDX-License-Identifier: Apache-2.0
// The rewriting lemmas: the steps to the normal form (floors, mods and linear combinations).
//
// Letters: x, y, A, B, M, R any integers; c, g, m, a, b divisors. Every lemma holds for all integers
// that satisfy its hypotheses, whatever their size.
#pragma once

#include "impl/lemmas/lemma.h"

namespace tileproof::impl {

// ---- What the checker of traces has built in (verify/trace/values.h) --------------------------

inline constexpr Lemma kNegativeDivisor{
    "negative-divisor",
    "the sign of the divisor goes to the dividend",
    {"x", "c"},
    [](auto x, auto c) { return given(c < 0).equal(floordiv(x, c), floordiv(-x, -c)); }};

inline constexpr Lemma kFloorDivByOne{
    "floordiv-by-one", "dividing by one changes nothing", {"x"}, [](auto x) {
      return always(x).equal(floordiv(x, literal(x, 1)), x);
    }};

// ---- Floors -----------------------------------------------------------------------------------

inline constexpr Lemma kPullMultiple{"pull-multiple",
                                     "multiples of the divisor come out of a floor",
                                     {"x", "y", "c"},
                                     [](auto x, auto y, auto c) {
                                       return given(c > 0).equal(floordiv(c * x + y, c),
                                                                 x + floordiv(y, c));
                                     }};

inline constexpr Lemma kOneCell{
    "one-cell",
    "a dividend inside one cell of the divisor has a constant floor",
    {"x", "c", "m"},
    [](auto x, auto c, auto m) {
      return given(c > 0, m * c <= x, x < (m + 1) * c).equal(floordiv(x, c), m);
    }};

inline constexpr Lemma kDropSmallPart{
    "drop-small-part",
    "a part that stays inside one cell of a factor g of the divisor counts as a constant",
    {"A", "B", "g", "c", "m"},
    [](auto A, auto B, auto g, auto c, auto m) {
      return given(g > 0, c > 0, m * g <= B, B < (m + 1) * g)
          .equal(floordiv(g * A + B, g * c), floordiv(A + m, c));
    }};

inline constexpr Lemma kCommonFactor{
    "common-factor",
    "a factor of dividend and divisor cancels",
    {"x", "g", "c"},
    [](auto x, auto g, auto c) {
      return given(g > 0, c > 0).equal(floordiv(g * x, g * c), floordiv(x, c));
    }};

inline constexpr Lemma kNestedFloor{
    "nested-floor", "two floors in a row are one", {"x", "a", "b"}, [](auto x, auto a, auto b) {
      return given(a > 0, b > 0).equal(floordiv(floordiv(x, a), b), floordiv(x, a * b));
    }};

inline constexpr Lemma kMergeInnerFloor{
    "merge-inner-floor",
    "a floor inside a floor with coefficient 1 merges",
    {"M", "R", "m", "c"},
    [](auto M, auto R, auto m, auto c) {
      return given(m > 0, c > 0).equal(floordiv(floordiv(M, m) + R, c), floordiv(M + m * R, m * c));
    }};

inline constexpr Lemma kMergeInnerNegatedFloor{"merge-inner-negated-floor",
                                               "a floor inside a floor with coefficient -1 merges",
                                               {"M", "R", "m", "c"},
                                               [](auto M, auto R, auto m, auto c) {
                                                 return given(m > 0, c > 0)
                                                     .equal(floordiv(R - floordiv(M, m), c),
                                                            floordiv(m * R - M + m - 1, m * c));
                                               }};

inline constexpr Lemma kNegatedFloor{
    "negated-floor", "a negated floor is a floor", {"M", "m"}, [](auto M, auto m) {
      return given(m > 0).equal(-floordiv(M, m), floordiv(-M + m - 1, m));
    }};

inline constexpr Lemma kTwoHalves{
    "two-halves",
    "two floors half a divisor apart are one finer floor",
    {"x", "m"},
    [](auto x, auto m) {
      const auto half = floordiv(mod(x, m * 2), m);  // 0 or 1
      return given(m > 0)
          .equal(floordiv(x, m * 2) + floordiv(x + m, m * 2), floordiv(x, m))
          .by(half >= 0, half <= 1, floordiv(x, m) == floordiv(x, m * 2) * 2 + half,
              floordiv(x + m, m * 2) == floordiv(x, m * 2) + half)
          .cases(half - 1);
    }};

// The range lemmas: bounds of a value from the bounds of its parts.
//
// Letters: [a, b] contains x, [c, d] contains y (closed intervals); m is a divisor; p is at most
// every corner of a product, and q at least every corner.

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
