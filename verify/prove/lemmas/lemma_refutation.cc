// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/lemmas/lemma_refutation.h"

#include <z3++.h>

#include <map>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"

namespace tileproof::lemmas {
namespace {

using impl::Claim;
using impl::ClaimKind;
using impl::Fact;
using impl::Facts;
using impl::Predicate;

// A number type that turns a lemma into a question for Z3.
struct SolverNumber {
  using LemmaNumber = void;
  z3::expr expr;
};

SolverNumber operator+(const SolverNumber& a, const SolverNumber& b) { return {a.expr + b.expr}; }
SolverNumber operator-(const SolverNumber& a, const SolverNumber& b) { return {a.expr - b.expr}; }
SolverNumber operator*(const SolverNumber& a, const SolverNumber& b) { return {a.expr * b.expr}; }
SolverNumber operator-(const SolverNumber& a) { return {-a.expr}; }
// Z3's integer division leaves a nonnegative remainder, which is the floor only for positive
// divisors.
SolverNumber floordiv(const SolverNumber& a, const SolverNumber& b) {
  return {z3::ite(b.expr > 0, a.expr / b.expr, -a.expr / -b.expr)};
}
SolverNumber ceildiv(const SolverNumber& a, const SolverNumber& b) { return -floordiv(-a, b); }
SolverNumber mod(const SolverNumber& a, const SolverNumber& b) {
  return {z3::ite(b.expr > 0, z3::mod(a.expr, b.expr), -z3::mod(-a.expr, -b.expr))};
}
SolverNumber literal(const SolverNumber& like, int64_t value) {
  return {like.expr.ctx().int_val(value)};
}

class Question {
 public:
  Question(const StatedLemma& lemma, unsigned timeout_milliseconds) : solver_(context_) {
    z3::params params(context_);
    // Limits the work (about a second per million) instead of the time, because the timers of Z3
    // 4.8.12 can deadlock with many short questions.
    params.set("rlimit", timeout_milliseconds * 1000);
    params.set("random_seed", 0u);
    solver_.set(params);
    for (const std::string& name : lemma.variables)
      values_.emplace(name, SolverNumber{context_.int_const(name.c_str())});
    const Claim<Term>& claim = lemma.claim;
    solver_.add(all(claim.hypotheses));
    switch (claim.kind) {
      case ClaimKind::kEquivalent:
        solver_.add(all(claim.before) != all(claim.after));
        break;
      case ClaimKind::kNever:
        solver_.add(all(claim.before));
        break;
      case ClaimKind::kEqual:
      case ClaimKind::kHolds:
        solver_.add(!all(claim.after));
        break;
    }
  }

  absl::StatusOr<std::vector<int64_t>> answer(const std::vector<std::string>& variables) {
    const z3::check_result result = solver_.check();
    if (result == z3::unknown) return absl::DeadlineExceededError("Z3 did not answer in time");
    if (result == z3::unsat) return absl::NotFoundError("Z3 finds no point");
    const z3::model model = solver_.get_model();
    std::vector<int64_t> point;
    for (const std::string& name : variables) {
      int64_t value = 0;
      if (!model.eval(values_.at(name).expr, true).is_numeral_i64(value)) {
        return absl::InternalError("the solver's point does not fit 64 bits");
      }
      point.push_back(value);
    }
    return point;
  }

 private:
  z3::expr read(const Term& term) {
    return interpret(term, values_, SolverNumber{context_.int_val(0)}).expr;
  }

  z3::expr all(const Facts<Term>& facts) {
    z3::expr conjunction = context_.bool_val(true);
    for (const Fact<Term>& fact : facts) {
      const z3::expr left = read(fact.left), right = read(fact.right);
      conjunction = conjunction && (fact.predicate == Predicate::kEqual  ? left == right
                                    : fact.predicate == Predicate::kLess ? left < right
                                                                         : left <= right);
    }
    return conjunction;
  }

  z3::context context_;
  z3::solver solver_;
  std::map<std::string, SolverNumber> values_;
};

}  // namespace

absl::StatusOr<std::vector<int64_t>> refute(const StatedLemma& lemma,
                                            unsigned timeout_milliseconds) try {
  std::vector<int64_t> point = TRY(Question(lemma, timeout_milliseconds).answer(lemma.variables));
  const Claim<Integer> claim = lemma.at(point);
  if (are_true(claim.hypotheses) != true || conclusion_is_true(claim) != false) {
    return absl::InternalError("the solver's point is not confirmed by evaluation");
  }
  return point;
} catch (const z3::exception& failure) {
  return absl::InternalError(absl::StrCat("Z3: ", failure.msg()));
}

}  // namespace tileproof::lemmas
