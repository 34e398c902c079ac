// SPDX-License-Identifier: Apache-2.0
// floor(x / c) and x mod c in normal form.
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

}  // namespace tileproof::impl
