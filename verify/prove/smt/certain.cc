// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/smt/certain.h"

#include <algorithm>
#include <map>

namespace tileproof::verify {
namespace {

// The term that a floor of one atom leaves as a remainder: c * (t - m * floor(t / m)).
std::optional<int32_t> dividend_of(const QuasiAffineContext::Atom& floor) {
  if (floor.divisor == 0 || floor.dividend.constant != 0 || floor.dividend.terms.size() != 1) {
    return std::nullopt;
  }
  const auto& [product, coefficient] = *floor.dividend.terms.begin();
  if (coefficient != 1 || product.size() != 1) return std::nullopt;
  return product[0];
}

}  // namespace

bool is_certain(const QuasiAffineContext& context, const Sum& at_least_zero) {
  if (at_least_zero.too_large) return false;
  if (always(context, at_least_zero) == true) return true;
  std::map<Product, Wide> terms;
  for (const auto& [product, coefficient] : at_least_zero.terms) terms[product] = coefficient;
  spec::Exact least = spec::exact(0);
  least.value = at_least_zero.constant;
  for (const auto& [product, coefficient] : at_least_zero.terms) {
    if (product.size() != 1) continue;
    const QuasiAffineContext::Atom& atom = context.atoms()[product[0]];
    const auto dividend = dividend_of(atom);
    if (!dividend) continue;
    const auto whole = terms.find({*dividend});
    if (whole == terms.end() || whole->second * -atom.divisor != coefficient) continue;
    spec::Exact remainder = spec::exact(0);
    remainder.value = std::min<Wide>(0, whole->second) * (atom.divisor - 1);
    least = least + remainder;
    terms.erase(whole);
    terms.erase(product);
  }
  for (const auto& [product, coefficient] : terms) {
    const Range range = context.range_of(product);
    spec::Exact factor = spec::exact(0);
    factor.value = coefficient;
    least = least + factor * (coefficient > 0 ? range.low : range.high);
  }
  return least.value && *least.value >= 0;
}

bool is_certain(const QuasiAffineContext& context, const Formula& formula) {
  const auto holds = [&](const Formula& part) { return is_certain(context, part); };
  switch (formula.kind()) {
    case Formula::Kind::kTrue:
      return true;
    case Formula::Kind::kLiteral:
      return is_certain(context, formula.literal());
    case Formula::Kind::kAll:
      return std::ranges::all_of(formula.parts(), holds);
    case Formula::Kind::kAny:
      return std::ranges::any_of(formula.parts(), holds);
    default:
      return false;
  }
}

std::vector<Formula> conditions_of(const QuasiAffineContext& context, const Formula& formula) {
  if (formula.kind() != Formula::Kind::kAll) {
    if (is_certain(context, formula)) return {};
    return {formula};
  }
  std::vector<Formula> conditions;
  for (const Formula& part : formula.parts()) {
    for (Formula& one : conditions_of(context, part)) conditions.push_back(std::move(one));
  }
  return conditions;
}

}  // namespace tileproof::verify
