// SPDX-License-Identifier: Apache-2.0
// The known-wrong rules: Z3 refutes each false lemma with a point that plain evaluation confirms,
// and none gets a certificate.
#include <gtest/gtest.h>

#include <iostream>

#include "verify/lemmas/false_lemmas_testing.h"
#include "verify/prove/lemmas/lemma_proof.h"
#include "verify/prove/lemmas/lemma_refutation.h"

namespace tileproof::lemmas {
namespace {

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

}  // namespace
}  // namespace tileproof::lemmas
