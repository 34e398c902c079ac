// SPDX-License-Identifier: Apache-2.0
// What must be shown for a lemma, derived from its declaration alone.
//
// A claim about floors and mods becomes a list of questions about polynomials that linear
// arithmetic can answer:
//   - each x floordiv c, x mod c introduces two numbers q, r, its witnesses, with their definition:
//         x - c*q - r = 0,    0 <= r,  r <= c - 1      for c > 0,  which must be shown first
//         x - c*q - r = 0,    r <= 0,  c + 1 <= r      for c < 0,  which must be shown first
//     (x mod c is r; x ceildiv c is -((-x) floordiv c)); equal dividends and divisors share them;
//   - every fact is a polynomial that is 0 (an equality) or at least 0 (an inequality; a < b is
//     b - a - 1 >= 0, because these are integers);
//   - to show a fact, assume its negation and derive a contradiction; an equality has two
//     negations;
//   - hypotheses are read in order: the sign of a divisor must follow from those before it;
//   - a shown fact may be used from then on.
//
// A certificate shows a contradiction: nonnegative multiples of inequalities and of products of
// inequalities, plus any multiples of equalities times monomials, that add up to -1 (Farkas).
// Adding them up needs no solver.
//
// Example, nested-floor: x = a*q0 + r0, q0 = b*q1 + r1, x = a*b*q2 + r2. Assume q1 - q2 - 1 >= 0.
//     (x - a*q0 - r0) - (x - a*b*q2 - r2) + a*(q0 - b*q1 - r1)      is 0, and
//     r0 + r1 + (a - 1)*r1 + (a*b - 1 - r2) + (q1 - q2 - 1) + (a*b - 1)*(q1 - q2 - 1)
// is at least 0, but together they are -1.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "verify/lemmas/lemma_numbers.h"
#include "verify/lemmas/polynomial.h"

namespace tileproof::lemmas {

// One contradiction to derive.
struct Query {
  std::string
      shows;  // "0 < c", "floordiv ... = ..": for people, and to name the query in a certificate
  std::vector<Polynomial> equalities;  // each is 0
  std::vector<Polynomial>
      inequalities;           // each is at least 0; the negation comes last, except for "never"
  bool divisor_sign = false;  // shows the sign of a new witness's divisor
};

// An occurrence of x floordiv c in a script.
struct Witness {
  Polynomial dividend;
  Polynomial divisor;
  std::string quotient;   // the name of q
  std::string remainder;  // the name of r
  bool negative = false;  // the divisor is negative
};

// The polynomial of a term over its variables and the witnesses of its divisions:
// divide(dividend, divisor) returns the witness of dividend floordiv divisor.
//
//     (x floordiv c) * c + 1      q0*c + 1, where divide(x, c) has the quotient "q0"
template <class Divide>
Polynomial polynomial_of(const Term& term, const Divide& divide) {
  const TermNode& node = *term.node;
  if (node.op == TermOp::kVariable) return Polynomial::variable(node.name);
  if (node.op == TermOp::kLiteral) return Polynomial::constant(node.value);
  const Polynomial left = polynomial_of(node.left, divide);
  if (node.op == TermOp::kNegate) return -left;
  const Polynomial right = polynomial_of(node.right, divide);
  switch (node.op) {
    case TermOp::kAdd:
      return left + right;
    case TermOp::kSubtract:
      return left - right;
    case TermOp::kMultiply:
      return left * right;
    case TermOp::kFloorDiv:
      return Polynomial::variable(divide(left, right).quotient);
    case TermOp::kCeilDiv:
      return -Polynomial::variable(divide(-left, right).quotient);
    default:
      return Polynomial::variable(divide(left, right).remainder);
  }
}

// One direction of the claim (forward or, for an equivalence, back), for one choice of signs of its
// case split.
struct Script {
  std::string name;  // "forward", "back", "forward/+-"
  std::vector<Witness> witnesses;
  std::vector<Query> queries;
};

// Returns the names of the scripts of a claim, in order.
std::vector<std::string> script_names(const impl::Claim<Term>& claim);

// Returns the script at this position. negative[i]: the divisor of witness i is to be shown
// negative (missing: positive). Errors: a coefficient exceeds 64 bits, or a variable's name has a
// digit (such names are reserved for witnesses).
absl::StatusOr<Script> make_script(const impl::Claim<Term>& claim, size_t position,
                                   const std::vector<bool>& negative);

}  // namespace tileproof::lemmas
