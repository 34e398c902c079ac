#include "impl/map/domain/constraint.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "impl/map/normal_form/floors.h"
#include "impl/map/normal_form/ranges.h"
#include "impl/map/proof_log/proof_log_domain.h"

namespace tileproof::impl {
namespace {

bool is_empty(const Range& range) { return range.low > range.high; }

void narrow(Range& range, const Range& by) {
  range = {std::max(range.low, by.low), std::min(range.high, by.high)};
}

int64_t residue(Wide x, int64_t m) {
  const auto r = static_cast<int64_t>(x % m);
  return r < 0 ? r + m : r;
}

// Constant into the interval, common factor out, first factor positive.
void scale_down(Forms& forms, Condition& condition) {
  const Wide k = condition.form.constant;
  condition.form.constant = 0;
  condition.range = {condition.range.low - k, condition.range.high - k};
  const int64_t g = content(condition.form);
  if (g > 1) {
    condition.form = divided(forms, condition.form, g);
    const Range before = condition.range;
    condition.range = {ceil_wide(before.low, g), floor_wide(before.high, g)};
    if (telling(forms)) {
      note_scaled(forms, condition.form, g, before, condition.range);
    }
  }
  if (starts_negative(condition.form)) {
    condition.form = times(forms, condition.form, -1);
    condition.range = {-condition.range.high, -condition.range.low};
  }
}

// What the range of the form says about the interval.
Truth compare_with_range(Forms& forms, Condition& condition) {
  const Range all = range_of(forms, condition.form);
  if (telling(forms)) {
    note_compared(forms, condition.form, condition.range, all);
  }
  if (condition.range.low <= all.low && all.high <= condition.range.high) return Truth::kAlways;
  narrow(condition.range, all);
  return is_empty(condition.range) ? Truth::kNever : Truth::kOpen;
}

// g*A + B in [l, h], where every B of its range asks the same of A: A in [l', h']. True if so.
bool drop_part(Forms& forms, Condition& condition) {
  std::array<int64_t, 16> factors;
  int count = 0;
  const auto add = [&](int64_t g) {
    if (g > 1 && count < std::ssize(factors) &&
        std::find(factors.begin(), factors.begin() + count, g) == factors.begin() + count) {
      factors[count++] = g;
    }
  };
  for (const Term& term : condition.form) {
    if (term.factor == INT64_MIN) return false;
    const int before = count;
    add(std::abs(term.factor));
    for (int i = 0; i < before; ++i) add(std::gcd(term.factor, factors[i]));
  }
  std::sort(factors.begin(), factors.begin() + count, std::greater<>());
  const Range all = range_of(forms, condition.form);
  for (int i = 0; i < count; ++i) {
    const int64_t g = factors[i];
    Term* out = forms.arena.reserve(condition.form.count);
    int32_t kept = 0;
    for (const Term& term : condition.form) {
      if (term.factor % g != 0) out[kept++] = term;
    }
    forms.arena.keep(kept);
    const Linear part{out, kept, 0};
    const Range b = range_of(forms, part);
    const Wide low = ceil_wide(condition.range.low - b.low, g);
    const Wide high = floor_wide(condition.range.high - b.high, g);
    const bool low_decided = low == ceil_wide(condition.range.low - b.high, g);
    const bool high_decided = high == floor_wide(condition.range.high - b.low, g);
    if ((!low_decided && condition.range.low > all.low) ||
        (!high_decided && condition.range.high < all.high)) {
      continue;
    }
    const Condition before = condition;
    condition.form = divided(forms, plus(forms, condition.form, part, -1), g);
    const Range a = range_of(forms, condition.form);
    condition.range = {low_decided ? low : a.low, high_decided ? high : a.high};
    if (telling(forms)) {
      note_dropped(forms, {before.form, part, g, condition.form, before.range, all, b,
                           condition.range, low_decided, high_decided});
    }
    return true;
  }
  return false;
}

// The form as one mod, factor 1 or -1, and a constant. (Another factor would have gone out of the
// form.)
struct ModView {
  Linear operand;
  int64_t modulus;
  int64_t factor;
  int64_t constant;
};

std::optional<ModView> as_mod(Forms& forms, const Linear& form) {
  const Linear digits = in_digits(forms, form);
  if (digits.count != 1) return std::nullopt;
  const Term term = digits.terms[0];
  const Atom& atom = forms.atoms[term.atom];
  if (atom.kind != AtomKind::kMod) return std::nullopt;
  return ModView{atom.inside, atom.divisor, term.factor, digits.constant};
}

// The inverse of a modulo m > 1, which have no common factor.
int64_t inverse(int64_t a, int64_t m) {
  Wide r0 = m, r1 = floor_remainder(a, m), t0 = 0, t1 = 1;
  while (r1 != 0) {
    const Wide q = r0 / r1;
    const Wide r2 = r0 - q * r1, t2 = t0 - q * t1;
    r0 = r1, r1 = r2, t0 = t1, t1 = t2;
  }
  return residue(t0, m);
}

// floor(I / a) + e modulo b in [l, h] is I + a*e modulo a*b in [a*l, a*h + a - 1]. Once is enough:
// a floor whose operand is a floor would have been merged with it.
void open_floor(Forms& forms, Residues& c) {
  if (c.operand.count != 1 || c.operand.terms[0].factor != 1) return;
  const Atom atom = forms.atoms[c.operand.terms[0].atom];
  int64_t modulus;
  if (atom.kind != AtomKind::kFloor || __builtin_mul_overflow(atom.divisor, c.modulus, &modulus)) {
    return;
  }
  const Residues before = c;
  const Wide a = atom.divisor;
  c.range = {c.range.low * a, c.range.high * a + a - 1};
  c.operand = plus(forms, atom.inside, constant(c.operand.constant), atom.divisor);
  c.modulus = modulus;
  if (telling(forms)) note_opened_floor(forms, before, c);
}

// The factors modulo the modulus.
void reduce_operand(Forms& forms, Residues& c) {
  const Linear rest = pull_multiple(forms, c.operand, c.modulus).rest;
  if (telling(forms)) note_multiples_dropped(forms, c, rest);
  c.operand = rest;
}

// A congruence of a single atom without a factor, of several with the first factor positive.
// Operand and modulus have no factor in common: S - m * floor(S / m) would have it in all its
// terms, and it went out of the condition before S and m were found in it. (Residues of an opened
// floor are never a single one.)
void reduce_congruence(Forms& forms, Residues& c) {
  const bool single = c.operand.count == 1;
  const int64_t factor = single ? c.operand.terms[0].factor : (starts_negative(c.operand) ? -1 : 1);
  const int64_t unit = single ? inverse(factor, c.modulus) : factor;
  if (unit == 1) return;
  const Wide r = residue(c.range.low * unit, c.modulus);
  const Residues before = c;
  c.range = {r, r};
  c.operand = single ? atom_form(forms, c.operand.terms[0].atom) : times(forms, c.operand, unit);
  if (telling(forms)) {
    note_divided(forms, before, c.operand, factor, unit, c.range);
  }
  if (!single) reduce_operand(forms, c);
}

// Residues moved by the constant of the operand, where they stay in one piece.
void shift_out_constant(Forms& forms, Residues& c) {
  const Wide k = c.operand.constant;
  const Range moved{c.range.low - k, c.range.high - k};
  const Wide cell = floor_wide(moved.low, c.modulus);
  if (floor_wide(moved.high, c.modulus) != cell) return;
  const Residues before = c;
  c.range = {moved.low - cell * c.modulus, moved.high - cell * c.modulus};
  c.operand.constant = 0;
  if (telling(forms)) note_shifted(forms, before, c, cell);
}

void mirror(Forms& forms, Residues& c) {
  if (c.operand.constant != 0 || c.range.low < 1 || !starts_negative(c.operand)) return;
  const Residues before = c;
  c.operand = times(forms, c.operand, -1);
  c.range = {c.modulus - c.range.high, c.modulus - c.range.low};
  if (telling(forms)) note_mirrored(forms, before, c.operand, c.range);
  reduce_operand(forms, c);
}

void set_mod(Forms& forms, Condition& condition, const Residues& c) {
  condition.mod = mod_atom(forms, c.operand, c.modulus);
  const Atom& atom = forms.atoms[condition.mod];
  condition.form = atom.meaning;
  condition.range = c.range;
  if (telling(forms)) note_as_form(forms, c, condition.form);
}

// The range of the form was compared with the condition's, so there are some residues, but not all.
void settle_mod(Forms& forms, Condition& condition, const ModView& view) {
  Range residues{condition.range.low - view.constant, condition.range.high - view.constant};
  if (view.factor < 0) residues = {-residues.high, -residues.low};
  Residues c{view.operand, view.modulus, residues};
  if (telling(forms)) note_as_residues(forms, condition.form, condition.range, c);
  open_floor(forms, c);
  if (forms.refused) return;
  if (telling(forms)) note_all_residues(forms, c);
  reduce_operand(forms, c);
  shift_out_constant(forms, c);
  if (c.range.low == c.range.high) {
    reduce_congruence(forms, c);
  } else {
    mirror(forms, c);
  }
  set_mod(forms, condition, c);
}

}  // namespace

Truth settle(Forms& forms, Condition& condition, std::vector<Range>& bounds) {
  // Two sets of words for one operand could lead to each other; once more is enough for all others.
  int mods = 0;
  while (!forms.refused) {
    condition.mod = -1;
    scale_down(forms, condition);
    if (condition.form.is_constant()) {
      return condition.range.low <= 0 && 0 <= condition.range.high ? Truth::kAlways : Truth::kNever;
    }
    const Truth truth = compare_with_range(forms, condition);
    if (truth != Truth::kOpen) return truth;
    if (condition.form.count == 1 && condition.form.terms[0].factor == 1) {
      const int32_t number = condition.form.terms[0].atom;
      const Atom atom = forms.atoms[number];
      if (atom.kind == AtomKind::kVariable) {
        narrow(bounds[number], condition.range);
        return is_empty(bounds[number]) ? Truth::kNever : Truth::kAlways;
      }
      if (atom.kind == AtomKind::kFloor) {
        const Wide c = atom.divisor;
        if (telling(forms)) note_opened(forms, number, condition.range);
        condition.form = atom.inside;
        condition.range = {condition.range.low * c, condition.range.high * c + c - 1};
        continue;
      }
    }
    if (const std::optional<ModView> view = as_mod(forms, condition.form)) {
      const Linear before = condition.form;
      settle_mod(forms, condition, *view);
      // Other words for the operand may be another form, which then has to be settled.
      if (++mods == 2 || condition.form == before || condition.form == times(forms, before, -1)) {
        return Truth::kOpen;
      }
      continue;
    }
    if (!drop_part(forms, condition)) return Truth::kOpen;
  }
  return Truth::kOpen;
}

Range pull_to_residues(const Range& bounds, int64_t b, const Range& residues) {
  Range result = bounds;
  const Wide first = residue(bounds.low, b);
  if (first < residues.low) result.low += residues.low - first;
  if (first > residues.high) result.low += b - first + residues.low;
  const Wide last = residue(bounds.high, b);
  if (last > residues.high) result.high -= last - residues.high;
  if (last < residues.low) result.high -= last + b - residues.high;
  return result;
}

void pull_bounds(Forms& forms, const Condition& condition, std::vector<Range>& bounds) {
  if (condition.mod < 0) return;
  const Atom& mod = forms.atoms[condition.mod];
  if (mod.inside.count != 1 || mod.inside.terms[0].factor != 1 || mod.inside.constant != 0) return;
  const int32_t variable = mod.inside.terms[0].atom;
  if (forms.atoms[variable].kind != AtomKind::kVariable) return;
  const Range before = bounds[variable];
  bounds[variable] = pull_to_residues(before, mod.divisor, condition.range);
  if (telling(forms)) note_pulled_bound(forms, condition, before, bounds[variable]);
}

void tighten(Forms& forms, const Linear& form, const Range& range, std::vector<Range>& bounds) {
  const Range all = interval_sum(forms, form);
  if (forms.refused || (range.low <= all.low && all.high <= range.high)) return;
  for (const Term& term : form) {
    const Atom atom = forms.atoms[term.atom];
    const Wide a = atom.range.low * term.factor, b = atom.range.high * term.factor;
    // The others lie in all minus this term's range; what they leave for it:
    const Wide low = range.low - (all.high - std::max(a, b));
    const Wide high = range.high - (all.low - std::min(a, b));
    const Wide c = term.factor;
    Range own = c > 0 ? Range{ceil_wide(low, c), floor_wide(high, c)}
                      : Range{ceil_wide(-high, -c), floor_wide(-low, -c)};
    const Range left = own;
    narrow(own, atom.range);
    if (own == atom.range) continue;
    if (telling(forms)) note_bound(forms, form, range, term, left, own);
    if (atom.kind == AtomKind::kVariable) {
      narrow(bounds[term.atom], own);
    } else if (atom.kind == AtomKind::kFloor) {
      const Wide d = atom.divisor;
      tighten(forms, atom.inside, {own.low * d, own.high * d + d - 1}, bounds);
    }
  }
}

}  // namespace tileproof::impl
