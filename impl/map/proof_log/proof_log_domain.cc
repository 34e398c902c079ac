// SPDX-License-Identifier: Apache-2.0
#include "impl/map/proof_log/proof_log_domain.h"

#include <numeric>

#include "impl/lemmas/lemmas_constraint.h"
#include "impl/lemmas/lemmas_rewriting.h"
#include "impl/map/normal_form/floors.h"

namespace tileproof::impl {
namespace {

std::string at_least(const std::string& expression, Wide low) {
  return absl::StrCat(expression, " in [", text_of(low), ", inf]");
}
std::string at_most(const std::string& expression, Wide high) {
  return absl::StrCat(expression, " in [-inf, ", text_of(high), "]");
}

// x mod m, unsimplified.
std::string mod_text(NormalFormContext& context, const Linear& x, int64_t m) {
  const std::string expression = text_of(context, x);
  return absl::StrCat(expression, " - ", floor_name(*context.proof_log, expression, m), " * ", m);
}

std::string residues_text(NormalFormContext& context, const Residues& residues) {
  return in_range(mod_text(context, residues.operand, residues.modulus), residues.range);
}

int keep(NormalFormContext& context, ProofStep step) {
  step.kept = true;
  return add_step(*context.proof_log, std::move(step));
}

template <size_t count, class Statement>
int keep_lemma(NormalFormContext& context, std::string says, const Lemma<count, Statement>& lemma,
               const std::array<std::string, count>& values, Premises premises) {
  return add_lemma(context, std::move(says), lemma, values, std::move(premises), true);
}

// A step that rewrites the fact, unless the text stays the same.
void rewrite_step(NormalFormContext& context, std::string says, int from, std::vector<int> rules) {
  if (stated_step(*context.proof_log, says) == from) return;
  keep(context, {std::move(says), "rewriting", {.from = {from}, .rules = std::move(rules)}});
}

// Logs that the expression lies in the intersection of [a] and [b].
int intersection(NormalFormContext& context, const std::string& expression, const Range& a,
                 int step_a, const Range& b, int step_b) {
  const Range both{std::max(a.low, b.low), std::min(a.high, b.high)};
  return keep_lemma(context, in_range(expression, both), kConstraintIntersect,
                    texts(context, expression, a.low, a.high, b.low, b.high, both.low, both.high),
                    {.from = {step_a, step_b}});
}

// The constraint of a mod atom, logged as residues.
int residues_step(NormalFormContext& context, const NormalConstraint& constraint) {
  const Atom atom = context.atoms[constraint.mod];
  const Residues residues{atom.inside, atom.divisor, constraint.range};
  log_as_residues(context, constraint.form, constraint.range, residues);
  return assumption_step(context, residues_text(context, residues));
}

}  // namespace

void log_scaled(NormalFormContext& context, const Linear& after, int64_t g, const Range& before,
                const Range& range) {
  const LogScope aside(context);
  const int from = assumption_step(context, times(context, after, g), before);
  keep_lemma(context, interval_text(context, after, range), kConstraintScalePositive,
             texts(context, after, g, before.low, before.high), {.from = {from}});
}

void log_compared(NormalFormContext& context, const Linear& form, const Range& range,
                  const Range& all) {
  const LogScope aside(context);
  const std::string expression = text_of(context, form);
  const int fact = range_step(context, form, all);
  const auto [low, high] = range;
  if (range.low <= all.low && all.high <= range.high) {
    keep_lemma(context, in_range(expression, range), kConstraintAlways,
               texts(context, expression, all.low, all.high, low, high), {.given = {fact}});
    return;
  }
  const int from = assumption_step(context, form, range);
  if (all.high < range.low) {
    keep_lemma(context, "never", kConstraintNever, texts(context, expression, all.high, low, high),
               {.from = {from}, .given = {fact}});
  } else if (range.high < all.low) {
    keep_lemma(context, "never", kConstraintNeverBelow,
               texts(context, expression, all.low, low, high), {.from = {from}, .given = {fact}});
  } else if (range.low < all.low || all.high < range.high) {
    intersection(context, expression, range, from, all, fact);
  }
}

void log_opened(NormalFormContext& context, int32_t floor, const Range& range) {
  const LogScope aside(context);
  const Atom atom = context.atoms[floor];
  const Wide c = atom.divisor;
  const int from = assumption_step(context, atom_form(context, floor), range);
  keep_lemma(context, interval_text(context, atom.inside, {range.low * c, range.high * c + c - 1}),
             kConstraintFloorDiv, texts(context, atom.inside, c, range.low, range.high),
             {.from = {from}});
}

void log_opened_sum(NormalFormContext& context, const Linear& form, const WholeFloor& whole,
                    const Range& range) {
  const LogScope aside(context);
  const int from = assumption_step(context, form, range);
  const int rule = whole_rule(context, form, whole);
  const Range floor = scaled(range, whole.sign);
  const Wide c = whole.divisor;
  keep_lemma(context, interval_text(context, whole.inside, {floor.low * c, floor.high * c + c - 1}),
             kConstraintFloorDiv, texts(context, whole.inside, c, floor.low, floor.high),
             {.from = {from}, .rules = {rule}});
}

void log_dropped(NormalFormContext& context, const DroppedPart& dropped) {
  const LogScope aside(context);
  const auto [a, b] = dropped.b;
  const auto [l, h] = dropped.range;
  const auto [p, q] = dropped.result;
  const std::string A = text_of(context, dropped.after);
  const Linear& B = dropped.part;
  const int part = range_step(context, dropped.part, dropped.b);
  const int from = assumption_step(context, dropped.form, dropped.range);
  if (dropped.low_decided && dropped.high_decided) {
    keep_lemma(context, in_range(A, dropped.result), kConstraintDropSmallPart,
               texts(context, A, B, dropped.g, a, b, l, h, p, q),
               {.from = {from}, .given = {part}});
    return;
  }
  // An undecided end holds for all values, before and after.
  const int all = range_step(context, dropped.form, dropped.all);
  keep(context, {interval_text(context, dropped.form, dropped.all), "known", {.given = {all}}});
  const Range range = range_of(context, dropped.after);
  keep(context, {interval_text(context, dropped.after, range),
                 "known",
                 {.given = {range_step(context, dropped.after, range)}}});
  const std::string form = text_of(context, dropped.form);
  if (dropped.low_decided) {
    keep_lemma(
        context, at_least(A, dropped.result.low), kConstraintDropSmallPartBelow,
        texts(context, A, B, dropped.g, a, b, l, p),
        {.from = {assumption_step(context, at_least(form, dropped.range.low))}, .given = {part}});
  }
  if (dropped.high_decided) {
    keep_lemma(
        context, at_most(A, dropped.result.high), kConstraintDropSmallPartAbove,
        texts(context, A, B, dropped.g, a, b, h, q),
        {.from = {assumption_step(context, at_most(form, dropped.range.high))}, .given = {part}});
  }
}

void log_as_residues(NormalFormContext& context, const Linear& form, const Range& range,
                     const Residues& after) {
  const LogScope aside(context);
  int from = assumption_step(context, form, range);
  // The operand minus its floor, in normal form, is the constraint up to sign and constant.
  const Linear floor = floor_of(context, after.operand, after.modulus);
  const Linear meaning = plus(context, after.operand, floor, -after.modulus);
  const Linear plain = without_constant(form), other = without_constant(meaning);
  if (!(other == plain) && !(times(context, other, -1) == plain)) {
    std::vector<int> rules = digit_steps(context, form, meaning);
    if (rules.empty()) rules = digit_steps(context, form, times(context, meaning, -1));
    from = keep(context, {interval_text(context, meaning, after.range),
                          "rewriting",
                          {.from = {from}, .rules = std::move(rules)}});
  }
  rewrite_step(context, residues_text(context, after), from,
               {floor_step(context, after.operand, after.modulus, floor)});
}

void log_as_form(NormalFormContext& context, const Residues& before, const Linear& form) {
  const LogScope aside(context);
  rewrite_step(context, interval_text(context, form, before.range),
               assumption_step(context, residues_text(context, before)),
               {floor_step(context, before.operand, before.modulus)});
}

void log_opened_floor(NormalFormContext& context, const Residues& before, const Residues& after) {
  const LogScope aside(context);
  const Atom atom = context.atoms[before.operand.terms[0].atom];
  keep_lemma(context, residues_text(context, after), kResidueOpenFloor,
             texts(context, atom.inside, before.operand.constant, atom.divisor, before.modulus,
                   before.range.low, before.range.high),
             {.from = {assumption_step(context, residues_text(context, before))}});
}

void log_all_residues(NormalFormContext& context, const Residues& residues) {
  const Range all{0, residues.modulus - 1};
  if (residues.range.low > all.low && residues.range.high < all.high) return;
  const LogScope aside(context);
  const std::string expression = mod_text(context, residues.operand, residues.modulus);
  keep_lemma(context, in_range(expression, all), kRangeModPositive,
             texts(context, residues.operand, residues.modulus), {});
}

void log_multiples_dropped(NormalFormContext& context, const Residues& before,
                           const Linear& operand) {
  if (operand == before.operand) return;
  const LogScope aside(context);
  const int64_t m = before.modulus;
  const Linear quotient = pull_multiple(context, before.operand, m).quotient;
  const std::string rest = text_of(context, operand);
  std::string says = floor_name(*context.proof_log, text_of(context, before.operand), m);
  absl::StrAppend(&says, " = ", text_of(context, quotient), " + ",
                  floor_name(*context.proof_log, rest, m));
  const int rule = add_lemma(context, says, kPullMultiple, texts(context, quotient, rest, m), {});
  keep(context,
       {residues_text(context, Residues{operand, m, before.range}),
        "rewriting",
        {.from = {assumption_step(context, residues_text(context, before))}, .rules = {rule}}});
}

void log_shifted(NormalFormContext& context, const Residues& before, const Residues& after,
                 Wide cell) {
  if (before.operand.constant == 0) return;
  const LogScope aside(context);
  keep_lemma(context, residues_text(context, after), kResidueShift,
             texts(context, after.operand, before.operand.constant, before.modulus,
                   before.range.low, before.range.high, cell),
             {.from = {assumption_step(context, residues_text(context, before))}});
}

void log_divided(NormalFormContext& context, const Residues& before, const Linear& x,
                 int64_t factor, int64_t unit, const Range& range) {
  const LogScope aside(context);
  const Wide m = before.modulus, v = (1 - Wide{unit} * factor) / m;
  keep_lemma(context, residues_text(context, Residues{x, before.modulus, range}), kCongruenceDivide,
             texts(context, x, factor, m, unit, v, before.range.low),
             {.from = {assumption_step(context, residues_text(context, before))}});
}

void log_mirrored(NormalFormContext& context, const Residues& before, const Linear& negated,
                  const Range& range) {
  const LogScope aside(context);
  keep_lemma(context, residues_text(context, Residues{negated, before.modulus, range}),
             kResidueMirror,
             texts(context, negated, before.modulus, before.range.low, before.range.high),
             {.from = {assumption_step(context, residues_text(context, before))}});
}

void log_joined(NormalFormContext& context, const Linear& form, const Range& a, const Range& b) {
  if (a == b) return;
  const LogScope aside(context);
  intersection(context, text_of(context, form), a, assumption_step(context, form, a), b,
               assumption_step(context, form, b));
}

void log_merged(NormalFormContext& context, const NormalConstraint& a, const NormalConstraint& b,
                int64_t modulus, int64_t residue) {
  const LogScope aside(context);
  const Atom x = context.atoms[a.mod];
  const int64_t m = x.divisor, n = context.atoms[b.mod].divisor, g = std::gcd(m, n);
  const Wide u = inverse_modulo(m / g, n / g), v = (1 - u * (m / g)) / (n / g);
  const int first = residues_step(context, a), second = residues_step(context, b);
  const Range point{residue, residue};
  keep_lemma(
      context, residues_text(context, Residues{x.inside, modulus, point}), kCongruenceMerge,
      texts(context, x.inside, g, m / g, n / g, u, v, a.range.low, (b.range.low - a.range.low) / g),
      {.from = {first, second}});
}

void log_contradiction(NormalFormContext& context, const NormalConstraint& a,
                       const NormalConstraint& b) {
  const LogScope aside(context);
  const Atom x = context.atoms[a.mod];
  const int64_t m = x.divisor, n = context.atoms[b.mod].divisor, g = std::gcd(m, n);
  keep_lemma(context, "never", kCongruenceContradiction,
             texts(context, x.inside, g, m / g, n / g, a.range.low, b.range.low),
             {.from = {residues_step(context, a), residues_step(context, b)}});
}

void log_residue_of_divisor(NormalFormContext& context, const NormalConstraint& congruence,
                            const NormalConstraint& residues) {
  const LogScope aside(context);
  const Linear x = context.atoms[congruence.mod].inside;
  const int64_t m = context.atoms[congruence.mod].divisor, b = context.atoms[residues.mod].divisor;
  const Wide r = congruence.range.low, value = rest_wide(r, b);
  const Residues smaller{x, b, {value, value}};
  keep_lemma(context, residues_text(context, smaller), kResidueOfDivisor,
             texts(context, x, b, m / b, r), {.given = {residues_step(context, congruence)}});
}

void log_pulled_residues(NormalFormContext& context, const NormalConstraint& congruence,
                         const NormalConstraint& residues, const Range& pulled) {
  const LogScope aside(context);
  const Linear x = context.atoms[residues.mod].inside;
  const int64_t b = context.atoms[residues.mod].divisor, m = context.atoms[congruence.mod].divisor;
  const int point = residues_step(context, congruence);
  residues_step(context, residues);
  const std::string expression = text_of(context, x);
  // y = x mod b; y mod m is x mod m, as floor(y / m) = floor(x / m) - b / m * floor(x / b).
  const std::string y = mod_text(context, x, b);
  const std::string up =
      absl::StrCat("-", floor_name(*context.proof_log, expression, b), " * ", b / m);
  const std::string floor = floor_name(*context.proof_log, y, m);
  const int rule = add_lemma(
      context, absl::StrCat(floor, " = ", up, " + ", floor_name(*context.proof_log, expression, m)),
      kPullMultiple, texts(context, up, expression, m), {});
  const int given =
      keep(context, {in_range(absl::StrCat(y, " - ", floor, " * ", m), congruence.range),
                     "rewriting",
                     {.from = {point}, .rules = {rule}}});
  const Wide r = congruence.range.low;
  const Range range = residues.range;
  keep_lemma(context, at_least(y, pulled.low), kCongruenceLowerBound,
             texts(context, y, m, r, range.low),
             {.from = {assumption_step(context, at_least(y, range.low))}, .given = {given}});
  keep_lemma(context, at_most(y, pulled.high), kCongruenceUpperBound,
             texts(context, y, m, r, range.high),
             {.from = {assumption_step(context, at_most(y, range.high))}, .given = {given}});
  if (pulled.low <= pulled.high) log_as_form(context, {x, b, pulled}, residues.form);
}

void log_bound(NormalFormContext& context, const Linear& form, const Range& range, const Term& term,
               const Range& own, const Range& narrowed) {
  const LogScope aside(context);
  const Linear atom = atom_form(context, term.atom);
  const Linear rest = without_atom(context, form, term.atom);
  const Range others = interval_sum(context, rest);
  const int given = sum_step(context, rest), sum = assumption_step(context, form, range);
  const auto values =
      texts(context, atom, rest, term.factor, others.low, others.high, range.low, range.high);
  const std::string says = interval_text(context, atom, own);
  if (term.factor > 0) {
    keep_lemma(context, says, kBoundFromSum, values, {.given = {given, sum}});
  } else {
    keep_lemma(context, says, kBoundFromSumNegative, values, {.given = {given, sum}});
  }
  if (context.atoms[term.atom].kind != AtomKind::kFloor || narrowed.low > narrowed.high) return;
  keep(context, {interval_text(context, atom, narrowed),
                 "known",
                 {.given = {atom_step(context, term.atom)}}});
  log_opened(context, term.atom, narrowed);
}

void log_pulled_bound(NormalFormContext& context, const NormalConstraint& constraint,
                      const Range& before, const Range& after) {
  const LogScope aside(context);
  const Atom mod = context.atoms[constraint.mod];
  const std::string x = text_of(context, mod.inside);
  const int64_t m = mod.divisor;
  const auto [l, h] = constraint.range;
  const auto [a, b] = before;
  const int given = residues_step(context, constraint);
  if (after.low != before.low) {
    const Premises premises{.from = {assumption_step(context, at_least(x, before.low))},
                            .given = {given}};
    const std::string says = at_least(x, after.low);
    const Wide first = rest_wide(before.low, mod.divisor);
    if (first < constraint.range.low) {
      keep_lemma(context, says, kResidueIntervalLowerBelow, texts(context, x, m, l, a), premises);
    } else {
      keep_lemma(context, says, kResidueIntervalLowerAbove, texts(context, x, m, l, h, a),
                 premises);
    }
  }
  if (after.high != before.high) {
    const Premises premises{.from = {assumption_step(context, at_most(x, before.high))},
                            .given = {given}};
    const std::string says = at_most(x, after.high);
    const Wide last = rest_wide(before.high, mod.divisor);
    if (last > constraint.range.high) {
      keep_lemma(context, says, kResidueIntervalUpperAbove, texts(context, x, m, h, b), premises);
    } else {
      keep_lemma(context, says, kResidueIntervalUpperBelow, texts(context, x, m, l, h, b),
                 premises);
    }
  }
}

}  // namespace tileproof::impl
