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

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "verify/lemmas/terms.h"

namespace tileproof::lemmas {

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
