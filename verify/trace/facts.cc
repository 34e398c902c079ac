// SPDX-License-Identifier: Apache-2.0
#include "verify/trace/facts.h"

#include <algorithm>

namespace tileproof::trace {

Fact make_fact(const Polynomial& polynomial, std::optional<Wide> low, std::optional<Wide> high) {
  Fact fact{polynomial, low, high};
  if (!polynomial.valid) return fact;
  const Wide k = constant_of(polynomial);
  fact.polynomial.terms.erase(Unknowns{});
  Wide minus;
  bool fits = multiply(k, -1, minus);
  for (std::optional<Wide>* end : {&fact.low, &fact.high}) {
    if (*end) fits = fits && add(**end, minus, **end);
  }
  if (!fact.polynomial.terms.empty() && fact.polynomial.terms.begin()->second < 0) {
    fact.polynomial = product(fact.polynomial, constant_polynomial(-1));
    std::swap(fact.low, fact.high);
    for (std::optional<Wide>* end : {&fact.low, &fact.high}) {
      if (*end) fits = fits && multiply(**end, -1, **end);
    }
  }
  if (!fits) fact.polynomial.valid = false;
  return fact;
}

Fact make_fact(const impl::Fact<Value>& fact) {
  const Polynomial difference = (fact.right - fact.left).polynomial;
  switch (fact.predicate) {
    case impl::Predicate::kEqual:
      return make_fact(difference, 0, 0);
    case impl::Predicate::kLess:
      return make_fact(difference, 1, std::nullopt);
    case impl::Predicate::kLessEqual:
      break;
  }
  return make_fact(difference, 0, std::nullopt);
}

Fact rewritten(const Fact& fact, Table& table, const Equations& equations) {
  return make_fact(rewritten(fact.polynomial, table, equations), fact.low, fact.high);
}

namespace {

bool is_empty(const Fact& fact) {
  if (fact.low && fact.high && *fact.low > *fact.high) return true;
  if (!fact.polynomial.terms.empty()) return false;  // else it is 0
  return (fact.low && *fact.low > 0) || (fact.high && *fact.high < 0);
}

}  // namespace

bool Facts::add(const Fact& fact) {
  if (!fact.polynomial.valid || imply(fact)) return false;
  const auto [position, is_new] = facts_.emplace(fact.polynomial, fact);
  Fact& known = position->second;
  if (fact.low) known.low = known.low ? std::max(*known.low, *fact.low) : *fact.low;
  if (fact.high) known.high = known.high ? std::min(*known.high, *fact.high) : *fact.high;
  contradictory_ = contradictory_ || is_empty(known);
  return true;
}

bool Facts::imply(const Fact& fact) const {
  if (!fact.polynomial.valid) return false;
  if (contradictory_) return true;
  if (fact.polynomial.terms.empty()) return !is_empty(fact);
  if (!fact.low && !fact.high) return true;
  const auto found = facts_.find(fact.polynomial);
  if (found == facts_.end()) return false;
  const Fact& known = found->second;
  return (!fact.low || (known.low && *known.low >= *fact.low)) &&
         (!fact.high || (known.high && *known.high <= *fact.high));
}

}  // namespace tileproof::trace
