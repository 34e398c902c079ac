// SPDX-License-Identifier: Apache-2.0
// Reasons about the steps of a layout with Z3.
//
// An SmtTerm is an unknown number. The functions of spec/layout/layout_steps.h are generic over the
// number type, and run on SmtTerms as they run on int64. The solver sees no division.
// `x floordiv c` is a fresh number q with the fact that defines it:
//
//     x = c*q + r,  0 <= r < c        (one q and one r for all divisions of x by c)
//
// So every question is linear, and no answer depends on how a solver treats div and mod.
//
// A question has up to three forms. The first is about all numbers >= 0, the others about the
// bounds of the variables: bounds rounded up to powers of two, then the exact bounds. The first
// form mentions no size, so all layouts of one structure ask the same question.
//
// A question is an SMT-LIB text that names its numbers in the order of their appearance. A
// ProofSession asks equal texts once. Z3 answers each in a fresh context, so the answer depends on
// the text alone.
#pragma once

#include <z3++.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verify/prove/smt/proof_cache.h"

namespace tileproof::verify {

enum class Verdict { kProven, kRefuted, kUndecided };

// The answers that proofs share.
struct ProofSession {
  unsigned milliseconds_per_question = 10'000;
  std::string smtlib_directory;  // each question becomes a file there; none if empty

  ProofCache cache;  // of questions that other processes proved

  std::map<std::string, Verdict> answered;
  int64_t identities = 0;  // questions that rearranging alone proved
  int64_t asked = 0;       // questions to the solver
  int64_t shared = 0;      // questions answered from `answered`
  int64_t kept = 0;        // questions answered from the cache
};

// The answer of one call of the solver. Proven: the text is unsatisfiable. Refuted: the text is
// satisfiable, and `values` are the requested numbers in a model of it.
struct Answer {
  Verdict verdict = Verdict::kUndecided;
  std::vector<std::optional<int64_t>> values;  // absent: does not fit int64
};

struct SolverSettings {
  unsigned milliseconds = 10'000;
  unsigned arithmetic = 6;  // Z3's arith.solver: 6, or the older 2
};

// Asks in a fresh Z3 context. `text` is SMT-LIB without `(check-sat)`; `numbers` are names of Int
// constants that it declares.
Answer ask_solver(const std::string& text, const SolverSettings& settings,
                  const std::vector<std::string>& numbers);

// Writes `question-NUMBER.smt2` into the directory, unless `directory` is empty: a comment with what
// it shows, the question with `(check-sat)`, and the answer as its status. Not every question of a
// proof is unsat: an early form has fewer facts, and a sat answer leads to the next form. Such a
// file is `attempt-NUMBER.smt2`.
void write_smtlib(const std::string& directory, int64_t number, const std::string& text,
                  Verdict verdict);

class SmtContext;

class SmtTerm {
 public:
  SmtTerm(int64_t value);  // NOLINT: implicit on purpose
  SmtTerm(SmtContext* context, z3::expr expr) : context_(context), expr_(std::move(expr)) {}

  SmtContext* context() const { return context_; }  // null in a number
  const z3::expr& expr() const { return expr_; }

 private:
  SmtContext* context_ = nullptr;
  z3::expr expr_;
};

// A truth value: a formula over terms, or a plain bool.
class SmtFormula {
 public:
  SmtFormula(bool value);  // NOLINT: implicit on purpose
  explicit SmtFormula(z3::expr expr) : expr_(std::move(expr)) {}
  const z3::expr& expr() const { return expr_; }

 private:
  z3::expr expr_;
};

SmtTerm operator+(const SmtTerm& a, const SmtTerm& b);
SmtTerm operator*(const SmtTerm& a, int64_t b);
SmtFormula operator<(const SmtTerm& a, int64_t b);
SmtFormula operator==(const SmtTerm& a, const SmtTerm& b);
SmtFormula operator&&(const SmtFormula& a, const SmtFormula& b);
SmtFormula iff(const SmtFormula& a, const SmtFormula& b);
SmtFormula implies(const SmtFormula& a, const SmtFormula& b);

// c >= 1. The functions of spec/layout/layout_steps.h find these by argument-dependent lookup.
SmtTerm floordiv(const SmtTerm& x, int64_t c);
SmtTerm mod(const SmtTerm& x, int64_t c);

// The variables of one proof and the facts about them.
class SmtContext {
 public:
  explicit SmtContext(ProofSession& session) : session_(session) {}
  SmtContext(const SmtContext&) = delete;  // terms point to it
  SmtContext& operator=(const SmtContext&) = delete;

  // A fresh number in [0, bound). The constant 0 if bound is 1.
  SmtTerm variable(int64_t bound);

  // Quotient and remainder of x by c.
  std::pair<SmtTerm, SmtTerm> divide(const SmtTerm& x, int64_t c);

  // Proves the goal for all values of the variables.
  Verdict prove(const SmtFormula& goal);

  // Values for all calls of variable(), in order, for which the last refuted goal is false. A
  // variable that does not matter is 0. Nothing if a value does not fit int64.
  const std::optional<std::vector<int64_t>>& counterexample() const { return counterexample_; }

 private:
  enum class Bounds { kNone, kRounded, kExact };
  struct Fact {
    z3::expr holds;
    std::optional<int64_t> bound;  // of a variable: variable < bound
  };
  struct Question {
    std::string text;                          // SMT-LIB; satisfiable if the goal can be false
    std::map<std::string, std::string> names;  // from variable names to names in the text
  };

  z3::expr fresh();
  Question question(const z3::expr& goal, Bounds bounds) const;
  Verdict ask(const Question& question, unsigned milliseconds);
  void read_counterexample(const Question& question, const Answer& answer);

  ProofSession& session_;
  std::vector<std::string> variables_;  // names; "" for the constant 0
  std::map<std::string, Fact> facts_;   // by the name of the number
  std::map<std::pair<unsigned, int64_t>, std::pair<SmtTerm, SmtTerm>>
      divisions_;  // by expression id and divisor
  std::optional<std::vector<int64_t>> counterexample_;
  int64_t names_ = 0;
};

}  // namespace tileproof::verify
