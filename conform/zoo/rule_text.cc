// SPDX-License-Identifier: Apache-2.0
// Reads the rules of zoo.tsv.
#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
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

constexpr std::pair<absl::string_view, size_t> kFunctions[] = {
    {"low", 1}, {"high", 1}, {"abs", 1}, {"wrap", 1}, {"int32", 1}, {"double", 1},
    {"min", 2}, {"max", 2},  {"gcd", 2}, {"lcm", 2},  {"quo", 2},   {"rem", 2}};
constexpr absl::string_view kConditions[] = {"small", "fits", "bounded", "constant"};

bool is_condition(absl::string_view name) {
  return std::find(std::begin(kConditions), std::end(kConditions), name) != std::end(kConditions);
}

bool is_function(absl::string_view name, size_t arguments) {
  if (is_condition(name)) return arguments == 1;
  return std::find(std::begin(kFunctions), std::end(kFunctions), std::pair(name, arguments)) !=
         std::end(kFunctions);
}

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
  const size_t start = cursor.token_position();
  Formula formula{std::string(cursor.take_identifier()), 0, {}};
  if (formula.head.empty()) return cursor.expected("a formula");
  const bool calls = cursor.take("(");
  if (calls) formula.parts = TRY(take_arguments(cursor));
  if (calls ? is_function(formula.head, formula.parts.size())
            : is_letter(formula) || formula.head == "true") {
    return formula;
  }
  return cursor.error_at(start, "expected a letter or a function of as many arguments");
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
    rule.of_bounds = cursor.take(":");
    if (!rule.of_bounds && take_operation(cursor, {"in"}).empty()) {
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
    if (relation.empty() && !is_condition(left.head)) return cursor.expected("a relation");
    Formula right = relation.empty() ? Formula() : TRY(take_formula(cursor));
    conditions.push_back({std::move(left), relation, right});
    if (relation.empty()) return absl::OkStatus();
    left = std::move(right);
  }
}

void append_letters(const Formula& f, std::string& letters) {
  if (is_letter(f)) letters += f.head;
  for (const Formula& part : f.parts) append_letters(part, letters);
}

void append_letters(const Bounded& bounded, std::string& letters) {
  for (const Formula* f : {&bounded.expr, &bounded.low, &bounded.high}) append_letters(*f, letters);
}

// Each letter of the result is matched, or a condition names it.
absl::Status check_letters(const StatedRule& rule) {
  std::string known, used;
  append_letters(rule.from, known);
  for (const Bounded& given : rule.given) append_letters(given, known);
  for (const Comparison& condition : rule.conditions) {
    if (condition.relation == "=" && is_letter(condition.left)) known += condition.left.head;
  }
  append_letters(rule.to, used);
  for (const Bounded& result : rule.become) append_letters(result, used);
  if (rule.bounds) append_letters(*rule.bounds, used);
  const size_t at = used.find_first_not_of(known);
  if (at == std::string::npos) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(used.substr(at, 1), " stands for nothing"));
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
  const std::string of = take_operation(cursor, {"first", "second", "both"});
  if (!of.empty()) TRY(cursor.expect(":", "behind the map that the rules are about"));
  do {
    rules.push_back(TRY(take_rule(cursor)));
    rules.back().of = of;
    TRY(check_letters(rules.back()));
  } while (cursor.take(";"));
  TRY(cursor.expect_end());
  return rules;
}

}  // namespace tileproof::zoo
