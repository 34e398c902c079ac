// SPDX-License-Identifier: Apache-2.0
#include "verify/lemmas/polynomial.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "spec/lang/base/checked_arithmetic.h"

namespace tileproof::lemmas {

Polynomial Polynomial::constant(int64_t value) { return term(value, {}); }

Polynomial Polynomial::variable(std::string name) { return term(1, {std::move(name)}); }

Polynomial Polynomial::term(int64_t coefficient, Monomial monomial) {
  std::sort(monomial.begin(), monomial.end());
  Polynomial result;
  add_term(result.terms_, monomial, coefficient);
  return result;
}

Polynomial operator+(const Polynomial& a, const Polynomial& b) {
  Polynomial sum = a;
  sum.valid_ = a.valid_ && b.valid_ && add_terms(sum.terms_, b.terms_);
  return sum;
}

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  Polynomial product;
  product.valid_ = a.valid_ && b.valid_ && add_product(product.terms_, a.terms_, b.terms_);
  return product;
}

Polynomial operator-(const Polynomial& a) { return Polynomial::constant(-1) * a; }
Polynomial operator-(const Polynomial& a, const Polynomial& b) { return a + -b; }

std::string to_text(const Monomial& monomial) {
  return monomial.empty() ? "1" : absl::StrJoin(monomial, "*");
}

std::string to_text(const Polynomial& polynomial) {
  if (!polynomial.valid()) return "invalid";
  std::string text;
  // The constant monomial sorts first, but reads best at the end.
  const auto append = [&](const Monomial& monomial, int64_t coefficient) {
    const std::string size = absl::StrCat(coefficient);
    const absl::string_view magnitude = coefficient < 0 ? absl::string_view(size).substr(1) : size;
    absl::StrAppend(
        &text, text.empty() ? (coefficient < 0 ? "-" : "") : (coefficient < 0 ? " - " : " + "));
    if (monomial.empty()) {
      absl::StrAppend(&text, magnitude);
    } else {
      absl::StrAppend(&text, magnitude == "1" ? "" : absl::StrCat(magnitude, "*"),
                      to_text(monomial));
    }
  };
  for (const auto& [monomial, coefficient] : polynomial.terms()) {
    if (!monomial.empty()) append(monomial, coefficient);
  }
  const auto constant = polynomial.terms().find({});
  if (constant != polynomial.terms().end()) append({}, constant->second);
  return text.empty() ? "0" : text;
}

Fraction make_fraction(int64_t numerator, int64_t denominator) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  if (denominator == 0 || denominator == kLeast || numerator == kLeast) return {0, 0};
  if (denominator < 0) return make_fraction(-numerator, -denominator);
  const int64_t common = std::gcd(numerator, denominator);
  return {numerator / common, denominator / common};
}

Fraction operator*(const Fraction& a, const Fraction& b) {
  if (!a.valid() || !b.valid()) return {0, 0};
  const std::optional<int64_t> numerator = checked_mul(a.numerator, b.numerator);
  const std::optional<int64_t> denominator = checked_mul(a.denominator, b.denominator);
  if (!numerator || !denominator) return {0, 0};
  return make_fraction(*numerator, *denominator);
}

Fraction operator+(const Fraction& a, const Fraction& b) {
  if (!a.valid() || !b.valid()) return {0, 0};
  const std::optional<int64_t> left = checked_mul(a.numerator, b.denominator);
  const std::optional<int64_t> right = checked_mul(b.numerator, a.denominator);
  const std::optional<int64_t> denominator = checked_mul(a.denominator, b.denominator);
  if (!left || !right || !denominator) return {0, 0};
  const std::optional<int64_t> numerator = checked_add(*left, *right);
  return numerator ? make_fraction(*numerator, *denominator) : Fraction{0, 0};
}

std::string to_text(const Fraction& fraction) {
  if (fraction.denominator == 1) return absl::StrCat(fraction.numerator);
  return absl::StrCat(fraction.numerator, "/", fraction.denominator);
}

Fraction parse_fraction(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '/');
  int64_t numerator = 0, denominator = 1;
  if (parts.size() > 2 || !absl::SimpleAtoi(parts[0], &numerator)) return {0, 0};
  if (parts.size() == 2 && !absl::SimpleAtoi(parts[1], &denominator)) return {0, 0};
  const Fraction fraction = make_fraction(numerator, denominator);
  return fraction.valid() && to_text(fraction) == text ? fraction : Fraction{0, 0};
}

}  // namespace tileproof::lemmas
