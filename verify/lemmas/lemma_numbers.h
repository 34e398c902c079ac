// SPDX-License-Identifier: Apache-2.0
// Two number types for reading a lemma: integers, which evaluate it, and terms, which record it.
//
//     kOneCell.at(Integer{17}, Integer{5}, Integer{3})        true or false
//     kOneCell.at(variable("x"), variable("c"), variable("m"))      the claim as formulas
//
// Integer: exact int64 arithmetic. A value beyond int64 and a division by zero are undefined, and
// every result computed from an undefined one is undefined.
// Term: an immutable, shared tree that is cheap to copy. Everything symbolic (text, polynomials,
// solver terms, SMT-LIB) is a fold over it, so all get the same statement in the same order.
//
// Divisions round down for every sign.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "impl/lemmas/lemma.h"

namespace tileproof::lemmas {

// Comparisons of these numbers give facts, and integers may be mixed with them.
using impl::operator==, impl::operator<, impl::operator<=, impl::operator>, impl::operator>=;
using impl::operator+, impl::operator-, impl::operator*;

struct Integer {
  using LemmaNumber = void;
  std::optional<int64_t> value;  // nullopt: undefined
};

Integer operator+(Integer a, Integer b);
Integer operator-(Integer a, Integer b);
Integer operator*(Integer a, Integer b);
Integer operator-(Integer a);
Integer floordiv(Integer a, Integer b);
Integer ceildiv(Integer a, Integer b);
Integer mod(Integer a, Integer b);
inline Integer literal(Integer /*like*/, int64_t value) { return {value}; }

// Returns nothing if a side is undefined.
std::optional<bool> is_true(const impl::Fact<Integer>& fact);
// Returns whether all facts are true; nothing if none is false but one is undefined.
std::optional<bool> are_true(const impl::Facts<Integer>& facts);
// Returns whether the conclusion of the claim holds, assuming its hypotheses.
std::optional<bool> conclusion_is_true(const impl::Claim<Integer>& claim);

enum class TermOp : uint8_t {
  kVariable,
  kLiteral,
  kAdd,
  kSubtract,
  kMultiply,
  kNegate,
  kFloorDiv,
  kCeilDiv,
  kMod
};

struct TermNode;

struct Term {
  using LemmaNumber = void;
  std::shared_ptr<const TermNode> node;
};

struct TermNode {
  TermOp op;
  std::string name;   // kVariable
  int64_t value = 0;  // kLiteral
  Term left;          // the only operand of kNegate
  Term right;
};

Term variable(std::string name);
Term operator+(const Term& a, const Term& b);
Term operator-(const Term& a, const Term& b);
Term operator*(const Term& a, const Term& b);
Term operator-(const Term& a);
Term floordiv(const Term& a, const Term& b);
Term ceildiv(const Term& a, const Term& b);
Term mod(const Term& a, const Term& b);
Term literal(const Term& like, int64_t value);

// The text of a term in the language of maps: "(g * A + B) floordiv (g * c)".
std::string to_text(const Term& term);
std::string to_text(const impl::Fact<Term>& fact);    // "m * g <= B"
std::string to_text(const impl::Facts<Term>& facts);  // "0 < g and m * g <= B"
// One line: "0 < c => (c * x + y) floordiv c = x + y floordiv c". Omits the steps of the proof.
std::string to_text(const impl::Claim<Term>& claim);

// Evaluates the term with another number type: values[name] for each variable, `like` for literals.
template <impl::LemmaNumber N>
N interpret(const Term& term, const std::map<std::string, N>& values, const N& like) {
  const TermNode& node = *term.node;
  const auto left = [&] { return interpret(node.left, values, like); };
  const auto right = [&] { return interpret(node.right, values, like); };
  switch (node.op) {
    case TermOp::kVariable:
      return values.at(node.name);
    case TermOp::kLiteral:
      return literal(like, node.value);
    case TermOp::kAdd:
      return left() + right();
    case TermOp::kSubtract:
      return left() - right();
    case TermOp::kMultiply:
      return left() * right();
    case TermOp::kNegate:
      return -left();
    case TermOp::kFloorDiv:
      return floordiv(left(), right());
    case TermOp::kCeilDiv:
      return ceildiv(left(), right());
    case TermOp::kMod:
      break;
  }
  return mod(left(), right());
}

template <impl::LemmaNumber N>
impl::Facts<N> interpret(const impl::Facts<Term>& facts, const std::map<std::string, N>& values,
                         const N& like) {
  impl::Facts<N> result;
  for (const impl::Fact<Term>& fact : facts) {
    result.push_back(
        {interpret(fact.left, values, like), fact.predicate, interpret(fact.right, values, like)});
  }
  return result;
}

// Without the steps of the proof.
template <impl::LemmaNumber N>
impl::Claim<N> interpret(const impl::Claim<Term>& claim, const std::map<std::string, N>& values,
                         const N& like) {
  return {.kind = claim.kind,
          .hypotheses = interpret(claim.hypotheses, values, like),
          .before = interpret(claim.before, values, like),
          .after = interpret(claim.after, values, like)};
}

}  // namespace tileproof::lemmas
