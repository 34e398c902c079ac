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
constexpr absl::string_view kIdentity = "Identity";                // of Inductor, of one operand
constexpr absl::string_view kChoices[] = {"Where", "where", "if_then_else", "Select"};
constexpr Function kFunctions[] = {{"FloorDiv", Op::kFloorDiv},
                                   {"floordiv", Op::kFloorDiv},
                                   {"CleanDiv", Op::kFloorDiv},
                                   {"CeilDiv", Op::kCeilDiv},
                                   {"ceildiv", Op::kCeilDiv},
                                   {"Mod", Op::kMod},
                                   {"PythonMod", Op::kMod},
                                   {"floormod", Op::kMod},
                                   {"indexdiv", Op::kFloorDiv},
                                   {"indexmod", Op::kMod},
                                   {"shift_left", Op::kMul},
                                   {"shift_right", Op::kFloorDiv},
                                   {kModularIndexing, Op::kFloorDiv},
                                   {"min", BitwiseOp::kMin},
                                   {"max", BitwiseOp::kMax},
                                   {"Min", BitwiseOp::kMin},
                                   {"Max", BitwiseOp::kMax},
                                   {"bitwise_and", BitwiseOp::kAnd},
                                   {"bitwise_or", BitwiseOp::kOr},
                                   {"bitwise_xor", BitwiseOp::kXor},
                                   {"cdiv", Op::kCeilDiv},
                                   {"minimum", BitwiseOp::kMin},
                                   {"maximum", BitwiseOp::kMax},
                                   {kIdentity, Op::kAdd}};

// TVM writes `T.floordiv(i, 8)`, Triton `tl.cdiv(n, 8)`: takes what is before the last '.'.
void take_module(Cursor& cursor) {
  const size_t dot = peek_name(cursor).rfind('.');
  if (dot != absl::string_view::npos) cursor.set_position(cursor.position() + dot + 1);
}

const Function* function_named(absl::string_view name) {
  const auto* const found = std::ranges::find(kFunctions, name, &Function::name);
  return found == std::end(kFunctions) ? nullptr : found;
}

// Whether a function and its '(' are next.
bool at_function(Cursor cursor) {
  take_module(cursor);
  const absl::string_view name = peek_name(cursor);
  const bool is_choice = std::ranges::find(kChoices, name) != std::end(kChoices);
  return (is_choice || function_named(name) != nullptr) &&
         absl::StartsWith(absl::StripLeadingAsciiWhitespace(cursor.rest().substr(name.size())),
                          "(");
}

// Whether the text calls a function of another name: `Where(i < 4, i, j)`.
bool at_other_function(Cursor cursor) {
  take_module(cursor);
  const absl::string_view name = peek_name(cursor);
  return !name.empty() && !is_reserved(name) &&
         absl::StartsWith(cursor.rest().substr(name.size()), "(");
}

// Fails at what looks like an operator of another language, and names ours: `d0 // n` where n is no
// variable, `d0 flordiv 8`.
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
  const auto is_letter = [left](size_t at) {
    return at < left.size() && (absl::ascii_isalpha(left[at]) || left[at] == '_');
  };
  while (is_letter(length) || (length < left.size() && absl::ascii_isdigit(left[length])) ||
         (is_letter(length + 1) && left[length] == '.')) {
    ++length;
  }
  return left.substr(0, length);
}

bool looks_like_python(absl::string_view text) {
  const size_t domain = text.find(", domain:");
  const bool has_domain = domain != text.npos;
  text = text.substr(0, domain);
  const auto is_foreign = [](char c) {
    return !absl::ascii_isalnum(c) && !absl::ascii_isspace(c) &&
           !absl::StrContains("_(),+-*/%<>=!&^|.~", c);
  };
  if (absl::StrContains(text, "->") || std::ranges::any_of(text, is_foreign)) return false;
  const size_t operand = text.find_first_not_of(" \t\n()-~");
  if (operand == text.npos || absl::StrContains("/%,", text[operand])) return false;
  if (has_domain) return true;
  const auto calls = [text](absl::string_view name) {
    return absl::StrContains(text, absl::StrCat(name, "("));
  };
  for (size_t at = text.find('='); at != text.npos; at = text.find('=', at + 1)) {
    const bool compares = at > 0 && (absl::StrContains("<>!=", text[at - 1]) ||
                                     (at + 1 < text.size() && text[at + 1] == '='));
    if (!compares) return false;
  }
  const bool has_variable = std::ranges::any_of(text, absl::ascii_isalpha);
  return absl::StrContains(text, "//") || text.find_first_of("%^|&~") != text.npos ||
         (has_variable && text.find_first_of("*+") != text.npos) ||
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
  return next == '(' || next == '-' || next == '~' || next == '_' || absl::ascii_isalnum(next);
}

absl::StatusOr<NodeId> ExprReader::read() {
  const Term term = TRY(conditional());
  return term.node;
}

// `i < 4 ? a : b` of C, or an expression without a condition.
absl::StatusOr<ExprReader::Term> ExprReader::conditional() {
  const size_t start = cursor_.token_position();
  const Term left = TRY(bit_expression());
  const absl::string_view rest = cursor_.peek() == '\0' ? absl::string_view() : cursor_.rest();
  const bool compares = absl::StrContains("<>", rest.substr(0, 1)) ||
                        absl::StartsWith(rest, "==") || absl::StartsWith(rest, "!=");
  if (rest.empty() || !compares) return left;
  if (++nesting_ > kMaxNesting) return too_deep(start);
  const Term holds = TRY(comparison(left));
  TRY(cursor_.expect("?", "after a comparison"));
  const Term yes = TRY(conditional());
  TRY(cursor_.expect(":", "before what is taken else"));
  const Term no = TRY(conditional());
  --nesting_;
  return chosen(start, holds, yes, no);
}

absl::Status ExprReader::too_deep(size_t start) const {
  return cursor_.error_at(start, absl::StrCat("expected parentheses nested at most ", kMaxNesting));
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
    const bool is_high_bits = mask < -1 && mask != INT64_MIN && (-mask & (-mask - 1)) == 0;
    if (is_high_bits) {  // x & -8, x & ~7
      const Term quotient = TRY(operation(Op::kFloorDiv, *left, constant(-mask, right)));
      left = operation(Op::kMul, quotient, constant(-mask, right));
      continue;
    }
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
    bool rounds_down = true;
    if (take_double_slash()) {
      op = Op::kFloorDiv;
    } else if (cursor_.peek() == '/' && !absl::StartsWith(cursor_.rest(), "/*") &&
               cursor_.take("/")) {  // of C
      op = Op::kFloorDiv;
      rounds_down = false;
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
    if (left.ok() && !rounds_down)
      bitwise_.push_back({BitwiseOp::kQuotient, left->node, right.position});
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
  if (cursor_.take("~")) {  // -x - 1
    const Term opposite = TRY(negation(TRY(unary())));
    Term flipped = TRY(operation(Op::kAdd, opposite, constant(-1, opposite)));
    flipped.position = start;
    flipped.parenthesized = true;
    return flipped;
  }
  int64_t signs = 0;
  while (cursor_.take("-")) ++signs;
  const bool negative_literal = signs > 0 && absl::ascii_isdigit(cursor_.peek());
  absl::StatusOr<Term> term = primary(negative_literal);
  // Not by take, which skips the `//` of a division as a comment.
  if (absl::StartsWith(absl::StripLeadingAsciiWhitespace(cursor_.rest()), "**") && term.ok()) {
    cursor_.take("**");
    term = power(*term);
  }
  for (int64_t i = negative_literal ? 1 : 0; i < signs && term.ok(); ++i) term = negation(*term);
  if (term.ok() && signs > 0) term->position = start;
  return term;
}

// `n**2`
absl::StatusOr<ExprReader::Term> ExprReader::power(const Term& base) {
  const size_t position = cursor_.token_position();
  const int64_t exponent = TRY(cursor_.take_integer("an exponent"));
  if (exponent < 1 || exponent > 8)
    return cursor_.error_at(position, "expected an exponent from 1 to 8");
  Term product = base;
  for (int64_t i = 1; i < exponent; ++i) product = TRY(operation(Op::kMul, product, base));
  return product;
}

absl::StatusOr<ExprReader::Term> ExprReader::primary(bool negative) {
  const size_t start = cursor_.token_position();
  if (absl::ascii_isdigit(cursor_.peek())) return literal(negative);
  if (cursor_.take("(")) {
    if (++nesting_ > kMaxNesting) return too_deep(start);
    Term inner = TRY(conditional());
    TRY(cursor_.expect(")", "or an operator"));
    --nesting_;
    inner.position = start;
    inner.parenthesized = true;
    return inner;
  }
  if (at_function(cursor_)) return function();
  if (at_other_function(cursor_)) {
    return cursor_.expected("a function that maps have, such as FloorDiv, Mod, Min or bitwise_xor");
  }
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
  if (function_named(name) == nullptr) return choice(start);
  if (++nesting_ > kMaxNesting) return too_deep(start);
  Term result = TRY(conditional());
  const auto& op = function_named(name)->op;
  const bool is_bitwise = std::holds_alternative<BitwiseOp>(op);
  for (bool more = name != kIdentity; more; more = is_bitwise && cursor_.peek() == ',') {
    TRY(cursor_.expect(",", "and another operand"));
    Term second = TRY(conditional());
    if (absl::StartsWith(name, "shift_")) second = TRY(power_of_two(second));
    result = TRY(is_bitwise ? bitwise(std::get<BitwiseOp>(op), result, second)
                            : operation(std::get<Op>(op), result, second));
  }
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

// `i < 4, a, b)`: b + (a - b) * c, where c is 1 if the comparison holds, else 0.
absl::StatusOr<ExprReader::Term> ExprReader::choice(size_t start) {
  if (++nesting_ > kMaxNesting) return too_deep(start);
  const Term holds = TRY(comparison(TRY(bit_expression())));
  TRY(cursor_.expect(",", "and what is taken if it holds"));
  const Term yes = TRY(conditional());
  TRY(cursor_.expect(",", "and what is taken else"));
  const Term no = TRY(conditional());
  TRY(cursor_.expect(")", "after the operands"));
  --nesting_;
  return chosen(start, holds, yes, no);
}

// One of two, where `holds` is 1 or 0.
absl::StatusOr<ExprReader::Term> ExprReader::chosen(size_t start, const Term& holds,
                                                    const Term& yes, const Term& no) {
  const Term change = TRY(operation(Op::kAdd, yes, TRY(negation(no))));
  Term result = TRY(operation(Op::kAdd, TRY(operation(Op::kMul, change, holds)), no));
  result.position = start;
  result.parenthesized = true;
  return result;
}

// What compares `left`, which was read: 1 if it holds, else 0.
absl::StatusOr<ExprReader::Term> ExprReader::comparison(const Term& left) {
  const absl::string_view operators[] = {"<=", ">=", "==", "!=", "<", ">"};
  const auto* const found =
      std::ranges::find_if(operators, [this](absl::string_view one) { return cursor_.take(one); });
  if (found == std::end(operators)) return cursor_.expected("a comparison");
  const Term right = TRY(bit_expression());
  const Term up = TRY(operation(Op::kAdd, right, TRY(negation(left))));
  const Term down = TRY(operation(Op::kAdd, left, TRY(negation(right))));
  const auto number = [&](int64_t value) { return constant(value, left); };
  // How far it is from not holding; 0 if it does not hold.
  const auto at_most_1 = [&](const Term& x) { return bitwise(BitwiseOp::kMin, x, number(1)); };
  if (*found == "==" || *found == "!=") {
    const Term differs = TRY(at_most_1(TRY(bitwise(BitwiseOp::kMax, up, down))));
    if (*found == "!=") return differs;
    return operation(Op::kAdd, number(1), TRY(negation(differs)));
  }
  Term distance = (*found)[0] == '<' ? up : down;
  if (found->size() == 2) distance = TRY(operation(Op::kAdd, distance, number(1)));
  return at_most_1(TRY(bitwise(BitwiseOp::kMax, distance, number(0))));
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
  const bool by_variable = variable_divisors_ && !right.constant;
  if (is_division(op) && !by_variable && right.constant.value_or(0) == 0) {
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
