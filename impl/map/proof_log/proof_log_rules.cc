// SPDX-License-Identifier: Apache-2.0
#include "impl/map/proof_log/proof_log_rules.h"

#include <algorithm>
#include <string_view>

#include "impl/lemmas/lemmas_range.h"
#include "impl/lemmas/lemmas_rewriting.h"
#include "impl/map/normal_form/floors.h"

namespace tileproof::impl {
namespace {

// floor(x / c) as a floor by a positive divisor.
struct Floor {
  Linear x;
  int64_t c;
};

Floor floor_by_positive(NormalFormContext& context, const Linear& x, int64_t c) {
  const Linear meaning = meaning_of(context, x);
  return c > 0 ? Floor{meaning, c} : Floor{times(context, meaning, -1), -c};
}

std::string equation(NormalFormContext& context, const Floor& floor, const Linear& value) {
  return absl::StrCat(floor_name(*context.proof_log, text_of(context, floor.x), floor.c), " = ",
                      text_of(context, value));
}

template <size_t count, class Statement>
void add_rule(NormalFormContext& context, const Floor& floor, const Linear& value,
              const Lemma<count, Statement>& lemma, const std::array<std::string, count>& values,
              Premises premises) {
  if (context.gave_up || floor.x.is_constant()) return;  // a floor of a constant needs no rule
  const std::string says = equation(context, floor, value);
  const std::string_view name(says.data(), says.find(' ') + 1);
  const bool known = std::ranges::any_of(context.proof_log->rules, [&](int rule) {
    return context.proof_log->steps[rule].says.starts_with(name);
  });
  if (known) return;  // one equation for a floor is enough
  context.proof_log->rules.push_back(add_lemma(context, says, lemma, values, std::move(premises)));
}

int rule_for(NormalFormContext& context, const Floor& floor, const Linear& value) {
  return stated_step(*context.proof_log, equation(context, floor, value));
}

// The unsimplified floor.
Linear floor_as_written(NormalFormContext& context, const Floor& floor) {
  return atom_form(context, written_atom(context, AtomKind::kFloor, floor.x, floor.c, {}));
}

// The step that the sum lies in its range: by its terms, or with the help of a constraint.
int operand_step(NormalFormContext& context, const Linear& x) {
  const Range range = range_of_written(context, x);
  const int by_terms = sum_step(context, x);
  if (range == interval_sum(context, x)) return by_terms;
  const std::string fact = interval_text(context, meaning_of(context, x), range);
  if (const int step = stated_step(*context.proof_log, fact); step >= 0) return step;
  Premises premises{.given = {by_terms}};
  for (const Assumption& assumption : context.assumptions) {
    if (!(assumption.form == without_constant(x))) continue;
    const Linear meaning = meaning_of(context, assumption.form);
    premises.given.push_back(
        stated_step(*context.proof_log, interval_text(context, meaning, assumption.range)));
  }
  return add_step(*context.proof_log, {fact, "known", std::move(premises)});
}

}  // namespace

void log_written(NormalFormContext& context, int32_t number) {
  if (!context.atoms[number].meaning.is_constant()) return;
  const Atom atom = context.atoms[number];
  const bool up = atom.kind == AtomKind::kCeiling;
  const Linear x = up ? times(context, atom.inside, -1) : atom.inside;
  const Floor floor = floor_by_positive(context, x, atom.divisor);
  const Linear value = floor_as_written(context, floor);
  const std::string operand = text_of(context, floor.x), c = text_of(Wide{floor.c});
  if (atom.kind == AtomKind::kMod) {
    const Linear rest = plus(context, floor.x, value, -floor.c);
    context.atoms[number].meaning = atom.divisor > 0 ? rest : times(context, rest, -1);
    context.proof_log->box.atom_facts[number] =
        add_lemma(context, interval_text(context, rest, {0, floor.c - 1}), kRangeModPositive,
                  {operand, c}, {});
    return;
  }
  context.atoms[number].meaning = up ? times(context, value, -1) : value;
  const Range range =
      scaled(range_of_written(context, atom.inside), up != (atom.divisor < 0) ? -1 : 1);
  const Range quotient{floor_wide(range.low, floor.c), floor_wide(range.high, floor.c)};
  context.proof_log->box.atom_facts[number] =
      add_lemma(context, interval_text(context, value, quotient), kRangeFloorDivPositive,
                texts(context, operand, c, range.low, range.high),
                {.given = {operand_step(context, atom.inside)}});
}

void log_value(NormalFormContext& context, int32_t variable) {
  const std::string name = text_of(context, atom_form(context, variable));
  const std::string value = text_of(context.atoms[variable].range.low);
  context.proof_log->rules.push_back(add_lemma(context, absl::StrCat(name, " = ", value),
                                               kRangePoint, {name, value},
                                               {.given = {atom_step(context, variable)}}));
}

void log_local_cell(NormalFormContext& context, const Linear& x, int64_t c, int64_t m) {
  const Floor floor = floor_by_positive(context, x, c);
  const int given = operand_step(context, x);
  add_rule(context, floor, constant(m), kOneCell, texts(context, floor.x, floor.c, m),
           {.given = {given}});
}

void log_local_pull(NormalFormContext& context, const Linear& x, int64_t c, const Linear& y,
                    const Linear& value) {
  const Floor whole = floor_by_positive(context, x, c), rest = floor_by_positive(context, y, c);
  const Linear quotient = divided(context, plus(context, whole.x, rest.x, -1), whole.c);
  add_rule(context, whole, plus(context, quotient, value), kPullMultiple,
           texts(context, quotient, rest.x, whole.c), {.rules = {rule_for(context, rest, value)}});
}

void log_local_small(NormalFormContext& context, const Linear& a, const Linear& part, int64_t c,
                     int64_t g, int64_t m, const Linear& value) {
  const Linear x = meaning_of(context, plus(context, part, a, g));
  const Floor whole = floor_by_positive(context, x, c);
  const Floor smaller = floor_by_positive(context, plus(context, a, constant(m)), c / g);
  const Linear first = plus(context, smaller.x, constant(-m));
  const int given = part.count == 0 ? -1 : sum_step(context, part);
  add_rule(context, whole, value, kDropSmallPart,
           texts(context, first, meaning_of(context, part), g, smaller.c, m),
           {.given = {given}, .rules = {rule_for(context, smaller, value)}});
}

void log_local_nested(NormalFormContext& context, const Linear& x, int64_t a, int64_t c,
                      const Linear& value) {
  const Floor inner = floor_by_positive(context, x, a);
  const Floor whole{floor_as_written(context, inner), c};
  const Floor merged{inner.x, inner.c * c};
  add_rule(context, whole, value, kMergeInnerFloor, texts(context, inner.x, "0", inner.c, c),
           {.rules = {rule_for(context, merged, value)}});
}

int log_local_constraint(NormalFormContext& context, size_t number, const Linear& form,
                         const Range& range) {
  const std::string fact = interval_text(context, meaning_of(context, form), range);
  const int step = add_step(
      *context.proof_log,
      {absl::StrCat("constraint ", number, " is ", fact), "", {.rules = context.proof_log->rules}});
  context.proof_log->box.stated.emplace(fact, step);
  return step;
}

void log_local_result(NormalFormContext& context, size_t number, const Linear& form,
                      const Linear& written) {
  std::string by;
  std::vector<int> given;
  for (const Term& term : plus(context, form, written, -1)) {
    absl::StrAppend(&by, by.empty() ? "sum(" : ", ", term.factor);
    given.push_back(atom_step(context, term.atom));
  }
  if (!given.empty()) {
    const Linear before = meaning_of(context, form), after = meaning_of(context, written);
    given = {add_step(*context.proof_log,
                      {absl::StrCat(text_of(context, before), " = ", text_of(context, after)),
                       by + ")",
                       {.given = given}})};
  }
  const std::string value = text_of(context, meaning_of(context, written));
  add_step(*context.proof_log, {absl::StrCat("result ", number, " is ", value),
                                "",
                                {.given = given, .rules = context.proof_log->rules},
                                true});
  add_step(*context.proof_log, {absl::StrCat("new result ", number, " is ", value), "", {}, true});
}

}  // namespace tileproof::impl
