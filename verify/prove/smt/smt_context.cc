// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/smt/smt_context.h"

#include <algorithm>
#include <bit>
#include <fstream>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "spec/base/integers.h"
#include "verify/prove/smt/proof_digest.h"

namespace tileproof::verify {
namespace {

// All terms live in this context. Z3 answers each question in another one.
z3::context& terms() {
  static z3::context context;
  return context;
}

// Sorts the terms of sums, so that equal sums become the same expression.
z3::expr sorted(const z3::expr& expr) {
  z3::params params(terms());
  params.set("sort_sums", true);
  return expr.simplify(params);
}

z3::expr number(int64_t value) { return terms().int_val(value); }

SmtContext* context_of(const SmtTerm& a, const SmtTerm& b) {
  return a.context() != nullptr ? a.context() : b.context();
}

// Appends the names of the numbers in `expr`, in the order of their appearance, each once.
void collect_names(const z3::expr& expr, std::set<unsigned>& seen,
                   std::vector<std::string>& found) {
  if (!seen.insert(expr.id()).second) return;
  if (expr.is_const() && expr.is_int() && !expr.is_numeral())
    found.push_back(expr.decl().name().str());
  for (unsigned i = 0; i < expr.num_args(); ++i) collect_names(expr.arg(i), seen, found);
}

// Renames each number `n!<i>` to `x<k>`, k = 0, 1, .. in the order of their appearance.
std::string rename(const std::string& text, std::map<std::string, std::string>& names) {
  std::string renamed;
  for (size_t i = 0; i < text.size();) {
    if (text.compare(i, 2, "n!") != 0) {
      renamed += text[i++];
      continue;
    }
    size_t end = i + 2;
    while (end < text.size() && absl::ascii_isdigit(text[end])) ++end;
    renamed +=
        names.try_emplace(text.substr(i, end - i), absl::StrCat("x", names.size())).first->second;
    i = end;
  }
  return renamed;
}

}  // namespace

SmtTerm::SmtTerm(int64_t value) : expr_(number(value)) {}
SmtFormula::SmtFormula(bool value) : expr_(terms().bool_val(value)) {}

SmtTerm operator+(const SmtTerm& a, const SmtTerm& b) {
  return SmtTerm(context_of(a, b), a.expr() + b.expr());
}
SmtTerm operator*(const SmtTerm& a, int64_t b) {
  return SmtTerm(a.context(), a.expr() * number(b));
}
SmtFormula operator<(const SmtTerm& a, int64_t b) { return SmtFormula(a.expr() < number(b)); }
SmtFormula operator==(const SmtTerm& a, const SmtTerm& b) {
  return SmtFormula(a.expr() == b.expr());
}
// Sorts the conjuncts and keeps each once, so that `a && b` and `b && a` are the same expression.
SmtFormula operator&&(const SmtFormula& a, const SmtFormula& b) {
  std::map<unsigned, z3::expr> conjuncts;
  const auto add = [&](const z3::expr& side) {
    const z3::expr simple = sorted(side);
    if (!simple.is_and()) conjuncts.emplace(simple.id(), simple);
    for (unsigned i = 0; simple.is_and() && i < simple.num_args(); ++i) {
      conjuncts.emplace(simple.arg(i).id(), simple.arg(i));
    }
  };
  add(a.expr());
  add(b.expr());
  z3::expr_vector all(terms());
  for (const auto& [id, conjunct] : conjuncts) all.push_back(conjunct);
  return SmtFormula(z3::mk_and(all));
}
SmtFormula iff(const SmtFormula& a, const SmtFormula& b) {
  return SmtFormula(a.expr() == b.expr());
}
SmtFormula implies(const SmtFormula& a, const SmtFormula& b) {
  return SmtFormula(z3::implies(a.expr(), b.expr()));
}

SmtTerm floordiv(const SmtTerm& x, int64_t c) {
  if (x.context() == nullptr)
    return SmtTerm(spec::floordiv(x.expr().simplify().get_numeral_int64(), c));
  return x.context()->divide(x, c).first;
}

SmtTerm mod(const SmtTerm& x, int64_t c) {
  if (x.context() == nullptr) return SmtTerm(spec::mod(x.expr().simplify().get_numeral_int64(), c));
  return x.context()->divide(x, c).second;
}

z3::expr SmtContext::fresh() { return terms().int_const(absl::StrCat("n!", names_++).c_str()); }

SmtTerm SmtContext::variable(int64_t bound) {
  if (bound == 1) {
    variables_.emplace_back();
    return SmtTerm(this, number(0));
  }
  const z3::expr x = fresh();
  variables_.push_back(x.decl().name().str());
  facts_.emplace(variables_.back(), Fact{x >= 0, bound});
  return SmtTerm(this, x);
}

std::pair<SmtTerm, SmtTerm> SmtContext::divide(const SmtTerm& x, int64_t c) {
  if (c == 1) return {x, SmtTerm(0)};
  const z3::expr dividend = sorted(x.expr());
  const std::pair<unsigned, int64_t> key{dividend.id(), c};
  if (const auto known = divisions_.find(key); known != divisions_.end()) return known->second;
  const z3::expr q = fresh();
  const z3::expr r = dividend - number(c) * q;
  // The fact also keeps the dividend alive: its id is a key of divisions_.
  facts_.emplace(q.decl().name().str(), Fact{sorted(r >= 0 && r < number(c)), std::nullopt});
  return divisions_.emplace(key, std::pair{SmtTerm(this, q), SmtTerm(this, r)}).first->second;
}

SmtContext::Question SmtContext::question(const z3::expr& goal, Bounds bounds) const {
  // Collects the facts about numbers in the goal, then about numbers in these facts, and so on.
  std::set<unsigned> seen;
  std::vector<std::string> numbers;
  collect_names(goal, seen, numbers);
  std::string facts;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const Fact& fact = facts_.at(numbers[i]);
    absl::StrAppend(&facts, "(assert ", fact.holds.to_string(), ")\n");
    if (fact.bound && bounds != Bounds::kNone) {
      const auto bound = static_cast<uint64_t>(*fact.bound);
      absl::StrAppend(&facts, "(assert (< ", numbers[i], " ",
                      bounds == Bounds::kExact ? bound : std::bit_ceil(bound), "))\n");
    }
    collect_names(fact.holds, seen, numbers);
  }
  Question question;
  const std::string asserted =
      rename(absl::StrCat("(assert (not ", goal.to_string(), "))\n", facts), question.names);
  std::string declared;
  for (size_t i = 0; i < question.names.size(); ++i)
    absl::StrAppend(&declared, "(declare-const x", i, " Int)\n");
  question.text = absl::StrCat("(set-logic QF_LIA)\n", declared, asserted);
  return question;
}

void write_smtlib(const std::string& directory, int64_t number, const std::string& text,
                  Verdict verdict) {
  if (directory.empty()) return;
  const bool proven = verdict == Verdict::kProven, refuted = verdict == Verdict::kRefuted;
  const char* status = proven ? "unsat" : refuted ? "sat" : "unknown";
  const char* shows =
      proven    ? "unsat: no counterexample exists, so this step of the proof holds"
      : refuted ? "sat: a weaker attempt, with fewer facts, which failed. A later question "
                  "decides, or the solution is the counterexample"
                : "unknown: the solver gave up in the time given";
  std::ofstream(absl::StrCat(directory, refuted ? "/attempt-" : "/question-", number, ".smt2"))
      << "; " << shows << "\n(set-info :status " << status << ")\n"
      << text << "(check-sat)\n";
}

Verdict SmtContext::ask(const Question& question, unsigned milliseconds) {
  if (const auto known = session_.answered.find(question.text);
      known != session_.answered.end() && known->second != Verdict::kRefuted) {
    ++session_.shared;
    return known->second;
  }
  const std::string kept_as = absl::StrCat("unsat 1 ", kProofDigest, "\n", question.text);
  if (session_.cache.find(kept_as) == "unsat") {
    ++session_.kept;
    return session_.answered[question.text] = Verdict::kProven;
  }
  ++session_.asked;
  std::vector<std::string> names;
  for (const std::string& variable : variables_) {
    const auto name = question.names.find(variable);
    if (name != question.names.end()) names.push_back(name->second);
  }
  const Answer answer = ask_solver(question.text, {.milliseconds = milliseconds}, names);
  write_smtlib(session_.smtlib_directory, session_.asked, question.text, answer.verdict);
  if (answer.verdict == Verdict::kRefuted) read_counterexample(question, answer);
  if (answer.verdict == Verdict::kProven) session_.cache.keep(kept_as, "unsat");
  return session_.answered[question.text] = answer.verdict;
}

void SmtContext::read_counterexample(const Question& question, const Answer& answer) {
  counterexample_.emplace();
  size_t next = 0;
  for (const std::string& variable : variables_) {
    const std::optional<int64_t> value =
        question.names.contains(variable) ? answer.values[next++] : 0;
    if (!value) return counterexample_.reset();
    counterexample_->push_back(*value);
  }
}

Verdict SmtContext::prove(const SmtFormula& goal) {
  const z3::expr simple = sorted(goal.expr());
  if (simple.is_true()) {
    ++session_.identities;
    return Verdict::kProven;
  }
  Verdict verdict = Verdict::kUndecided;
  for (Bounds bounds : {Bounds::kNone, Bounds::kRounded, Bounds::kExact}) {
    // A slow early form usually has too few facts, so only the last form gets the full time.
    const unsigned time = session_.milliseconds_per_question;
    verdict = ask(question(simple, bounds), bounds == Bounds::kExact ? time : std::min(time, 500u));
    if (verdict == Verdict::kProven) break;
  }
  return verdict;
}

}  // namespace tileproof::verify
