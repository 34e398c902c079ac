// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/map/expr_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/interval.h"

namespace tileproof {
namespace {

constexpr absl::string_view kReserved[] = {"domain", "in",       "mod",      "true",
                                           "false",  "floorDiv", "floordiv", "ceildiv"};

// Fails at what looks like an operator of another language, and names ours: `d0 % 8`, `d0 / 8`,
// `d0 flordiv 8`.
absl::Status expect_no_foreign_operator(Cursor& cursor) {
  const char next = cursor.peek();
  std::string meant;
  if (next == '%') meant = "; did you mean 'mod'?";
  if (next == '/') meant = "; did you mean 'floordiv'?";
  if (absl::ascii_isalpha(next)) {
    meant = did_you_mean(peek_name(cursor), {"floordiv", "ceildiv", "mod"});
  }
  if (meant.empty()) return absl::OkStatus();
  const absl::Status expected = cursor.expected("an operator");
  return absl::Status(expected.code(), absl::StrCat(std::string(expected.message()), meant));
}

// A slip of the keyboard, `do` for d0. A number that no variable has, `d3`, is none.
absl::Status expected_variable(Cursor& cursor,
                               const absl::flat_hash_map<absl::string_view, Node>& names) {
  std::vector<absl::string_view> known;
  if (!absl::ascii_isdigit(peek_name(cursor).back())) {
    for (const auto& [name, node] : names) known.push_back(name);
    std::ranges::sort(known);
  }
  return expected_word(cursor, "a variable of the map", known);
}

}  // namespace

absl::Status expected_word(Cursor& cursor, absl::string_view what,
                           const std::vector<absl::string_view>& words) {
  const absl::Status expected = cursor.expected(what);
  return absl::Status(expected.code(), absl::StrCat(std::string(expected.message()),
                                                    did_you_mean(peek_name(cursor), words)));
}

bool is_reserved(absl::string_view name) {
  return std::ranges::find(kReserved, name) != std::end(kReserved);
}

absl::string_view peek_name(Cursor& cursor) {
  cursor.skip_space();
  const absl::string_view left = cursor.rest();
  if (left.empty() || !absl::ascii_isalpha(left[0])) return left.substr(0, 0);
  size_t length = 1;
  while (length < left.size() && (absl::ascii_isalnum(left[length]) || left[length] == '_')) {
    ++length;
  }
  return left.substr(0, length);
}

bool take_word(Cursor& cursor, absl::string_view word) {
  if (peek_name(cursor) != word) return false;
  cursor.set_position(cursor.position() + word.size());
  return true;
}

absl::StatusOr<absl::string_view> ExprReader::declare(Op kind, int64_t number) {
  const absl::string_view name = peek_name(cursor_);
  if (name.empty()) return cursor_.expected("the name of a variable");
  if (is_reserved(name)) return cursor_.expected("the name of a variable, not a reserved word");
  if (!names_.try_emplace(name, Node{.op = kind, .value = number}).second) {
    return cursor_.expected("a name that no other variable has");
  }
  take_word(cursor_, name);
  return name;
}

bool ExprReader::at_expression() {
  const char next = cursor_.peek();
  return next == '(' || next == '-' || absl::ascii_isalnum(next);
}

absl::StatusOr<NodeId> ExprReader::read() {
  Term term = TRY(sum());
  return term.node;
}

absl::StatusOr<ExprReader::Term> ExprReader::sum() {
  absl::StatusOr<Term> left = product();
  while (left.ok() && (cursor_.peek() == '+' || cursor_.peek() == '-')) {
    const bool plus = cursor_.take("+");
    if (!plus) cursor_.take("-");
    Term right = TRY(product());
    left = plus ? operation(Op::kAdd, *left, right) : difference(*left, right);
  }
  return left;
}

absl::StatusOr<ExprReader::Term> ExprReader::product() {
  absl::StatusOr<Term> left = unary();
  while (left.ok()) {
    Op op;
    if (cursor_.take("*")) {
      op = Op::kMul;
    } else if (take_word(cursor_, "floordiv")) {
      op = Op::kFloorDiv;
    } else if (take_word(cursor_, "mod")) {
      op = Op::kMod;
    } else if (take_word(cursor_, "ceildiv")) {
      op = Op::kCeilDiv;
    } else {
      TRY(expect_no_foreign_operator(cursor_));
      return left;
    }
    Term right = TRY(unary());
    left = operation(op, *left, right);
  }
  return left;
}

absl::StatusOr<ExprReader::Term> ExprReader::unary() {
  const size_t start = cursor_.token_position();
  int64_t signs = 0;
  while (cursor_.take("-")) ++signs;
  const bool negative_literal = signs > 0 && absl::ascii_isdigit(cursor_.peek());
  absl::StatusOr<Term> term = primary(negative_literal);
  for (int64_t i = negative_literal ? 1 : 0; i < signs && term.ok(); ++i) term = negation(*term);
  if (term.ok() && signs > 0) term->position = start;
  return term;
}

absl::StatusOr<ExprReader::Term> ExprReader::primary(bool negative) {
  const size_t start = cursor_.token_position();
  if (absl::ascii_isdigit(cursor_.peek())) return literal(negative);
  if (cursor_.take("(")) {
    if (++nesting_ > kMaxNesting) {
      return cursor_.error_at(start,
                              absl::StrCat("expected parentheses nested at most ", kMaxNesting));
    }
    Term inner = TRY(sum());
    TRY(cursor_.expect(")", "or an operator"));
    --nesting_;
    inner.position = start;
    inner.parenthesized = true;
    return inner;
  }
  const absl::string_view name = peek_name(cursor_);
  if (name.empty() || is_reserved(name)) return cursor_.expected("an expression");
  const auto variable = names_.find(name);
  if (variable == names_.end()) return expected_variable(cursor_, names_);
  take_word(cursor_, name);
  return Term{add_variable(table_, variable->second.op, variable->second.value), start};
}

absl::StatusOr<ExprReader::Term> ExprReader::literal(bool negative) {
  const size_t start = cursor_.token_position();
  const absl::string_view left = cursor_.rest();
  const size_t length = std::min(left.find_first_not_of("0123456789"), left.size());
  if (length < left.size() &&
      (absl::ascii_isalpha(left[length]) || left[length] == '_' || left[length] == '.')) {
    return cursor_.expected("an integer");
  }
  int64_t value;
  if (!absl::SimpleAtoi(absl::StrCat(negative ? "-" : "", left.substr(0, length)), &value)) {
    return cursor_.expected("an integer within 64 signed bits");
  }
  cursor_.set_position(start + length);
  return Term{add_constant(table_, value), start, 0, value};
}

absl::StatusOr<ExprReader::Term> ExprReader::operation(Op op, const Term& left, const Term& right) {
  const bool divides = op == Op::kFloorDiv || op == Op::kCeilDiv || op == Op::kMod;
  const bool by_variable = variable_divisors_ && is_variable(table_[right.node].op);
  if (divides && !by_variable && right.constant.value_or(0) == 0) {
    return cursor_.error_at(right.position, "expected a constant other than 0 to divide by");
  }
  const int depth = 1 + std::max(left.depth, right.depth);
  if (depth > kMaxNesting) {
    return cursor_.error_at(right.position,
                            absl::StrCat("expected operations nested at most ", kMaxNesting));
  }
  // Only to see whether a divisor is a nonzero constant: the tree stays as written.
  std::optional<int64_t> constant;
  if (left.constant && right.constant) constant = value_of(op, *left.constant, *right.constant);
  return Term{add_operation(table_, op, left.node, right.node), left.position, depth, constant};
}

absl::StatusOr<ExprReader::Term> ExprReader::negation(const Term& term) {
  return operation(Op::kMul, term, Term{add_constant(table_, -1), term.position, 0, -1});
}

absl::StatusOr<ExprReader::Term> ExprReader::difference(const Term& left, Term right) {
  // The number that takes the minus sign: `3` itself, or the 4 of `e * 4`.
  NodeId number = right.node;
  if (table_[number].op == Op::kMul) number = table_[number].right;
  Node& node = table_[number];
  const int64_t least = number == right.node ? 0 : 2;
  if (!right.parenthesized && node.op == Op::kConstant && node.value >= least) {
    node.value = -node.value;
    if (right.constant) right.constant = checked_sub(0, *right.constant);
    return operation(Op::kAdd, left, right);
  }
  Term opposite = TRY(negation(right));
  return operation(Op::kAdd, left, opposite);
}

}  // namespace tileproof
