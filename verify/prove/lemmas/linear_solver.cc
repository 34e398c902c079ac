// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/lemmas/linear_solver.h"

#include <z3++.h>

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"

namespace tileproof::lemmas {
namespace {

// Collects facts without duplicates and trivially true ones.
class FactList {
 public:
  void add(CertificateTerm source, const Polynomial& polynomial) {
    if (!polynomial.valid() || is_trivial(polynomial, source.equality)) return;
    if (seen_.insert({source.equality, to_text(polynomial)}).second)
      facts_.push_back({std::move(source), polynomial});
  }
  std::vector<LinearFact> take() && { return std::move(facts_); }

 private:
  static bool is_trivial(const Polynomial& polynomial, bool equality) {
    if (polynomial.terms().empty()) return true;
    const auto& [monomial, coefficient] = *polynomial.terms().begin();
    return !equality && polynomial.terms().size() == 1 && monomial.empty() && coefficient >= 0;
  }

  std::set<std::pair<bool, std::string>> seen_;
  std::vector<LinearFact> facts_;
};

CertificateTerm inequality(std::vector<size_t> positions) {
  return {make_fraction(1, 1), false, std::move(positions), {}};
}
CertificateTerm equality(size_t position, Monomial monomial) {
  return {make_fraction(1, 1), true, {position}, std::move(monomial)};
}

// Returns the monomials of degree 1 to `degree` that divide a monomial of the query or are one of
// its variables.
std::set<Monomial> multipliers(const Query& query, size_t degree) {
  std::set<Monomial> result;
  for (const auto* facts : {&query.equalities, &query.inequalities}) {
    for (const Polynomial& fact : *facts) {
      for (const auto& [monomial, coefficient] : fact.terms()) {
        for (const std::string& name : monomial) result.insert({name});
        if (monomial.size() <= degree && !monomial.empty()) result.insert(monomial);
      }
    }
  }
  return result;
}

void add_equalities(const Query& query, size_t degree, FactList& list) {
  const std::set<Monomial> monomials = multipliers(query, degree);
  for (size_t e = 0; e < query.equalities.size(); ++e) {
    for (const Monomial& monomial : monomials) {
      list.add(equality(e, monomial), query.equalities[e] * Polynomial::term(1, monomial));
    }
  }
}

void add_products(const Query& query, bool with_last_only, FactList& list) {
  const std::vector<Polynomial>& facts = query.inequalities;
  for (size_t i = 0; i < facts.size(); ++i) {
    for (size_t j = with_last_only ? facts.size() - 1 : i; j < facts.size(); ++j) {
      list.add(inequality({i, j}), facts[i] * facts[j]);
    }
  }
}

// One question for Z3, with its own context.
class LinearQuestion {
 public:
  explicit LinearQuestion(unsigned timeout_milliseconds) : solver_(context_, "QF_LRA") {
    z3::params params(context_);
    // Limits the work (about a second per million) instead of the time, because the timers of Z3
    // 4.8.12 can deadlock with many short questions.
    params.set("rlimit", timeout_milliseconds * 1000);
    params.set("random_seed", 0u);
    solver_.set(params);
  }

  z3::expr number(int64_t value) { return context_.real_val(value); }
  z3::expr unknown(const std::string& name) { return context_.real_const(name.c_str()); }
  z3::expr sum(const std::vector<z3::expr>& terms) {
    if (terms.empty()) return number(0);
    z3::expr_vector list(context_);
    for (const z3::expr& term : terms) list.push_back(term);
    return z3::sum(list);
  }
  z3::context& context() { return context_; }
  z3::solver& solver() { return solver_; }

 private:
  z3::context context_;
  z3::solver solver_;
};

absl::Status unsolved(z3::check_result result) {
  if (result == z3::unknown) return absl::DeadlineExceededError("Z3 did not answer in time");
  return absl::NotFoundError("the facts do not contradict each other");
}

std::optional<Fraction> fraction_of(const z3::expr& value) {
  int64_t numerator = 0, denominator = 0;
  if (!value.is_numeral() || !value.numerator().is_numeral_i64(numerator) ||
      !value.denominator().is_numeral_i64(denominator)) {
    return std::nullopt;
  }
  return make_fraction(numerator, denominator);
}

// Finds multiples of the facts that add up to -1.
absl::StatusOr<std::vector<CertificateTerm>> multiples_of(const std::vector<LinearFact>& facts,
                                                          unsigned timeout) {
  LinearQuestion question(timeout);
  std::vector<z3::expr> multiples;
  std::map<Monomial, std::vector<z3::expr>> columns;
  columns[{}];
  for (const LinearFact& fact : facts) {
    multiples.push_back(question.unknown(absl::StrCat("k", multiples.size())));
    if (!fact.source.equality) question.solver().add(multiples.back() >= 0);
    for (const auto& [monomial, coefficient] : fact.polynomial.terms()) {
      columns[monomial].push_back(question.number(coefficient) * multiples.back());
    }
  }
  for (const auto& [monomial, column] : columns) {
    question.solver().add(question.sum(column) == question.number(monomial.empty() ? -1 : 0));
  }
  const z3::check_result result = question.solver().check();
  if (result != z3::sat) return unsolved(result);
  const z3::model model = question.solver().get_model();
  std::vector<CertificateTerm> terms;
  for (size_t i = 0; i < facts.size(); ++i) {
    const std::optional<Fraction> multiple = fraction_of(model.eval(multiples[i], true));
    if (!multiple || !multiple->valid())
      return absl::OutOfRangeError("a multiplier does not fit 64 bits");
    if (multiple->numerator == 0) continue;
    terms.push_back(facts[i].source);
    terms.back().multiplier = *multiple;
  }
  return terms;
}

}  // namespace

std::vector<LinearFact> linear_facts(const Query& query, int effort) {
  FactList list;
  for (size_t i = 0; i < query.inequalities.size(); ++i)
    list.add(inequality({i}), query.inequalities[i]);
  for (size_t e = 0; e < query.equalities.size(); ++e)
    list.add(equality(e, {}), query.equalities[e]);
  if (effort >= 2) add_equalities(query, effort == 2 ? 1 : 3, list);
  if (effort >= 2 && !query.inequalities.empty()) add_products(query, effort == 2, list);
  return std::move(list).take();
}

absl::StatusOr<FoundCertificate> find_certificate(const Query& query,
                                                  unsigned timeout_milliseconds) try {
  absl::Status status;
  for (int effort = 1; effort <= 3; ++effort) {
    const std::vector<LinearFact> facts = linear_facts(query, effort);
    absl::StatusOr<std::vector<CertificateTerm>> terms = multiples_of(facts, timeout_milliseconds);
    if (terms.ok()) return FoundCertificate{*std::move(terms), effort};
    status = terms.status();
  }
  return status;
} catch (const z3::exception& failure) {
  return absl::InternalError(absl::StrCat("Z3: ", failure.msg()));
}

}  // namespace tileproof::lemmas
