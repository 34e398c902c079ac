// SPDX-License-Identifier: Apache-2.0
#include "verify/lemmas/certificate_check.h"

#include <map>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"

namespace tileproof::lemmas {
namespace {

absl::Status wrong(absl::string_view what) { return absl::FailedPreconditionError(what); }

constexpr size_t kMaxFactors = 4;   // factors of a product of inequalities; certificates need two
constexpr size_t kMostDegree = 16;  // degree of an equality's monomial

// Returns the polynomial that a term multiplies; nothing if it names a missing fact or exceeds the
// limits.
std::optional<Polynomial> multiplied(const Query& query, const CertificateTerm& term) {
  const std::vector<Polynomial>& facts = term.equality ? query.equalities : query.inequalities;
  if (term.facts.empty() || term.facts.size() > (term.equality ? 1 : kMaxFactors))
    return std::nullopt;
  if (term.monomial.size() > kMostDegree) return std::nullopt;
  Polynomial product = term.equality ? Polynomial::term(1, term.monomial) : Polynomial::constant(1);
  for (const size_t fact : term.facts) {
    if (fact >= facts.size()) return std::nullopt;
    product = product * facts[fact];
  }
  return product;
}

absl::Status check_point(const StatedLemma& lemma, const Certificate& certificate) {
  if (certificate.point_names != lemma.variables ||
      certificate.point.size() != lemma.variables.size()) {
    return wrong("expected the lemma's variables in the point, found others");
  }
  const impl::Claim<Integer> claim = lemma.at(defined(certificate.point));
  if (are_true(claim.hypotheses) != true) return wrong("the point does not satisfy the hypotheses");
  if (claim.kind == impl::ClaimKind::kEquivalent && are_true(claim.before) != true) {
    return wrong("the point does not satisfy the left side");
  }
  return absl::OkStatus();
}

absl::Status check_script(const Script& script, const ScriptCertificate& certificate) {
  if (certificate.name != script.name) return wrong("expected another script");
  if (certificate.witnesses.size() != script.witnesses.size())
    return wrong("expected other witnesses");
  for (size_t i = 0; i < script.witnesses.size(); ++i) {
    if (certificate.witnesses[i] != witness_text(script.witnesses[i])) {
      return wrong(absl::StrCat("expected witness ", witness_text(script.witnesses[i])));
    }
  }
  if (script.queries.empty()) return wrong("the lemma claims nothing");
  if (certificate.queries.size() != script.queries.size()) return wrong("expected other queries");
  for (size_t i = 0; i < script.queries.size(); ++i) {
    const Query& query = script.queries[i];
    if (certificate.queries[i].shows != query.shows)
      return wrong(absl::StrCat("expected query ", query.shows));
    const absl::Status status = check_query(query, certificate.queries[i].terms);
    if (!status.ok()) return wrong(absl::StrCat(query.shows, ": ", status.message()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status check_query(const Query& query, const std::vector<CertificateTerm>& terms) {
  std::map<Monomial, Fraction> sum;
  for (const CertificateTerm& term : terms) {
    const std::optional<Polynomial> polynomial = multiplied(query, term);
    if (!polynomial) return wrong("a term names a fact that does not exist, or too many");
    if (!polynomial->valid()) return wrong("a product does not fit 64 bits");
    if (!term.equality && term.multiplier.numerator <= 0)
      return wrong("an inequality has a multiplier that is not positive");
    for (const auto& [monomial, coefficient] : polynomial->terms()) {
      Fraction& total = sum[monomial];
      total = total + term.multiplier * make_fraction(coefficient, 1);
      if (!total.valid()) return wrong("a sum does not fit 64 bits");
    }
  }
  for (const auto& [monomial, total] : sum) {
    const Fraction expected{monomial.empty() ? -1 : 0, 1};
    if (total != expected)
      return wrong(absl::StrCat("the sum has ", to_text(total), " * ", to_text(monomial)));
  }
  if (sum.find(Monomial{}) == sum.end()) return wrong("the sum is not -1");
  return absl::OkStatus();
}

absl::Status check_certificate(const StatedLemma& lemma, const Certificate& certificate) {
  if (certificate.lemma != lemma.name)
    return wrong(absl::StrCat("the certificate is for ", certificate.lemma));
  if (certificate.statement != to_text(lemma.claim))
    return wrong("the certificate is for another statement");
  absl::Status status = check_point(lemma, certificate);
  if (!status.ok()) return status;
  const std::vector<std::string> names = script_names(lemma.claim);
  if (certificate.scripts.size() != names.size()) return wrong("a script is missing or too many");
  for (size_t i = 0; i < names.size(); ++i) {
    const Script script = TRY(make_script(lemma.claim, i, certificate.scripts[i].negative));
    status = check_script(script, certificate.scripts[i]);
    if (!status.ok()) return wrong(absl::StrCat("script ", names[i], ": ", status.message()));
  }
  return absl::OkStatus();
}

}  // namespace tileproof::lemmas
