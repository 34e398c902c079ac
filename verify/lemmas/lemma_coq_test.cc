// SPDX-License-Identifier: Apache-2.0
#include "verify/lemmas/lemma_coq.h"

#include "corpus/files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tileproof::lemmas {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Certificate recorded_certificate(const StatedLemma& lemma) {
  absl::StatusOr<Certificate> certificate =
      parse_certificate(project_text("verify/lemmas/certificates/" + lemma.name + ".cert"));
  EXPECT_TRUE(certificate.ok()) << lemma.name << ": " << certificate.status();
  return certificate.ok() ? *std::move(certificate) : Certificate{};
}

TEST(LemmaCoq, AStatementIsWrittenOverTheIntegersOfCoq) {
  EXPECT_EQ(coq_statement(*find_lemma("digit-quotient")),
            "forall q n r : Z, 0 < n -> 0 <= r -> r < n -> (((q * n) + r) / n) = q");
}

TEST(LemmaCoq, CeildivIsANotationForTheNegatedFloor) {
  EXPECT_THAT(coq_statement(*find_lemma("pad-size")), HasSubstr("(ceildiv n t)"));
  EXPECT_THAT(coq_prelude(), HasSubstr("Notation ceildiv x c := (- ((- x) / c))."));
}

TEST(LemmaCoq, EveryLemmaHasATheoremWithAProof) {
  for (const StatedLemma& lemma : all_lemmas()) {
    const absl::StatusOr<std::string> text = coq_theorem(lemma, recorded_certificate(lemma));
    ASSERT_TRUE(text.ok()) << lemma.name << ": " << text.status();
    EXPECT_THAT(*text, HasSubstr("Theorem " + coq_name(lemma) + " : " + coq_statement(lemma)));
    EXPECT_THAT(*text, HasSubstr("Print Assumptions " + coq_name(lemma)));
    EXPECT_THAT(*text, Not(HasSubstr("Admitted")));
    EXPECT_THAT(*text, Not(HasSubstr("Axiom")));
    EXPECT_THAT(*text, Not(HasSubstr("missing"))) << "a division without a witness";
  }
}

TEST(LemmaCoq, ACertificateOfAnotherLemmaIsAnError) {
  const Certificate other = recorded_certificate(*find_lemma("pad-size"));
  EXPECT_FALSE(coq_theorem(*find_lemma("nested-floor"), other).ok());
}

TEST(LemmaCoq, TheInductionOverLayoutStepsUsesTheLemmas) {
  EXPECT_THAT(coq_tilings(), HasSubstr("Require Import lemmas."));
  EXPECT_THAT(coq_tilings(), HasSubstr("digit_quotient"));
  EXPECT_THAT(coq_tilings(), Not(HasSubstr("Admitted")));
}

}  // namespace
}  // namespace tileproof::lemmas
