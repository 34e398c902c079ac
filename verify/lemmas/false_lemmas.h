// SPDX-License-Identifier: Apache-2.0
// Known-wrong rules: false lemmas that real simplifiers, layout libraries and their test suites
// relied on.
//
// Each is stated as its authors believed it, in the language of impl/lemmas/lemmas.h. Each must be
// refuted: Z3 finds a point, and plain evaluation confirms it. `says` names the system and the
// mistake. `/` in `says` truncates.
#pragma once

#include "impl/lemmas/lemma.h"
#include "verify/lemmas/lemma_numbers.h"

namespace tileproof::lemmas {

using impl::all;
using impl::always;
using impl::between;
using impl::given;
using impl::index_of;
using impl::Lemma;

// ---- Signs of divisors and factors ------------------------------------------------------------

inline constexpr Lemma kFalseConstraintNegativeDivisor{
    "false-constraint-negative-divisor",
    "XLA, simplification of constraints: x floordiv c in [l, h] for c < 0 is read as x floordiv "
    "|c| in [-h, -l]",
    {"x", "c", "l", "h"},
    [](auto x, auto c, auto l, auto h) {
      return given(c < 0).equivalent(between(l, floordiv(x, c), h),
                                     between(h * c, x, l * c - c - 1));
    }};

inline constexpr Lemma kFalseNestedFloor{
    "false-nested-floor",
    "XLA: guarded by the sign of the dividend, not of the outer divisor",
    {"x", "a", "b"},
    [](auto x, auto a, auto b) {
      return given(x >= 0, a > 0, b < 0).equal(floordiv(floordiv(x, a), b), floordiv(x, a * b));
    }};

inline constexpr Lemma kFalseModRange{
    "false-mod-range",
    "XLA: a mod is at least 0 whatever the modulus",
    {"x", "m"},
    [](auto x, auto m) { return given(m < 0).holds(mod(x, m) >= 0); }};

inline constexpr Lemma kFalseDropSmallPart{
    "false-drop-small-part",
    "a small part dropped under a negative divisor",
    {"A", "B", "g", "c"},
    [](auto A, auto B, auto g, auto c) {
      return given(g > 0, c < 0, index_of(B, g)).equal(floordiv(g * A + B, g * c), floordiv(A, c));
    }};

inline constexpr Lemma kFalseNegatedDivisor{
    "false-negated-divisor",
    "tinygrad: the sign of the divisor goes outside the floor",
    {"x", "c"},
    [](auto x, auto c) { return given(c > 0).equal(floordiv(x, -c), -floordiv(x, c)); }};

inline constexpr Lemma kFalseModOfNegative{
    "false-mod-of-negative",
    "MLIR: x + (x floordiv -c) * c taken for x mod c",
    {"x", "c"},
    [](auto x, auto c) { return given(c > 0).equal(x + floordiv(x, -c) * c, mod(x, c)); }};

inline constexpr Lemma kFalseCoefficientDividedOut{
    "false-coefficient-divided-out",
    "a congruence divided by a coefficient that is not coprime to the modulus",
    {"x", "a", "m"},
    [](auto x, auto a, auto m) {
      return given(m > 0, a > 0).equivalent(all(mod(a * x, m) == 0), all(mod(x, m) == 0));
    }};

// ---- Ranges and their ends --------------------------------------------------------------------

inline constexpr Lemma kFalseConstraintDropPart{
    "false-constraint-drop-part",
    "XLA: g*A + B in [0, u] becomes g*A in [0, u] when (u - B) floordiv g has one value",
    {"A", "B", "g", "u", "a", "b"},
    [](auto A, auto B, auto g, auto u, auto a, auto b) {
      return given(g > 1, between(a, B, b), floordiv(u - a, g) == floordiv(u - b, g))
          .equivalent(between(literal(u, 0), g * A + B, u), between(literal(u, 0), g * A, u));
    }};

inline constexpr Lemma kFalseDropSigned{
    "false-drop-signed",
    "TVM: d*X + y < d*c loses y although y may be negative",
    {"X", "y", "d", "c"},
    [](auto X, auto y, auto d, auto c) {
      return given(d > 0, -d < y, y < d).equivalent(all(d * X + y < d * c), all(X < c));
    }};

inline constexpr Lemma kFalseRoundOutwards{
    "false-round-outwards",
    "a factor goes into the interval with the lower end rounded down",
    {"x", "c", "l", "h"},
    [](auto x, auto c, auto l, auto h) {
      return given(c > 0).equivalent(between(l, c * x, h),
                                     between(floordiv(l, c), x, floordiv(h, c)));
    }};

inline constexpr Lemma kFalseSumIsPositive{
    "false-sum-is-positive",
    "tinygrad: each part of a positive sum is taken to be positive",
    {"a", "b"},
    [](auto a, auto b) { return given(a >= 0, b >= 0, a + b >= 1).holds(a >= 1, b >= 1); }};

// ---- Truncation where the floor is meant ------------------------------------------------------

inline constexpr Lemma kFalseFloorTruncates{
    "false-floor-truncates",
    "TVM, inductor: for a negative dividend, truncating division used as floor division",
    {"x", "c"},
    [](auto x, auto c) { return given(c > 0, x < 0).equal(floordiv(x, c), -floordiv(-x, c)); }};

inline constexpr Lemma kFalseResidueLower{
    "false-residue-lower",
    "XLA: least number with residue r above a negative bound l, as l / m * m + r",
    {"x", "m", "r", "l"},
    [](auto x, auto m, auto r, auto l) {
      const auto candidate = -floordiv(-l, m) * m + r;
      return given(m > 0, l < 0, mod(x, m) == r, candidate >= l, l <= x).holds(candidate <= x);
    }};

inline constexpr Lemma kFalseResidueUpper{
    "false-residue-upper",
    "XLA: greatest number with residue r below a negative bound h, one period too high",
    {"x", "m", "r", "h"},
    [](auto x, auto m, auto r, auto h) {
      const auto candidate = -floordiv(-h, m) * m + r;
      return given(m > 0, h<0, mod(x, m) == r, x <= h, candidate> h).holds(candidate - m <= h);
    }};

inline constexpr Lemma kFalseFloorOfSum{"false-floor-of-sum",
                                        "XLA: a floor distributed over the parts of a sum",
                                        {"x", "y", "g"},
                                        [](auto x, auto y, auto g) {
                                          return given(g > 0).equal(
                                              floordiv(x + y, g), floordiv(x, g) + floordiv(y, g));
                                        }};

inline constexpr Lemma kFalseRoundUpRest{
    "false-round-up-rest",
    "Halide: what rounding up adds is taken for the remainder",
    {"x", "c"},
    [](auto x, auto c) { return given(c > 0).equal(floordiv(x + c - 1, c) * c - x, mod(x, c)); }};

inline constexpr Lemma kFalseSubtractedFloor{
    "false-subtracted-floor",
    "Halide: x - (x + y) floordiv c merged without rounding up",
    {"x", "y", "c"},
    [](auto x, auto y, auto c) {
      return given(c > 0).equal(x - floordiv(x + y, c), floordiv((c - 1) * x - y, c));
    }};

// ---- Algebra ----------------------------------------------------------------------------------

inline constexpr Lemma kFalseStaleDivisor{
    "false-stale-divisor",
    "XLA: the divisor of the dropped part is used for the part that stays",
    {"x", "y", "p", "q", "c", "e"},
    [](auto x, auto y, auto p, auto q, auto c, auto e) {
      return given(p > 0, q > 0, c > 0, e > 0, index_of(floordiv(y, c), q))
          .equal(floordiv(floordiv(x, p) * q + floordiv(y, c), q * e), floordiv(x, c * e));
    }};

inline constexpr Lemma kFalseRecombine{
    "false-recombine",
    "XLA: quotient and remainder of different numbers recombined",
    {"x", "y", "c"},
    [](auto x, auto y, auto c) { return given(c > 0).equal(mod(x, c) + floordiv(y, c) * c, y); }};

inline constexpr Lemma kFalseTwoInnerFloors{
    "false-two-inner-floors",
    "two floors inside a floor merged as if there were one",
    {"x", "y"},
    [](auto x, auto y) {
      const auto three = literal(x, 3);
      return always(x).equal(floordiv(floordiv(x, three) + floordiv(y, three), literal(x, 6)),
                             floordiv(x + y, literal(x, 18)));
    }};

inline constexpr Lemma kFalseParity{"false-parity",
                                    "TVM #14571: y - x mod 2 rewritten to y + x mod 2 - 1",
                                    {"x", "y"},
                                    [](auto x, auto y) {
                                      return always(x).equal(y - mod(x, literal(x, 2)),
                                                             y + mod(x, literal(x, 2)) - 1);
                                    }};

inline constexpr Lemma kFalseRoundTrip{
    "false-round-trip", "(x floordiv a) * a taken for x", {"x", "a"}, [](auto x, auto a) {
      return given(a > 0).equal(floordiv(x, a) * a, x);
    }};

inline constexpr Lemma kFalseModOfMod{
    "false-mod-of-mod",
    "TVM: the inner modulus need not be a multiple of the outer",
    {"x", "m", "n"},
    [](auto x, auto m, auto n) { return given(m > 0, n > 0).equal(mod(mod(x, m), n), mod(x, n)); }};

inline constexpr Lemma kFalseDividedFloor{
    "false-divided-floor",
    "MLIR: a division by -c taken for a product with -c",
    {"x", "c"},
    [](auto x, auto c) { return given(c > 1).equal(x + floordiv(floordiv(x, c), -c), mod(x, c)); }};

inline constexpr Lemma kFalseCongruenceMerge{
    "false-congruence-merge",
    "XLA: equal residues merged although no number has such a residue",
    {"x", "a", "b", "u", "v", "r"},
    [](auto x, auto a, auto b, auto u, auto v, auto r) {
      return given(a > 0, b > 0, u * a + v * b == 1, r >= 0)
          .equivalent(all(mod(x, a) == r, mod(x, b) == r), all(mod(x, a * b) == r));
    }};

// ---- Tiles ------------------------------------------------------------------------------------

inline constexpr Lemma kFalseTileCount{
    "false-tile-count",
    "the number of tiles rounded down: the padded part has no tile",
    {"e", "n", "t"},
    [](auto e, auto n, auto t) {
      return given(t > 0, index_of(e, n)).holds(floordiv(e, t) < floordiv(n, t));
    }};

inline constexpr Lemma kFalseFullTail{
    "false-full-tail", "the last tile taken to be full", {"n", "t"}, [](auto n, auto t) {
      return given(n > 0, t > 0).equal(ceildiv(n, t) * t, n);
    }};

inline constexpr Lemma kFalseTransposedSize{
    "false-transposed-size",
    "XLA: bounds of the dimensions before the transpose",
    {"i", "j", "m", "n"},
    [](auto i, auto j, auto m, auto n) {
      return given(index_of(i, m), index_of(j, n)).holds(index_of(j * n + i, m * n));
    }};

inline constexpr Lemma kFalsePackedBytes{"false-packed-bytes",
                                         "XLA: every packed element rounded up to bytes",
                                         {"n", "b"},
                                         [](auto n, auto b) {
                                           return given(n > 0, b > 0)
                                               .equal(n * ceildiv(b, literal(b, 8)),
                                                      ceildiv(n * b, literal(b, 8)));
                                         }};

inline constexpr Lemma kFalseFirstTileOnly{
    "false-first-tile-only",
    "the size rounded up by the first tile is taken to be a multiple of the second",
    {"n", "a", "b"},
    [](auto n, auto a, auto b) {
      return given(n > 0, a > 0, b > 0).equal(mod(ceildiv(n, a) * a, b), literal(n, 0));
    }};

template <class Visit>
constexpr void for_each_false_lemma(Visit visit) {
  const auto each = [&](const auto&... lemmas) { (visit(lemmas), ...); };
  each(kFalseConstraintNegativeDivisor, kFalseNestedFloor, kFalseModRange, kFalseDropSmallPart,
       kFalseNegatedDivisor, kFalseModOfNegative, kFalseCoefficientDividedOut,
       kFalseConstraintDropPart, kFalseDropSigned, kFalseRoundOutwards, kFalseSumIsPositive,
       kFalseFloorTruncates, kFalseResidueLower, kFalseResidueUpper, kFalseFloorOfSum,
       kFalseRoundUpRest, kFalseSubtractedFloor, kFalseStaleDivisor, kFalseRecombine,
       kFalseTwoInnerFloors, kFalseParity, kFalseRoundTrip, kFalseModOfMod, kFalseDividedFloor,
       kFalseCongruenceMerge, kFalseTileCount, kFalseFullTail, kFalseTransposedSize,
       kFalsePackedBytes, kFalseFirstTileOnly);
}

}  // namespace tileproof::lemmas
