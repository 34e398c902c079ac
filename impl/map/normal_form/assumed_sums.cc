// SPDX-License-Identifier: Apache-2.0
#include "impl/map/normal_form/assumed_sums.h"

#include <algorithm>
#include <optional>

namespace tileproof::impl {
namespace {

bool has_atoms_of(const Linear& x, const Linear& assumption) {
  return std::all_of(assumption.begin(), assumption.end(),
                     [&](const Term& term) { return factor_of(x, term.atom) != 0; });
}

// The k with x = k * known, both without their constants; 0 if there is none.
int64_t times_in(const Linear& x, const Linear& assumption) {
  if (x.count != assumption.count) return 0;
  const int64_t k = x.terms[0].factor / assumption.terms[0].factor;  // the divisor is never -1
  for (int32_t i = 0; i < x.count; ++i) {
    const Term &term = x.terms[i], &part = assumption.terms[i];
    if (term.atom != part.atom || term.factor != Wide{part.factor} * k) return 0;
  }
  return k;
}

bool has_one_value(const Assumption& assumption) {
  return assumption.range.low == assumption.range.high;
}

// x with k * value in place of k * sum, if the constant stays within 64 bits.
std::optional<Linear> put_in(NormalFormContext& context, const Linear& x,
                             const Assumption& assumption, int64_t k) {
  const Wide constant = assumption.range.low * k + x.constant;
  if (constant < INT64_MIN || constant > INT64_MAX) return std::nullopt;
  Linear result = without_part(context, without_constant(x), assumption.form, k);
  result.constant = static_cast<int64_t>(constant);
  return result;
}

}  // namespace

Linear without_part(NormalFormContext& context, const Linear& x, const Linear& sum, int64_t k) {
  return times_in(x, sum) == k ? constant(x.constant) : plus(context, x, sum, -k);
}

AssumedParts assumed_parts(const Assumptions& context, const Linear& x) {
  AssumedParts parts;
  for (size_t i = 0; i < context.assumptions.size(); ++i) {
    const Linear& sum = context.assumptions[i].form;
    if (!has_atoms_of(x, sum)) continue;
    if (!has_small_factors(x) || !has_small_factors(sum)) {
      if (const int64_t k = times_in(x, sum); k != 0) parts.push_back({i, k});
      continue;
    }
    for (const Term& term : sum) {
      const int64_t factor = factor_of(x, term.atom);
      const AssumedPart part{i, factor / term.factor};
      const bool is_new = parts.empty() || parts.back() != part;
      if (factor % term.factor == 0 && is_new) parts.push_back(part);
    }
  }
  const auto size = [](const AssumedPart& part) { return part.k < 0 ? -Wide{part.k} : part.k; };
  if (parts.size() > 1) std::ranges::stable_sort(parts, {}, size);  // speed only: it allocates
  return parts;
}

Linear with_assumed_sums(NormalFormContext& context, Linear x, AssumedParts* used) {
  if (context.assumptions.empty()) return x;
  for (bool found = true; found;) {
    found = false;
    for (const AssumedPart& part : assumed_parts(context, x)) {
      if (!has_one_value(context.assumptions[part.assumption])) continue;
      const std::optional<Linear> other =
          put_in(context, x, context.assumptions[part.assumption], part.k);
      if (!other) continue;
      x = *other;
      if (used != nullptr) used->push_back(part);
      found = true;
      break;
    }
  }
  return x;
}

}  // namespace tileproof::impl
