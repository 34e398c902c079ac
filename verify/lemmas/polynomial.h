// SPDX-License-Identifier: Apache-2.0
// Exact polynomials with integer coefficients, and exact fractions: all the arithmetic of
// certificates.
//
// A monomial is a sorted list of variable names: x*x*y is {x, x, y}, and the constant monomial is
// {}. Nothing wraps: a coefficient beyond int64 makes the polynomial (or fraction) invalid, and an
// invalid one equals nothing.
//
//     Polynomial::variable("x") * Polynomial::variable("x") - Polynomial::constant(4)      x*x - 4
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tileproof::lemmas {

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

using Monomial = std::vector<std::string>;

class Polynomial {
 public:
  static Polynomial constant(int64_t value);
  static Polynomial variable(std::string name);
  // coefficient * monomial.
  static Polynomial term(int64_t coefficient, Monomial monomial);

  bool valid() const { return valid_; }
  // No term has coefficient 0.
  const Terms<std::string, int64_t>& terms() const { return terms_; }

  friend Polynomial operator+(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator-(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator-(const Polynomial& a);
  // Invalid polynomials equal nothing, not even themselves.
  friend bool operator==(const Polynomial& a, const Polynomial& b) {
    return a.valid_ && b.valid_ && a.terms_ == b.terms_;
  }

 private:
  Terms<std::string, int64_t> terms_;
  bool valid_ = true;
};

// "x*x - 2*x*y + 4"; "0"; "invalid".
std::string to_text(const Polynomial& polynomial);
// "x*x*y"; "1" for the constant monomial.
std::string to_text(const Monomial& monomial);

// numerator / denominator in lowest terms, denominator > 0. An invalid fraction has denominator 0.
struct Fraction {
  int64_t numerator = 0;
  int64_t denominator = 1;

  bool valid() const { return denominator > 0; }
  bool operator==(const Fraction&) const = default;
};

Fraction make_fraction(int64_t numerator, int64_t denominator);
Fraction operator+(const Fraction& a, const Fraction& b);
Fraction operator*(const Fraction& a, const Fraction& b);
// "3", "-1/2".
std::string to_text(const Fraction& fraction);
// Accepts only these two forms; anything else is invalid.
Fraction parse_fraction(absl::string_view text);

}  // namespace tileproof::lemmas
