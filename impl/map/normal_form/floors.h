// SPDX-License-Identifier: Apache-2.0
// floor(x / c), x mod c and ranges in normal form. Each needs the others: the range of an operand
// decides how its floor simplifies, and floors and mods make ranges tighter.
//
// For c > 0, these lemmas are applied in this order. impl/lemmas names and proves each; the proof
// log records each use with the values of the letters (impl/map/proof_log/proof_log.h):
//
//   pull-multiple      floor((c*x + y) / c) = x + floor(y / c); factors that stay lie in
//                      (-c/2, c/2], the constant in [0, c)
//   one-cell           m*c <= x < (m+1)*c   =>   floor(x / c) = m
//   drop-small-part    m*g <= B < (m+1)*g   =>   floor((g*A + B) / (g*c)) = floor((A + m) / c),
//                      for the factors g of the divisor that can matter, the largest first
//   merge-inner-floor  floor((floor(M / m) + R) / c) = floor((M + m*R) / (m*c)), and the same
//                      with -floor(M / m)
//   negated-floor      floor(M / m) = -floor((-M + m - 1) / m): of the two, the one whose first
//                      factor is positive
//
// The rest is a new atom. Worked example: floor((s0 * 6 + 9) / 18). With g = 6: A = s0, and B = 9
// lies in the cell [6, 12), so it counts as m = 1: floor((s0 + 1) / 3).
//
// The result depends only on the operand's factors modulo c and on the domain, not on how the
// operand was written.
#pragma once

#include <optional>

#include "impl/map/normal_form/assumed_sums.h"
#include "impl/map/normal_form/normal_form.h"

namespace tileproof::impl {

// An operand as sign * floor(inside / divisor) + rest, where sign is 1 or -1.
struct Inner {
  Linear inside;
  int64_t divisor;
  Linear value;  // the normal form of that floor
  int64_t sign;
  Linear rest;
};

// The normal form of floor(x / c), c > 0.
Linear floor_of(NormalFormContext& context, Linear x, int64_t c);

// The normal form of x floordiv c, x ceildiv c and x mod c for c != 0, with floor semantics.
Linear floor_division(NormalFormContext& context, const Linear& x, int64_t c);
Linear ceil_division(NormalFormContext& context, const Linear& x, int64_t c);
Linear remainder_of(NormalFormContext& context, const Linear& x, int64_t c);

// x = c * quotient + rest, the factors of rest in (-c/2, c/2] and its constant in [0, c).
struct Parts {
  Linear quotient;
  Linear rest;
};
Parts pull_multiple(NormalFormContext& context, const Linear& x, int64_t c);

// ---- Ranges (impl/map/normal_form/ranges.cc) ------------------------------------------------
//
// The range of a form: an interval that contains every value over the domain.
//
// Interval arithmetic over the atoms is exact if they are independent, and loose if the form
// contains both a floor and its operand. Rewriting in digits helps then: in
//
//     x = (x mod 4) + 4 * (floor(x / 4) mod 2) + 8 * floor(x / 8)
//
// the parts are independent, so the digits give the range of a combination of x, floor(x / 4) and
// floor(x / 8). Example: for x in [0, 99], x - 4 * floor(x / 4) is x mod 4, in [0, 3]; interval
// arithmetic alone gives [-96, 99]. If the form has no floor together with its operand, the form as
// a whole may still be a mod (recognize_mod below).

// The tightest interval that these methods and the assumptions give. The context gives up if a term
// leaves 2^110.
Range range_of(NormalFormContext& context, Linear form);

// Without the assumptions.
Range range_of_atoms(NormalFormContext& context, const Linear& form);

// From the ranges of the atoms alone, including mods.
Range interval_sum(NormalFormContext& context, const Linear& form);

// That range, tightened by an assumption about this sum if there is one.
Range range_of_written(NormalFormContext& context, const Linear& form);

// The form L + sign * floor(I / divisor) as one floor: sign * form = floor(inside / divisor) with
// inside = sign * divisor * L + I. The range of `inside` may be tighter than those of the parts:
//
//     3 * d0 + floor(-d0 / 3) = floor(8 * d0 / 3), d0 in [0, 2]        [0, 5] instead of [-1, 6]
//
// Nothing if the term with that number is not such a floor, or if a factor leaves 30 bits.
struct WholeFloor {
  Linear rest;  // sign * L
  Linear inside;
  int64_t divisor = 0;
  int64_t sign = 0;
};
std::optional<WholeFloor> whole_floor(NormalFormContext& context, const Linear& form, int32_t term);
// The range of floor(inside / divisor).
Range range_of_floor(NormalFormContext& context, const WholeFloor& whole);

// The same value with mods in place of atoms that other floors of the form depend on.
Linear in_digits(NormalFormContext& context, Linear form);

bool has_floor(const Atoms& context, const Linear& form);

// x = sum of k * known + rest, with the assumed sums that make its range narrower, and that range.
// Example: with d1 + d2 in [0, 3], 4 * (d0 mod 8) + d1 + d2 lies in [0, 31]. Nothing if none does.
struct AssumedSplit {
  AssumedParts parts;
  Range parts_range;
  Linear rest;
  Range rest_range;
  Range range;
};
std::optional<AssumedSplit> split_by_assumptions(NormalFormContext& context, const Linear& x);

// ---- Mods (impl/map/normal_form/recognize_mod.cc) -------------------------------------------
//
// Recognizes a form that is, as a whole, the remainder of a division.
//
//     x - c * f,  f = floor((x + t) / c)        (x + t) mod c - t, in [-t, c - 1 - t]
//
// If a step of floor_of has changed f, its structure no longer shows c and x (merge-inner-floor:
// (d0 mod 7) floordiv 3 is floor((2 * d0 + 2) / 7)). But a value has one normal form: if the normal
// form of floor((x + t) / c) is f, then f is that floor. The values of the form at a few points of
// the domain's box determine which t to try, and exclude most forms early.

// The form as that mod: a rendering of one term and a constant, whose meaning is the form. Ignores
// forms with factors of 30 bits or more.
std::optional<Linear> recognize_mod(NormalFormContext& context, const Linear& form);

}  // namespace tileproof::impl
