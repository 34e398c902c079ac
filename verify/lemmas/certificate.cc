// SPDX-License-Identifier: Apache-2.0
#include "verify/lemmas/certificate.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/try.h"

namespace tileproof::lemmas {
namespace {

std::string term_text(const CertificateTerm& term) {
  std::string text = absl::StrCat("  ", to_text(term.multiplier));
  for (const size_t fact : term.facts) absl::StrAppend(&text, term.equality ? " e" : " i", fact);
  if (term.equality) absl::StrAppend(&text, " ", to_text(term.monomial));
  return text + '\n';
}

absl::StatusOr<size_t> parse_fact(absl::string_view text, absl::string_view letter) {
  uint32_t number = 0;
  if (!absl::ConsumePrefix(&text, letter) || !absl::SimpleAtoi(text, &number) ||
      absl::StrCat(number) != text) {
    return absl::InvalidArgumentError(absl::StrCat("expected ", letter, " and a number"));
  }
  return number;
}

// "-1/2 e3 x*y" or "1 i0 i4".
absl::StatusOr<CertificateTerm> parse_term(absl::string_view line) {
  const std::vector<std::string> words = absl::StrSplit(line, ' ');
  CertificateTerm term;
  term.multiplier = parse_fraction(words[0]);
  if (!term.multiplier.valid() || words.size() < 2)
    return absl::InvalidArgumentError("expected a fraction and facts");
  term.equality = words[1][0] == 'e';
  if (term.equality && words.size() != 3)
    return absl::InvalidArgumentError("expected an equality and a monomial");
  for (size_t i = 1; i < (term.equality ? size_t{2} : words.size()); ++i) {
    term.facts.push_back(TRY(parse_fact(words[i], term.equality ? "e" : "i")));
  }
  if (term.equality && words[2] != "1") term.monomial = absl::StrSplit(words[2], '*');
  return term;
}

absl::Status parse_point(absl::string_view text, Certificate& certificate) {
  if (text.empty()) return absl::OkStatus();
  for (const absl::string_view part : absl::StrSplit(text, ' ')) {
    const std::pair<absl::string_view, absl::string_view> sides =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    int64_t value = 0;
    if (!absl::SimpleAtoi(sides.second, &value))
      return absl::InvalidArgumentError("expected name=integer");
    certificate.point_names.emplace_back(sides.first);
    certificate.point.push_back(value);
  }
  return absl::OkStatus();
}

absl::Status parse_line(absl::string_view line, Certificate& certificate) {
  std::vector<ScriptCertificate>& scripts = certificate.scripts;
  if (absl::ConsumePrefix(&line, "lemma ")) {
    certificate.lemma = std::string(line);
  } else if (absl::ConsumePrefix(&line, "statement ")) {
    certificate.statement = std::string(line);
  } else if (absl::ConsumePrefix(&line, "point ")) {
    return parse_point(line, certificate);
  } else if (absl::ConsumePrefix(&line, "script ")) {
    scripts.push_back({std::string(line), {}, {}, {}});
  } else if (scripts.empty()) {
    return absl::InvalidArgumentError("expected a script");
  } else if (absl::ConsumePrefix(&line, "witness ")) {
    scripts.back().witnesses.emplace_back(line);
    scripts.back().negative.push_back(absl::ConsumeSuffix(&line, ", negative"));
  } else if (absl::ConsumePrefix(&line, "query ")) {
    scripts.back().queries.push_back({std::string(line), {}});
  } else if (absl::ConsumePrefix(&line, "  ") && !scripts.back().queries.empty()) {
    CertificateTerm term = TRY(parse_term(line));
    scripts.back().queries.back().terms.push_back(std::move(term));
  } else {
    return absl::InvalidArgumentError(
        "expected lemma, statement, point, script, witness, query or a term");
  }
  return absl::OkStatus();
}

}  // namespace

std::string witness_text(const Witness& witness) {
  return absl::StrCat(witness.quotient, " ", witness.remainder, ": ", to_text(witness.dividend),
                      " by ", to_text(witness.divisor),
                      witness.negative ? ", negative" : ", positive");
}

std::string to_text(const Certificate& certificate) {
  std::string text =
      absl::StrCat("lemma ", certificate.lemma, "\nstatement ", certificate.statement, "\npoint");
  for (size_t i = 0; i < certificate.point.size(); ++i) {
    absl::StrAppend(&text, " ", certificate.point_names[i], "=", certificate.point[i]);
  }
  text += '\n';
  for (const ScriptCertificate& script : certificate.scripts) {
    absl::StrAppend(&text, "script ", script.name, "\n");
    for (const std::string& witness : script.witnesses)
      absl::StrAppend(&text, "witness ", witness, "\n");
    for (const QueryCertificate& query : script.queries) {
      absl::StrAppend(&text, "query ", query.shows, "\n");
      for (const CertificateTerm& term : query.terms) text += term_text(term);
    }
  }
  return text;
}

absl::StatusOr<Certificate> parse_certificate(absl::string_view text) {
  Certificate certificate;
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (line.empty()) continue;
    const absl::Status status = parse_line(line, certificate);
    if (!status.ok())
      return absl::InvalidArgumentError(absl::StrCat("line ", number, ": ", status.message()));
  }
  return certificate;
}

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
