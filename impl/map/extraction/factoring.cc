#include "impl/map/extraction/factoring.h"

#include <algorithm>
#include <numeric>

namespace tileproof::impl {
namespace {

int64_t power_of(const Forms& forms, int32_t atom, int32_t base) {
  if (atom == base) return 1;
  const Atom& whole = forms.atoms[atom];
  return whole.kind == AtomKind::kProduct ? factor_of(whole.inside, base) : 0;
}

// The sum without the terms that do not contain the atom, divided by it.
Linear quotient_by(Forms& forms, const Linear& sum, int32_t base) {
  Linear quotient;
  const Linear power = atom_form(forms, base);
  for (const Term& term : sum) {
    if (power_of(forms, term.atom, base) == 0) continue;
    const Atom& whole = forms.atoms[term.atom];
    Linear part = constant(1);
    if (whole.kind == AtomKind::kProduct) {
      const Linear powers = plus(forms, whole.inside, power, -1);
      for (const Term& factor : powers) {
        for (int64_t i = 0; i < factor.factor; ++i) {
          part = product(forms, part, atom_form(forms, factor.atom));
        }
      }
    }
    quotient = plus(forms, quotient, part, term.factor);
  }
  return quotient;
}

// The other terms.
Linear without_factor(Forms& forms, const Linear& sum, int32_t base) {
  Term* out = forms.arena.reserve(sum.count);
  int32_t count = 0;
  for (const Term& term : sum) {
    if (power_of(forms, term.atom, base) == 0) out[count++] = term;
  }
  forms.arena.keep(count);
  return {out, count, sum.constant};
}

// One step of dividing: a Q such that sum - Q * divisor has less of the divisor's lead, of its
// products before itself; 0 where no factor divides.
Linear divided_once(Forms& forms, const Linear& sum, const Linear& divisor) {
  const Term lead = divisor.terms[0];
  const Linear all = quotient_by(forms, sum, lead.atom);
  if (forms.refused) return {};
  Term* out = forms.arena.reserve(all.count);
  int32_t count = 0;
  for (const Term& term : all) {
    if (term.factor % lead.factor == 0) out[count++] = {term.atom, term.factor / lead.factor};
  }
  forms.arena.keep(count);
  if (count > 0) return {out, count, 0};
  return constant(all.constant % lead.factor == 0 ? all.constant / lead.factor : 0);
}

// Takes the greatest common divisor out of all of it, the constant too, with the sign of the lead.
int64_t take_content(Forms& forms, Linear& sum) {
  const int64_t size = std::max<int64_t>(std::gcd(content(sum), sum.constant), 1);
  const int64_t g = starts_negative(sum) ? -size : size;
  sum = divided(forms, sum, g);
  return g;
}

// Q such that sum - Q * divisor is short.
Linear divided_by(Forms& forms, Linear sum, const Linear& divisor) {
  constexpr int kMaxSteps = 4;
  Linear quotient;
  for (int i = 0; i < kMaxSteps; ++i) {
    const Linear step = divided_once(forms, sum, divisor);
    if (step == Linear{}) break;
    quotient = plus(forms, quotient, step);
    sum = plus(forms, sum, product(forms, step, divisor), -1);
  }
  return quotient;
}

// The sum, without a common factor, as the power of a product: itself where it is one atom that has
// no other words.
Linear as_factor(Forms& forms, const Linear& sum) {
  if (sum.count == 1 && sum.constant == 0 &&
      forms.atoms[sum.terms->atom].kind != AtomKind::kFloor) {
    return sum;
  }
  return atom_form(forms, sum_atom(forms, sum));
}

// Then no greatest common divisor may be taken.
bool has_smallest(const Linear& sum) {
  return sum.constant == INT64_MIN || std::any_of(sum.begin(), sum.end(), [](const Term& term) {
           return term.factor == INT64_MIN;
         });
}

// The base is an atom of one of the products, so P is no constant; its factors, and its constant,
// are factors of the words.
void offer_factor(Forms& forms, const Linear& words, int32_t base, std::vector<Linear>& offers) {
  Linear p = quotient_by(forms, words, base);
  if (forms.refused) return;
  const bool squared = std::any_of(
      p.begin(), p.end(), [&](const Term& term) { return power_of(forms, term.atom, base) > 0; });
  int64_t scale = take_content(forms, p);
  Linear other = times(forms, atom_form(forms, base), scale);
  if (!squared)
    other = plus(forms, other, divided_by(forms, without_factor(forms, words, base), p));
  if (has_smallest(other)) return;
  scale = take_content(forms, other);
  const Linear value = product(forms, other, p);
  const Linear rest = plus(forms, words, value, -scale);
  if (rest.count >= words.count) return;
  const Linear powers = plus(forms, as_factor(forms, p), as_factor(forms, other));
  const int32_t factored = factored_atom(forms, powers, value);
  if (!forms.refused) offers.push_back(plus(forms, rest, atom_form(forms, factored), scale));
}

}  // namespace

void offer_factors(Forms& forms, const Linear& words, std::vector<Linear>& offers) {
  constexpr size_t kMaxAtoms = 8;
  std::vector<int32_t> bases;
  for (const Term& term : words) {
    const Atom& atom = forms.atoms[term.atom];
    if (atom.kind != AtomKind::kProduct) continue;
    for (const Term& power : atom.inside) {
      if (std::find(bases.begin(), bases.end(), power.atom) == bases.end()) {
        bases.push_back(power.atom);
      }
    }
  }
  if (bases.size() > kMaxAtoms || has_smallest(words)) return;
  for (const int32_t base : bases) {
    if (forms.refused) return;
    offer_factor(forms, words, base, offers);
  }
}

}  // namespace tileproof::impl
