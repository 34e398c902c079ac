#include "impl/derivation_map.h"

#include "impl/floors.h"
#include "impl/lemmas_range.h"

namespace tileproof::impl {
namespace {

// The operand whose floor the operation takes, and the divisor, which is positive.
struct Division {
  Linear operand;
  int64_t divisor;
};

Division division_of(Forms& forms, Normalizer& normalizer, const Node& node) {
  Linear x = normalizer.form_of(node.left);
  int64_t c = normalizer.form_of(node.right).constant;
  if (node.op == Op::kCeilDiv) x = times(forms, x, -1);
  if (c < 0) {
    x = times(forms, x, -1);
    c = -c;
  }
  return {x, c};
}

// A variable with one value.
int point_step(Forms& forms, int32_t variable) {
  const Wide value = forms.atoms[variable].range.low;
  if (value != forms.atoms[variable].range.high) return -1;
  const std::string name = text_of(forms, atom_form(forms, variable));
  return add_lemma(forms, absl::StrCat(name, " = ", text_of(value)), kRangePoint,
                   {name, text_of(value)}, {.given = {atom_step(forms, variable)}});
}

// The equations by which the expression is its form.
std::vector<int> rules_under(Forms& forms, Normalizer& normalizer, const IndexingMap& map,
                             NodeId root) {
  std::vector<int> rules;
  std::vector<char> needed(root + 1, 0);
  needed[root] = 1;
  for (NodeId id = root; id >= 0; --id) {
    const Node& node = map.nodes[id];
    if (!needed[id]) continue;
    if (is_variable(node.op)) {
      rules.push_back(point_step(forms, variable_atom(map, node.op, node.value)));
    }
    if (is_leaf(node.op)) continue;
    needed[node.left] = needed[node.right] = 1;
    if (node.op == Op::kAdd || node.op == Op::kMul) continue;
    const Division division = division_of(forms, normalizer, node);
    rules.push_back(floor_step(forms, division.operand, division.divisor));
  }
  return rules;
}

int add_line(Forms& forms, std::string says, std::vector<int> rules) {
  return add_step(*forms.derivation, {std::move(says), "", {.rules = std::move(rules)}, true});
}

void note_constraint_as(Forms& forms, Normalizer& normalizer, const IndexingMap& map, size_t number,
                        const Linear& form, absl::string_view words) {
  const Interval& interval = map.constraints[number].interval;
  const std::string fact = interval_text(forms, form, {interval.low, interval.high});
  const int step = add_line(forms, absl::StrCat(words, "constraint ", number, " is ", fact),
                            rules_under(forms, normalizer, map, map.constraints[number].expr));
  forms.derivation->stated.emplace(fact, step);
}

}  // namespace

void note_constraint(Forms& forms, Normalizer& normalizer, const IndexingMap& map, size_t number,
                     const Linear& form) {
  const Aside aside(forms);
  note_constraint_as(forms, normalizer, map, number, form, "");
}

void note_result(Forms& forms, Normalizer& normalizer, const IndexingMap& map, size_t number,
                 const Linear& form) {
  const Aside aside(forms);
  add_line(forms, absl::StrCat("result ", number, " is ", text_of(forms, form)),
           rules_under(forms, normalizer, map, map.results[number]));
}

void note_new_result(Forms& forms, const IndexingMap& map, const IndexingMap& out) {
  const size_t number = out.results.size() - 1;
  if (same_expression(map.nodes, map.results[number], out.nodes, out.results[number])) {
    add_line(forms, absl::StrCat("new result ", number, " is result ", number), {});
    return;
  }
  const Aside aside(forms);
  Normalizer normalizer(forms, out);
  const Linear form = normalizer.form_of(out.results[number]);
  if (forms.refused) return;
  add_line(forms, absl::StrCat("new result ", number, " is ", text_of(forms, form)),
           rules_under(forms, normalizer, out, out.results[number]));
}

void note_new_constraints(Forms& forms, const IndexingMap& map, const IndexingMap& out) {
  Normalizer normalizer(forms, out);
  for (size_t i = 0; i < out.constraints.size(); ++i) {
    bool copied = false;
    for (size_t j = 0; j < map.constraints.size(); ++j) {
      if (!(out.constraints[i].interval == map.constraints[j].interval) ||
          !same_expression(map.nodes, map.constraints[j].expr, out.nodes,
                           out.constraints[i].expr)) {
        continue;
      }
      copied = true;
      add_line(forms, absl::StrCat("new constraint ", i, " is constraint ", j), {});
    }
    if (copied) continue;
    const Aside aside(forms);
    const Linear form = normalizer.form_of(out.constraints[i].expr);
    if (!forms.refused) note_constraint_as(forms, normalizer, out, i, form, "new ");
  }
}

}  // namespace tileproof::impl
