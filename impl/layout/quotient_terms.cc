// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/quotient_terms.h"

#include <variant>

namespace tileproof::impl {
namespace {

std::optional<QuotientTerm> quotient(const ClosedForm& form, const Sum::Term& term) {
  const auto weight = static_cast<uint64_t>(term.weight);
  if (term.value < form.inputs) return QuotientTerm{weight, term.value, Divisor(1)};
  const Floor* floor = std::get_if<Floor>(&form.operations[term.value - form.inputs]);
  if (floor == nullptr || floor->operand >= form.inputs) return std::nullopt;
  return QuotientTerm{weight, floor->operand, floor->divisor};
}

}  // namespace

std::optional<std::vector<QuotientTerm>> quotient_terms(const ClosedForm& form, ValueId value) {
  std::vector<Sum::Term> read = {{value, 1}};
  if (value >= form.inputs) {
    if (const Sum* sum = std::get_if<Sum>(&form.operations[value - form.inputs])) read = sum->terms;
  }
  std::vector<QuotientTerm> terms;
  for (const Sum::Term& term : read) {
    const std::optional<QuotientTerm> found = quotient(form, term);
    if (!found) return std::nullopt;
    terms.push_back(*found);
  }
  return terms;
}

}  // namespace tileproof::impl
