// SPDX-License-Identifier: Apache-2.0
#include "impl/map/proof_log/proof_log_map.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "impl/lemmas/lemmas_rewriting.h"
#include "impl/map/normal_form/assumed_sums.h"
#include "impl/map/normal_form/floors.h"
#include "impl/map/normal_form/normalize.h"
#include "impl/map/visit_nodes.h"

namespace tileproof::impl {
namespace {

// An expression as a combination, and the equations that show it.
struct Evaluation {
  Linear form;
  std::vector<int> rules;
  std::map<std::string, FloorValue> taken;  // the value used for each floor, by name
};

// For floors that equal several combinations: which one to use.
using Choices = std::map<std::string, FloorValue>;

// The value of a variable that has only one.
Linear variable_value(NormalFormContext& context, int32_t variable, std::vector<int>& rules) {
  const Linear form = variable_form(context, variable);
  if (!form.is_constant()) return form;
  const std::string name = text_of(context, atom_form(context, variable));
  const std::string value = text_of(context, form);
  rules.push_back(add_lemma(context, absl::StrCat(name, " = ", value), kRangePoint, {name, value},
                            {.given = {atom_step(context, variable)}}));
  return form;
}

// floor(x / c) for c > 0.
Linear floor_value(NormalFormContext& context, const Linear& x, int64_t c, const Choices& choices,
                   Evaluation& out) {
  if (x.is_constant()) return floor_of(context, x, c);
  const std::string name = floor_name(*context.proof_log, text_of(context, x), c);
  if (const auto choice = choices.find(name); choice != choices.end()) {
    out.rules.push_back(choice->second.step);
    return choice->second.form;
  }
  const Linear value = floor_of(context, x, c);
  const int step = floor_step(context, x, c, value);
  out.rules.push_back(step);
  out.taken.insert_or_assign(name, FloorValue{value, step});
  return value;
}

// x floordiv c, x ceildiv c or x mod c. A divisor of -2^63 has no normal form, so nothing is logged
// for it.
Linear division_value(NormalFormContext& context, Op op, const Linear& x, int64_t c,
                      const Choices& choices, Evaluation& out) {
  const bool up = op == Op::kCeilDiv;
  const Linear operand = up != (c < 0) ? times(context, x, -1) : x;
  const Linear floor = floor_value(context, operand, c < 0 ? -c : c, choices, out);
  if (op == Op::kMod) return plus(context, x, floor, -c);
  return up ? times(context, floor, -1) : floor;
}

Evaluation evaluate(NormalFormContext& context, const IndexingMap& map, NodeId root,
                    const Choices& choices) {
  Evaluation out;
  std::vector<Linear> values(root + 1);
  for (const NodeId id : nodes_under(map.nodes, {root})) {
    const Node& node = map.nodes[id];
    if (node.op == Op::kConstant) {
      values[id] = constant(node.value);
    } else if (is_variable(node.op)) {
      values[id] = variable_value(context, variable_atom(map, node.op, node.value), out.rules);
    } else if (node.op == Op::kAdd) {
      values[id] = plus(context, values[node.left], values[node.right]);
    } else if (node.op == Op::kMul) {
      values[id] = product(context, values[node.left], values[node.right]);
    } else {
      values[id] = division_value(context, node.op, values[node.left], values[node.right].constant,
                                  choices, out);
    }
  }
  out.form = values[root];
  return out;
}

using Wanted = absl::FunctionRef<bool(const Linear&)>;

// The evaluation with another value of one of its floors, if that gives the wanted combination.
std::optional<Evaluation> with_other_value(NormalFormContext& context, const IndexingMap& map,
                                           NodeId root, const Evaluation& before, Wanted wanted) {
  for (const auto& [floor, taken] : before.taken) {
    const std::vector<FloorValue> values = context.proof_log->box.floor_values[floor];
    for (const FloorValue& value : values) {
      if (value.form == taken.form) continue;
      const Evaluation other = evaluate(context, map, root, {{floor, value}});
      if (context.gave_up) return std::nullopt;
      if (wanted(other.form)) return other;
    }
  }
  return std::nullopt;
}

// The evaluation by floor_of. Because a normal form is not always unique, tries other values of
// floors if the result is not the wanted one.
Evaluation evaluate_to(NormalFormContext& context, const IndexingMap& map, NodeId root,
                       Wanted wanted) {
  const Evaluation first = evaluate(context, map, root, {});
  if (wanted(first.form)) return first;
  const LogScope aside(context);
  return with_other_value(context, map, root, first, wanted).value_or(first);
}

// The atoms of the form, including those inside others.
std::set<int32_t> atoms_in(const NormalFormContext& context, const Linear& form) {
  std::set<int32_t> atoms;
  std::vector<Linear> open = {form};
  while (!open.empty()) {
    const Linear next = open.back();
    open.pop_back();
    for (const Term& term : next) {
      if (atoms.insert(term.atom).second) open.push_back(context.atoms[term.atom].inside);
    }
  }
  return atoms;
}

// Adds the other value as an alternative wherever the evaluation used the floor.
void add_other_value(NormalFormContext& context, const Evaluation& evaluation, int32_t floor,
                     const FloorValue& other) {
  for (const auto& [name, taken] : evaluation.taken) {
    const int64_t factor = factor_of(taken.form, floor);
    if (factor == 0) continue;
    const Linear form = plus(context, without_atom(context, taken.form, floor), other.form, factor);
    if (context.gave_up) return;
    const int step = taken.step < 0 ? other.step
                                    : add_step(*context.proof_log,
                                               {absl::StrCat(name, " = ", text_of(context, form)),
                                                "rewriting",
                                                {.from = {taken.step}, .rules = {other.step}}});
    context.proof_log->box.floor_values[name].push_back({form, step});
  }
}

// Adds values for floors of the evaluation that differ if they are divided in two steps. (Atoms
// other than floors have the divisor 0, which has no proper divisors.)
void add_nested_values(NormalFormContext& context, const Evaluation& evaluation) {
  const LogScope aside(context);
  for (int32_t floor : atoms_in(context, evaluation.form)) {
    const Atom atom = context.atoms[floor];
    for (int64_t step : proper_divisors(atom.divisor)) {
      const Linear whole = floor_of(context, atom.inside, step);
      const std::optional<FloorValue> other = nested_value(context, floor, whole, step);
      if (context.gave_up) return;
      if (other) add_other_value(context, evaluation, floor, *other);
    }
  }
}

int add_line(NormalFormContext& context, std::string says, std::vector<int> rules,
             std::vector<int> given = {}) {
  return add_step(
      *context.proof_log,
      {std::move(says), "", {.given = std::move(given), .rules = std::move(rules)}, true});
}

// The step that the form without its constant has that value, which follows from the values of its
// parts; -1 if there are no parts.
int parts_step(NormalFormContext& context, const Linear& form, const Linear& value,
               const AssumedParts& parts) {
  if (parts.empty()) return -1;
  std::vector<int> given;
  std::string by = absl::StrCat("sum(", times_assumption(context, parts, given), ")");
  return add_step(*context.proof_log,
                  {absl::StrCat(text_of(context, form), " = ", text_of(context, value)),
                   std::move(by),
                   {.given = std::move(given)}});
}

// Logs the value of a result after replacing assumed sums.
void add_result(NormalFormContext& context, const std::string& name, const Evaluation& result) {
  AssumedParts parts;
  const Linear value = with_assumed_sums(context, result.form, &parts);
  if (context.gave_up) return;
  add_line(context, absl::StrCat(name, " is ", text_of(context, value)), result.rules,
           {parts_step(context, result.form, value, parts)});
}

std::string fact_text(NormalFormContext& context, const Constraint& constraint,
                      const Linear& form) {
  return interval_text(context, form, {constraint.interval.low, constraint.interval.high});
}

// Logs the fact that the constraint states, unless the simplifier gave up on it.
void add_constraint(NormalFormContext& context, const std::string& name,
                    const Constraint& constraint, const Evaluation& value) {
  if (context.gave_up) return;
  const std::string fact = fact_text(context, constraint, value.form);
  const int step = add_line(context, absl::StrCat(name, " is ", fact), value.rules);
  context.proof_log->box.stated.emplace(fact, step);
}

bool copied_from(const IndexingMap& map, const Constraint& a, const IndexingMap& out,
                 const Constraint& b) {
  return a.interval == b.interval && same_expression(map.nodes, a.expr, out.nodes, b.expr);
}

}  // namespace

std::vector<int64_t> proper_divisors(int64_t c) {
  constexpr int64_t kSmall = 1024;
  std::vector<int64_t> divisors;
  for (int64_t i = 2; i <= kSmall && i < c; ++i) {
    if (c % i != 0) continue;
    divisors.push_back(i);
    if (c / i > kSmall) divisors.push_back(c / i);
  }
  return divisors;
}

void log_constraint(NormalFormContext& context, const IndexingMap& map, size_t number) {
  const LogScope aside(context);
  const Constraint& constraint = map.constraints[number];
  const Evaluation value = evaluate(context, map, constraint.expr, {});
  add_constraint(context, absl::StrCat("constraint ", number), constraint, value);
}

void log_result(NormalFormContext& context, const IndexingMap& map, const IndexingMap& out,
                const Linear& form) {
  const LogScope aside(context);
  const size_t number = out.results.size() - 1;
  if (same_expression(map.nodes, map.results[number], out.nodes, out.results[number])) {
    log_copied_result(context, out);
    return;
  }
  Evaluation before = evaluate(context, map, map.results[number], {});
  Linear value = with_assumed_sums(context, form);
  const Evaluation after = evaluate_to(context, out, out.results[number], [&](const Linear& found) {
    return with_assumed_sums(context, found) == value;
  });
  value = with_assumed_sums(context, after.form);
  if (context.gave_up) return;
  if (!(with_assumed_sums(context, before.form) == value)) {
    add_nested_values(context, before);
    before = evaluate_to(context, map, map.results[number], [&](const Linear& found) {
      return with_assumed_sums(context, found) == value;
    });
  }
  add_result(context, absl::StrCat("result ", number), before);
  add_result(context, absl::StrCat("new result ", number), after);
}

void log_copied_result(NormalFormContext& context, const IndexingMap& out) {
  const size_t number = out.results.size() - 1;
  add_line(context, absl::StrCat("new result ", number, " is result ", number), {});
}

void log_new_constraints(NormalFormContext& context, const IndexingMap& map,
                         const IndexingMap& out) {
  for (size_t i = 0; i < out.constraints.size(); ++i) {
    const Constraint& constraint = out.constraints[i];
    bool copied = false;
    for (size_t j = 0; j < map.constraints.size(); ++j) {
      if (!copied_from(map, map.constraints[j], out, constraint)) continue;
      copied = true;
      add_line(context, absl::StrCat("new constraint ", i, " is constraint ", j), {});
    }
    if (copied) continue;
    const LogScope aside(context);
    const auto is_stated = [&](const Linear& form) {
      return context.proof_log->box.stated.contains(fact_text(context, constraint, form));
    };
    const Evaluation value = evaluate_to(context, out, constraint.expr, is_stated);
    add_constraint(context, absl::StrCat("new constraint ", i), constraint, value);
  }
}

void log_unchanged(NormalFormContext& context, const IndexingMap& map) {
  begin_section(*context.proof_log, map);
  for (size_t i = 0; i < map.constraints.size(); ++i) {
    add_line(context, absl::StrCat("new constraint ", i, " is constraint ", i), {});
  }
  for (size_t i = 0; i < map.results.size(); ++i) {
    add_line(context, absl::StrCat("new result ", i, " is result ", i), {});
  }
  end_section(*context.proof_log, map, map);
}

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
