// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/lemmas/lemma_proof.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/try.h"
#include "verify/lemmas/certificate.h"
#include "verify/lemmas/lemma_coq.h"
#include "verify/lemmas/lemma_enumeration.h"
#include "verify/lemmas/proof_script.h"
#include "verify/lemmas/tiling_induction.h"
#include "verify/prove/lemmas/lemma_refutation.h"
#include "verify/prove/lemmas/lemma_smtlib.h"
#include "verify/prove/lemmas/linear_solver.h"
#include "verify/prove/lemmas/write_file.h"

namespace tileproof::lemmas {
namespace {

constexpr int64_t kWitnessRadius =
    3;  // every lemma's hypotheses have a solution this close to zero
constexpr int64_t kFallbackRadius = 8;  // for enumeration, if there is no proof
constexpr int64_t kEnumerationLimit = 2'000'000;

// Returns the script's certificate. If a divisor is not positive, tries it as negative.
absl::StatusOr<ScriptCertificate> prove_script(const StatedLemma& lemma, size_t position,
                                               const ProofOptions& options) {
  ScriptCertificate certificate;
  std::vector<bool> negative;
  size_t witnesses = 0;
  Script script = TRY(make_script(lemma.claim, position, negative));
  for (size_t i = 0; i < script.queries.size(); ++i) {
    absl::StatusOr<FoundCertificate> found =
        find_certificate(script.queries[i], options.query_timeout_milliseconds);
    if (script.queries[i].divisor_sign) negative.resize(++witnesses);
    if (!found.ok() && script.queries[i].divisor_sign) {
      negative.back() = true;
      script = TRY(make_script(lemma.claim, position, negative));
      found = find_certificate(script.queries[i], options.query_timeout_milliseconds);
    }
    const std::string& shows = script.queries[i].shows;
    if (!found.ok())
      return absl::NotFoundError(
          absl::StrCat(script.name, ", ", shows, ": ", found.status().message()));
    certificate.queries.push_back({shows, std::move(found->terms)});
  }
  certificate.name = script.name;
  certificate.negative = std::move(negative);
  for (const Witness& witness : script.witnesses)
    certificate.witnesses.push_back(witness_text(witness));
  return certificate;
}

std::string point_text(const StatedLemma& lemma, const std::vector<int64_t>& point) {
  std::string text;
  for (size_t i = 0; i < point.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : " ", lemma.variables[i], "=", point[i]);
  }
  return text;
}

// Describes a lemma without a proof.
std::string without_proof(const StatedLemma& lemma, const absl::Status& reason,
                          unsigned timeout_milliseconds) {
  const Enumeration seen = enumerate_largest(lemma, kFallbackRadius, kEnumerationLimit);
  if (seen.failure) return absl::StrCat("false, at ", point_text(lemma, *seen.failure));
  const absl::StatusOr<std::vector<int64_t>> point = refute(lemma, timeout_milliseconds);
  if (point.ok()) return absl::StrCat("false, at ", point_text(lemma, *point));
  return absl::StrCat("true at the ", seen.points, " points with all variables in [-", seen.radius,
                      ", ", seen.radius, "]; no proof: ", reason.message());
}

// Calls work(0), .., work(count - 1) on several threads.
template <class Work>
void in_parallel(size_t count, unsigned threads, const Work& work) {
  std::atomic<size_t> next = 0;
  const auto take_turns = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> helpers;
  for (unsigned i = 1; i < threads; ++i) helpers.emplace_back(take_turns);
  take_turns();
  for (std::thread& helper : helpers) helper.join();
}

// Errors: a lemma has no certificate; a file cannot be written.
absl::Status write_coq(const std::string& directory, const std::vector<LemmaReport>& reports) {
  std::string text = coq_prelude();
  for (const LemmaReport& report : reports) {
    const StatedLemma* lemma = find_lemma(report.name);
    if (lemma == nullptr) continue;  // the tilings
    if (!report.proven) {
      return absl::FailedPreconditionError(absl::StrCat(report.name, " has no certificate"));
    }
    absl::StrAppend(&text, TRY(coq_theorem(*lemma, report.certificate)));
  }
  TRY(write_file(directory + "/lemmas.v", text));
  return write_file(directory + "/tilings.v", coq_tilings());
}

}  // namespace

absl::Status write_smtlib(const std::string& directory, const std::vector<LemmaReport>& reports) {
  for (const LemmaReport& report : reports) {
    const StatedLemma* lemma = find_lemma(report.name);
    if (lemma == nullptr) return absl::InvalidArgumentError(absl::StrCat("no lemma ", report.name));
    TRY(write_file(absl::StrCat(directory, "/", report.name, ".smt2"), statement_smtlib(*lemma)));
    if (!report.proven) continue;
    const std::string linear = TRY(linear_smtlib(*lemma, report.certificate));
    TRY(write_file(absl::StrCat(directory, "/", report.name, ".linear.smt2"), linear));
  }
  return absl::OkStatus();
}

absl::StatusOr<Certificate> find_lemma_certificate(const StatedLemma& lemma,
                                                   const ProofOptions& options) {
  Certificate certificate;
  certificate.lemma = lemma.name;
  certificate.statement = to_text(lemma.claim);
  certificate.point_names = lemma.variables;
  for (int64_t radius = 1; radius <= kWitnessRadius && certificate.point.empty(); ++radius) {
    certificate.point =
        enumerate(lemma, radius, kEnumerationLimit).witness.value_or(std::vector<int64_t>{});
  }
  if (certificate.point.empty())
    return absl::NotFoundError("no point near zero satisfies the hypotheses");
  const size_t scripts = script_names(lemma.claim).size();
  for (size_t position = 0; position < scripts; ++position) {
    certificate.scripts.push_back(TRY(prove_script(lemma, position, options)));
  }
  return certificate;
}

LemmaReport prove_lemma(const StatedLemma& lemma, const ProofOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  LemmaReport report;
  report.name = lemma.name;
  report.says = lemma.says;
  report.subject = lemma.subject;
  report.statement = to_text(lemma.claim);
  absl::StatusOr<Certificate> certificate = find_lemma_certificate(lemma, options);
  if (certificate.ok()) {
    for (const ScriptCertificate& script : certificate->scripts) {
      report.queries += static_cast<int>(script.queries.size());
      for (const QueryCertificate& query : script.queries)
        report.terms += static_cast<int>(query.terms.size());
    }
    const absl::Status checked = check_certificate(lemma, *certificate);
    report.certificate_checked = report.proven = checked.ok();
    report.certificate = *std::move(certificate);
    if (!checked.ok())
      report.bounded = without_proof(lemma, checked, options.query_timeout_milliseconds);
  } else {
    report.bounded = without_proof(lemma, certificate.status(), options.query_timeout_milliseconds);
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

LemmaReport prove_tilings(const std::vector<LemmaReport>& lemmas) {
  const auto start = std::chrono::steady_clock::now();
  LemmaReport report;
  report.name = "tilings";
  report.says =
      "padded, repeated tilings are bijections, whatever the rank, the sizes and the tiles";
  report.subject = "tilings";
  const auto used = prove_tilings_by_induction();
  if (used.ok()) {
    report.statement = absl::StrCat(
        "every list of layout steps: no two elements share an offset, and every offset is one "
        "element "
        "or padding; by induction from ",
        absl::StrJoin(*used, ", "));
    report.terms = static_cast<int>(used->size());
    report.proven = report.certificate_checked = true;
    for (const LemmaReport& lemma : lemmas) {
      if (lemma.proven || !std::binary_search(used->begin(), used->end(), lemma.name)) continue;
      report.proven = report.certificate_checked = false;
      report.bounded = absl::StrCat("it needs ", lemma.name, ", which is not proven");
    }
  } else {
    report.bounded = std::string(used.status().message());
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

absl::StatusOr<std::vector<LemmaReport>> prove_lemmas(const ProofOptions& options) {
  const std::vector<StatedLemma>& lemmas = all_lemmas();
  std::vector<LemmaReport> reports(lemmas.size());
  std::mutex one_call;
  int64_t done = 0;
  const auto tell = [&] {
    const std::lock_guard<std::mutex> lock(one_call);
    if (options.progress) options.progress(++done, std::ssize(lemmas) + 1);
  };
  in_parallel(lemmas.size(), options.threads, [&](size_t i) {
    reports[i] = prove_lemma(lemmas[i], options);
    tell();
  });
  if (!options.smtlib_directory.empty()) {
    TRY(write_smtlib(options.smtlib_directory, reports));
  }
  if (!options.coq_directory.empty()) TRY(write_coq(options.coq_directory, reports));
  reports.push_back(prove_tilings(reports));
  tell();
  return reports;
}

std::string summary(const std::vector<LemmaReport>& reports) {
  size_t lemmas = 0, proven = 0, checked = 0;
  bool tilings = false;
  int queries = 0, terms = 0;
  double seconds = 0;
  for (const LemmaReport& report : reports) {
    seconds += report.seconds;
    if (report.subject == "tilings") {
      tilings = report.proven;
      continue;
    }
    ++lemmas;
    proven += report.proven ? 1 : 0;
    checked += report.certificate_checked ? 1 : 0;
    queries += report.queries;
    terms += report.terms;
  }
  return absl::StrFormat(
      "%d lemmas, %d proven for all integers, %d certificates re-checked (%d queries, %d terms); "
      "tilings of every rank %s; %.1f s of work",
      lemmas, proven, checked, queries, terms, tilings ? "proven" : "not proven", seconds);
}

}  // namespace tileproof::lemmas
