// SPDX-License-Identifier: Apache-2.0
#include "verify/lemmas/lemma_numbers.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/checked_arithmetic.h"

namespace tileproof::lemmas {
namespace {

using impl::Claim;
using impl::ClaimKind;
using impl::Fact;
using impl::Facts;
using impl::Predicate;

Term make(TermOp op, const Term& left, const Term& right = {}) {
  return {std::make_shared<const TermNode>(TermNode{op, "", 0, left, right})};
}

absl::string_view symbol(TermOp op) {
  switch (op) {
    case TermOp::kAdd:
      return " + ";
    case TermOp::kSubtract:
      return " - ";
    case TermOp::kMultiply:
      return " * ";
    case TermOp::kFloorDiv:
      return " floordiv ";
    case TermOp::kCeilDiv:
      return " ceildiv ";
    default:
      return " mod ";
  }
}

bool is_atom(const Term& term) {
  return term.node->op == TermOp::kVariable ||
         (term.node->op == TermOp::kLiteral && term.node->value >= 0);
}
bool is_sum(const Term& term) {
  return term.node->op == TermOp::kAdd || term.node->op == TermOp::kSubtract ||
         (term.node->op == TermOp::kLiteral && term.node->value < 0);
}

std::string parenthesized(const Term& term) {
  return is_atom(term) ? to_text(term) : absl::StrCat("(", to_text(term), ")");
}

std::string binary_text(const TermNode& node) {
  const bool sum = node.op == TermOp::kAdd || node.op == TermOp::kSubtract;
  std::string left, right;
  if (sum) {
    left = to_text(node.left);
    const bool plain = !is_sum(node.right) && node.right.node->op != TermOp::kNegate;
    right = plain || node.op == TermOp::kAdd ? to_text(node.right) : parenthesized(node.right);
  } else {
    const bool chain = node.op == TermOp::kMultiply && node.left.node->op == TermOp::kMultiply;
    left = chain ? to_text(node.left) : parenthesized(node.left);
    right = parenthesized(node.right);
  }
  return absl::StrCat(left, symbol(node.op), right);
}

absl::string_view symbol(Predicate predicate) {
  switch (predicate) {
    case Predicate::kEqual:
      return " = ";
    case Predicate::kLess:
      return " < ";
    case Predicate::kLessEqual:
      break;
  }
  return " <= ";
}

}  // namespace

Integer operator+(Integer a, Integer b) {
  if (!a.value || !b.value) return {};
  return {checked_add(*a.value, *b.value)};
}
Integer operator-(Integer a, Integer b) {
  if (!a.value || !b.value) return {};
  return {checked_sub(*a.value, *b.value)};
}
Integer operator*(Integer a, Integer b) {
  if (!a.value || !b.value) return {};
  return {checked_mul(*a.value, *b.value)};
}
Integer operator-(Integer a) { return Integer{0} - a; }

Integer floordiv(Integer a, Integer b) {
  if (!a.value || !b.value || *b.value == 0) return {};
  if (*b.value == -1) return -a;  // the machine's division traps for INT64_MIN / -1
  const int64_t quotient = *a.value / *b.value;
  const bool rounded_up = *a.value % *b.value != 0 && (*a.value < 0) != (*b.value < 0);
  return {quotient - (rounded_up ? 1 : 0)};
}
Integer ceildiv(Integer a, Integer b) { return -floordiv(-a, b); }
Integer mod(Integer a, Integer b) { return a - b * floordiv(a, b); }

std::optional<bool> is_true(const Fact<Integer>& fact) {
  if (!fact.left.value || !fact.right.value) return std::nullopt;
  const int64_t left = *fact.left.value, right = *fact.right.value;
  switch (fact.predicate) {
    case Predicate::kEqual:
      return left == right;
    case Predicate::kLess:
      return left < right;
    case Predicate::kLessEqual:
      break;
  }
  return left <= right;
}

std::optional<bool> are_true(const Facts<Integer>& facts) {
  bool undefined = false;
  for (const Fact<Integer>& fact : facts) {
    const std::optional<bool> holds = is_true(fact);
    if (!holds) undefined = true;
    if (holds == false) return false;
  }
  if (undefined) return std::nullopt;
  return true;
}

std::optional<bool> conclusion_is_true(const Claim<Integer>& claim) {
  const std::optional<bool> before = are_true(claim.before), after = are_true(claim.after);
  if (!before || !after) return std::nullopt;
  switch (claim.kind) {
    case ClaimKind::kEquivalent:
      return *before == *after;
    case ClaimKind::kNever:
      return !*before;
    case ClaimKind::kEqual:
    case ClaimKind::kHolds:
      break;
  }
  return *after;
}

Term variable(std::string name) {
  return {
      std::make_shared<const TermNode>(TermNode{TermOp::kVariable, std::move(name), 0, {}, {}})};
}
Term literal(const Term& /*like*/, int64_t value) {
  return {std::make_shared<const TermNode>(TermNode{TermOp::kLiteral, "", value, {}, {}})};
}
Term operator+(const Term& a, const Term& b) { return make(TermOp::kAdd, a, b); }
Term operator-(const Term& a, const Term& b) { return make(TermOp::kSubtract, a, b); }
Term operator*(const Term& a, const Term& b) { return make(TermOp::kMultiply, a, b); }
Term operator-(const Term& a) { return make(TermOp::kNegate, a); }
Term floordiv(const Term& a, const Term& b) { return make(TermOp::kFloorDiv, a, b); }
Term ceildiv(const Term& a, const Term& b) { return make(TermOp::kCeilDiv, a, b); }
Term mod(const Term& a, const Term& b) { return make(TermOp::kMod, a, b); }

std::string to_text(const Term& term) {
  switch (term.node->op) {
    case TermOp::kVariable:
      return term.node->name;
    case TermOp::kLiteral:
      return absl::StrCat(term.node->value);
    case TermOp::kNegate:
      return absl::StrCat("-", parenthesized(term.node->left));
    default:
      return binary_text(*term.node);
  }
}

std::string to_text(const Fact<Term>& fact) {
  return absl::StrCat(to_text(fact.left), symbol(fact.predicate), to_text(fact.right));
}

std::string to_text(const Facts<Term>& facts) {
  std::string text;
  for (const Fact<Term>& fact : facts)
    absl::StrAppend(&text, text.empty() ? "" : " and ", to_text(fact));
  return text;
}

std::string to_text(const Claim<Term>& claim) {
  std::string text;
  if (!claim.hypotheses.empty()) text = absl::StrCat(to_text(claim.hypotheses), " => ");
  switch (claim.kind) {
    case ClaimKind::kEquivalent:
      return absl::StrCat(text, "(", to_text(claim.before), " <=> ", to_text(claim.after), ")");
    case ClaimKind::kNever:
      return absl::StrCat(text, "never ", to_text(claim.before));
    case ClaimKind::kEqual:
    case ClaimKind::kHolds:
      break;
  }
  return absl::StrCat(text, to_text(claim.after));
}

}  // namespace tileproof::lemmas
