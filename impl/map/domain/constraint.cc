// SPDX-License-Identifier: Apache-2.0
#include "impl/map/domain/constraint.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "impl/map/normal_form/floors.h"
#include "impl/map/proof_log/proof_log_domain.h"

namespace tileproof::impl {
namespace {

bool is_empty(const Range& range) { return range.low > range.high; }

void narrow(Range& range, const Range& by) {
  range = {std::max(range.low, by.low), std::min(range.high, by.high)};
}

// Moves the constant into the interval, divides by the common factor, makes the first factor
// positive.
void scale_down(NormalFormContext& context, NormalConstraint& constraint) {
  const Wide k = constraint.form.constant;
  constraint.form.constant = 0;
  constraint.range = {constraint.range.low - k, constraint.range.high - k};
  const int64_t g = content(constraint.form);
  if (g > 1) {
    constraint.form = divided(context, constraint.form, g);
    const Range before = constraint.range;
    constraint.range = {ceil_wide(before.low, g), floor_wide(before.high, g)};
    if (is_logging(context)) {
      log_scaled(context, constraint.form, g, before, constraint.range);
    }
  }
  if (starts_negative(constraint.form)) {
    constraint.form = times(context, constraint.form, -1);
    constraint.range = {-constraint.range.high, -constraint.range.low};
  }
}

// Compares the interval with the range of the form.
Truth compare_with_range(NormalFormContext& context, NormalConstraint& constraint) {
  const Range all = range_of(context, constraint.form);
  if (is_logging(context)) {
    log_compared(context, constraint.form, constraint.range, all);
  }
  if (constraint.range.low <= all.low && all.high <= constraint.range.high) return Truth::kAlways;
  narrow(constraint.range, all);
  return is_empty(constraint.range) ? Truth::kNever : Truth::kOpen;
}

// For g*A + B in [l, h]: if the constraint on A is the same for every B in its range, replaces it
// by A in [l', h'] and returns true.
bool drop_part(NormalFormContext& context, NormalConstraint& constraint) {
  std::array<int64_t, 16> factors;
  int count = 0;
  const auto add = [&](int64_t g) {
    if (g > 1 && count < std::ssize(factors) &&
        std::find(factors.begin(), factors.begin() + count, g) == factors.begin() + count) {
      factors[count++] = g;
    }
  };
  for (const Term& term : constraint.form) {
    if (term.factor == INT64_MIN) return false;
    const int before = count;
    add(std::abs(term.factor));
    for (int i = 0; i < before; ++i) add(std::gcd(term.factor, factors[i]));
  }
  std::sort(factors.begin(), factors.begin() + count, std::greater<>());
  const Range all = range_of(context, constraint.form);
  for (int i = 0; i < count; ++i) {
    const int64_t g = factors[i];
    Term* out = context.arena.reserve(constraint.form.count);
    int32_t kept = 0;
    for (const Term& term : constraint.form) {
      if (term.factor % g != 0) out[kept++] = term;
    }
    context.arena.keep(kept);
    const Linear part{out, kept, 0};
    const Range b = range_of(context, part);
    const Wide low = ceil_wide(constraint.range.low - b.low, g);
    const Wide high = floor_wide(constraint.range.high - b.high, g);
    const bool low_decided = low == ceil_wide(constraint.range.low - b.high, g);
    const bool high_decided = high == floor_wide(constraint.range.high - b.low, g);
    if ((!low_decided && constraint.range.low > all.low) ||
        (!high_decided && constraint.range.high < all.high)) {
      continue;
    }
    const NormalConstraint before = constraint;
    constraint.form = divided(context, plus(context, constraint.form, part, -1), g);
    const Range a = range_of(context, constraint.form);
    constraint.range = {low_decided ? low : a.low, high_decided ? high : a.high};
    if (is_logging(context)) {
      log_dropped(context, {before.form, part, g, constraint.form, before.range, all, b,
                            constraint.range, low_decided, high_decided});
    }
    return true;
  }
  return false;
}

// The form as one mod, times 1 or -1, and a constant. (Any other factor was divided out of the
// form.)
struct ModView {
  Linear operand;
  int64_t modulus;
  int64_t factor;
  int64_t constant;
};

std::optional<ModView> as_mod(NormalFormContext& context, const Linear& form) {
  const Linear digits = in_digits(context, form);
  if (digits.count != 1) return std::nullopt;
  const Term term = digits.terms[0];
  const Atom& atom = context.atoms[term.atom];
  if (atom.kind != AtomKind::kMod) return std::nullopt;
  return ModView{atom.inside, atom.divisor, term.factor, digits.constant};
}

// floor(I / a) + e modulo b in [l, h] is I + a*e modulo a*b in [a*l, a*h + a - 1]. Once is enough:
// if the operand I were a floor, it would have been merged.
void open_floor(NormalFormContext& context, Residues& c) {
  if (c.operand.count != 1 || c.operand.terms[0].factor != 1) return;
  const Atom atom = context.atoms[c.operand.terms[0].atom];
  int64_t modulus;
  if (atom.kind != AtomKind::kFloor || __builtin_mul_overflow(atom.divisor, c.modulus, &modulus)) {
    return;
  }
  const Residues before = c;
  const Wide a = atom.divisor;
  c.range = {c.range.low * a, c.range.high * a + a - 1};
  c.operand = plus(context, atom.inside, constant(c.operand.constant), atom.divisor);
  c.modulus = modulus;
  if (is_logging(context)) log_opened_floor(context, before, c);
}

// Reduces the factors modulo the modulus.
void reduce_operand(NormalFormContext& context, Residues& c) {
  const Linear rest = pull_multiple(context, c.operand, c.modulus).rest;
  if (is_logging(context)) log_multiples_dropped(context, c, rest);
  c.operand = rest;
}

// Normalizes a congruence: a single atom has factor 1; otherwise the first factor is positive.
// Operand and modulus have no common factor: S - m * floor(S / m) would have it in all its terms,
// so scale_down has already divided it out. (The residues of an opened floor are never a single
// one.)
void reduce_congruence(NormalFormContext& context, Residues& c) {
  const bool single = c.operand.count == 1;
  const int64_t factor = single ? c.operand.terms[0].factor : (starts_negative(c.operand) ? -1 : 1);
  const int64_t unit = single ? inverse_modulo(factor, c.modulus) : factor;
  if (unit == 1) return;
  const Wide r = rest_wide(c.range.low * unit, c.modulus);
  const Residues before = c;
  c.range = {r, r};
  c.operand =
      single ? atom_form(context, c.operand.terms[0].atom) : times(context, c.operand, unit);
  if (is_logging(context)) {
    log_divided(context, before, c.operand, factor, unit, c.range);
  }
  if (!single) reduce_operand(context, c);
}

// Moves the constant of the operand into the residues, if they stay in one piece.
void shift_out_constant(NormalFormContext& context, Residues& c) {
  const Wide k = c.operand.constant;
  const Range moved{c.range.low - k, c.range.high - k};
  const Wide cell = floor_wide(moved.low, c.modulus);
  if (floor_wide(moved.high, c.modulus) != cell) return;
  const Residues before = c;
  c.range = {moved.low - cell * c.modulus, moved.high - cell * c.modulus};
  c.operand.constant = 0;
  if (is_logging(context)) log_shifted(context, before, c, cell);
}

void mirror(NormalFormContext& context, Residues& c) {
  if (c.operand.constant != 0 || c.range.low < 1 || !starts_negative(c.operand)) return;
  const Residues before = c;
  c.operand = times(context, c.operand, -1);
  c.range = {c.modulus - c.range.high, c.modulus - c.range.low};
  if (is_logging(context)) log_mirrored(context, before, c.operand, c.range);
  reduce_operand(context, c);
}

void set_mod(NormalFormContext& context, NormalConstraint& constraint, const Residues& c) {
  constraint.mod = mod_atom(context, c.operand, c.modulus);
  const Atom& atom = context.atoms[constraint.mod];
  constraint.form = atom.meaning;
  constraint.range = c.range;
  if (is_logging(context)) log_as_form(context, c, constraint.form);
}

// The form's range was compared with the interval, so some residues are allowed, but not all.
void canonicalize_mod(NormalFormContext& context, NormalConstraint& constraint,
                      const ModView& view) {
  Range residues{constraint.range.low - view.constant, constraint.range.high - view.constant};
  if (view.factor < 0) residues = {-residues.high, -residues.low};
  Residues c{view.operand, view.modulus, residues};
  if (is_logging(context)) log_as_residues(context, constraint.form, constraint.range, c);
  open_floor(context, c);
  if (context.gave_up) return;
  if (is_logging(context)) log_all_residues(context, c);
  reduce_operand(context, c);
  shift_out_constant(context, c);
  if (c.range.low == c.range.high) {
    reduce_congruence(context, c);
  } else {
    mirror(context, c);
  }
  set_mod(context, constraint, c);
}

int64_t count_floors(const NormalFormContext& context, const Linear& form) {
  return std::count_if(form.begin(), form.end(), [&](const Term& term) {
    return context.atoms[term.atom].kind == AtomKind::kFloor;
  });
}

// R + floor(I / c) in [l, h] is I + c*R in [c*l, c*h + c - 1]. Takes the first floor that leaves
// fewer floors.
bool open_whole_floor(NormalFormContext& context, NormalConstraint& constraint) {
  const int64_t floors = count_floors(context, constraint.form);
  for (int32_t i = 0; floors > 0 && i < constraint.form.count; ++i) {
    const std::optional<WholeFloor> whole = whole_floor(context, constraint.form, i);
    if (!whole || context.gave_up || count_floors(context, whole->inside) >= floors) continue;
    const Range range = scaled(constraint.range, whole->sign);
    const Wide c = whole->divisor;
    if (is_logging(context)) log_opened_sum(context, constraint.form, *whole, constraint.range);
    constraint.form = whole->inside;
    constraint.range = {range.low * c, range.high * c + c - 1};
    return true;
  }
  return false;
}

}  // namespace

Truth canonicalize(NormalFormContext& context, NormalConstraint& constraint,
                   std::vector<Range>& bounds) {
  // Two renderings of one operand could lead to each other. All other cases need one more round.
  int mods = 0;
  while (!context.gave_up) {
    constraint.mod = -1;
    scale_down(context, constraint);
    if (constraint.form.is_constant()) {
      return constraint.range.low <= 0 && 0 <= constraint.range.high ? Truth::kAlways
                                                                     : Truth::kNever;
    }
    const Truth truth = compare_with_range(context, constraint);
    if (truth != Truth::kOpen) return truth;
    if (constraint.form.count == 1 && constraint.form.terms[0].factor == 1) {
      const int32_t number = constraint.form.terms[0].atom;
      const Atom atom = context.atoms[number];
      if (atom.kind == AtomKind::kVariable) {
        narrow(bounds[number], constraint.range);
        return is_empty(bounds[number]) ? Truth::kNever : Truth::kAlways;
      }
      if (atom.kind == AtomKind::kFloor) {
        const Wide c = atom.divisor;
        if (is_logging(context)) log_opened(context, number, constraint.range);
        constraint.form = atom.inside;
        constraint.range = {constraint.range.low * c, constraint.range.high * c + c - 1};
        continue;
      }
    }
    if (const std::optional<ModView> view = as_mod(context, constraint.form)) {
      const Linear before = constraint.form;
      canonicalize_mod(context, constraint, *view);
      // Another rendering of the operand may have another form, which must be canonicalized.
      if (++mods == 2 || constraint.form == before ||
          constraint.form == times(context, before, -1)) {
        return Truth::kOpen;
      }
      continue;
    }
    if (!open_whole_floor(context, constraint) && !drop_part(context, constraint)) {
      return Truth::kOpen;
    }
  }
  return Truth::kOpen;
}

Range pull_to_residues(const Range& bounds, int64_t b, const Range& residues) {
  Range result = bounds;
  const Wide first = rest_wide(bounds.low, b);
  if (first < residues.low) result.low += residues.low - first;
  if (first > residues.high) result.low += b - first + residues.low;
  const Wide last = rest_wide(bounds.high, b);
  if (last > residues.high) result.high -= last - residues.high;
  if (last < residues.low) result.high -= last + b - residues.high;
  return result;
}

void pull_bounds(NormalFormContext& context, const NormalConstraint& constraint,
                 std::vector<Range>& bounds) {
  if (constraint.mod < 0) return;
  const Atom& mod = context.atoms[constraint.mod];
  if (mod.inside.count != 1 || mod.inside.terms[0].factor != 1 || mod.inside.constant != 0) return;
  const int32_t variable = mod.inside.terms[0].atom;
  if (context.atoms[variable].kind != AtomKind::kVariable) return;
  const Range before = bounds[variable];
  bounds[variable] = pull_to_residues(before, mod.divisor, constraint.range);
  if (is_logging(context)) log_pulled_bound(context, constraint, before, bounds[variable]);
}

void tighten(NormalFormContext& context, const Linear& form, const Range& range,
             std::vector<Range>& bounds) {
  const Range all = interval_sum(context, form);
  if (context.gave_up || (range.low <= all.low && all.high <= range.high)) return;
  for (const Term& term : form) {
    const Atom atom = context.atoms[term.atom];
    const Wide a = atom.range.low * term.factor, b = atom.range.high * term.factor;
    // The other terms lie in `all` minus the range of this term. The rest of the interval is left
    // for this term.
    const Wide low = range.low - (all.high - std::max(a, b));
    const Wide high = range.high - (all.low - std::min(a, b));
    const Wide c = term.factor;
    Range own = c > 0 ? Range{ceil_wide(low, c), floor_wide(high, c)}
                      : Range{ceil_wide(-high, -c), floor_wide(-low, -c)};
    const Range left = own;
    narrow(own, atom.range);
    if (own == atom.range) continue;
    if (is_logging(context)) log_bound(context, form, range, term, left, own);
    if (atom.kind == AtomKind::kVariable) {
      narrow(bounds[term.atom], own);
    } else if (atom.kind == AtomKind::kFloor) {
      const Wide d = atom.divisor;
      tighten(context, atom.inside, {own.low * d, own.high * d + d - 1}, bounds);
    }
  }
}

// The intersection of constraints on one combination.

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
