// SPDX-License-Identifier: Apache-2.0
// The terms of a polynomial: integer multiples of monomials, exact.
//
//     2*x*y - 3      {{x, y}: 2, {}: -3}
//
// This is the one polynomial arithmetic that proofs rest on. Three kinds of polynomials use it:
//
//     lemmas::Polynomial   named variables, int64: certificates (verify/lemmas/polynomial.h)
//     trace::Polynomial    numbered variables and floors, 127 bits: the proof checker
//                          (verify/trace/values.h)
//     verify::Sum          the same, with the context that rewrites floors
//                          (verify/prove/smt/quasi_affine.h)
//
// They are separate types because they fail in different ways, and because the checker must not see
// the context whose steps it checks. One more kernel does arithmetic on sums with floors, on purpose
// apart: impl/map/normal_form/linear.h, the simplifier's, which is fast and not trusted.
//
// A monomial is a sorted list of variables; the empty one is 1. No coefficient is 0.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

namespace tileproof::lemmas {

template <class Variable, class Coefficient>
using Terms = std::map<std::vector<Variable>, Coefficient>;

// terms + coefficient * monomial. False if a coefficient does not fit; the terms are then unusable.
template <class Variable, class Coefficient>
bool add_term(Terms<Variable, Coefficient>& terms, const std::vector<Variable>& monomial,
              Coefficient coefficient) {
  const auto [position, is_new] = terms.try_emplace(monomial, 0);
  const bool fits = !__builtin_add_overflow(position->second, coefficient, &position->second);
  if (position->second == 0) terms.erase(position);
  return fits;
}

// terms + more.
template <class Variable, class Coefficient>
bool add_terms(Terms<Variable, Coefficient>& terms, const Terms<Variable, Coefficient>& more) {
  return std::ranges::all_of(
      more, [&](const auto& term) { return add_term(terms, term.first, term.second); });
}

// terms + a * b.
template <class Variable, class Coefficient>
bool add_product(Terms<Variable, Coefficient>& terms, const Terms<Variable, Coefficient>& a,
                 const Terms<Variable, Coefficient>& b) {
  for (const auto& [left, x] : a) {
    for (const auto& [right, y] : b) {
      Coefficient coefficient;
      if (__builtin_mul_overflow(x, y, &coefficient)) return false;
      std::vector<Variable> both;
      std::ranges::merge(left, right, std::back_inserter(both));
      if (!add_term(terms, both, coefficient)) return false;
    }
  }
  return true;
}

}  // namespace tileproof::lemmas
