// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/lemmas/lemma_smtlib.h"

#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"
#include "verify/lemmas/proof_script.h"

namespace tileproof::lemmas {
namespace {

using impl::Claim;
using impl::ClaimKind;
using impl::Fact;
using impl::Facts;
using impl::Predicate;

// A number type that turns a lemma into SMT-LIB text.
struct SmtNumber {
  using LemmaNumber = void;
  std::string text;
};

SmtNumber apply(absl::string_view op, const SmtNumber& a, const SmtNumber& b) {
  return {absl::StrCat("(", op, " ", a.text, " ", b.text, ")")};
}
SmtNumber operator+(const SmtNumber& a, const SmtNumber& b) { return apply("+", a, b); }
SmtNumber operator-(const SmtNumber& a, const SmtNumber& b) { return apply("-", a, b); }
SmtNumber operator*(const SmtNumber& a, const SmtNumber& b) { return apply("*", a, b); }
SmtNumber operator-(const SmtNumber& a) { return {absl::StrCat("(- ", a.text, ")")}; }
SmtNumber floordiv(const SmtNumber& a, const SmtNumber& b) { return apply("floordiv", a, b); }
SmtNumber ceildiv(const SmtNumber& a, const SmtNumber& b) { return apply("ceildiv", a, b); }
SmtNumber mod(const SmtNumber& a, const SmtNumber& b) { return apply("floormod", a, b); }
SmtNumber literal(const SmtNumber& /*like*/, int64_t value) {
  const std::string digits = absl::StrCat(value);
  return {value < 0 ? absl::StrCat("(- ", digits.substr(1), ")") : digits};
}

// SMT-LIB's division leaves a nonnegative remainder, which is the floor only for positive divisors.
constexpr char kDefinitions[] =
    "(define-fun floordiv ((x Int) (c Int)) Int (ite (> c 0) (div x c) (div (- x) (- c))))\n"
    "(define-fun floormod ((x Int) (c Int)) Int (- x (* c (floordiv x c))))\n"
    "(define-fun ceildiv ((x Int) (c Int)) Int (- (floordiv (- x) c)))\n";

class StatementWriter {
 public:
  explicit StatementWriter(const StatedLemma& lemma) {
    for (const std::string& name : lemma.variables) values_[name] = {absl::StrCat("|", name, "|")};
  }

  std::string fact(const Fact<Term>& fact) const {
    constexpr absl::string_view kSymbols[] = {"=", "<", "<="};
    const absl::string_view symbol = kSymbols[static_cast<size_t>(fact.predicate)];
    return apply(symbol, read(fact.left), read(fact.right)).text;
  }
  std::string all(const Facts<Term>& facts) const {
    std::string text = "(and true";
    for (const Fact<Term>& one : facts) absl::StrAppend(&text, " ", fact(one));
    return text + ")";
  }

 private:
  SmtNumber read(const Term& term) const { return interpret(term, values_, SmtNumber{}); }

  std::map<std::string, SmtNumber> values_;
};

std::string conclusion(const StatementWriter& writer, const Claim<Term>& claim) {
  switch (claim.kind) {
    case ClaimKind::kEquivalent:
      return absl::StrCat("(= ", writer.all(claim.before), " ", writer.all(claim.after), ")");
    case ClaimKind::kNever:
      return absl::StrCat("(not ", writer.all(claim.before), ")");
    case ClaimKind::kEqual:
    case ClaimKind::kHolds:
      break;
  }
  return writer.all(claim.after);
}

std::string smt_number(int64_t value, absl::string_view tail) {
  const std::string digits = absl::StrCat(value);
  return value < 0 ? absl::StrCat("(- ", digits.substr(1), tail, ")") : absl::StrCat(digits, tail);
}

std::string smt_sum(const Polynomial& polynomial, std::set<Monomial>& monomials) {
  std::string sum = "(+ 0.0";
  for (const auto& [monomial, coefficient] : polynomial.terms()) {
    const std::string number = smt_number(coefficient, ".0");
    if (monomial.empty()) {
      absl::StrAppend(&sum, " ", number);
    } else {
      monomials.insert(monomial);
      absl::StrAppend(&sum, " (* ", number, " |", to_text(monomial), "|)");
    }
  }
  return sum + ")";
}

absl::StatusOr<std::string> query_smtlib(const Query& query,
                                         const std::vector<CertificateTerm>& terms) {
  std::set<Monomial> monomials;
  std::string asserts;
  for (const CertificateTerm& term : terms) {
    Polynomial product =
        term.equality ? Polynomial::term(1, term.monomial) : Polynomial::constant(1);
    const std::vector<Polynomial>& facts = term.equality ? query.equalities : query.inequalities;
    for (const size_t position : term.facts) {
      if (position >= facts.size())
        return absl::InvalidArgumentError("the certificate names a fact that does not exist");
      product = product * facts[position];
    }
    absl::StrAppend(&asserts, "(assert (",
                    term.equality ? "= " : ">= ", smt_sum(product, monomials), " 0.0))\n");
  }
  std::string text = absl::StrCat("(push 1)  ; ", query.shows, "\n");
  for (const Monomial& monomial : monomials)
    absl::StrAppend(&text, "(declare-const |", to_text(monomial), "| Real)\n");
  return absl::StrCat(text, asserts, "(set-info :status unsat)\n(check-sat)\n(pop 1)\n");
}

}  // namespace

std::string statement_smtlib(const StatedLemma& lemma) {
  const StatementWriter writer(lemma);
  std::string text = absl::StrCat("; ", lemma.name, ": ", lemma.says, "\n; ", to_text(lemma.claim),
                                  "\n(set-logic NIA)\n(set-info :status unsat)\n", kDefinitions);
  for (const std::string& name : lemma.variables)
    absl::StrAppend(&text, "(declare-const |", name, "| Int)\n");
  for (const Fact<Term>& fact : lemma.claim.hypotheses)
    absl::StrAppend(&text, "(assert ", writer.fact(fact), ")\n");
  return absl::StrCat(text, "(assert (not ", conclusion(writer, lemma.claim), "))\n(check-sat)\n");
}

absl::StatusOr<std::string> linear_smtlib(const StatedLemma& lemma,
                                          const Certificate& certificate) {
  std::string text =
      absl::StrCat("; ", lemma.name, ", proof\n; ", to_text(lemma.claim), "\n(set-logic QF_LRA)\n");
  for (size_t position = 0; position < certificate.scripts.size(); ++position) {
    const ScriptCertificate& found = certificate.scripts[position];
    const Script script = TRY(make_script(lemma.claim, position, found.negative));
    if (script.queries.size() != found.queries.size())
      return absl::InvalidArgumentError(
          "expected the queries of the lemma's scripts, found others");
    absl::StrAppend(&text, "; ", script.name, "\n");
    for (const Witness& witness : script.witnesses)
      absl::StrAppend(&text, "; witness ", witness_text(witness), "\n");
    for (size_t i = 0; i < script.queries.size(); ++i) {
      const std::string query = TRY(query_smtlib(script.queries[i], found.queries[i].terms));
      text += query;
    }
  }
  return text;
}

}  // namespace tileproof::lemmas
