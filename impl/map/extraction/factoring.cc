// SPDX-License-Identifier: Apache-2.0
#include "impl/map/extraction/factoring.h"

#include <algorithm>
#include <numeric>

namespace tileproof::impl {
namespace {

int64_t power_of(const NormalFormContext& context, int32_t atom, int32_t base) {
  if (atom == base) return 1;
  const Atom& whole = context.atoms[atom];
  return whole.kind == AtomKind::kProduct ? factor_of(whole.inside, base) : 0;
}

// The terms that contain the atom, divided by it.
Linear quotient_by(NormalFormContext& context, const Linear& sum, int32_t base) {
  Linear quotient;
  const Linear power = atom_form(context, base);
  for (const Term& term : sum) {
    if (power_of(context, term.atom, base) == 0) continue;
    const Atom& whole = context.atoms[term.atom];
    Linear part = constant(1);
    if (whole.kind == AtomKind::kProduct) {
      const Linear powers = plus(context, whole.inside, power, -1);
      for (const Term& factor : powers) {
        for (int64_t i = 0; i < factor.factor; ++i) {
          part = product(context, part, atom_form(context, factor.atom));
        }
      }
    }
    quotient = plus(context, quotient, part, term.factor);
  }
  return quotient;
}

// The terms that do not contain the atom.
Linear without_factor(NormalFormContext& context, const Linear& sum, int32_t base) {
  Term* out = context.arena.reserve(sum.count);
  int32_t count = 0;
  for (const Term& term : sum) {
    if (power_of(context, term.atom, base) == 0) out[count++] = term;
  }
  context.arena.keep(count);
  return {out, count, sum.constant};
}

// One step of polynomial division: a Q such that sum - Q * divisor loses multiples of the divisor's
// leading term. 0 if no factor divides.
Linear divided_once(NormalFormContext& context, const Linear& sum, const Linear& divisor) {
  const Term lead = divisor.terms[0];
  const Linear all = quotient_by(context, sum, lead.atom);
  if (context.gave_up) return {};
  Term* out = context.arena.reserve(all.count);
  int32_t count = 0;
  for (const Term& term : all) {
    if (term.factor % lead.factor == 0) out[count++] = {term.atom, term.factor / lead.factor};
  }
  context.arena.keep(count);
  if (count > 0) return {out, count, 0};
  return constant(all.constant % lead.factor == 0 ? all.constant / lead.factor : 0);
}

// Divides by the greatest common divisor of all factors and the constant, with the sign of the
// lead.
int64_t take_content(NormalFormContext& context, Linear& sum) {
  const int64_t size = std::max<int64_t>(std::gcd(content(sum), sum.constant), 1);
  const int64_t g = starts_negative(sum) ? -size : size;
  sum = divided(context, sum, g);
  return g;
}

// A Q such that sum - Q * divisor is short.
Linear divided_by(NormalFormContext& context, Linear sum, const Linear& divisor) {
  constexpr int kMaxSteps = 4;
  Linear quotient;
  for (int i = 0; i < kMaxSteps; ++i) {
    const Linear step = divided_once(context, sum, divisor);
    if (step == Linear{}) break;
    quotient = plus(context, quotient, step);
    sum = plus(context, sum, product(context, step, divisor), -1);
  }
  return quotient;
}

// The sum, which has no common factor, as a power in a product. A sum of one atom without other
// renderings stays itself.
Linear as_factor(NormalFormContext& context, const Linear& sum) {
  if (sum.count == 1 && sum.constant == 0 &&
      context.atoms[sum.terms->atom].kind != AtomKind::kFloor) {
    return sum;
  }
  return atom_form(context, sum_atom(context, sum));
}

// INT64_MIN occurs, so a greatest common divisor cannot be computed.
bool has_smallest(const Linear& sum) {
  return sum.constant == INT64_MIN || std::any_of(sum.begin(), sum.end(), [](const Term& term) {
           return term.factor == INT64_MIN;
         });
}

// `base` is an atom of one of the products, so P is not constant. The factors and the constant of P
// are factors of `rendering`.
void offer_factor(NormalFormContext& context, const Linear& rendering, int32_t base,
                  std::vector<Linear>& offers) {
  Linear p = quotient_by(context, rendering, base);
  if (context.gave_up) return;
  const bool squared = std::any_of(
      p.begin(), p.end(), [&](const Term& term) { return power_of(context, term.atom, base) > 0; });
  int64_t scale = take_content(context, p);
  Linear other = times(context, atom_form(context, base), scale);
  if (!squared)
    other = plus(context, other, divided_by(context, without_factor(context, rendering, base), p));
  if (has_smallest(other)) return;
  scale = take_content(context, other);
  const Linear value = product(context, other, p);
  const Linear rest = plus(context, rendering, value, -scale);
  if (rest.count >= rendering.count) return;
  const Linear powers = plus(context, as_factor(context, p), as_factor(context, other));
  const int32_t factored = factored_atom(context, powers, value);
  if (!context.gave_up) offers.push_back(plus(context, rest, atom_form(context, factored), scale));
}

}  // namespace

void offer_factors(NormalFormContext& context, const Linear& rendering,
                   std::vector<Linear>& offers) {
  constexpr size_t kMaxAtoms = 8;
  std::vector<int32_t> bases;
  for (const Term& term : rendering) {
    const Atom& atom = context.atoms[term.atom];
    if (atom.kind != AtomKind::kProduct) continue;
    for (const Term& power : atom.inside) {
      if (std::find(bases.begin(), bases.end(), power.atom) == bases.end()) {
        bases.push_back(power.atom);
      }
    }
  }
  if (bases.size() > kMaxAtoms || has_smallest(rendering)) return;
  for (const int32_t base : bases) {
    if (context.gave_up) return;
    offer_factor(context, rendering, base, offers);
  }
}

}  // namespace tileproof::impl
