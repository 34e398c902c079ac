// SPDX-License-Identifier: Apache-2.0
// The intersection of constraints on one combination.
#include <algorithm>
#include <numeric>

#include "impl/map/domain/constraint.h"
#include "impl/map/normal_form/floors.h"
#include "impl/map/proof_log/proof_log_domain.h"

namespace tileproof::impl {
namespace {

bool is_point(const Range& range) { return range.low == range.high; }

void take_sources(NormalConstraint& into, NormalConstraint& from) {
  into.sources.insert(into.sources.end(), from.sources.begin(), from.sources.end());
  std::ranges::sort(into.sources);
  from.sources.clear();
}

// congruence-merge: x = r1 (mod m1) and x = r2 (mod m2) is x = r (mod lcm), or a contradiction.
struct Merged {
  bool possible = true;
  bool fits = false;  // whether the common modulus fits 64 bits
  int64_t modulus = 0;
  int64_t residue = 0;
};

Merged chinese_remainder(int64_t r1, int64_t m1, int64_t r2, int64_t m2) {
  Merged merged;
  const int64_t g = std::gcd(m1, m2);
  if (rest_wide(Wide{r2} - r1, g) != 0) {
    merged.possible = false;
    return merged;
  }
  if (__builtin_mul_overflow(m1, m2 / g, &merged.modulus)) return merged;
  merged.fits = true;
  // x = r1 + m1 * t with t = (r2 - r1) / g * inverse(m1 / g) modulo m2 / g.
  const int64_t n = m2 / g;
  const Wide t = rest_wide(rest_wide((Wide{r2} - r1) / g, n) * inverse_modulo(m1 / g, n), n);
  merged.residue = static_cast<int64_t>(rest_wide(r1 + m1 * t, merged.modulus));
  return merged;
}

enum class Joined : uint8_t { kNothing, kChanged, kContradiction };

void set_mod(NormalFormContext& context, NormalConstraint& constraint, const Linear& operand,
             int64_t modulus, const Range& range) {
  constraint.mod = mod_atom(context, operand, modulus);
  constraint.form = context.atoms[constraint.mod].meaning;
  constraint.range = range;
  if (is_logging(context)) {
    log_as_form(context, {operand, modulus, range}, constraint.form);
  }
}

Joined join_congruences(NormalFormContext& context, NormalConstraint& a, NormalConstraint& b) {
  const Atom x = context.atoms[a.mod], y = context.atoms[b.mod];
  const Merged merged = chinese_remainder(static_cast<int64_t>(a.range.low), x.divisor,
                                          static_cast<int64_t>(b.range.low), y.divisor);
  if (!merged.possible) {
    if (is_logging(context)) log_contradiction(context, a, b);
    return Joined::kContradiction;
  }
  if (!merged.fits) return Joined::kNothing;
  if (is_logging(context)) log_merged(context, a, b, merged.modulus, merged.residue);
  set_mod(context, a, x.inside, merged.modulus, {merged.residue, merged.residue});
  take_sources(a, b);
  return Joined::kChanged;
}

// Intersects a congruence with residues [l, h] of the same operand modulo b.
Joined join_residues(NormalFormContext& context, NormalConstraint& congruence,
                     NormalConstraint& residues) {
  const int64_t m = context.atoms[congruence.mod].divisor;
  const int64_t b = context.atoms[residues.mod].divisor;
  const Wide r = congruence.range.low;
  if (m % b == 0) {
    const Wide value = rest_wide(r, b);
    if (is_logging(context)) log_residue_of_divisor(context, congruence, residues);
    if (value < residues.range.low || value > residues.range.high) return Joined::kContradiction;
    take_sources(congruence, residues);
    return Joined::kChanged;
  }
  if (b % m != 0) return Joined::kNothing;
  const Range pulled = pull_to_residues(residues.range, m, {r, r});
  if (is_logging(context) && !(pulled == residues.range)) {
    log_pulled_residues(context, congruence, residues, pulled);
  }
  if (pulled.low > pulled.high) return Joined::kContradiction;
  if (pulled == residues.range) return Joined::kNothing;
  residues.range = pulled;
  return Joined::kChanged;
}

Joined join_two(NormalFormContext& context, NormalConstraint& a, NormalConstraint& b) {
  if (a.form == b.form) {
    if (is_logging(context)) log_joined(context, a.form, a.range, b.range);
    a.range = {std::max(a.range.low, b.range.low), std::min(a.range.high, b.range.high)};
    if (a.range.low > a.range.high) return Joined::kContradiction;
    take_sources(a, b);
    return Joined::kChanged;
  }
  if (a.mod < 0 || b.mod < 0 || !(context.atoms[a.mod].inside == context.atoms[b.mod].inside)) {
    return Joined::kNothing;
  }
  if (is_point(a.range)) {
    return is_point(b.range) ? join_congruences(context, a, b) : join_residues(context, a, b);
  }
  return is_point(b.range) ? join_residues(context, b, a) : Joined::kNothing;
}

}  // namespace

bool join(NormalFormContext& context, std::vector<NormalConstraint>& constraints, bool& changed) {
  const auto joinable = [](const NormalConstraint& c) {
    return !c.as_written && !c.sources.empty();
  };
  for (bool again = true; again;) {
    again = false;
    for (size_t i = 0; i < constraints.size(); ++i) {
      for (size_t j = i + 1; j < constraints.size(); ++j) {
        if (!joinable(constraints[i]) || !joinable(constraints[j])) continue;
        const Joined joined = join_two(context, constraints[i], constraints[j]);
        if (joined == Joined::kContradiction) return false;
        again |= joined == Joined::kChanged;
      }
    }
    changed |= again;
    std::erase_if(constraints, [](const NormalConstraint& c) { return c.sources.empty(); });
  }
  return true;
}

}  // namespace tileproof::impl
