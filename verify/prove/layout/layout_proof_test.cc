#include "verify/prove/layout/layout_proof.h"

#include <iostream>
#include <string>

#include "generate/layout/generate_shape.h"
#include "gtest/gtest.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::verify {
namespace {

LayoutProof prove(absl::string_view text, ProofSession& session) {
  absl::StatusOr<LayoutProof> proof = prove_layout(*parse_shape(text), session);
  EXPECT_TRUE(proof.ok()) << text << ": " << proof.status();
  return *proof;
}

TEST(Solver, ProvesTrueFormulasAndRefutesFalseOnesWithValues) {
  ProofSession session;
  SmtContext context(session);
  const SmtTerm one_value = context.variable(1);
  const SmtTerm x = context.variable(20);
  EXPECT_EQ(context.prove(floordiv(x, 8) * 8 + mod(x, 8) == x), Verdict::kProven);
  EXPECT_EQ(context.prove(floordiv(floordiv(x, 2), 4) == floordiv(x, 8)), Verdict::kProven);
  EXPECT_EQ(context.prove(floordiv(x, 8) < 3), Verdict::kProven);
  EXPECT_EQ(context.prove(one_value == SmtTerm(0)), Verdict::kProven);
  EXPECT_EQ(context.prove(floordiv(x, 8) < 2), Verdict::kRefuted);
  ASSERT_TRUE(context.counterexample().has_value());
  EXPECT_EQ((*context.counterexample())[0], 0);
  EXPECT_GE((*context.counterexample())[1], 16);
  EXPECT_LT((*context.counterexample())[1], 20);
}

TEST(Solver, AsksEqualQuestionsOnce) {
  ProofSession session;
  for (int64_t bound : {100, 1000, 10000}) {
    SmtContext context(session);
    const SmtTerm x = context.variable(bound);
    EXPECT_EQ(context.prove(floordiv(floordiv(x, 2), 4) == floordiv(x, 8)), Verdict::kProven);
  }
  EXPECT_EQ(session.asked, 1);
  EXPECT_EQ(session.shared, 2);
}

TEST(LayoutProof, ProvesTheStepLemmasForAllIntegers) {
  ProofSession session;
  EXPECT_EQ(prove_step_lemmas(session), Verdict::kProven);
}

TEST(LayoutProof, ProvesLayoutsOfEverySizeAndKind) {
  ProofSession session;
  for (const char* text :
       {"f32[3,5]{1,0:T(2,2)}", "bf16[4,8]{1,0:T(2,4)(2,1)}",
        "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}", "bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}",
        "f32[2,16]{1,0:T(2,4)(*,3,2)}", "f32[13]{0:T(8)(3)}", "f32[]{:T(2)(3,2)}",
        "bf16[]{:T(512)(2,1)}", "f32[0,5]{1,0:T(2,2)}", "f32[123,456,789]{0,1,2:T(2,*,128)}",
        "u8[327680,327680]{1,0:T(8,128)(4,1)}", "f32[64,243,243,384]{3,0,2,1:T(8,128)}",
        "s8[9223372036854775807]{0}", "f32[200001,128]{1,0:T(8)L(1024)}",
        "f32[10,20,30,40]{3,2,1,0:T(16,16,1,1)(16,4,1,1)}"}) {
    const LayoutProof proof = prove(text, session);
    EXPECT_EQ(proof.verdict, Verdict::kProven)
        << text << ": " << proof.open << proof.counterexample;
  }
}

TEST(LayoutProof, ArraysOfAnySizeShareTheProofOfTheirStructure) {
  ProofSession session;
  EXPECT_EQ(prove("bf16[100,200]{1,0:T(8,128)(2,1)}", session).verdict, Verdict::kProven);
  const int64_t asked = session.asked;
  EXPECT_GT(asked, 0);
  EXPECT_EQ(prove("bf16[16777217,1000]{1,0:T(8,128)(2,1)}", session).verdict, Verdict::kProven);
  EXPECT_EQ(session.asked, asked) << "the larger array should need no new solver question";
}

TEST(LayoutProof, ProvesRandomLayouts) {
  ProofSession session;
  session.milliseconds_per_question = 2'000;
  int64_t proven = 0;
  int64_t open = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Choose choose(Choose::Random{seed});
    const Shape shape = random_shape(choose, int64_t{1} << choose.pick<int64_t>({8, 14, 30, 62}));
    const absl::StatusOr<LayoutProof> proof = prove_layout(shape, session);
    if (!proof.ok()) continue;  // too large for 64 bits
    EXPECT_NE(proof->verdict, Verdict::kRefuted) << proof->counterexample;
    ++(proof->verdict == Verdict::kProven ? proven : open);
  }
  std::cout << proven << " proven, " << open << " open; " << session.asked << " questions asked, "
            << session.shared << " shared, " << session.identities << " identities\n";
  EXPECT_GT(proven, 80);
  EXPECT_LE(open, proven / 20);
}

}  // namespace
}  // namespace tileproof::verify
