// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/smt/equations.h"

#include <algorithm>
#include <utility>

namespace tileproof::verify {
namespace {

using spec::Wide;

Sum number(Wide value) { return Sum{nullptr, {}, value, false}; }

}  // namespace

bool Equations::has(const std::set<int32_t>& variables, const Sum& sum) const {
  return std::ranges::any_of(sum.terms, [&](const auto& term) {
    return std::ranges::any_of(term.first, [&](int32_t atom) { return has(variables, atom); });
  });
}

bool Equations::has(const std::set<int32_t>& variables, int32_t atom) const {
  const QuasiAffineContext::Atom& at = context_.atoms()[atom];
  return at.divisor == 0 ? variables.contains(atom) : has(variables, at.dividend);
}

bool Equations::is_open(int32_t atom) const { return has(unknown_, atom) || has(foreign_, atom); }
bool Equations::is_open(const Sum& sum) const { return has(unknown_, sum) || has(foreign_, sum); }

std::optional<Sum> Equations::value(int32_t variable) const {
  const auto known = values_.find(variable);
  if (known == values_.end()) return std::nullopt;
  return known->second;
}

// Replaces the unknowns that are solved by their values.
Sum Equations::known_part(const Sum& sum) {
  Sum result{sum.context, {}, sum.constant, sum.too_large};
  for (const auto& [product, coefficient] : sum.terms) {
    Sum term = number(coefficient);
    for (const int32_t number_of_atom : product) {
      const QuasiAffineContext::Atom atom = context_.atoms()[number_of_atom];  // the list grows
      if (const auto known = values_.find(number_of_atom); known != values_.end()) {
        term = term * known->second;
      } else if (atom.divisor != 0 && is_open(number_of_atom)) {
        const Sum dividend = known_part(atom.dividend);
        term = term * (is_open(dividend) ? context_.atom(number_of_atom)
                                         : context_.quotient(dividend, atom.divisor));
      } else {
        term = term * context_.atom(number_of_atom);
      }
    }
    result = result + term;
  }
  return result;
}

bool Equations::solve_one(const Sum& zero) {
  const Sum sum = known_part(zero);
  if (sum.too_large || has(foreign_, sum)) return false;
  // Open terms; the one with the largest coefficient goes first.
  std::vector<std::pair<int32_t, Wide>> open;
  Sum rest = sum;
  for (const auto& [product, coefficient] : sum.terms) {
    const bool is = std::ranges::any_of(product, [&](int32_t atom) { return is_open(atom); });
    if (!is) continue;
    if (product.size() != 1) return false;
    open.emplace_back(product[0], coefficient);
    rest.terms.erase(product);
  }
  if (open.empty()) return false;
  const auto size = [](Wide c) { return c < 0 ? -c : c; };
  std::ranges::stable_sort(
      open, [&](const auto& a, const auto& b) { return size(a.second) > size(b.second); });
  const bool negative = open[0].second < 0;
  const Wide c = size(open[0].second);
  Sum others = number(0);
  for (size_t k = 1; k < open.size(); ++k) {
    others = others + context_.atom(open[k].first) * number(open[k].second);
  }
  if (negative) {
    others = -others;
  } else {
    rest = -rest;  // c * x = rest - others
  }
  const Range range = context_.range_of(others);
  if (!range.low.value || !range.high.value || *range.high.value - *range.low.value >= c) {
    return false;
  }
  const Sum dividend = rest - number(*range.low.value);
  if (dividend.too_large) return false;
  values_.emplace(open[0].first, dividend.is_number() ? floordiv(dividend, number(c))
                                                      : context_.quotient(dividend, c));
  return true;
}

void Equations::solve(const std::vector<Sum>& sums) {
  for (bool progress = true; progress;) {
    progress = false;
    for (const Sum& sum : sums) progress = solve_one(sum) || progress;
    if (progress) continue;
    // If the value of a floor is known, assume its least dividend: value * divisor.
    for (const auto& [atom, value] : values_) {
      const QuasiAffineContext::Atom quotient = context_.atoms()[atom];
      if (quotient.divisor == 0) continue;
      if (solve_one(quotient.dividend - value * number(quotient.divisor))) {
        progress = true;
        break;
      }
    }
  }
}

}  // namespace tileproof::verify
