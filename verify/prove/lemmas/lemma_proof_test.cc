// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/lemmas/lemma_proof.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

#include "corpus/paths.h"
#include "verify/lemmas/false_lemmas_testing.h"
#include "verify/prove/lemmas/lemma_refutation.h"
#include "verify/prove/lemmas/lemma_smtlib.h"
#include "verify/prove/lemmas/linear_solver.h"

namespace tileproof::lemmas {
namespace {

TEST(LemmaProofs, Z3FindsACertificateForEveryLemmaAndItIsReChecked) {
  std::vector<int64_t> told;
  const absl::StatusOr<std::vector<LemmaReport>> reports =
      prove_lemmas({.progress = [&](int64_t done, int64_t all) { told.push_back(all - done); }});
  ASSERT_TRUE(reports.ok()) << reports.status();
  EXPECT_EQ(reports->size(), all_lemmas().size() + 1);
  ASSERT_EQ(told.size(), reports->size());
  EXPECT_TRUE(std::is_sorted(told.rbegin(), told.rend()));
  EXPECT_EQ(told.back(), 0);
  for (const LemmaReport& report : *reports) {
    EXPECT_TRUE(report.proven) << report.name << ": " << report.bounded << "\n" << report.statement;
    EXPECT_TRUE(report.certificate_checked) << report.name;
    EXPECT_TRUE(report.bounded.empty()) << report.name << ": " << report.bounded;
    EXPECT_FALSE(report.statement.empty()) << report.name;
    EXPECT_GT(report.terms, 0) << report.name;
  }
  std::cout << summary(*reports) << "\n";
}

TEST(LemmaProofs, FindsTheSameCertificateAgain) {
  for (const char* name :
       {"drop-small-part", "congruence-merge", "range-product", "bound-from-sum-negative"}) {
    const absl::StatusOr<Certificate> first = find_lemma_certificate(*find_lemma(name), {});
    const absl::StatusOr<Certificate> second = find_lemma_certificate(*find_lemma(name), {});
    ASSERT_TRUE(first.ok() && second.ok()) << name;
    EXPECT_EQ(to_text(*first), to_text(*second));
  }
}

TEST(LemmaProofs, ReportsAFalseLemmaWithAPoint) {
  for (const StatedLemma& lemma : all_false_lemmas()) {
    if (lemma.name != "false-parity") continue;
    const LemmaReport report = prove_lemma(lemma, {});
    EXPECT_FALSE(report.proven);
    EXPECT_FALSE(report.certificate_checked);
    EXPECT_EQ(report.bounded.substr(0, 11), "false, at x") << report.bounded;
  }
}

// True, but the proof needs an undeclared step: nested floors of nested floors at once.
TEST(LemmaProofs, ReportsATrueUnprovenLemmaAsBoundedWithTheReason) {
  StatedLemma lemma = *find_lemma("congruence-divide");
  lemma.claim.steps.clear();
  const LemmaReport report = prove_lemma(lemma, {.query_timeout_milliseconds = 300});
  EXPECT_FALSE(report.proven);
  EXPECT_EQ(report.bounded.substr(0, 12), "true at the ") << report.bounded;
  EXPECT_NE(report.bounded.find("no proof: forward"), std::string::npos) << report.bounded;
}

TEST(LinearSolver, UsesTheFewestFactsThatSuffice) {
  const Polynomial x = Polynomial::variable("x"), one = Polynomial::constant(1);
  const absl::StatusOr<FoundCertificate> direct =
      find_certificate({"", {}, {x - one, -x}, false}, 1000);
  ASSERT_TRUE(direct.ok()) << direct.status();
  EXPECT_EQ(direct->effort, 1);
  EXPECT_EQ(direct->terms.size(), 2u);
  // x >= 1 and x*x <= 0 need the product (x - 1) * (x - 1).
  const absl::StatusOr<FoundCertificate> squared =
      find_certificate({"", {}, {x - one, -x * x}, false}, 1000);
  ASSERT_TRUE(squared.ok()) << squared.status();
  EXPECT_EQ(squared->effort, 3);
  EXPECT_FALSE(find_certificate({"", {}, {x - one}, false}, 1000).ok());
}

// The known-wrong rules: Z3 refutes each false lemma with a point that plain evaluation confirms,
// and none gets a certificate.

TEST(FalseLemmas, AreRefutedWithAPointThatEvaluationConfirms) {
  for (const StatedLemma& lemma : all_false_lemmas()) {
    const absl::StatusOr<std::vector<int64_t>> point = refute(lemma, 10'000);
    ASSERT_TRUE(point.ok()) << lemma.name << ": " << point.status();
    const impl::Claim<Integer> claim = lemma.at(defined(*point));
    EXPECT_EQ(are_true(claim.hypotheses), true) << lemma.name;
    EXPECT_EQ(conclusion_is_true(claim), false) << lemma.name;
  }
  std::cout << all_false_lemmas().size() << " false lemmas refuted\n";
}

TEST(FalseLemmas, HaveNoCertificate) {
  for (const StatedLemma& lemma : all_false_lemmas()) {
    EXPECT_FALSE(find_lemma_certificate(lemma, {}).ok()) << lemma.name;
  }
}

// Points that were reported for the systems that the known-wrong rules name.
TEST(FalseLemmas, FailAtTheReportedPoints) {
  const auto fails = [](absl::string_view name, const std::vector<int64_t>& point) {
    for (const StatedLemma& lemma : all_false_lemmas()) {
      if (lemma.name != name) continue;
      const impl::Claim<Integer> claim = lemma.at(defined(point));
      return are_true(claim.hypotheses) == true && conclusion_is_true(claim) == false;
    }
    return false;
  };
  EXPECT_TRUE(fails("false-constraint-negative-divisor", {13, -3, -11, -5}));
  EXPECT_TRUE(fails("false-constraint-drop-part",
                    {2, 1, 4, 8, 1, 3}));  // A=2 B=1: 9 is not in [0, 8], but 8 is
  EXPECT_TRUE(fails("false-residue-lower", {-19, 6, 5, -20}));
  EXPECT_TRUE(fails("false-nested-floor", {15, 2, -7}));
  EXPECT_TRUE(fails("false-stale-divisor", {4, 0, 3, 3, 2, 2}));
  EXPECT_TRUE(fails("false-recombine", {768, 384, 715}));
  EXPECT_TRUE(fails("false-parity", {0, 0}));
  EXPECT_TRUE(fails("false-packed-bytes", {9, 4}));
}

TEST(Refutation, DoesNotRefuteATrueLemma) {
  for (const char* name : {"split-undone", "one-cell", "range-product", "constraint-floordiv"}) {
    EXPECT_FALSE(refute(*find_lemma(name), 5'000).ok()) << name;
  }
}

// Returns an empty directory for this process alone.
std::filesystem::path fresh_directory() {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("tileproof_smtlib_" + std::to_string(getpid()));
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

TEST(Smtlib, AStatementHasItsMeaningAndItsExpectedStatus) {
  const std::string text = statement_smtlib(*find_lemma("split-undone"));
  EXPECT_NE(text.find("(set-info :status unsat)"), std::string::npos);
  EXPECT_NE(text.find("(assert (< 0 |t|))\n(assert (not (and true (= (+ (* (floordiv |e| |t|) |t|) "
                      "(floormod |e| |t|)) |e|))))\n(check-sat)\n"),
            std::string::npos)
      << text;
}

TEST(Smtlib, AnUnprovenLemmaHasOnlyItsStatement) {
  const std::filesystem::path directory = fresh_directory();
  LemmaReport report;
  report.name = "split-undone";
  EXPECT_TRUE(write_smtlib(directory.string(), {report}).ok());
  EXPECT_TRUE(std::filesystem::exists(directory / "split-undone.smt2"));
  EXPECT_FALSE(std::filesystem::exists(directory / "split-undone.linear.smt2"));
  std::filesystem::remove_all(directory);
}

TEST(Smtlib, ReportsADirectoryThatCannotBeWritten) {
  LemmaReport report;
  report.name = "split-undone";
  EXPECT_FALSE(write_smtlib("/dev/null/questions", {report}).ok());
}

TEST(Smtlib, Cvc5AgreesIfItDecides) {
  if (std::system("command -v cvc5 > /dev/null") != 0) GTEST_SKIP() << "cvc5 is not installed";
  const std::filesystem::path directory = fresh_directory();
  const auto reports = prove_lemmas({.smtlib_directory = directory.string()});
  ASSERT_TRUE(reports.ok()) << reports.status();
  const std::string command = "'" + project_path("verify/prove/lemmas/cvc5_agrees.sh") + "' '" +
                              directory.string() + "' 25";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace tileproof::lemmas
