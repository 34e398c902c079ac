// What conditions on one combination say together.
#include <algorithm>
#include <numeric>
#include <optional>

#include "impl/map/domain/constraint.h"
#include "impl/map/normal_form/floors.h"
#include "impl/map/proof_log/proof_log_domain.h"

namespace tileproof::impl {
namespace {

bool is_point(const Range& range) { return range.low == range.high; }

void take_origins(Condition& into, Condition& from) {
  into.origins.insert(into.origins.end(), from.origins.begin(), from.origins.end());
  std::ranges::sort(into.origins);
  from.origins.clear();
}

Wide residue(Wide x, Wide m) {
  const Wide r = x % m;
  return r < 0 ? r + m : r;
}

// congruence-merge: x = r1 (mod m1) and x = r2 (mod m2) is x = r (mod lcm), or nothing.
struct Merged {
  bool possible = true;
  bool fits = false;  // the common modulus, in 64 bits
  int64_t modulus = 0;
  int64_t residue = 0;
};

Merged chinese_remainder(int64_t r1, int64_t m1, int64_t r2, int64_t m2) {
  Merged merged;
  const int64_t g = std::gcd(m1, m2);
  if (residue(Wide{r2} - r1, g) != 0) {
    merged.possible = false;
    return merged;
  }
  if (__builtin_mul_overflow(m1, m2 / g, &merged.modulus)) return merged;
  merged.fits = true;
  // x = r1 + m1 * t with t = (r2 - r1) / g * inverse(m1 / g) modulo m2 / g.
  const Wide n = m2 / g;
  Wide a = residue(m1 / g, n), inverse = 0, next = 1, rest = n;
  while (a != 0) {
    const Wide q = rest / a;
    const Wide r = rest - q * a, t = inverse - q * next;
    rest = a, a = r, inverse = next, next = t;
  }
  const Wide t = residue(residue((Wide{r2} - r1) / g, n) * residue(inverse, n), n);
  merged.residue = static_cast<int64_t>(residue(r1 + m1 * t, merged.modulus));
  return merged;
}

enum class Joined : uint8_t { kNothing, kChanged, kContradiction };

void set_mod(Forms& forms, Condition& condition, const Linear& operand, int64_t modulus,
             const Range& range) {
  condition.mod = mod_atom(forms, operand, modulus);
  condition.form = forms.atoms[condition.mod].meaning;
  condition.range = range;
  if (telling(forms)) {
    note_as_form(forms, {operand, modulus, range}, condition.form);
  }
}

Joined join_congruences(Forms& forms, Condition& a, Condition& b) {
  const Atom x = forms.atoms[a.mod], y = forms.atoms[b.mod];
  const Merged merged = chinese_remainder(static_cast<int64_t>(a.range.low), x.divisor,
                                          static_cast<int64_t>(b.range.low), y.divisor);
  if (!merged.possible) {
    if (telling(forms)) note_contradiction(forms, a, b);
    return Joined::kContradiction;
  }
  if (!merged.fits) return Joined::kNothing;
  if (telling(forms)) note_merged(forms, a, b, merged.modulus, merged.residue);
  set_mod(forms, a, x.inside, merged.modulus, {merged.residue, merged.residue});
  take_origins(a, b);
  return Joined::kChanged;
}

// A congruence beside residues [l, h] of the same operand modulo b.
Joined join_residues(Forms& forms, Condition& congruence, Condition& residues) {
  const int64_t m = forms.atoms[congruence.mod].divisor;
  const int64_t b = forms.atoms[residues.mod].divisor;
  const Wide r = congruence.range.low;
  if (m % b == 0) {
    const Wide value = residue(r, b);
    if (telling(forms)) note_residue_of_divisor(forms, congruence, residues);
    if (value < residues.range.low || value > residues.range.high) return Joined::kContradiction;
    take_origins(congruence, residues);
    return Joined::kChanged;
  }
  if (b % m != 0) return Joined::kNothing;
  const Range pulled = pull_to_residues(residues.range, m, {r, r});
  if (telling(forms) && !(pulled == residues.range)) {
    note_pulled_residues(forms, congruence, residues, pulled);
  }
  if (pulled.low > pulled.high) return Joined::kContradiction;
  if (pulled == residues.range) return Joined::kNothing;
  residues.range = pulled;
  return Joined::kChanged;
}

Joined join_two(Forms& forms, Condition& a, Condition& b) {
  if (a.form == b.form) {
    if (telling(forms)) note_joined(forms, a.form, a.range, b.range);
    a.range = {std::max(a.range.low, b.range.low), std::min(a.range.high, b.range.high)};
    if (a.range.low > a.range.high) return Joined::kContradiction;
    take_origins(a, b);
    return Joined::kChanged;
  }
  if (a.mod < 0 || b.mod < 0 || !(forms.atoms[a.mod].inside == forms.atoms[b.mod].inside)) {
    return Joined::kNothing;
  }
  if (is_point(a.range)) {
    return is_point(b.range) ? join_congruences(forms, a, b) : join_residues(forms, a, b);
  }
  return is_point(b.range) ? join_residues(forms, b, a) : Joined::kNothing;
}

}  // namespace

bool join(Forms& forms, std::vector<Condition>& conditions, bool& changed) {
  const auto joinable = [](const Condition& c) { return !c.as_written && !c.origins.empty(); };
  for (bool again = true; again;) {
    again = false;
    for (size_t i = 0; i < conditions.size(); ++i) {
      for (size_t j = i + 1; j < conditions.size(); ++j) {
        if (!joinable(conditions[i]) || !joinable(conditions[j])) continue;
        const Joined joined = join_two(forms, conditions[i], conditions[j]);
        if (joined == Joined::kContradiction) return false;
        again |= joined == Joined::kChanged;
      }
    }
    changed |= again;
    std::erase_if(conditions, [](const Condition& c) { return c.origins.empty(); });
  }
  return true;
}

}  // namespace tileproof::impl
