#include "impl/map/proof_log/proof_log_domain.h"

#include <numeric>

#include "impl/lemmas/lemmas_constraint.h"
#include "impl/lemmas/lemmas_range.h"
#include "impl/lemmas/lemmas_rewriting.h"
#include "impl/map/normal_form/floors.h"
#include "impl/map/normal_form/ranges.h"

namespace tileproof::impl {
namespace {

std::string at_least(const std::string& words, Wide low) {
  return absl::StrCat(words, " in [", text_of(low), ", inf]");
}
std::string at_most(const std::string& words, Wide high) {
  return absl::StrCat(words, " in [-inf, ", text_of(high), "]");
}

// x mod m as it stands.
std::string mod_text(Forms& forms, const Linear& x, int64_t m) {
  const std::string words = text_of(forms, x);
  return absl::StrCat(words, " - ", floor_name(*forms.derivation, words, m), " * ", m);
}

std::string residues_text(Forms& forms, const Residues& residues) {
  return in_range(mod_text(forms, residues.operand, residues.modulus), residues.range);
}

int keep(Forms& forms, DerivationStep step) {
  step.kept = true;
  return add_step(*forms.derivation, std::move(step));
}

template <size_t count, class Statement>
int keep_lemma(Forms& forms, std::string says, const Lemma<count, Statement>& lemma,
               const std::array<std::string, count>& values, Premises premises) {
  return add_lemma(forms, std::move(says), lemma, values, std::move(premises), true);
}

// The same fact in other words, unless the words are the same.
void rewrite_step(Forms& forms, std::string says, int from, std::vector<int> rules) {
  if (stated_step(*forms.derivation, says) == from) return;
  keep(forms, {std::move(says), "rewriting", {.from = {from}, .rules = std::move(rules)}});
}

// words in [a] and in [b].
int intersection(Forms& forms, const std::string& words, const Range& a, int step_a, const Range& b,
                 int step_b) {
  const Range both{std::max(a.low, b.low), std::min(a.high, b.high)};
  return keep_lemma(forms, in_range(words, both), kConstraintIntersect,
                    {words, text_of(a.low), text_of(a.high), text_of(b.low), text_of(b.high),
                     text_of(both.low), text_of(both.high)},
                    {.from = {step_a, step_b}});
}

// The condition of a mod atom, told as residues.
int residues_step(Forms& forms, const Condition& condition) {
  const Atom atom = forms.atoms[condition.mod];
  const Residues residues{atom.inside, atom.divisor, condition.range};
  note_as_residues(forms, condition.form, condition.range, residues);
  return known_step(forms, residues_text(forms, residues));
}

}  // namespace

void note_scaled(Forms& forms, const Linear& after, int64_t g, const Range& before,
                 const Range& range) {
  const Aside aside(forms);
  const int from = known_step(forms, times(forms, after, g), before);
  keep_lemma(forms, interval_text(forms, after, range), kConstraintScalePositive,
             {text_of(forms, after), text_of(Wide{g}), text_of(before.low), text_of(before.high)},
             {.from = {from}});
}

void note_compared(Forms& forms, const Linear& form, const Range& range, const Range& all) {
  const Aside aside(forms);
  const std::string words = text_of(forms, form);
  const int fact = range_step(forms, form, all);
  const std::string low = text_of(range.low), high = text_of(range.high);
  if (range.low <= all.low && all.high <= range.high) {
    keep_lemma(forms, in_range(words, range), kConstraintAlways,
               {words, text_of(all.low), text_of(all.high), low, high}, {.given = {fact}});
    return;
  }
  const int from = known_step(forms, form, range);
  if (all.high < range.low) {
    keep_lemma(forms, "never", kConstraintNever, {words, text_of(all.high), low, high},
               {.from = {from}, .given = {fact}});
  } else if (range.high < all.low) {
    keep_lemma(forms, "never", kConstraintNeverBelow, {words, text_of(all.low), low, high},
               {.from = {from}, .given = {fact}});
  } else if (range.low < all.low || all.high < range.high) {
    intersection(forms, words, range, from, all, fact);
  }
}

void note_opened(Forms& forms, int32_t floor, const Range& range) {
  const Aside aside(forms);
  const Atom atom = forms.atoms[floor];
  const Wide c = atom.divisor;
  const int from = known_step(forms, atom_form(forms, floor), range);
  keep_lemma(forms, interval_text(forms, atom.inside, {range.low * c, range.high * c + c - 1}),
             kConstraintFloorDiv,
             {text_of(forms, atom.inside), text_of(c), text_of(range.low), text_of(range.high)},
             {.from = {from}});
}

void note_dropped(Forms& forms, const DroppedPart& dropped) {
  const Aside aside(forms);
  const std::string A = text_of(forms, dropped.after), B = text_of(forms, dropped.part);
  const std::string g = text_of(Wide{dropped.g});
  const std::string a = text_of(dropped.b.low), b = text_of(dropped.b.high);
  const std::string l = text_of(dropped.range.low), h = text_of(dropped.range.high);
  const std::string p = text_of(dropped.result.low), q = text_of(dropped.result.high);
  const int part = range_step(forms, dropped.part, dropped.b);
  const int from = known_step(forms, dropped.form, dropped.range);
  if (dropped.low_decided && dropped.high_decided) {
    keep_lemma(forms, in_range(A, dropped.result), kConstraintDropSmallPart,
               {A, B, g, a, b, l, h, p, q}, {.from = {from}, .given = {part}});
    return;
  }
  // The end that is not decided holds for all values, before and after.
  const int all = range_step(forms, dropped.form, dropped.all);
  keep(forms, {interval_text(forms, dropped.form, dropped.all), "known", {.given = {all}}});
  const Range range = range_of(forms, dropped.after);
  keep(forms, {interval_text(forms, dropped.after, range),
               "known",
               {.given = {range_step(forms, dropped.after, range)}}});
  const std::string form = text_of(forms, dropped.form);
  if (dropped.low_decided) {
    keep_lemma(forms, at_least(A, dropped.result.low), kConstraintDropSmallPartBelow,
               {A, B, g, a, b, l, p},
               {.from = {known_step(forms, at_least(form, dropped.range.low))}, .given = {part}});
  }
  if (dropped.high_decided) {
    keep_lemma(forms, at_most(A, dropped.result.high), kConstraintDropSmallPartAbove,
               {A, B, g, a, b, h, q},
               {.from = {known_step(forms, at_most(form, dropped.range.high))}, .given = {part}});
  }
}

void note_as_residues(Forms& forms, const Linear& form, const Range& range, const Residues& after) {
  const Aside aside(forms);
  int from = known_step(forms, form, range);
  // The operand minus its floor, in normal form: the condition, up to sign and constant.
  const Linear floor = floor_of(forms, after.operand, after.modulus);
  const Linear meaning = plus(forms, after.operand, floor, -after.modulus);
  const Linear plain = without_constant(form), other = without_constant(meaning);
  if (!(other == plain) && !(times(forms, other, -1) == plain)) {
    std::vector<int> rules = digit_steps(forms, form, meaning);
    if (rules.empty()) rules = digit_steps(forms, form, times(forms, meaning, -1));
    from = keep(forms, {interval_text(forms, meaning, after.range),
                        "rewriting",
                        {.from = {from}, .rules = std::move(rules)}});
  }
  rewrite_step(forms, residues_text(forms, after), from,
               {floor_step(forms, after.operand, after.modulus, floor)});
}

void note_as_form(Forms& forms, const Residues& before, const Linear& form) {
  const Aside aside(forms);
  rewrite_step(forms, interval_text(forms, form, before.range),
               known_step(forms, residues_text(forms, before)),
               {floor_step(forms, before.operand, before.modulus)});
}

void note_opened_floor(Forms& forms, const Residues& before, const Residues& after) {
  const Aside aside(forms);
  const Atom atom = forms.atoms[before.operand.terms[0].atom];
  keep_lemma(forms, residues_text(forms, after), kResidueOpenFloor,
             {text_of(forms, atom.inside), text_of(Wide{before.operand.constant}),
              text_of(Wide{atom.divisor}), text_of(Wide{before.modulus}), text_of(before.range.low),
              text_of(before.range.high)},
             {.from = {known_step(forms, residues_text(forms, before))}});
}

void note_all_residues(Forms& forms, const Residues& residues) {
  const Range all{0, residues.modulus - 1};
  if (residues.range.low > all.low && residues.range.high < all.high) return;
  const Aside aside(forms);
  const std::string words = mod_text(forms, residues.operand, residues.modulus);
  keep_lemma(forms, in_range(words, all), kRangeModPositive,
             {text_of(forms, residues.operand), text_of(Wide{residues.modulus})}, {});
}

void note_multiples_dropped(Forms& forms, const Residues& before, const Linear& operand) {
  if (operand == before.operand) return;
  const Aside aside(forms);
  const int64_t m = before.modulus;
  const Linear quotient = pull_multiple(forms, before.operand, m).quotient;
  const std::string rest = text_of(forms, operand);
  std::string says = floor_name(*forms.derivation, text_of(forms, before.operand), m);
  absl::StrAppend(&says, " = ", text_of(forms, quotient), " + ",
                  floor_name(*forms.derivation, rest, m));
  const int rule =
      add_lemma(forms, says, kPullMultiple, {text_of(forms, quotient), rest, text_of(Wide{m})}, {});
  keep(forms, {residues_text(forms, Residues{operand, m, before.range}),
               "rewriting",
               {.from = {known_step(forms, residues_text(forms, before))}, .rules = {rule}}});
}

void note_shifted(Forms& forms, const Residues& before, const Residues& after, Wide cell) {
  if (before.operand.constant == 0) return;
  const Aside aside(forms);
  keep_lemma(forms, residues_text(forms, after), kResidueShift,
             {text_of(forms, after.operand), text_of(Wide{before.operand.constant}),
              text_of(Wide{before.modulus}), text_of(before.range.low), text_of(before.range.high),
              text_of(cell)},
             {.from = {known_step(forms, residues_text(forms, before))}});
}

void note_divided(Forms& forms, const Residues& before, const Linear& x, int64_t factor,
                  int64_t unit, const Range& range) {
  const Aside aside(forms);
  const Wide m = before.modulus, v = (1 - Wide{unit} * factor) / m;
  keep_lemma(forms, residues_text(forms, Residues{x, before.modulus, range}), kCongruenceDivide,
             {text_of(forms, x), text_of(Wide{factor}), text_of(m), text_of(Wide{unit}), text_of(v),
              text_of(before.range.low)},
             {.from = {known_step(forms, residues_text(forms, before))}});
}

void note_mirrored(Forms& forms, const Residues& before, const Linear& negated,
                   const Range& range) {
  const Aside aside(forms);
  keep_lemma(forms, residues_text(forms, Residues{negated, before.modulus, range}), kResidueMirror,
             {text_of(forms, negated), text_of(Wide{before.modulus}), text_of(before.range.low),
              text_of(before.range.high)},
             {.from = {known_step(forms, residues_text(forms, before))}});
}

void note_joined(Forms& forms, const Linear& form, const Range& a, const Range& b) {
  if (a == b) return;
  const Aside aside(forms);
  intersection(forms, text_of(forms, form), a, known_step(forms, form, a), b,
               known_step(forms, form, b));
}

namespace {

// Bezout: u * a + v * b = 1 for a and b > 0 without a common factor.
struct Bezout {
  Wide u, v;
};
Bezout bezout(Wide a, Wide b) {
  Wide r0 = a, r1 = b, u0 = 1, u1 = 0;
  while (r1 != 0) {
    const Wide q = r0 / r1;
    const Wide r2 = r0 - q * r1, u2 = u0 - q * u1;
    r0 = r1, r1 = r2, u0 = u1, u1 = u2;
  }
  return {u0, (1 - u0 * a) / b};
}

}  // namespace

void note_merged(Forms& forms, const Condition& a, const Condition& b, int64_t modulus,
                 int64_t residue) {
  const Aside aside(forms);
  const Atom x = forms.atoms[a.mod];
  const int64_t m = x.divisor, n = forms.atoms[b.mod].divisor, g = std::gcd(m, n);
  const Bezout by = bezout(m / g, n / g);
  const int first = residues_step(forms, a), second = residues_step(forms, b);
  const Range point{residue, residue};
  keep_lemma(forms, residues_text(forms, Residues{x.inside, modulus, point}), kCongruenceMerge,
             {text_of(forms, x.inside), text_of(Wide{g}), text_of(Wide{m / g}),
              text_of(Wide{n / g}), text_of(by.u), text_of(by.v), text_of(a.range.low),
              text_of((b.range.low - a.range.low) / g)},
             {.from = {first, second}});
}

void note_contradiction(Forms& forms, const Condition& a, const Condition& b) {
  const Aside aside(forms);
  const Atom x = forms.atoms[a.mod];
  const int64_t m = x.divisor, n = forms.atoms[b.mod].divisor, g = std::gcd(m, n);
  keep_lemma(forms, "never", kCongruenceContradiction,
             {text_of(forms, x.inside), text_of(Wide{g}), text_of(Wide{m / g}),
              text_of(Wide{n / g}), text_of(a.range.low), text_of(b.range.low)},
             {.from = {residues_step(forms, a), residues_step(forms, b)}});
}

void note_residue_of_divisor(Forms& forms, const Condition& congruence, const Condition& residues) {
  const Aside aside(forms);
  const Linear x = forms.atoms[congruence.mod].inside;
  const int64_t m = forms.atoms[congruence.mod].divisor, b = forms.atoms[residues.mod].divisor;
  const Wide r = congruence.range.low, value = r - floor_wide(r, b) * b;
  const Residues smaller{x, b, {value, value}};
  keep_lemma(forms, residues_text(forms, smaller), kResidueOfDivisor,
             {text_of(forms, x), text_of(Wide{b}), text_of(Wide{m / b}), text_of(r)},
             {.given = {residues_step(forms, congruence)}});
}

void note_pulled_residues(Forms& forms, const Condition& congruence, const Condition& residues,
                          const Range& pulled) {
  const Aside aside(forms);
  const Linear x = forms.atoms[residues.mod].inside;
  const int64_t b = forms.atoms[residues.mod].divisor, m = forms.atoms[congruence.mod].divisor;
  const int point = residues_step(forms, congruence);
  residues_step(forms, residues);
  const std::string words = text_of(forms, x);
  // y = x mod b; y mod m is x mod m, as floor(y / m) = floor(x / m) - b / m * floor(x / b).
  const std::string y = mod_text(forms, x, b);
  const std::string up = absl::StrCat("-", floor_name(*forms.derivation, words, b), " * ", b / m);
  const std::string floor = floor_name(*forms.derivation, y, m);
  const int rule = add_lemma(
      forms, absl::StrCat(floor, " = ", up, " + ", floor_name(*forms.derivation, words, m)),
      kPullMultiple, {up, words, text_of(Wide{m})}, {});
  const int given =
      keep(forms, {in_range(absl::StrCat(y, " - ", floor, " * ", m), congruence.range),
                   "rewriting",
                   {.from = {point}, .rules = {rule}}});
  const std::string r = text_of(congruence.range.low);
  const Range range = residues.range;
  keep_lemma(forms, at_least(y, pulled.low), kCongruenceLowerBound,
             {y, text_of(Wide{m}), r, text_of(range.low)},
             {.from = {known_step(forms, at_least(y, range.low))}, .given = {given}});
  keep_lemma(forms, at_most(y, pulled.high), kCongruenceUpperBound,
             {y, text_of(Wide{m}), r, text_of(range.high)},
             {.from = {known_step(forms, at_most(y, range.high))}, .given = {given}});
  if (pulled.low <= pulled.high) note_as_form(forms, {x, b, pulled}, residues.form);
}

void note_bound(Forms& forms, const Linear& form, const Range& range, const Term& term,
                const Range& own, const Range& narrowed) {
  const Aside aside(forms);
  const Linear atom = atom_form(forms, term.atom);
  const Linear rest = without_atom(forms, form, term.atom);
  const Range others = interval_sum(forms, rest);
  const int given = sum_step(forms, rest), sum = known_step(forms, form, range);
  const std::array<std::string, 7> values{
      text_of(forms, atom), text_of(forms, rest), text_of(Wide{term.factor}), text_of(others.low),
      text_of(others.high), text_of(range.low),   text_of(range.high)};
  const std::string says = interval_text(forms, atom, own);
  if (term.factor > 0) {
    keep_lemma(forms, says, kBoundFromSum, values, {.given = {given, sum}});
  } else {
    keep_lemma(forms, says, kBoundFromSumNegative, values, {.given = {given, sum}});
  }
  if (forms.atoms[term.atom].kind != AtomKind::kFloor || narrowed.low > narrowed.high) return;
  keep(forms,
       {interval_text(forms, atom, narrowed), "known", {.given = {atom_step(forms, term.atom)}}});
  note_opened(forms, term.atom, narrowed);
}

void note_pulled_bound(Forms& forms, const Condition& condition, const Range& before,
                       const Range& after) {
  const Aside aside(forms);
  const Atom mod = forms.atoms[condition.mod];
  const std::string x = text_of(forms, mod.inside), m = text_of(Wide{mod.divisor});
  const std::string l = text_of(condition.range.low), h = text_of(condition.range.high);
  const std::string a = text_of(before.low), b = text_of(before.high);
  const int given = residues_step(forms, condition);
  if (after.low != before.low) {
    const Premises premises{.from = {known_step(forms, at_least(x, before.low))}, .given = {given}};
    const std::string says = at_least(x, after.low);
    const Wide first = before.low - floor_wide(before.low, mod.divisor) * mod.divisor;
    if (first < condition.range.low) {
      keep_lemma(forms, says, kResidueIntervalLowerBelow, {x, m, l, a}, premises);
    } else {
      keep_lemma(forms, says, kResidueIntervalLowerAbove, {x, m, l, h, a}, premises);
    }
  }
  if (after.high != before.high) {
    const Premises premises{.from = {known_step(forms, at_most(x, before.high))}, .given = {given}};
    const std::string says = at_most(x, after.high);
    const Wide last = before.high - floor_wide(before.high, mod.divisor) * mod.divisor;
    if (last > condition.range.high) {
      keep_lemma(forms, says, kResidueIntervalUpperAbove, {x, m, h, b}, premises);
    } else {
      keep_lemma(forms, says, kResidueIntervalUpperBelow, {x, m, l, h, b}, premises);
    }
  }
}

}  // namespace tileproof::impl
