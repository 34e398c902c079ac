// SPDX-License-Identifier: Apache-2.0
// The tiling lemmas: the steps from a logical index to an offset, with symbolic sizes and tiles.
//
// A layout step maps the indices of one array to indices of another:
//
//     pad       enlarges a dimension
//     split     e        ->  (e floordiv t, e mod t)
//     combine   (i, j)   ->  i*n + j
//     move      permutes dimensions
//
// The offset is the combination of all dimensions. For each step, the lemmas say that indices stay
// in bounds and that the step can be undone. verify/lemmas/tilings.v shows by
// induction over steps that every list of them is a bijection up to padding.
//
// Letters: e an index, n a size, t a tile; q, r quotient and remainder digits; i, j indices of two
// dimensions; o an offset; x a dividend, c its divisor, M the multiplier that replaces it.
#pragma once

#include "impl/lemmas/lemma.h"

namespace tileproof::impl {

// ---- One digit: the lemmas that all others fold -----------------------------------------------

inline constexpr Lemma kDigitQuotient{
    "digit-quotient", "the high part of q*n + r is q", {"q", "n", "r"}, [](auto q, auto n, auto r) {
      return given(n > 0, index_of(r, n)).equal(floordiv(q * n + r, n), q);
    }};

inline constexpr Lemma kDigitRemainder{
    "digit-remainder", "the low part of q*n + r is r", {"q", "n", "r"}, [](auto q, auto n, auto r) {
      return given(n > 0, index_of(r, n))
          .equal(mod(q * n + r, n), r)
          .by(floordiv(q * n + r, n) == q);
    }};

inline constexpr Lemma kIndexedSize{
    "indexed-size", "a dimension that has an index is not empty", {"e", "n"}, [](auto e, auto n) {
      return given(index_of(e, n)).holds(n > 0);
    }};

// ---- Padding ----------------------------------------------------------------------------------

inline constexpr Lemma kPadSize{
    "pad-size",
    "the padded size is the least multiple of the tile that is not smaller",
    {"n", "t"},
    [](auto n, auto t) {
      return given(t > 0)
          .holds(n <= ceildiv(n, t) * t, ceildiv(n, t) * t < n + t, mod(ceildiv(n, t) * t, t) == 0)
          .by(floordiv(ceildiv(n, t) * t, t) == ceildiv(n, t));
    }};

inline constexpr Lemma kPadKeepsIndex{
    "pad-keeps-index",
    "an index of the array is an index of the padded array",
    {"e", "n", "t"},
    [](auto e, auto n, auto t) {
      return given(t > 0, index_of(e, n)).holds(index_of(e, ceildiv(n, t) * t));
    }};

// ---- Splitting --------------------------------------------------------------------------------

inline constexpr Lemma kSplitInBounds{
    "split-in-bounds",
    "the number of the tile and the position in the tile are in bounds",
    {"e", "n", "t"},
    [](auto e, auto n, auto t) {
      return given(t > 0, index_of(e, n))
          .holds(index_of(floordiv(e, t), ceildiv(n, t)), index_of(mod(e, t), t));
    }};

inline constexpr Lemma kSplitUndone{
    "split-undone",
    "the tile and the position in it give the index back",
    {"e", "t"},
    [](auto e, auto t) { return given(t > 0).equal(floordiv(e, t) * t + mod(e, t), e); }};

inline constexpr Lemma kUnsplitInBounds{
    "unsplit-in-bounds",
    "a tile and a position in it give an index of the padded array",
    {"q", "r", "n", "t"},
    [](auto q, auto r, auto n, auto t) {
      return given(t > 0, index_of(q, ceildiv(n, t)), index_of(r, t))
          .holds(index_of(q * t + r, ceildiv(n, t) * t));
    }};

// ---- Combining and moving ---------------------------------------------------------------------

inline constexpr Lemma kCombineInBounds{
    "combine-in-bounds",
    "two indices combine to an index in bounds",
    {"i", "j", "m", "n"},
    [](auto i, auto j, auto m, auto n) {
      return given(index_of(i, m), index_of(j, n)).holds(index_of(i * n + j, m * n));
    }};

inline constexpr Lemma kUncombineInBounds{
    "uncombine-in-bounds",
    "an index of the combined dimension has its digits in bounds",
    {"o", "m", "n"},
    [](auto o, auto m, auto n) {
      return given(n > 0, index_of(o, m * n))
          .holds(index_of(floordiv(o, n), m), index_of(mod(o, n), n));
    }};

// ---- Leading ones and tails -------------------------------------------------------------------

inline constexpr Lemma kLeadingOne{
    "leading-one",
    "a dimension of size one has one index and adds nothing",
    {"i", "j", "n"},
    [](auto i, auto j, auto n) {
      return given(index_of(i, literal(i, 1))).holds(i == 0, i * n + j == j);
    }};

// ---- Closed forms -----------------------------------------------------------------------------

// impl/layout/divisor.h, with W = 2^63 and P = 2^l.
inline constexpr Lemma kDivideByMultiplication{
    "divide-by-multiplication",
    "if M is not below W*P/c, and c*M exceeds W*P by at most P, then x*M divided by W*P is x "
    "divided by c for every x below W",
    {"x", "c", "M", "W", "P"},
    [](auto x, auto c, auto M, auto W, auto P) {
      const auto q = floordiv(x, c);
      return given(c > 0, W > 0, P > 0, index_of(x, W), between(W * P, c * M, W * P + P))
          .equal(floordiv(x * M, W * P), q)
          .by(q >= 0, M > 0, q * (W * P) <= x * M, x * M < (q + 1) * (W * P));
    }};

}  // namespace tileproof::impl
