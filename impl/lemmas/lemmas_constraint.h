// SPDX-License-Identifier: Apache-2.0
// The constraint lemmas: changes to a domain that keep its set of points.
//
// A constraint says that an expression lies in a closed interval. `equivalent` replaces constraints
// by others with the same points, `never` shows that the domain is empty, and `holds` adds a bound
// that follows.
//
// Letters: x an expression, [l, h] its interval, [a, b] its range; c, g, m divisors; r a residue;
// u, v the coefficients of Bezout's identity u*a + v*b = 1, which exist exactly if a and b are
// coprime (found by Euclid's algorithm).
#pragma once

#include "impl/lemmas/lemma.h"

namespace tileproof::impl {

// ---- One interval -----------------------------------------------------------------------------

inline constexpr Lemma kConstraintScalePositive{
    "constraint-scale-positive",
    "a positive factor goes into the interval, rounded inwards",
    {"x", "c", "l", "h"},
    [](auto x, auto c, auto l, auto h) {
      return given(c > 0).equivalent(between(l, c * x, h),
                                     between(ceildiv(l, c), x, floordiv(h, c)));
    }};

inline constexpr Lemma kConstraintFloorDiv{"constraint-floordiv",
                                           "a floor in an interval is its dividend in an interval",
                                           {"x", "c", "l", "h"},
                                           [](auto x, auto c, auto l, auto h) {
                                             return given(c > 0).equivalent(
                                                 between(l, floordiv(x, c), h),
                                                 between(l * c, x, h * c + c - 1));
                                           }};

inline constexpr Lemma kConstraintDropSmallPart{
    "constraint-drop-small-part",
    "a part too small to change the rounded ends is dropped",
    {"A", "B", "g", "a", "b", "l", "h", "p", "q"},
    [](auto A, auto B, auto g, auto a, auto b, auto l, auto h, auto p, auto q) {
      return given(g > 0, between(a, B, b), ceildiv(l - a, g) == p, ceildiv(l - b, g) == p,
                   floordiv(h - a, g) == q, floordiv(h - b, g) == q)
          .equivalent(between(l, g * A + B, h), between(p, A, q));
    }};

inline constexpr Lemma kConstraintDropSmallPartBelow{
    "constraint-drop-small-part-below",
    "a part too small to change the rounded lower end is dropped",
    {"A", "B", "g", "a", "b", "l", "p"},
    [](auto A, auto B, auto g, auto a, auto b, auto l, auto p) {
      return given(g > 0, between(a, B, b), ceildiv(l - a, g) == p, ceildiv(l - b, g) == p)
          .equivalent(all(l <= g * A + B), all(p <= A));
    }};

inline constexpr Lemma kConstraintDropSmallPartAbove{
    "constraint-drop-small-part-above",
    "a part too small to change the rounded upper end is dropped",
    {"A", "B", "g", "a", "b", "h", "q"},
    [](auto A, auto B, auto g, auto a, auto b, auto h, auto q) {
      return given(g > 0, between(a, B, b), floordiv(h - a, g) == q, floordiv(h - b, g) == q)
          .equivalent(all(g * A + B <= h), all(A <= q));
    }};

inline constexpr Lemma kConstraintIntersect{
    "constraint-intersect",
    "two intervals of one expression are their intersection",
    {"x", "l", "h", "a", "b", "p", "q"},
    [](auto x, auto l, auto h, auto a, auto b, auto p, auto q) {
      return given(p >= l, p >= a, (p - l) * (p - a) == 0, q <= h, q <= b, (h - q) * (b - q) == 0)
          .equivalent(all(between(l, x, h), between(a, x, b)), between(p, x, q));
    }};

// ---- What always or never holds ---------------------------------------------------------------

inline constexpr Lemma kConstraintAlways{
    "constraint-always",
    "an interval that contains the whole range is redundant",
    {"x", "a", "b", "l", "h"},
    [](auto x, auto a, auto b, auto l, auto h) {
      return given(between(a, x, b), l <= a, b <= h).holds(between(l, x, h));
    }};

inline constexpr Lemma kConstraintNever{
    "constraint-never",
    "an interval above the range leaves no point",
    {"x", "b", "l", "h"},
    [](auto x, auto b, auto l, auto h) { return given(x <= b, b < l).never(between(l, x, h)); }};

inline constexpr Lemma kConstraintNeverBelow{
    "constraint-never-below",
    "an interval below the range leaves no point",
    {"x", "a", "l", "h"},
    [](auto x, auto a, auto l, auto h) { return given(a <= x, h < a).never(between(l, x, h)); }};

// ---- Bounds from sums -------------------------------------------------------------------------

inline constexpr Lemma kBoundFromSum{
    "bound-from-sum",
    "a constrained sum bounds each term",
    {"x", "R", "c", "a", "b", "l", "h"},
    [](auto x, auto R, auto c, auto a, auto b, auto l, auto h) {
      return given(c > 0, between(a, R, b), between(l, c * x + R, h))
          .holds(between(ceildiv(l - b, c), x, floordiv(h - a, c)));
    }};

inline constexpr Lemma kBoundFromSumNegative{
    "bound-from-sum-negative",
    "the same for a negative coefficient",
    {"x", "R", "c", "a", "b", "l", "h"},
    [](auto x, auto R, auto c, auto a, auto b, auto l, auto h) {
      return given(c < 0, between(a, R, b), between(l, c * x + R, h))
          .holds(between(ceildiv(h - a, c), x, floordiv(l - b, c)));
    }};

// ---- Congruences ------------------------------------------------------------------------------

inline constexpr Lemma kCongruenceDivide{
    "congruence-divide",
    "a coefficient a that is coprime to the modulus is divided out (u*a = 1 - v*m)",
    {"x", "a", "m", "u", "v", "r"},
    [](auto x, auto a, auto m, auto u, auto v, auto r) {
      return given(m > 0, u * a + v * m == 1, index_of(r, m))
          .equivalent(all(mod(a * x, m) == r), all(mod(x, m) == mod(u * r, m)))
          .by(floordiv(x, m) == floordiv(u * r, m) + u * floordiv(a * x, m) + v * x)
          .back_by(floordiv(a * x, m) == a * (floordiv(x, m) - floordiv(u * r, m)) - v * r);
    }};

inline constexpr Lemma kCongruenceMerge{
    "congruence-merge",
    "two congruences merge (Chinese remainder): the moduli g*a and g*b have gcd g, the residues "
    "differ by g*k",
    {"x", "g", "a", "b", "u", "v", "r", "k"},
    [](auto x, auto g, auto a, auto b, auto u, auto v, auto r, auto k) {
      const auto A = floordiv(x, g * a), B = floordiv(x, g * b);
      const auto s = r + g * a * u * k;
      const auto D = floordiv(x, g * a * b) - floordiv(s, g * a * b);
      return given(g > 0, a > 0, b > 0, u * a + v * b == 1, index_of(r, g * a),
                   index_of(r + g * k, g * b))
          .equivalent(all(mod(x, g * a) == r, mod(x, g * b) == r + g * k),
                      all(mod(x, g * a * b) == mod(s, g * a * b)))
          .by(a * A == b * B + k, A - u * k == b * (v * A + u * B), D == v * A + u * B)
          .back_by(A == u * k + b * D, B == a * D - v * k);
    }};

inline constexpr Lemma kCongruenceContradiction{
    "congruence-contradiction",
    "two congruences whose residues differ modulo a common factor of the moduli",
    {"x", "g", "a", "b", "r", "s"},
    [](auto x, auto g, auto a, auto b, auto r, auto s) {
      return given(g > 0, a > 0, b > 0, mod(r - s, g) > 0)
          .never(mod(x, g * a) == r, mod(x, g * b) == s)
          .by(floordiv(r - s, g) == b * floordiv(x, g * b) - a * floordiv(x, g * a));
    }};

inline constexpr Lemma kCongruenceLowerBound{"congruence-lower-bound",
                                             "the least number >= l with residue r",
                                             {"x", "m", "r", "l"},
                                             [](auto x, auto m, auto r, auto l) {
                                               return given(m > 0, mod(x, m) == r)
                                                   .equivalent(all(l <= x),
                                                               all(l + mod(r - l, m) <= x))
                                                   .by(-floordiv(r - l, m) <= floordiv(x, m));
                                             }};

inline constexpr Lemma kCongruenceUpperBound{"congruence-upper-bound",
                                             "the greatest number <= h with residue r",
                                             {"x", "m", "r", "h"},
                                             [](auto x, auto m, auto r, auto h) {
                                               return given(m > 0, mod(x, m) == r)
                                                   .equivalent(all(x <= h),
                                                               all(x <= h - mod(h - r, m)))
                                                   .by(floordiv(x, m) <= floordiv(h - r, m));
                                             }};

inline constexpr Lemma kResidueIntervalLowerBelow{
    "residue-interval-lower-below",
    "x has a residue of at least l; a lower bound with a residue below l moves up to l",
    {"x", "m", "l", "a"},
    [](auto x, auto m, auto l, auto a) {
      return given(m > 0, l <= mod(x, m), mod(a, m) <= l)
          .equivalent(all(a <= x), all(a - mod(a, m) + l <= x))
          .by(floordiv(a, m) <= floordiv(x, m));
    }};

inline constexpr Lemma kResidueIntervalLowerAbove{
    "residue-interval-lower-above",
    "x has a residue in [l, h]; a lower bound with a residue above h moves up to l in the next "
    "period",
    {"x", "m", "l", "h", "a"},
    [](auto x, auto m, auto l, auto h, auto a) {
      return given(m > 0, l >= 0, between(l, mod(x, m), h), mod(a, m) > h)
          .equivalent(all(a <= x), all(a - mod(a, m) + m + l <= x))
          .by(floordiv(a, m) + 1 <= floordiv(x, m))
          .back_by(floordiv(a, m) + 1 <= floordiv(x, m));
    }};

inline constexpr Lemma kResidueIntervalUpperAbove{
    "residue-interval-upper-above",
    "x has a residue of at most h; an upper bound with a residue above h moves down to h",
    {"x", "m", "h", "b"},
    [](auto x, auto m, auto h, auto b) {
      return given(m > 0, mod(x, m) <= h, mod(b, m) >= h)
          .equivalent(all(x <= b), all(x <= b - mod(b, m) + h))
          .by(floordiv(x, m) <= floordiv(b, m));
    }};

inline constexpr Lemma kResidueIntervalUpperBelow{
    "residue-interval-upper-below",
    "x has a residue in [l, h]; an upper bound with a residue below l moves down to h in the "
    "period before",
    {"x", "m", "l", "h", "b"},
    [](auto x, auto m, auto l, auto h, auto b) {
      return given(m > 0, h < m, between(l, mod(x, m), h), mod(b, m) < l)
          .equivalent(all(x <= b), all(x <= b - mod(b, m) - m + h))
          .by(floordiv(x, m) <= floordiv(b, m) - 1)
          .back_by(floordiv(x, m) <= floordiv(b, m) - 1);
    }};

// ---- Intervals of residues ---------------------------------------------------------------------

inline constexpr Lemma kResidueShift{
    "residue-shift",
    "a constant goes into an interval of residues that stays in one piece",
    {"x", "k", "m", "l", "h", "p"},
    [](auto x, auto k, auto m, auto l, auto h, auto p) {
      return given(m > 0, l >= 0, h < m, m * p <= l - k, h - k < m * (p + 1))
          .equivalent(between(l, mod(x + k, m), h),
                      between(l - k - m * p, mod(x, m), h - k - m * p))
          .by(floordiv(x, m) == floordiv(x + k, m) + p)
          .back_by(floordiv(x, m) == floordiv(x + k, m) + p);
    }};

inline constexpr Lemma kResidueMirror{"residue-mirror",
                                      "a sign goes into an interval of residues without 0",
                                      {"x", "m", "l", "h"},
                                      [](auto x, auto m, auto l, auto h) {
                                        return given(m > 0, l >= 1, h < m)
                                            .equivalent(between(l, mod(-x, m), h),
                                                        between(m - h, mod(x, m), m - l))
                                            .by(floordiv(x, m) == -floordiv(-x, m) - 1)
                                            .back_by(floordiv(x, m) == -floordiv(-x, m) - 1);
                                      }};

inline constexpr Lemma kResidueOpenFloor{
    "residue-open-floor",
    "an interval of residues of a floor is one of its dividend",
    {"x", "e", "a", "b", "l", "h"},
    [](auto x, auto e, auto a, auto b, auto l, auto h) {
      const auto quotient = floordiv(x, a) + e;
      const auto same_floor = floordiv(x + a * e, a * b) == floordiv(quotient, b);
      const auto digits = mod(x + a * e, a * b) == a * mod(quotient, b) + mod(x, a);
      return given(a > 0, b > 0)
          .equivalent(between(l, mod(quotient, b), h),
                      between(a * l, mod(x + a * e, a * b), a * h + a - 1))
          .by(same_floor, digits)
          .back_by(same_floor, digits);
    }};

inline constexpr Lemma kResidueOfDivisor{
    "residue-of-divisor",
    "a residue determines the residue modulo each factor of the modulus",
    {"x", "m", "k", "r"},
    [](auto x, auto m, auto k, auto r) {
      return given(m > 0, k > 0, mod(x, m * k) == r)
          .holds(mod(x, m) == mod(r, m))
          .by(floordiv(x, m) == k * floordiv(x, m * k) + floordiv(r, m));
    }};

}  // namespace tileproof::impl
