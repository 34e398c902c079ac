// SPDX-License-Identifier: Apache-2.0
// Reads the rules of zoo.tsv.
#include <string>
#include <utility>

#include "conform/zoo/rule.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"

namespace tileproof::zoo {
namespace {

Formula number(int64_t value) { return {"", value, {}}; }

Formula negated(Formula formula) {
  if (formula.head.empty()) return number(-formula.value);
  return {"*", 0, {std::move(formula), number(-1)}};
}

absl::StatusOr<Formula> take_formula(Cursor& cursor);

// The formulas up to the closing parenthesis of a function.
absl::StatusOr<std::vector<Formula>> take_arguments(Cursor& cursor) {
  std::vector<Formula> arguments;
  do {
    arguments.push_back(TRY(take_formula(cursor)));
  } while (cursor.take(","));
  TRY(cursor.expect(")", "to end the arguments"));
  return arguments;
}

absl::StatusOr<Formula> take_operand(Cursor& cursor) {
  if (cursor.at_integer()) return number(TRY(cursor.take_integer("a number")));
  if (cursor.take("-")) return negated(TRY(take_operand(cursor)));
  if (cursor.take("(")) {
    Formula formula = TRY(take_formula(cursor));
    TRY(cursor.expect(")", "to end the sum"));
    return formula;
  }
  const std::string name(cursor.take_identifier());
  if (name.empty()) return cursor.expected("a formula");
  if (!cursor.take("(")) return Formula{name, 0, {}};
  std::vector<Formula> arguments = TRY(take_arguments(cursor));
  return Formula{name, 0, std::move(arguments)};
}

// Takes one of the operations, if it is next.
std::string take_operation(Cursor& cursor, std::initializer_list<const char*> operations) {
  const size_t before = cursor.position();
  for (const char* operation : operations) {
    const bool word = operation[0] >= 'a';
    if (word ? cursor.peek_identifier() == operation : cursor.peek() == operation[0]) {
      cursor.take(operation);
      if (word || !cursor.take(">")) return operation;  // `->` is no minus
    }
  }
  cursor.set_position(before);
  return "";
}

absl::StatusOr<Formula> take_product(Cursor& cursor) {
  Formula left = TRY(take_operand(cursor));
  for (;;) {
    const std::string op = take_operation(cursor, {"*", "floordiv", "ceildiv", "mod"});
    if (op.empty()) return left;
    Formula right = TRY(take_operand(cursor));
    left = {op, 0, {std::move(left), std::move(right)}};
  }
}

absl::StatusOr<Formula> take_formula(Cursor& cursor) {
  Formula left = TRY(take_product(cursor));
  for (;;) {
    const std::string op = take_operation(cursor, {"+", "-"});
    if (op.empty()) return left;
    Formula right = TRY(take_product(cursor));
    if (op == "-") right = negated(std::move(right));
    left = {"+", 0, {std::move(left), std::move(right)}};
  }
}

// [low, high] behind an expression.
absl::StatusOr<Bounded> take_interval(Cursor& cursor, Formula expr) {
  TRY(cursor.expect("[", "before the ends"));
  Formula low = TRY(take_formula(cursor));
  TRY(cursor.expect(",", "between the ends"));
  Formula high = TRY(take_formula(cursor));
  TRY(cursor.expect("]", "behind the ends"));
  return Bounded{std::move(expr), std::move(low), std::move(high)};
}

// What is before the arrow.
absl::Status take_given(Cursor& cursor, StatedRule& rule) {
  do {
    Formula expr = TRY(take_formula(cursor));
    if (take_operation(cursor, {"in"}).empty()) {
      rule.from = std::move(expr);
      return absl::OkStatus();
    }
    rule.given.push_back(TRY(take_interval(cursor, std::move(expr))));
  } while (cursor.take(","));
  return absl::OkStatus();
}

// What is behind the arrow.
absl::Status take_result(Cursor& cursor, StatedRule& rule) {
  rule.keeps = true;
  do {
    Formula expr = TRY(take_formula(cursor));
    if (cursor.take(":")) {
      rule.bounds = TRY(take_interval(cursor, std::move(expr)));
      continue;
    }
    rule.keeps = false;
    if (!take_operation(cursor, {"in"}).empty()) {
      rule.become.push_back(TRY(take_interval(cursor, std::move(expr))));
    } else {
      rule.to = std::move(expr);
    }
  } while (cursor.take(","));
  return absl::OkStatus();
}

// a < b <= c is two comparisons.
absl::Status take_condition(Cursor& cursor, std::vector<Comparison>& conditions) {
  Formula left = TRY(take_formula(cursor));
  for (bool first = true;; first = false) {
    std::string relation;
    for (const char* next : {"<=", ">=", "!=", "<", ">", "="}) {
      if (relation.empty() && cursor.take(next)) relation = next;
    }
    if (relation.empty() && !first) return absl::OkStatus();
    Formula right = relation.empty() ? Formula() : TRY(take_formula(cursor));
    conditions.push_back({std::move(left), relation, right});
    if (relation.empty()) return absl::OkStatus();
    left = std::move(right);
  }
}

absl::StatusOr<StatedRule> take_rule(Cursor& cursor) {
  StatedRule rule;
  rule.each = !take_operation(cursor, {"each"}).empty();
  TRY(take_given(cursor, rule));
  TRY(cursor.expect("->", "behind what the rule matches"));
  TRY(take_result(cursor, rule));
  if (take_operation(cursor, {"if"}).empty()) return rule;
  do {
    TRY(take_condition(cursor, rule.conditions));
  } while (cursor.take(","));
  return rule;
}

}  // namespace

absl::StatusOr<StatedRules> parse_rules(absl::string_view text) {
  Cursor cursor(text);
  StatedRules rules;
  do {
    rules.push_back(TRY(take_rule(cursor)));
  } while (cursor.take(";"));
  TRY(cursor.expect_end());
  return rules;
}

}  // namespace tileproof::zoo
