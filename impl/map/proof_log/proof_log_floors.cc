// The steps of floors and ranges.
#include <algorithm>
#include <optional>

#include "impl/lemmas/lemmas_constraint.h"
#include "impl/lemmas/lemmas_range.h"
#include "impl/lemmas/lemmas_rewriting.h"
#include "impl/map/normal_form/assumed_sums.h"
#include "impl/map/normal_form/floors.h"
#include "impl/map/normal_form/ranges.h"
#include "impl/map/normal_form/recognize_mod.h"
#include "impl/map/proof_log/proof_log.h"

namespace tileproof::impl {
namespace {

std::string equation(Forms& forms, const Linear& x, int64_t c, const Linear& value) {
  return absl::StrCat(floor_name(*forms.derivation, text_of(forms, x), c), " = ",
                      text_of(forms, value));
}

// Adds the step that floor(x / c) is this value.
template <size_t count, class Statement>
void add_equation(Forms& forms, const Linear& x, int64_t c, const Linear& value,
                  const Lemma<count, Statement>& lemma,
                  const std::array<std::string, count>& values, Premises premises) {
  if (forms.refused) return;
  const int step =
      add_lemma(forms, equation(forms, x, c, value), lemma, values, std::move(premises));
  std::vector<FloorValue>& values_of =
      forms.derivation->box.floor_values[floor_name(*forms.derivation, text_of(forms, x), c)];
  const Linear form = meaning_of(forms, value);
  const bool is_new = std::ranges::find(values_of, form, &FloorValue::form) == values_of.end();
  if (is_new) values_of.push_back({form, step});
}

std::string atom_interval(Forms& forms, int32_t atom) {
  return interval_text(forms, atom_form(forms, atom), forms.atoms[atom].range);
}

// Of the words as they are, not of what they mean: words are no digits of their meaning.
std::string terms_key(const Linear& form) {
  std::string key;
  for (const Term& term : form) absl::StrAppend(&key, term.factor, "*", int32_t{term.atom}, " ");
  return key;
}

// A product, factor by factor.
int product_step(Forms& forms, const Linear& powers) {
  std::string left;
  Range range;
  int step = -1;
  for (const Term& power : powers) {
    for (int64_t i = 0; i < power.factor; ++i) {
      const std::string right = text_of(forms, atom_form(forms, power.atom));
      const Range other = forms.atoms[power.atom].range;
      const int fact = atom_step(forms, power.atom);
      if (step < 0) {
        left = right, range = other, step = fact;
        continue;
      }
      const Wide ends[] = {range.low * other.low, range.low * other.high, range.high * other.low,
                           range.high * other.high};
      const Range both{*std::ranges::min_element(ends), *std::ranges::max_element(ends)};
      const std::string words = absl::StrCat(left, " * ", right);
      step = add_lemma(forms, in_range(words, both), kRangeProduct,
                       {left, right, text_of(range.low), text_of(range.high), text_of(other.low),
                        text_of(other.high), text_of(both.low), text_of(both.high)},
                       {.given = {step, fact}});
      left = words, range = both;
    }
  }
  return step;
}

// The words lie in the range, so the form does, which they are the digits of.
int same_step(Forms& forms, const Linear& form, const Range& range, const Linear& words) {
  const int step = sum_step(forms, words);
  if (meaning_of(forms, words) == without_constant(form)) return step;
  return add_step(*forms.derivation,
                  {interval_text(forms, form, range),
                   "rewriting",
                   {.from = {step}, .rules = digit_steps(forms, form, meaning_of(forms, words))}});
}

// floor(x / c) = result = floor((a + m) / (c / g)), where x = g * a + part; `given` says that part
// lies in [m * g, (m + 1) * g).
void drop_small_part(Forms& forms, const Linear& x, int64_t c, const Linear& part, int given,
                     int64_t g, int64_t m, const Linear& a, const Linear& result) {
  const Linear smaller = plus(forms, a, constant(m));
  add_equation(forms, x, c, result, kDropSmallPart,
               {text_of(forms, a), text_of(forms, part), text_of(Wide{g}), text_of(Wide{c / g}),
                text_of(Wide{m})},
               {.given = {given}, .rules = {floor_step(forms, smaller, c / g, result)}});
}

struct Shown {
  Range range;
  int step;
};

// The form, without its constant, by the range of what it is the floor of.
int whole_step(Forms& forms, const Linear& form, const WholeFloor& whole) {
  const std::string inside = text_of(forms, whole.inside), c = text_of(Wide{whole.divisor});
  const std::string floor = floor_name(*forms.derivation, inside, whole.divisor);
  const Range range = interval_sum(forms, whole.inside), divided = range_of_floor(forms, whole);
  const int fact = add_lemma(forms, in_range(floor, divided), kRangeFloorDivPositive,
                             {inside, c, text_of(range.low), text_of(range.high)},
                             {.given = {sum_step(forms, whole.inside)}});
  const Linear value = times(forms, without_constant(form), whole.sign);
  const Linear operand = plus(forms, whole.inside, whole.rest, -whole.divisor);
  const int rule =
      add_lemma(forms, absl::StrCat(floor, " = ", text_of(forms, value)), kPullMultiple,
                {text_of(forms, whole.rest), text_of(forms, operand), c}, {});
  return add_step(*forms.derivation,
                  {interval_text(forms, without_constant(form), scaled(divided, whole.sign)),
                   "rewriting",
                   {.from = {fact}, .rules = {rule}}});
}

// What range_of_atoms looked at, each as a step.
std::vector<Shown> shown_by_atoms(Forms& forms, const Linear& form) {
  std::vector<Shown> shown;
  shown.push_back({interval_sum(forms, form), sum_step(forms, form)});
  const auto digits = forms.derivation->box.digits.find(terms_key(form));
  if (digits != forms.derivation->box.digits.end()) {
    const Linear words = digits->second;
    const Range range = scaled(interval_sum(forms, words), 1, form.constant);
    shown.push_back({range, same_step(forms, form, range, words)});
  }
  for (int32_t i = 0; form.count > 1 && i < form.count; ++i) {
    const auto whole = whole_floor(forms, form, i);
    if (!whole) continue;
    const Range range = scaled(range_of_floor(forms, *whole), whole->sign, form.constant);
    shown.push_back({range, whole_step(forms, form, *whole)});
  }
  if (const auto mod = as_whole_mod(forms, without_constant(form))) {
    const Range range = scaled(interval_sum(forms, *mod), 1, form.constant);
    shown.push_back({range, same_step(forms, form, range, *mod)});
  }
  return shown;
}

// The range by the one of these that has it, or by two, one for each end.
int one_of(Forms& forms, const Linear& form, const Range& range, const std::vector<Shown>& shown) {
  int low = shown.front().step, high = low;
  for (const auto& [it, step] : shown) {
    if (it == range) return step;
    if (it.low == range.low) low = step;
    if (it.high == range.high) high = step;
  }
  return add_step(*forms.derivation,
                  {interval_text(forms, form, range), "known", {.given = {low, high}}});
}

// The form by known sums and the range of what is left.
int split_step(Forms& forms, const Linear& form, const KnownSplit& split) {
  if (split.rest.is_constant() && split.parts.size() == 1 && split.parts[0].k == 1) {
    const Known& known = forms.known[split.parts[0].known];
    return known_step(forms, known.form, known.range);
  }
  std::vector<int> given;
  std::string by = absl::StrCat("sum(", times_known(forms, split.parts, given));
  if (!split.rest.is_constant()) {
    absl::StrAppend(&by, ", 1");
    given.push_back(one_of(forms, split.rest, split.rest_range, shown_by_atoms(forms, split.rest)));
  }
  return add_step(*forms.derivation,
                  {interval_text(forms, form, split.range), by + ")", {.given = std::move(given)}});
}

// What range_of looked at.
std::vector<Shown> shown_ranges(Forms& forms, const Linear& form) {
  std::vector<Shown> shown = shown_by_atoms(forms, form);
  if (const auto split = split_by_known(forms, form)) {
    shown.push_back({split->range, split_step(forms, form, *split)});
  }
  return shown;
}

}  // namespace

int floor_step(Forms& forms, const Linear& x, int64_t c, const Linear& value) {
  if (c == 1 || x.is_constant()) return -1;
  return stated_step(*forms.derivation, equation(forms, x, c, value));
}

int floor_step(Forms& forms, const Linear& x, int64_t c) {
  const Aside aside(forms);
  return floor_step(forms, x, c, floor_of(forms, x, c));
}

namespace {

int new_atom_step(Forms& forms, int32_t number) {
  const Atom atom = forms.atoms[number];
  if (atom.kind == AtomKind::kProduct) return product_step(forms, atom.inside);
  if (atom.kind == AtomKind::kMod) {
    return add_lemma(forms, interval_text(forms, atom.meaning, {0, atom.divisor - 1}),
                     kRangeModPositive, {text_of(forms, atom.inside), text_of(atom.divisor)},
                     {.rules = {floor_step(forms, atom.inside, atom.divisor)}});
  }
  // Its meaning and the digits of that have no quotients, so no step leads back here.
  if (atom.kind == AtomKind::kQuotient) return range_step(forms, atom.meaning, atom.range);
  return known_step(forms, atom_interval(forms, number));
}

}  // namespace

int atom_step(Forms& forms, int32_t number) {
  if (const auto found = forms.derivation->box.atom_facts.find(number);
      found != forms.derivation->box.atom_facts.end()) {
    return found->second;
  }
  return forms.derivation->box.atom_facts[number] = new_atom_step(forms, number);
}

int sum_step(Forms& forms, const Linear& words) {
  if (words.is_constant()) return -1;
  if (words.count == 1 && words.terms[0].factor == 1) return atom_step(forms, words.terms[0].atom);
  std::string by = "sum(";
  Premises premises;
  for (const Term& term : words) {
    absl::StrAppend(&by, premises.given.empty() ? "" : ", ", term.factor);
    premises.given.push_back(atom_step(forms, term.atom));
  }
  const Aside aside(forms);
  const Linear form = meaning_of(forms, words);
  return add_step(*forms.derivation, {interval_text(forms, form, interval_sum(forms, words)),
                                      by + ")", std::move(premises)});
}

int range_step(Forms& forms, const Linear& form, const Range& range) {
  if (form.is_constant()) return -1;
  const Aside aside(forms);
  return one_of(forms, form, range, shown_ranges(forms, form));
}

void note_pull(Forms& forms, const Linear& x, int64_t c, const Linear& quotient, const Linear& rest,
               const Linear& floor) {
  const Aside aside(forms);
  if (x == rest) return;
  add_equation(forms, x, c, plus(forms, quotient, floor), kPullMultiple,
               {text_of(forms, quotient), text_of(forms, rest), text_of(Wide{c})},
               {.rules = {floor_step(forms, rest, c, floor)}});
}

void note_small_part(Forms& forms, const Linear& x, int64_t c, const Linear& part, int64_t g,
                     int64_t m, const Linear& a, const Linear& result) {
  const Aside aside(forms);
  if (forms.refused) return;
  const Linear whole = plus(forms, meaning_of(forms, part), a, g);
  if (forms.refused) return;
  drop_small_part(forms, whole, c, part, sum_step(forms, part), g, m, a, result);
  if (whole == x) return;
  const int step = floor_step(forms, whole, c, result);
  add_step(*forms.derivation, {equation(forms, x, c, result),
                               "rewriting",
                               {.from = {step}, .rules = digit_steps(forms, x, whole)}});
}

void note_known_part(Forms& forms, const Linear& x, int64_t c, const Linear& part, int64_t g,
                     int64_t m, const Linear& a, const Linear& result) {
  const Aside aside(forms);
  if (forms.refused) return;
  const int given = range_step(forms, part, range_of(forms, part));
  drop_small_part(forms, x, c, part, given, g, m, a, result);
}

void note_one_cell(Forms& forms, const Linear& x, int64_t c, int64_t m) {
  const Aside aside(forms);
  if (forms.refused) return;
  add_equation(forms, x, c, constant(m), kOneCell,
               {text_of(forms, x), text_of(Wide{c}), text_of(Wide{m})},
               {.given = {range_step(forms, x, range_of(forms, x))}});
}

void note_merge(Forms& forms, const Inner& inner, int64_t c, const Linear& operand,
                const Linear& result) {
  const Aside aside(forms);
  if (forms.refused) return;
  const Linear x = plus(forms, inner.rest, inner.value, inner.sign);
  const Premises premises{.rules = {floor_step(forms, inner.inside, inner.divisor, inner.value),
                                    floor_step(forms, operand, inner.divisor * c, result)}};
  const std::array<std::string, 4> values{text_of(forms, inner.inside), text_of(forms, inner.rest),
                                          text_of(Wide{inner.divisor}), text_of(Wide{c})};
  if (inner.sign > 0) {
    add_equation(forms, x, c, result, kMergeInnerFloor, values, premises);
  } else {
    add_equation(forms, x, c, result, kMergeInnerNegatedFloor, values, premises);
  }
}

void note_halves(Forms& forms, int32_t half, const Linear& whole) {
  const Aside aside(forms);
  if (forms.refused) return;
  const Atom atom = forms.atoms[half];
  const int64_t m = atom.divisor / 2;
  add_equation(forms, plus(forms, atom.inside, constant(m)), atom.divisor,
               plus(forms, whole, atom_form(forms, half), -1), kTwoHalves,
               {text_of(forms, atom.inside), text_of(Wide{m})},
               {.rules = {floor_step(forms, atom.inside, m, whole)}});
}

void note_negated(Forms& forms, const Linear& x, int64_t c, const Linear& negated,
                  const Linear& result) {
  const Aside aside(forms);
  if (forms.refused) return;
  add_equation(forms, x, c, times(forms, result, -1), kNegatedFloor,
               {text_of(forms, negated), text_of(Wide{c})},
               {.rules = {floor_step(forms, negated, c, result)}});
}

void note_quotient(Forms& forms, int32_t number, const Linear& x, const Linear& quotient,
                   bool negated) {
  const Aside aside(forms);
  if (forms.refused) return;
  const Atom atom = forms.atoms[number];
  const int64_t c = atom.divisor;
  const Linear floor = atom_form(forms, number);
  const Linear value = negated ? times(forms, floor, -1) : floor;
  const Linear rest = plus(forms, x, quotient, -c);
  if (negated) note_negated(forms, rest, c, atom.inside, floor);
  note_pull(forms, x, c, quotient, rest, value);
}

void note_floor_range(Forms& forms, int32_t number, const Range& inside) {
  const Aside aside(forms);
  if (forms.refused) return;
  const Atom atom = forms.atoms[number];
  forms.derivation->box.atom_facts[number] =
      add_lemma(forms, atom_interval(forms, number), kRangeFloorDivPositive,
                {text_of(forms, atom.inside), text_of(Wide{atom.divisor}), text_of(inside.low),
                 text_of(inside.high)},
                {.given = {range_step(forms, atom.inside, inside)}});
}

std::optional<FloorValue> nested_value(Forms& forms, int32_t number, const Linear& whole,
                                       int64_t step) {
  const Atom atom = forms.atoms[number];
  const Linear form = atom_form(forms, number);
  const int64_t b = atom.divisor / step;
  const Linear value = floor_of(forms, whole, b);
  if (value == form) return std::nullopt;
  const int rule = floor_step(forms, whole, b, value);
  const int nested = add_lemma(forms, equation(forms, whole, b, form), kNestedFloor,
                               {text_of(forms, atom.inside), text_of(Wide{step}), text_of(Wide{b})},
                               {.rules = {floor_step(forms, atom.inside, step, whole)}});
  return FloorValue{
      value,
      add_step(*forms.derivation, {absl::StrCat(text_of(forms, form), " = ", text_of(forms, value)),
                                   "rewriting",
                                   {.from = {nested}, .rules = {rule}}})};
}

void note_digit(Forms& forms, int32_t number, const Linear& whole, int64_t step) {
  const Aside aside(forms);
  if (forms.refused) return;
  const std::optional<FloorValue> value = nested_value(forms, number, whole, step);
  if (value) forms.derivation->box.digit_rules[number] = *value;
}

namespace {

// The form with this value of the atom in its place, without its constant.
Linear replaced(Forms& forms, const Linear& form, int32_t atom, const Linear& value) {
  const Linear rest = without_atom(forms, form, atom);
  return without_constant(plus(forms, rest, value, factor_of(form, atom)));
}

}  // namespace

std::vector<int> digit_steps(Forms& forms, const Linear& form, const Linear& digits) {
  for (const Term& term : form) {
    const auto rule = forms.derivation->box.digit_rules.find(term.atom);
    if (rule == forms.derivation->box.digit_rules.end()) continue;
    const Linear& value = rule->second.form;
    const Linear as_digits = replaced(forms, digits, term.atom, value);
    if (replaced(forms, form, term.atom, value) == as_digits) return {rule->second.step};
  }
  return {};
}

void note_digits(Forms& forms, const Linear& plain, const Linear& digits) {
  const Aside aside(forms);
  if (!forms.refused) forms.derivation->box.digits.insert_or_assign(terms_key(plain), digits);
}

}  // namespace tileproof::impl
