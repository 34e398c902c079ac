// SPDX-License-Identifier: Apache-2.0
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "verify/prove/layout/layout_proof.h"

namespace tileproof::verify {
namespace {

using ::testing::HasSubstr;

AnyLayoutProof proof_of(absl::string_view text) {
  const absl::StatusOr<AnyLayout> layout = parse_any_layout(text);
  EXPECT_TRUE(layout.ok()) << layout.status();
  if (!layout.ok()) return {};
  ProofSession session;
  const absl::StatusOr<AnyLayoutProof> proof = prove_any_layout(*layout, session);
  EXPECT_TRUE(proof.ok()) << proof.status();
  return proof.value_or(AnyLayoutProof{});
}

TEST(AnyLayoutProof, EverySystemIsProven) {
  for (const char* text : {
           "f32[3,5]{1,0:T(2,2)}",
           "zN:f16[64,96]",
           "nZ:s8[70,100]",
           "RowMajor:f32[5,7]",
           "((16,4),(16,6)):((16,256),(1,1024))",
           "(4,8):(8,1)",
           "dnnl:nChw16c:f32[2,20,5,5]",
       }) {
    const AnyLayoutProof proven = proof_of(text);
    EXPECT_EQ(proven.proof.verdict, Verdict::kProven) << text << ": " << proven.proof.open;
    EXPECT_THAT(proven.statement, HasSubstr("the closed form is the definition")) << text;
  }
}

TEST(AnyLayoutProof, TheStatementNamesTheTiledForm) {
  EXPECT_THAT(proof_of("zN:f16[64,96]").statement,
              HasSubstr("equal to f16[64,96]{0,1:T(16,16)(16,1)}, where the closed form"));
}

TEST(AnyLayoutProof, WithoutATiledFormTheFormulaIsProvenAndTheReasonGiven) {
  const AnyLayoutProof proven = proof_of("(4,2):(1,1)");
  EXPECT_EQ(proven.proof.verdict, Verdict::kProven);
  EXPECT_THAT(proven.statement, HasSubstr("the formula is the definition; no tiled form: "));
}

}  // namespace
}  // namespace tileproof::verify
