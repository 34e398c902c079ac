// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/map/expr_text.h"

#include <algorithm>
#include <variant>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
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

// The functions that Inductor and TVM write for operations of two operands.
struct Function {
  absl::string_view name;
  std::variant<Op, BitwiseOp> op;
};
constexpr absl::string_view kModularIndexing = "ModularIndexing";  // then modulo a third operand
constexpr Function kFunctions[] = {
    {"FloorDiv", Op::kFloorDiv},       {"floordiv", Op::kFloorDiv},
    {"CleanDiv", Op::kFloorDiv},       {"CeilDiv", Op::kCeilDiv},
    {"ceildiv", Op::kCeilDiv},         {"Mod", Op::kMod},
    {"PythonMod", Op::kMod},           {"floormod", Op::kMod},
    {"indexdiv", Op::kFloorDiv},       {"indexmod", Op::kMod},
    {"shift_left", Op::kMul},          {"shift_right", Op::kFloorDiv},
    {kModularIndexing, Op::kFloorDiv}, {"min", BitwiseOp::kMin},
    {"max", BitwiseOp::kMax},          {"Min", BitwiseOp::kMin},
    {"Max", BitwiseOp::kMax},          {"bitwise_and", BitwiseOp::kAnd},
    {"bitwise_or", BitwiseOp::kOr},    {"bitwise_xor", BitwiseOp::kXor}};

// TVM writes `T.floordiv(i, 8)`.
void take_module(Cursor& cursor) {
  for (const absl::string_view module : {"T.", "tir."}) {
    if (peek_name(cursor) == module.substr(0, module.size() - 1) &&
        absl::StartsWith(cursor.rest(), module)) {
      cursor.set_position(cursor.position() + module.size());
    }
  }
}

const Function* function_named(absl::string_view name) {
  const auto* const found = std::ranges::find(kFunctions, name, &Function::name);
  return found == std::end(kFunctions) ? nullptr : found;
}

// Whether a function and its '(' are next.
bool at_function(Cursor cursor) {
  take_module(cursor);
  const absl::string_view name = peek_name(cursor);
  return function_named(name) != nullptr &&
         absl::StartsWith(absl::StripLeadingAsciiWhitespace(cursor.rest().substr(name.size())),
                          "(");
}

// Fails at what looks like an operator of another language, and names ours: `d0 / 8`,
// `d0 flordiv 8`.
absl::Status expect_no_foreign_operator(Cursor& cursor) {
  const char next = cursor.peek();
  std::string meant;
  if (next == '/') meant = "; did you mean 'floordiv'?";
  if (absl::ascii_isalpha(next)) {
    meant = did_you_mean(peek_name(cursor), {"floordiv", "ceildiv", "mod"});
  }
  if (meant.empty()) return absl::OkStatus();
  return with_hint(cursor.expected("an operator"), meant);
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
  return with_hint(expected, did_you_mean(peek_name(cursor), words));
}

bool is_reserved(absl::string_view name) {
  return std::ranges::find(kReserved, name) != std::end(kReserved);
}

absl::string_view peek_name(Cursor& cursor) {
  cursor.skip_space();
  const absl::string_view left = cursor.rest();
  if (left.empty() || (!absl::ascii_isalpha(left[0]) && left[0] != '_')) return left.substr(0, 0);
  size_t length = 1;
  while (length < left.size() && (absl::ascii_isalnum(left[length]) || left[length] == '_')) {
    ++length;
  }
  return left.substr(0, length);
}

bool looks_like_python(absl::string_view text) {
  text = text.substr(0, text.find(", domain:"));
  const auto is_foreign = [](char c) {
    return !absl::ascii_isalnum(c) && !absl::ascii_isspace(c) &&
           !absl::StrContains("_(),+-*/%<>&^|.", c);
  };
  if (absl::StrContains(text, "->") || std::ranges::any_of(text, is_foreign)) return false;
  const size_t operand = text.find_first_not_of(" \t\n()-");
  if (operand == text.npos || absl::StrContains("/%,", text[operand])) return false;
  const auto calls = [text](absl::string_view name) {
    return absl::StrContains(text, absl::StrCat(name, "("));
  };
  return absl::StrContains(text, "//") || text.find_first_of("%^|") != text.npos ||
         std::ranges::any_of(kFunctions, [&](const Function& one) { return calls(one.name); });
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
  return next == '(' || next == '-' || next == '_' || absl::ascii_isalnum(next);
}

absl::StatusOr<NodeId> ExprReader::read() {
  Term term = TRY(bit_expression());
  return term.node;
}

// The constant in place of a term: `8` for the 3 of `a << 3`.
ExprReader::Term ExprReader::constant(int64_t value, const Term& in_place_of) {
  const NodeId node = add_constant(table_, value);
  table_[node].is_computed = false;
  return Term{node, in_place_of.position, 0, value};
}

absl::StatusOr<ExprReader::Term> ExprReader::bit_expression() {
  absl::StatusOr<Term> left = exclusive();
  while (left.ok() && cursor_.take("|")) {
    const Term right = TRY(exclusive());
    left = bitwise(BitwiseOp::kOr, *left, right);
  }
  return left;
}

absl::StatusOr<ExprReader::Term> ExprReader::exclusive() {
  absl::StatusOr<Term> left = masked();
  while (left.ok() && (cursor_.take("^") || take_word(cursor_, "xor"))) {
    const Term right = TRY(masked());
    left = bitwise(BitwiseOp::kXor, *left, right);
  }
  return left;
}

absl::StatusOr<ExprReader::Term> ExprReader::masked() {
  absl::StatusOr<Term> left = shifted();
  while (left.ok() && cursor_.take("&")) {
    const Term right = TRY(shifted());
    const int64_t mask = right.constant.value_or(-1);
    const bool is_low_bits = mask >= 0 && mask != INT64_MAX && (mask & (mask + 1)) == 0;
    left = is_low_bits ? operation(Op::kMod, *left, constant(mask + 1, right))
                       : bitwise(BitwiseOp::kAnd, *left, right);
  }
  return left;
}

absl::StatusOr<ExprReader::Term> ExprReader::shifted() {
  absl::StatusOr<Term> left = sum();
  while (left.ok() && (cursor_.peek() == '<' || absl::StartsWith(cursor_.rest(), ">>"))) {
    const bool up = cursor_.take("<<");
    if (!up && !cursor_.take(">>")) break;
    const Term right = TRY(sum());
    left = operation(up ? Op::kMul : Op::kFloorDiv, *left, TRY(power_of_two(right)));
  }
  return left;
}

// What a shift multiplies or divides by.
absl::StatusOr<ExprReader::Term> ExprReader::power_of_two(const Term& shift) {
  const int64_t by = shift.constant.value_or(-1);
  if (by >= 0 && by <= 62) return constant(int64_t{1} << by, shift);
  return cursor_.error_at(shift.position, "expected a constant from 0 to 62 to shift by");
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
    if (take_double_slash()) {
      op = Op::kFloorDiv;
    } else if (cursor_.take("%")) {
      op = Op::kMod;
    } else if (cursor_.take("*")) {
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

// Takes the `//` of Python, on the line of the operand before it. In other places it begins a comment.
bool ExprReader::take_double_slash() {
  const absl::string_view rest = cursor_.rest();
  const size_t at = rest.find_first_not_of(" \t");
  if (at == rest.npos || rest.substr(at, 2) != "//") return false;
  Cursor behind(rest.substr(at + 2));
  const size_t sign = behind.peek() == '-' ? 1 : 0;
  behind.set_position(behind.position() + sign);
  const bool divides = absl::ascii_isdigit(behind.peek()) || behind.peek() == '(' ||
                       at_function(behind) || names_.contains(peek_name(behind)) ||
                       (undeclared_ != nullptr && !peek_name(behind).empty());
  if (divides) cursor_.set_position(cursor_.position() + at + 2);
  return divides;
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
    Term inner = TRY(bit_expression());
    TRY(cursor_.expect(")", "or an operator"));
    --nesting_;
    inner.position = start;
    inner.parenthesized = true;
    return inner;
  }
  if (at_function(cursor_)) return function();
  const absl::string_view name = peek_name(cursor_);
  if (name.empty() || is_reserved(name)) return cursor_.expected("an expression");
  if (undeclared_ != nullptr && !names_.contains(name)) {
    names_[name] = Node{.op = Op::kDimension, .value = std::ssize(*undeclared_)};
    undeclared_->emplace_back(name);
  }
  const auto variable = names_.find(name);
  if (variable == names_.end()) return expected_variable(cursor_, names_);
  take_word(cursor_, name);
  return Term{add_variable(table_, variable->second.op, variable->second.value), start};
}

// `FloorDiv(a, 8)`, `ModularIndexing(a, 4, 8)`
absl::StatusOr<ExprReader::Term> ExprReader::function() {
  const size_t start = cursor_.token_position();
  take_module(cursor_);
  const absl::string_view name = peek_name(cursor_);
  take_word(cursor_, name);
  TRY(cursor_.expect("(", "after the name of a function"));
  if (++nesting_ > kMaxNesting) {
    return cursor_.error_at(start,
                            absl::StrCat("expected parentheses nested at most ", kMaxNesting));
  }
  Term result = TRY(bit_expression());
  TRY(cursor_.expect(",", "and another operand"));
  Term second = TRY(bit_expression());
  if (absl::StartsWith(name, "shift_")) second = TRY(power_of_two(second));
  const auto& op = function_named(name)->op;
  result = TRY(std::holds_alternative<Op>(op) ? operation(std::get<Op>(op), result, second)
                                              : bitwise(std::get<BitwiseOp>(op), result, second));
  if (name == kModularIndexing) {
    TRY(cursor_.expect(",", "and another operand"));
    result = TRY(operation(Op::kMod, result, TRY(bit_expression())));
  }
  TRY(cursor_.expect(")", "after the operands"));
  --nesting_;
  result.position = start;
  result.parenthesized = true;
  return result;
}

absl::StatusOr<ExprReader::Term> ExprReader::literal(bool negative) {
  const size_t start = cursor_.token_position();
  const absl::string_view left = cursor_.rest();
  const bool is_hex = absl::StartsWithIgnoreCase(left, "0x");
  const absl::string_view digits = is_hex ? "0123456789abcdefABCDEF" : "0123456789";
  const size_t length = std::min(left.find_first_not_of(digits, is_hex ? 2 : 0), left.size());
  if (length < left.size() &&
      (absl::ascii_isalpha(left[length]) || left[length] == '_' || left[length] == '.')) {
    return cursor_.expected("an integer");
  }
  int64_t value;
  const std::string number = absl::StrCat(negative ? "-" : "", left.substr(0, length));
  if (is_hex ? !absl::SimpleHexAtoi(number, &value) : !absl::SimpleAtoi(number, &value)) {
    return cursor_.expected("an integer within 64 signed bits");
  }
  cursor_.set_position(start + length);
  return Term{add_constant(table_, value), start, 0, value};
}

absl::StatusOr<ExprReader::Term> ExprReader::operation(Op op, const Term& left, const Term& right) {
  const bool divides = op == Op::kFloorDiv || op == Op::kCeilDiv || op == Op::kMod;
  const bool by_variable = variable_divisors_ && !right.constant;
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

// A sum with these operands, until the bounds are known.
absl::StatusOr<ExprReader::Term> ExprReader::bitwise(BitwiseOp op, const Term& left,
                                                     const Term& right) {
  Term term = TRY(operation(Op::kAdd, left, right));
  term.constant.reset();
  term.parenthesized = true;
  bitwise_.push_back({op, term.node, right.position});
  return term;
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
