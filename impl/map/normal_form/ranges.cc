// SPDX-License-Identifier: Apache-2.0
// Ranges of normal forms.
#include <algorithm>
#include <array>
#include <utility>

#include "impl/map/normal_form/floors.h"
#include "impl/map/proof_log/proof_log.h"

namespace tileproof::impl {
namespace {

constexpr Wide kWidest = Wide{1} << 110;

void intersect(Range& range, const Range& other) {
  // Disjoint ranges mean an empty domain, which the constraints will show. Any range is right then.
  const Range both{std::max(range.low, other.low), std::min(range.high, other.high)};
  if (both.low <= both.high) range = both;
}

// Numbers of the floor atoms in `form`, by rising divisor, then in the order of the form.
int floors_by_divisor(const NormalFormContext& context, const Linear& form,
                      std::array<AtomId, 16>& floors) {
  int count = 0;
  for (const Term& term : form) {
    if (context.atoms[term.atom].kind != AtomKind::kFloor) continue;
    if (count == std::ssize(floors)) return 0;
    floors[count++] = term.atom;
  }
  std::sort(floors.begin(), floors.begin() + count, [&](AtomId a, AtomId b) {
    const int64_t x = context.atoms[a].divisor, y = context.atoms[b].divisor;
    return x != y ? x < y : a < b;
  });
  return count;
}

// An atom occurs in `whole` with factor 1 or -1, and whole = b * floor(whole / b) + (whole mod b).
// Returns the form with that atom replaced. `quotient` is the normal form of floor(whole / b).
Linear eliminate(NormalFormContext& context, const Linear& form, int32_t atom, const Linear& whole,
                 const Linear& quotient, int64_t b) {
  const int64_t sign = factor_of(whole, atom);
  const Linear digit = atom_form(context, mod_atom(context, whole, b));
  // sign * atom = digit + b * quotient - (whole - sign * atom)
  Linear value = plus(context, digit, quotient, b);
  value = plus(context, value, whole, -1);
  value = plus(context, times(context, value, sign), atom_form(context, atom));
  const int64_t factor = factor_of(form, atom);
  const Linear rest = without_atom(context, form, atom);
  return plus(context, rest, value, factor);
}

bool is_unit(int64_t factor) { return factor == 1 || factor == -1; }

// Rewrites the form in digits for one floor beside its other atoms.
Linear digits_of_floor(NormalFormContext& context, const Linear& form, int32_t floor) {
  const Linear inside = context.atoms[floor].inside;
  const int64_t divisor = context.atoms[floor].divisor;
  // The next finer floor of the same operand, if it occurs.
  int32_t finer = -1;
  for (const Term& term : form) {
    const Atom& atom = context.atoms[term.atom];
    if (atom.kind != AtomKind::kFloor || atom.divisor >= divisor || divisor % atom.divisor != 0 ||
        (finer >= 0 && atom.divisor <= context.atoms[finer].divisor)) {
      continue;
    }
    const Linear whole = floor_of(context, inside, context.atoms[term.atom].divisor);
    if (is_unit(factor_of(whole, term.atom))) finer = term.atom;
  }
  if (finer >= 0) {
    const int64_t step = context.atoms[finer].divisor;
    const Linear whole = floor_of(context, inside, step);
    const Linear digits =
        eliminate(context, form, finer, whole, atom_form(context, floor), divisor / step);
    if (is_logging(context)) log_digit(context, floor, whole, step);
    return digits;
  }
  for (const Term& term : inside) {
    if (is_unit(term.factor) && factor_of(form, term.atom) != 0) {
      return eliminate(context, form, term.atom, inside, atom_form(context, floor), divisor);
    }
  }
  // No atom to replace: use a whole k * (inside mod divisor), if it does not add terms.
  const int64_t factor = factor_of(form, floor);
  if (factor % divisor != 0) return form;
  const int64_t k = -(factor / divisor);
  const Linear digit = atom_form(context, mod_atom(context, inside, divisor));
  Linear other = without_atom(context, form, floor);
  other = plus(context, plus(context, other, inside, -k), digit, k);
  return other.count <= form.count ? other : form;
}

// The form with k * (I mod c) in place of the part k*I - k*c * floor(I / c), for each floor with such
// a factor. The parts may share atoms: 3*d0 - 14*floor(d0 / 7) - 6*floor(d0 / 6) is
// 2 * (d0 mod 7) + d0 mod 6.
Linear in_shares(NormalFormContext& context, const Linear& form) {
  Linear shares = form;
  for (const Term& term : form) {
    const Atom& atom = context.atoms[term.atom];
    if (atom.kind != AtomKind::kFloor || term.factor % atom.divisor != 0) continue;
    const int64_t k = -(term.factor / atom.divisor);
    const Linear inside = atom.inside;
    const Linear digit = atom_form(context, mod_atom(context, inside, atom.divisor));
    // The digit minus the operand is -c * floor(I / c).
    shares = plus(context, shares, atom_form(context, term.atom), -term.factor);
    shares = plus(context, plus(context, shares, inside, -k), digit, k);
    if (context.gave_up) return form;
  }
  return shares;
}

}  // namespace

bool has_floor(const Atoms& context, const Linear& form) {
  for (const Term& term : form) {
    if (context.atoms[term.atom].kind == AtomKind::kFloor) return true;
  }
  return false;
}

Range interval_sum(NormalFormContext& context, const Linear& form) {
  Range sum{form.constant, form.constant};
  for (const Term& term : form) {
    const Range part = scaled(context.atoms[term.atom].range, term.factor);
    if (part.low < -kWidest || part.high > kWidest) {
      context.gave_up = true;
      return {};
    }
    sum.low += part.low;
    sum.high += part.high;
  }
  return sum;
}

Range range_of_written(NormalFormContext& context, const Linear& x) {
  Range range = interval_sum(context, x);
  for (const Assumption& assumption : context.assumptions) {
    if (!(assumption.form == without_constant(x))) continue;
    const Range known = scaled(assumption.range, 1, x.constant);
    if (std::max(range.low, known.low) > std::min(range.high, known.high)) continue;
    range = {std::max(range.low, known.low), std::min(range.high, known.high)};
  }
  return range;
}

Linear in_digits(NormalFormContext& context, Linear form) {
  std::array<AtomId, 16> floors;
  const int count = floors_by_divisor(context, form, floors);
  // Going from fine to coarse floors makes every atom a digit; from coarse to fine keeps sums that
  // are a digit as a whole. Or each digit takes its share of the atoms. Take the narrowest result.
  Linear fine = form, coarse = form;
  for (int i = 0; i < count; ++i) {
    fine = digits_of_floor(context, fine, floors[i]);
  }
  if (count < 2) return fine;
  for (int i = count - 1; i >= 0; --i) {
    if (factor_of(coarse, floors[i]) != 0) coarse = digits_of_floor(context, coarse, floors[i]);
  }
  const Linear shares = has_small_factors(form) ? in_shares(context, form) : form;
  Linear best = fine;
  for (const Linear& other : {coarse, shares}) {
    const Range a = interval_sum(context, best), b = interval_sum(context, other);
    if (b.high - b.low < a.high - a.low) best = other;
  }
  return best;
}

std::optional<WholeFloor> whole_floor(NormalFormContext& context, const Linear& form,
                                      int32_t term) {
  const Term at = form.terms[term];
  const Atom& atom = context.atoms[at.atom];
  if (atom.kind != AtomKind::kFloor || !is_unit(at.factor) || atom.divisor >= kSmallFactor ||
      !has_small_factors(form)) {
    return std::nullopt;
  }
  const int64_t divisor = atom.divisor;
  const Linear inside = atom.inside;
  const Linear rest =
      times(context, without_atom(context, without_constant(form), at.atom), at.factor);
  return WholeFloor{rest, plus(context, inside, rest, divisor), divisor, at.factor};
}

Range range_of_floor(NormalFormContext& context, const WholeFloor& whole) {
  const Range inside = interval_sum(context, whole.inside);
  return {floor_wide(inside.low, whole.divisor), floor_wide(inside.high, whole.divisor)};
}

Range range_of_atoms(NormalFormContext& context, const Linear& form) {
  Range range = interval_sum(context, form);
  if (form.count > 1 && has_floor(context, form)) {
    const Linear plain = without_constant(form);
    const FormKey key(plain);
    int32_t memo = context.range_memo.find(key);
    if (memo < 0) {
      const Linear digits = in_digits(context, plain);
      if (is_logging(context)) log_digits(context, plain, digits);
      const std::optional<Linear> mod = recognize_mod(context, plain);
      memo = static_cast<int32_t>(context.range_results.size());
      Range sum = interval_sum(context, digits);
      for (int32_t i = 0; i < plain.count; ++i) {
        if (const auto whole = whole_floor(context, plain, i)) {
          intersect(sum, scaled(range_of_floor(context, *whole), whole->sign));
        }
      }
      if (mod) intersect(sum, interval_sum(context, *mod));
      if (context.gave_up) return range;
      context.range_results.push_back(sum);
      context.range_memo.insert(key, memo);
    }
    intersect(range, scaled(context.range_results[memo], 1, form.constant));
  }
  return range;
}

namespace {

Wide width(const Range& range) { return range.high - range.low; }

Range sum_of(const Range& a, const Range& b) { return {a.low + b.low, a.high + b.high}; }

AssumedSplit with_part(NormalFormContext& context, const AssumedSplit& split,
                       const AssumedPart& part) {
  const Assumption& assumption = context.assumptions[part.assumption];
  AssumedSplit result = split;
  result.parts.push_back(part);
  result.parts_range = sum_of(split.parts_range, scaled(assumption.range, part.k));
  result.rest = without_part(context, split.rest, assumption.form, part.k);
  result.rest_range = range_of_atoms(context, result.rest);
  result.range = sum_of(result.parts_range, result.rest_range);
  return result;
}

}  // namespace

// A part with a small k may make the range a little narrower thousands of times.
constexpr int64_t kMaxParts = 16;

std::optional<AssumedSplit> split_by_assumptions(NormalFormContext& context, const Linear& x) {
  const AssumedParts candidates = assumed_parts(context, x);
  if (candidates.empty()) return std::nullopt;
  const Range alone = range_of_atoms(context, x);
  AssumedSplit split{{}, {}, x, alone, alone};
  for (bool found = true; found;) {
    found = false;
    const AssumedSplit before = split;
    for (const AssumedPart& part : candidates) {
      AssumedSplit other = with_part(context, before, part);
      if (width(other.range) >= width(split.range)) continue;
      split = std::move(other);
      found = true;
    }
    found = found && has_small_factors(split.rest) && std::ssize(split.parts) < kMaxParts;
  }
  if (split.parts.empty()) return std::nullopt;
  return split;
}

Range range_of(NormalFormContext& context, Linear form) {
  Range range = range_of_atoms(context, form);
  if (context.assumptions.empty()) return range;
  if (const auto split = split_by_assumptions(context, form)) intersect(range, split->range);
  return range;
}

}  // namespace tileproof::impl
