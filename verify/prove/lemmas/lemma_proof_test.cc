// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/lemmas/lemma_proof.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "verify/lemmas/false_lemmas_testing.h"
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

}  // namespace
}  // namespace tileproof::lemmas
