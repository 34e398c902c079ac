// SPDX-License-Identifier: Apache-2.0
// Shows that a closed form computes with 64-bit words what it means over the integers.
//
// The questions of a proof read a closed form over the integers: quotients are exact, sums have no
// limit. impl::evaluate executes it with words: a quotient is a multiplication and a shift
// (impl/layout/divisor.h), a sum wraps modulo 2^64. Both give the same values for all inputs within
// bounds, by induction over the sums, if
//
//     quotient  for the divisor c with multiplier M and shift l:
//               0 <= c*M - 2^(63+l) <= 2^l (lemma divide-by-multiplication with W = 2^63, P = 2^l),
//               or c = 2^l if there is no multiplier
//     sum       the value is in [0, 2^63). Products and partial sums may wrap: a sum modulo 2^64 is
//               the value modulo 2^64, whatever the order.
//     check     the bound is in [0, 2^63)
//
// and each sum reads earlier values only. These are comparisons of numbers: no solver.
//
// The bounds of a sum come from interval arithmetic on digits. Quotients of one value u by c1, c2, ..,
// each a multiple of the one before, are not independent: with n = c2/c1 (lemmas nested-floor and
// split-undone)
//
//     u floordiv c1 = n * (u floordiv c2) + ((u floordiv c1) mod n)
//
// Example: the second coordinate of f32[3,5]{1,0:T(2,2)}, from the offset u in [0, 24):
//
//     u - 2*(u floordiv 2) + 2*(u floordiv 4) - 6*(u floordiv 12)       terms alone: [-28, 33]
//       = u mod 2 + 2*((u floordiv 4) mod 3)                            digits: [0, 5]
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "impl/layout/closed_form.h"

namespace tileproof::verify {

// The first sum for which the above fails.
struct WordFault {
  std::string what;  // "sum 2: multiplier 5 and shift 2 do not divide by 3"
  // Inputs within bounds at which the sum may be wrong. The outputs may be right there. None
  // if the form cannot be executed.
  std::vector<std::vector<int64_t>> suspects = {};
};

// Checks the above for inputs in [0, sizes[0]), [0, sizes[1]), ..; no size is 0. Returns nothing if
// it holds.
std::optional<WordFault> word_fault(const impl::ClosedForm& form, absl::Span<const int64_t> sizes);

}  // namespace tileproof::verify
