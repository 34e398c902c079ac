// SPDX-License-Identifier: Apache-2.0
// The rewriting lemmas: the steps to the normal form (floors, mods and linear combinations).
//
// Letters: x, y, A, B, M, R any integers; c, g, m, a, b divisors and moduli; k, r constants of the
// simplifier. Every lemma holds for all integers that satisfy its hypotheses, whatever their size.
#pragma once

#include "impl/lemmas/lemma.h"

namespace tileproof::impl {

// ---- The operators in terms of floor ----------------------------------------------------------

inline constexpr Lemma kModIsRemainder{
    "mod-is-remainder", "a mod is what the floor leaves", {"x", "c"}, [](auto x, auto c) {
      return given(c > 0).equal(mod(x, c), x - c * floordiv(x, c));
    }};

inline constexpr Lemma kModIsRemainderNegative{
    "mod-is-remainder-negative", "the same for a negative divisor", {"x", "c"}, [](auto x, auto c) {
      return given(c < 0).equal(mod(x, c), x - c * floordiv(x, c));
    }};

inline constexpr Lemma kCeilDivIsFloor{
    "ceildiv-is-floor",
    "rounding up is rounding down after adding c - 1",
    {"x", "c"},
    [](auto x, auto c) { return given(c > 0).equal(ceildiv(x, c), floordiv(x + c - 1, c)); }};

inline constexpr Lemma kNegativeDivisor{
    "negative-divisor",
    "the sign of the divisor goes to the dividend",
    {"x", "c"},
    [](auto x, auto c) { return given(c < 0).equal(floordiv(x, c), floordiv(-x, -c)); }};

inline constexpr Lemma kNegativeModulus{
    "negative-modulus",
    "a mod with a negative modulus is a negated mod",
    {"x", "c"},
    [](auto x, auto c) {
      return given(c < 0).equal(mod(x, c), -mod(-x, -c)).by(floordiv(x, c) == floordiv(-x, -c));
    }};

inline constexpr Lemma kNegativeCeilDiv{
    "negative-ceildiv",
    "the sign of the divisor goes to the dividend",
    {"x", "c"},
    [](auto x, auto c) { return given(c < 0).equal(ceildiv(x, c), ceildiv(-x, -c)); }};

inline constexpr Lemma kFloorDivByOne{
    "floordiv-by-one", "dividing by one changes nothing", {"x"}, [](auto x) {
      return always(x).equal(floordiv(x, literal(x, 1)), x);
    }};

inline constexpr Lemma kModByOne{
    "mod-by-one", "everything is a multiple of one", {"x"}, [](auto x) {
      return always(x).equal(mod(x, literal(x, 1)), literal(x, 0));
    }};

// ---- Linear combinations ----------------------------------------------------------------------

inline constexpr Lemma kDistribute{
    "distribute", "a factor goes into a sum", {"c", "x", "y"}, [](auto c, auto x, auto y) {
      return always(x).equal(c * (x + y), c * x + c * y);
    }};

inline constexpr Lemma kCollect{
    "collect", "equal terms are added", {"a", "b", "x"}, [](auto a, auto b, auto x) {
      return always(x).equal(a * x + b * x, (a + b) * x);
    }};

// ---- Floors -----------------------------------------------------------------------------------

inline constexpr Lemma kPullMultiple{"pull-multiple",
                                     "multiples of the divisor come out of a floor",
                                     {"x", "y", "c"},
                                     [](auto x, auto y, auto c) {
                                       return given(c > 0).equal(floordiv(c * x + y, c),
                                                                 x + floordiv(y, c));
                                     }};

inline constexpr Lemma kOtherRepresentative{
    "other-representative",
    "a coefficient inside a floor may be taken minus the divisor",
    {"r", "x", "y", "c"},
    [](auto r, auto x, auto y, auto c) {
      return given(c > 0).equal(floordiv(r * x + y, c), x + floordiv((r - c) * x + y, c));
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

inline constexpr Lemma kSplitByFactor{
    "split-by-factor",
    "divide by g first, then by c",
    {"A", "B", "g", "c"},
    [](auto A, auto B, auto g, auto c) {
      return given(g > 0, c > 0).equal(floordiv(g * A + B, g * c), floordiv(A + floordiv(B, g), c));
    }};

inline constexpr Lemma kNestedFloor{
    "nested-floor", "two floors in a row are one", {"x", "a", "b"}, [](auto x, auto a, auto b) {
      return given(a > 0, b > 0).equal(floordiv(floordiv(x, a), b), floordiv(x, a * b));
    }};

inline constexpr Lemma kNestedFloorNegativeInside{
    "nested-floor-negative-inside",
    "two floors in a row are one; only the outer divisor must be positive",
    {"x", "a", "b"},
    [](auto x, auto a, auto b) {
      return given(a<0, b> 0).equal(floordiv(floordiv(x, a), b), floordiv(x, a * b));
    }};

inline constexpr Lemma kNestedCeil{
    "nested-ceildiv", "two ceildivs in a row are one", {"x", "a", "b"}, [](auto x, auto a, auto b) {
      return given(a > 0, b > 0).equal(ceildiv(ceildiv(x, a), b), ceildiv(x, a * b));
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

inline constexpr Lemma kExactDivision{
    "exact-division", "a multiple divides exactly", {"x", "c"}, [](auto x, auto c) {
      return given(c > 0).equal(floordiv(c * x, c), x);
    }};

inline constexpr Lemma kExactMultiple{
    "exact-multiple", "a multiple of c is c times its quotient", {"x", "c"}, [](auto x, auto c) {
      return given(c > 0, mod(x, c) == 0).equal(c * floordiv(x, c), x);
    }};

inline constexpr Lemma kKnownResidue{
    "known-residue",
    "a number with residue r is c times its quotient, plus r",
    {"x", "c", "r"},
    [](auto x, auto c, auto r) {
      return given(c > 0, mod(x, c) == r).equal(c * floordiv(x, c), x - r);
    }};

inline constexpr Lemma kSplitExactSum{"split-exact-sum",
                                      "a floor distributes over a sum when one part is a multiple",
                                      {"x", "y", "c"},
                                      [](auto x, auto y, auto c) {
                                        return given(c > 0, mod(x, c) == 0)
                                            .equal(floordiv(x + y, c),
                                                   floordiv(x, c) + floordiv(y, c));
                                      }};

// ---- Mods -------------------------------------------------------------------------------------

inline constexpr Lemma kModDropMultiple{"mod-drop-multiple",
                                        "multiples of the modulus vanish",
                                        {"x", "y", "c"},
                                        [](auto x, auto y, auto c) {
                                          return given(c > 0)
                                              .equal(mod(c * x + y, c), mod(y, c))
                                              .by(floordiv(c * x + y, c) == x + floordiv(y, c));
                                        }};

inline constexpr Lemma kModOneCell{"mod-one-cell",
                                   "a mod of an operand inside one cell is a shift",
                                   {"x", "c", "m"},
                                   [](auto x, auto c, auto m) {
                                     return given(c > 0, m * c <= x, x < (m + 1) * c)
                                         .equal(mod(x, c), x - m * c)
                                         .by(floordiv(x, c) == m);
                                   }};

inline constexpr Lemma kModCommonFactor{"mod-common-factor",
                                        "a factor of operand and modulus comes out",
                                        {"x", "g", "c"},
                                        [](auto x, auto g, auto c) {
                                          return given(g > 0, c > 0)
                                              .equal(mod(g * x, g * c), g * mod(x, c))
                                              .by(floordiv(g * x, g * c) == floordiv(x, c));
                                        }};

inline constexpr Lemma kModSplitLow{"mod-split-low",
                                    "a part inside one cell of a factor g of the modulus comes out",
                                    {"A", "B", "g", "c", "m"},
                                    [](auto A, auto B, auto g, auto c, auto m) {
                                      return given(g > 0, c > 0, m * g <= B, B < (m + 1) * g)
                                          .equal(mod(g * A + B, g * c),
                                                 g * mod(A + m, c) + B - m * g)
                                          .by(floordiv(g * A + B, g * c) == floordiv(A + m, c));
                                    }};

inline constexpr Lemma kModOfMod{
    "mod-of-mod", "the finer modulus decides", {"x", "a", "b"}, [](auto x, auto a, auto b) {
      return given(a > 0, b > 0)
          .equal(mod(mod(x, a * b), a), mod(x, a))
          .by(floordiv(x, a) == b * floordiv(x, a * b) + floordiv(mod(x, a * b), a));
    }};

inline constexpr Lemma kModOfSumWithMod{
    "mod-of-sum-with-mod",
    "an inner mod by a multiple of the modulus is not needed",
    {"x", "y", "k", "a", "b"},
    [](auto x, auto y, auto k, auto a, auto b) {
      return given(a > 0, b > 0)
          .equal(mod(k * mod(x, a * b) + y, a), mod(k * x + y, a))
          .by(floordiv(k * x + y, a) ==
              k * b * floordiv(x, a * b) + floordiv(k * mod(x, a * b) + y, a));
    }};

inline constexpr Lemma kModOfScaledMod{
    "mod-of-scaled-mod",
    "k * (x mod m) modulo k * m is k * x modulo k * m",
    {"x", "y", "k", "m"},
    [](auto x, auto y, auto k, auto m) {
      return given(k > 0, m > 0)
          .equal(mod(k * mod(x, m) + y, k * m), mod(k * x + y, k * m))
          .by(floordiv(k * x + y, k * m) == floordiv(x, m) + floordiv(k * mod(x, m) + y, k * m));
    }};

inline constexpr Lemma kFloorOfMod{
    "floor-of-mod", "the high digit of a mod", {"x", "a", "b"}, [](auto x, auto a, auto b) {
      return given(a > 0, b > 0)
          .equal(floordiv(mod(x, a * b), a), mod(floordiv(x, a), b))
          .by(floordiv(x, a * b) == floordiv(floordiv(x, a), b));
    }};

inline constexpr Lemma kModOfNegated{
    "mod-of-negated",
    "a mod of a negated operand in terms of the floor of that operand",
    {"x", "c"},
    [](auto x, auto c) { return given(c > 0).equal(mod(-x, c), -x - c * floordiv(-x, c)); }};

inline constexpr Lemma kModTwoIgnoresSign{
    "mod-two-ignores-sign", "odd stays odd when negated", {"x"}, [](auto x) {
      return always(x)
          .equal(mod(-x, literal(x, 2)), mod(x, literal(x, 2)))
          .by(floordiv(-x, literal(x, 2)) == -x + floordiv(x, literal(x, 2)));
    }};

// ---- Quotient and remainder together ----------------------------------------------------------

inline constexpr Lemma kRecombine{
    "recombine", "quotient and remainder give the number back", {"x", "c"}, [](auto x, auto c) {
      return given(c > 0).equal(c * floordiv(x, c) + mod(x, c), x);
    }};

inline constexpr Lemma kRecombineDigits{
    "recombine-digits",
    "two digits of a number give its quotient",
    {"x", "a", "b"},
    [](auto x, auto a, auto b) {
      return given(a > 0, b > 0)
          .equal(b * floordiv(x, a * b) + mod(floordiv(x, a), b), floordiv(x, a))
          .by(floordiv(x, a * b) == floordiv(floordiv(x, a), b));
    }};

inline constexpr Lemma kRecombineMods{"recombine-mods",
                                      "a coarse mod is a digit and a fine mod",
                                      {"x", "a", "b"},
                                      [](auto x, auto a, auto b) {
                                        return given(a > 0, b > 0)
                                            .equal(a * mod(floordiv(x, a), b) + mod(x, a),
                                                   mod(x, a * b))
                                            .by(floordiv(x, a * b) == floordiv(floordiv(x, a), b));
                                      }};

}  // namespace tileproof::impl
