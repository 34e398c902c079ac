// SPDX-License-Identifier: Apache-2.0
#include "verify/lemmas/certificate.h"

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

}  // namespace tileproof::lemmas
