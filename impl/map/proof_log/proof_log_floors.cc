// SPDX-License-Identifier: Apache-2.0
// Proof steps of floors and ranges.
#include <algorithm>
#include <optional>

#include "impl/lemmas/lemmas_constraint.h"
#include "impl/lemmas/lemmas_rewriting.h"
#include "impl/map/normal_form/assumed_sums.h"
#include "impl/map/normal_form/floors.h"
#include "impl/map/proof_log/proof_log.h"

namespace tileproof::impl {
namespace {

std::string equation(NormalFormContext& context, const Linear& x, int64_t c, const Linear& value) {
  return absl::StrCat(floor_name(*context.proof_log, text_of(context, x), c), " = ",
                      text_of(context, value));
}

// Adds the step that floor(x / c) is this value.
template <size_t count, class Statement>
void add_equation(NormalFormContext& context, const Linear& x, int64_t c, const Linear& value,
                  const Lemma<count, Statement>& lemma,
                  const std::array<std::string, count>& values, Premises premises) {
  if (context.gave_up) return;
  const int step =
      add_lemma(context, equation(context, x, c, value), lemma, values, std::move(premises));
  std::vector<FloorValue>& values_of =
      context.proof_log->box.floor_values[floor_name(*context.proof_log, text_of(context, x), c)];
  const Linear form = meaning_of(context, value);
  const bool is_new = std::ranges::find(values_of, form, &FloorValue::form) == values_of.end();
  if (is_new) values_of.push_back({form, step});
}

std::string atom_interval(NormalFormContext& context, int32_t atom) {
  return interval_text(context, atom_form(context, atom), context.atoms[atom].range);
}

// Uses the rendering terms themselves, not their meaning: both have different digits.
std::string terms_key(const Linear& form) {
  std::string key;
  for (const Term& term : form) absl::StrAppend(&key, term.factor, "*", int32_t{term.atom}, " ");
  return key;
}

// The range of a product, factor by factor.
int product_step(NormalFormContext& context, const Linear& powers) {
  std::string left;
  Range range;
  int step = -1;
  for (const Term& power : powers) {
    for (int64_t i = 0; i < power.factor; ++i) {
      const std::string right = text_of(context, atom_form(context, power.atom));
      const Range other = context.atoms[power.atom].range;
      const int fact = atom_step(context, power.atom);
      if (step < 0) {
        left = right, range = other, step = fact;
        continue;
      }
      const Wide ends[] = {range.low * other.low, range.low * other.high, range.high * other.low,
                           range.high * other.high};
      const Range both{*std::ranges::min_element(ends), *std::ranges::max_element(ends)};
      const std::string rendering = absl::StrCat(left, " * ", right);
      step = add_lemma(context, in_range(rendering, both), kRangeProduct,
                       texts(context, left, right, range.low, range.high, other.low, other.high,
                             both.low, both.high),
                       {.given = {step, fact}});
      left = rendering, range = both;
    }
  }
  return step;
}

// The digits of the form lie in the range, so the form does.
int same_step(NormalFormContext& context, const Linear& form, const Range& range,
              const Linear& rendering) {
  const int step = sum_step(context, rendering);
  if (meaning_of(context, rendering) == without_constant(form)) return step;
  return add_step(
      *context.proof_log,
      {interval_text(context, form, range),
       "rewriting",
       {.from = {step}, .rules = digit_steps(context, form, meaning_of(context, rendering))}});
}

// floor(x / c) = result = floor((a + m) / (c / g)), where x = g * a + part. `given` is the step
// that the part lies in [m * g, (m + 1) * g).
void drop_small_part(NormalFormContext& context, const Linear& x, int64_t c, const Linear& part,
                     int given, int64_t g, int64_t m, const Linear& a, const Linear& result) {
  const Linear smaller = plus(context, a, constant(m));
  add_equation(context, x, c, result, kDropSmallPart, texts(context, a, part, g, c / g, m),
               {.given = {given}, .rules = {floor_step(context, smaller, c / g, result)}});
}

}  // namespace

int whole_rule(NormalFormContext& context, const Linear& form, const WholeFloor& whole) {
  const std::string inside = text_of(context, whole.inside), c = text_of(Wide{whole.divisor});
  const std::string floor = floor_name(*context.proof_log, inside, whole.divisor);
  const Linear value = times(context, without_constant(form), whole.sign);
  const Linear operand = plus(context, whole.inside, whole.rest, -whole.divisor);
  return add_lemma(context, absl::StrCat(floor, " = ", text_of(context, value)), kPullMultiple,
                   texts(context, whole.rest, operand, c), {});
}

namespace {

struct Shown {
  Range range;
  int step;
};

// The range of the form, without its constant, from the range of the floor that it is.
int whole_step(NormalFormContext& context, const Linear& form, const WholeFloor& whole) {
  const std::string inside = text_of(context, whole.inside), c = text_of(Wide{whole.divisor});
  const std::string floor = floor_name(*context.proof_log, inside, whole.divisor);
  const Range range = interval_sum(context, whole.inside), divided = range_of_floor(context, whole);
  const int fact = add_lemma(context, in_range(floor, divided), kRangeFloorDivPositive,
                             texts(context, inside, c, range.low, range.high),
                             {.given = {sum_step(context, whole.inside)}});
  const int rule = whole_rule(context, form, whole);
  return add_step(*context.proof_log,
                  {interval_text(context, without_constant(form), scaled(divided, whole.sign)),
                   "rewriting",
                   {.from = {fact}, .rules = {rule}}});
}

// The ranges that range_of_atoms considered, each as a step.
std::vector<Shown> shown_by_atoms(NormalFormContext& context, const Linear& form) {
  std::vector<Shown> shown;
  shown.push_back({interval_sum(context, form), sum_step(context, form)});
  const auto digits = context.proof_log->box.digits.find(terms_key(form));
  if (digits != context.proof_log->box.digits.end()) {
    const Linear rendering = digits->second;
    const Range range = scaled(interval_sum(context, rendering), 1, form.constant);
    shown.push_back({range, same_step(context, form, range, rendering)});
  }
  for (int32_t i = 0; form.count > 1 && i < form.count; ++i) {
    const auto whole = whole_floor(context, form, i);
    if (!whole) continue;
    const Range range = scaled(range_of_floor(context, *whole), whole->sign, form.constant);
    shown.push_back({range, whole_step(context, form, *whole)});
  }
  if (const auto mod = recognize_mod(context, without_constant(form))) {
    const Range range = scaled(interval_sum(context, *mod), 1, form.constant);
    shown.push_back({range, same_step(context, form, range, *mod)});
  }
  return shown;
}

// The range from the one of these that has it, or from two of them, one for each end.
int one_of(NormalFormContext& context, const Linear& form, const Range& range,
           const std::vector<Shown>& shown) {
  int low = shown.front().step, high = low;
  for (const auto& [it, step] : shown) {
    if (it == range) return step;
    if (it.low == range.low) low = step;
    if (it.high == range.high) high = step;
  }
  return add_step(*context.proof_log,
                  {interval_text(context, form, range), "known", {.given = {low, high}}});
}

// The range of the form from assumed sums and the range of the rest.
int split_step(NormalFormContext& context, const Linear& form, const AssumedSplit& split) {
  if (split.rest.is_constant() && split.parts.size() == 1 && split.parts[0].k == 1) {
    const Assumption& assumption = context.assumptions[split.parts[0].assumption];
    return assumption_step(context, assumption.form, assumption.range);
  }
  std::vector<int> given;
  std::string by = absl::StrCat("sum(", times_assumption(context, split.parts, given));
  if (!split.rest.is_constant()) {
    absl::StrAppend(&by, ", 1");
    given.push_back(
        one_of(context, split.rest, split.rest_range, shown_by_atoms(context, split.rest)));
  }
  return add_step(
      *context.proof_log,
      {interval_text(context, form, split.range), by + ")", {.given = std::move(given)}});
}

// The ranges that range_of considered, each as a step.
std::vector<Shown> shown_ranges(NormalFormContext& context, const Linear& form) {
  std::vector<Shown> shown = shown_by_atoms(context, form);
  if (const auto split = split_by_assumptions(context, form)) {
    shown.push_back({split->range, split_step(context, form, *split)});
  }
  return shown;
}

}  // namespace

int floor_step(NormalFormContext& context, const Linear& x, int64_t c, const Linear& value) {
  if (c == 1 || x.is_constant()) return -1;
  return stated_step(*context.proof_log, equation(context, x, c, value));
}

int floor_step(NormalFormContext& context, const Linear& x, int64_t c) {
  const LogScope aside(context);
  return floor_step(context, x, c, floor_of(context, x, c));
}

namespace {

int new_atom_step(NormalFormContext& context, int32_t number) {
  const Atom atom = context.atoms[number];
  if (atom.kind == AtomKind::kProduct) return product_step(context, atom.inside);
  if (atom.kind == AtomKind::kMod) {
    return add_lemma(context, interval_text(context, atom.meaning, {0, atom.divisor - 1}),
                     kRangeModPositive, texts(context, atom.inside, atom.divisor),
                     {.rules = {floor_step(context, atom.inside, atom.divisor)}});
  }
  // The meaning of a quotient and its digits have no quotients, so the recursion ends.
  if (atom.kind == AtomKind::kQuotient) return range_step(context, atom.meaning, atom.range);
  return assumption_step(context, atom_interval(context, number));
}

}  // namespace

int atom_step(NormalFormContext& context, int32_t number) {
  if (const auto found = context.proof_log->box.atom_facts.find(number);
      found != context.proof_log->box.atom_facts.end()) {
    return found->second;
  }
  return context.proof_log->box.atom_facts[number] = new_atom_step(context, number);
}

int sum_step(NormalFormContext& context, const Linear& rendering) {
  if (rendering.is_constant()) return -1;
  if (rendering.count == 1 && rendering.terms[0].factor == 1)
    return atom_step(context, rendering.terms[0].atom);
  std::string by = "sum(";
  Premises premises;
  for (const Term& term : rendering) {
    absl::StrAppend(&by, premises.given.empty() ? "" : ", ", term.factor);
    premises.given.push_back(atom_step(context, term.atom));
  }
  const LogScope aside(context);
  const Linear form = meaning_of(context, rendering);
  return add_step(*context.proof_log,
                  {interval_text(context, form, interval_sum(context, rendering)), by + ")",
                   std::move(premises)});
}

int range_step(NormalFormContext& context, const Linear& form, const Range& range) {
  if (form.is_constant()) return -1;
  const LogScope aside(context);
  return one_of(context, form, range, shown_ranges(context, form));
}

void log_pull(NormalFormContext& context, const Linear& x, int64_t c, const Linear& quotient,
              const Linear& rest, const Linear& floor) {
  const LogScope aside(context);
  if (x == rest) return;
  add_equation(context, x, c, plus(context, quotient, floor), kPullMultiple,
               texts(context, quotient, rest, c), {.rules = {floor_step(context, rest, c, floor)}});
}

void log_small_part(NormalFormContext& context, const Linear& x, int64_t c, const Linear& part,
                    int64_t g, int64_t m, const Linear& a, const Linear& result) {
  const LogScope aside(context);
  if (context.gave_up) return;
  const Linear whole = plus(context, meaning_of(context, part), a, g);
  if (context.gave_up) return;
  drop_small_part(context, whole, c, part, sum_step(context, part), g, m, a, result);
  if (whole == x) return;
  const int step = floor_step(context, whole, c, result);
  add_step(*context.proof_log, {equation(context, x, c, result),
                                "rewriting",
                                {.from = {step}, .rules = digit_steps(context, x, whole)}});
}

void log_assumed_part(NormalFormContext& context, const Linear& x, int64_t c, const Linear& part,
                      int64_t g, int64_t m, const Linear& a, const Linear& result) {
  const LogScope aside(context);
  if (context.gave_up) return;
  const int given = range_step(context, part, range_of(context, part));
  drop_small_part(context, x, c, part, given, g, m, a, result);
}

void log_one_cell(NormalFormContext& context, const Linear& x, int64_t c, int64_t m) {
  const LogScope aside(context);
  if (context.gave_up) return;
  add_equation(context, x, c, constant(m), kOneCell, texts(context, x, c, m),
               {.given = {range_step(context, x, range_of(context, x))}});
}

void log_merge(NormalFormContext& context, const Inner& inner, int64_t c, const Linear& operand,
               const Linear& result) {
  const LogScope aside(context);
  if (context.gave_up) return;
  const Linear x = plus(context, inner.rest, inner.value, inner.sign);
  const Premises premises{.rules = {floor_step(context, inner.inside, inner.divisor, inner.value),
                                    floor_step(context, operand, inner.divisor * c, result)}};
  const auto values = texts(context, inner.inside, inner.rest, inner.divisor, c);
  if (inner.sign > 0) {
    add_equation(context, x, c, result, kMergeInnerFloor, values, premises);
  } else {
    add_equation(context, x, c, result, kMergeInnerNegatedFloor, values, premises);
  }
}

void log_halves(NormalFormContext& context, int32_t half, const Linear& whole) {
  const LogScope aside(context);
  if (context.gave_up) return;
  const Atom atom = context.atoms[half];
  const int64_t m = atom.divisor / 2;
  add_equation(context, plus(context, atom.inside, constant(m)), atom.divisor,
               plus(context, whole, atom_form(context, half), -1), kTwoHalves,
               texts(context, atom.inside, m),
               {.rules = {floor_step(context, atom.inside, m, whole)}});
}

void log_negated(NormalFormContext& context, const Linear& x, int64_t c, const Linear& negated,
                 const Linear& result) {
  const LogScope aside(context);
  if (context.gave_up) return;
  add_equation(context, x, c, times(context, result, -1), kNegatedFloor, texts(context, negated, c),
               {.rules = {floor_step(context, negated, c, result)}});
}

void log_quotient(NormalFormContext& context, int32_t number, const Linear& x,
                  const Linear& quotient, bool negated) {
  const LogScope aside(context);
  if (context.gave_up) return;
  const Atom atom = context.atoms[number];
  const int64_t c = atom.divisor;
  const Linear floor = atom_form(context, number);
  const Linear value = negated ? times(context, floor, -1) : floor;
  const Linear rest = plus(context, x, quotient, -c);
  if (negated) log_negated(context, rest, c, atom.inside, floor);
  log_pull(context, x, c, quotient, rest, value);
}

void log_floor_range(NormalFormContext& context, int32_t number, const Range& inside) {
  const LogScope aside(context);
  if (context.gave_up) return;
  const Atom atom = context.atoms[number];
  context.proof_log->box.atom_facts[number] =
      add_lemma(context, atom_interval(context, number), kRangeFloorDivPositive,
                texts(context, atom.inside, atom.divisor, inside.low, inside.high),
                {.given = {range_step(context, atom.inside, inside)}});
}

std::optional<FloorValue> nested_value(NormalFormContext& context, int32_t number,
                                       const Linear& whole, int64_t step) {
  const Atom atom = context.atoms[number];
  const Linear form = atom_form(context, number);
  const int64_t b = atom.divisor / step;
  const Linear value = floor_of(context, whole, b);
  if (value == form) return std::nullopt;
  const int rule = floor_step(context, whole, b, value);
  const int nested = add_lemma(context, equation(context, whole, b, form), kNestedFloor,
                               texts(context, atom.inside, step, b),
                               {.rules = {floor_step(context, atom.inside, step, whole)}});
  return FloorValue{value, add_step(*context.proof_log, {absl::StrCat(text_of(context, form), " = ",
                                                                      text_of(context, value)),
                                                         "rewriting",
                                                         {.from = {nested}, .rules = {rule}}})};
}

void log_digit(NormalFormContext& context, int32_t number, const Linear& whole, int64_t step) {
  const LogScope aside(context);
  if (context.gave_up) return;
  const std::optional<FloorValue> value = nested_value(context, number, whole, step);
  if (value) context.proof_log->box.digit_rules[number] = *value;
}

namespace {

// The form, without its constant, with this value in place of the atom.
Linear replaced(NormalFormContext& context, const Linear& form, int32_t atom, const Linear& value) {
  const Linear rest = without_atom(context, form, atom);
  return without_constant(plus(context, rest, value, factor_of(form, atom)));
}

}  // namespace

std::vector<int> digit_steps(NormalFormContext& context, const Linear& form, const Linear& digits) {
  for (const Term& term : form) {
    const auto rule = context.proof_log->box.digit_rules.find(term.atom);
    if (rule == context.proof_log->box.digit_rules.end()) continue;
    const Linear& value = rule->second.form;
    const Linear as_digits = replaced(context, digits, term.atom, value);
    if (replaced(context, form, term.atom, value) == as_digits) return {rule->second.step};
  }
  return {};
}

void log_digits(NormalFormContext& context, const Linear& plain, const Linear& digits) {
  const LogScope aside(context);
  if (!context.gave_up) context.proof_log->box.digits.insert_or_assign(terms_key(plain), digits);
}

}  // namespace tileproof::impl
