// Reasoning about the steps of a layout with Z3.
//
// A SmtTerm is a number that is not known: the generic functions of spec/layout/layout_steps.h run on Terms as they
// run on int64. Division is not given to the solver as division. `x floordiv c` is a fresh number
// q, with the fact that defines it:
//
//     x = c*q + r,  0 <= r < c        (one q and one r for all divisions of x by c)
//
// so that every question is linear, and none depends on how a solver treats div and mod.
//
// A question is asked twice if need be: first for all numbers >= 0, then within the bounds of the
// variables. The first form does not mention sizes, so all layouts of one structure ask the same
// questions. A question is a text, SMT-LIB with its numbers named in the order of their appearance:
// equal questions are asked once in a ProofSession, each is answered in a Z3 context of its own,
// and the answer depends on nothing but the text.
#pragma once

#include <z3++.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tileproof::verify {

enum class Verdict { kProven, kRefuted, kUndecided };

// What is remembered between proofs.
struct ProofSession {
  unsigned milliseconds_per_question = 10'000;
  std::string smtlib_directory;  // each question asked is written there as a file; none if empty

  std::map<std::string, Verdict> answered;
  int64_t identities = 0;  // questions that are true by rearranging alone
  int64_t asked = 0;       // questions that the solver was asked
  int64_t shared = 0;      // questions that had been answered before
};

// What one call of the solver says of a question, SMT-LIB without `(check-sat)`: proven if nothing
// satisfies it. Where it is refuted, values that satisfy it, of the numbers asked for; absent where
// one does not fit int64.
struct Answer {
  Verdict verdict = Verdict::kUndecided;
  std::vector<std::optional<int64_t>> values;
};

struct SolverSettings {
  unsigned milliseconds = 10'000;
  unsigned arithmetic = 6;  // Z3's arith.solver: 6, or the older 2
};

// Asks in a Z3 context of its own. `numbers` are names declared in the text, as Int.
Answer ask_solver(const std::string& text, const SolverSettings& settings,
                  const std::vector<std::string>& numbers);

// Writes `question-NUMBER.smt2` into the directory, if one is given: the question with
// `(check-sat)` and, as its status, the answer that it got here. Not every question of a proof is
// unsat: often less is known at first, and where that is not enough the question is asked again
// with more.
void write_smtlib(const std::string& directory, int64_t number, const std::string& text,
                  Verdict verdict);

class SmtContext;

class SmtTerm {
 public:
  SmtTerm(int64_t value);  // NOLINT: a number is a term
  SmtTerm(SmtContext* context, z3::expr expr) : context_(context), expr_(std::move(expr)) {}

  SmtContext* context() const { return context_; }  // none: a number
  const z3::expr& expr() const { return expr_; }

 private:
  SmtContext* context_ = nullptr;
  z3::expr expr_;
};

// A statement about terms, or plain true or false.
class SmtFormula {
 public:
  SmtFormula(bool value);  // NOLINT: a truth value is a statement
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

// c >= 1. Found by the functions of spec/layout/layout_steps.h.
SmtTerm floordiv(const SmtTerm& x, int64_t c);
SmtTerm mod(const SmtTerm& x, int64_t c);

// The variables of one proof and what is known about them.
class SmtContext {
 public:
  explicit SmtContext(ProofSession& session) : session_(session) {}
  SmtContext(const SmtContext&) = delete;  // terms point to their world
  SmtContext& operator=(const SmtContext&) = delete;

  // A fresh number in [0, bound); 0 where that is the only one.
  SmtTerm variable(int64_t bound);

  // Quotient and remainder of x by c.
  std::pair<SmtTerm, SmtTerm> divide(const SmtTerm& x, int64_t c);

  // Is it so, for all values of the variables?
  Verdict prove(const SmtFormula& goal);

  // Values for all calls of variable(), in their order, where the last refuted goal fails; 0
  // where any will do. Nothing if a value does not fit int64.
  const std::optional<std::vector<int64_t>>& counterexample() const { return counterexample_; }

 private:
  enum class Bounds { kNone, kRounded, kExact };
  struct Fact {
    z3::expr holds;
    std::optional<int64_t> bound;  // of a variable, which is below it
  };
  struct Question {
    std::string text;                          // SMT-LIB; satisfiable where the goal fails
    std::map<std::string, std::string> names;  // our numbers to those of the text
  };

  z3::expr fresh();
  Question question(const z3::expr& goal, Bounds bounds) const;
  Verdict ask(const Question& question, unsigned milliseconds);
  void read_counterexample(const Question& question, const Answer& answer);

  ProofSession& session_;
  std::vector<std::string> variables_;  // by name; empty: the number 0
  std::map<std::string, Fact> facts_;   // by the number that they are about
  std::map<std::pair<unsigned, int64_t>, std::pair<SmtTerm, SmtTerm>>
      divisions_;  // by expression id and divisor
  std::optional<std::vector<int64_t>> counterexample_;
  int64_t names_ = 0;
};

}  // namespace tileproof::verify
