// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/layout/layout_proof.h"

#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "absl/strings/strip.h"
#include "corpus/answers_testing.h"
#include "generate/layout/generate_shape.h"
#include "gtest/gtest.h"
#include "impl/layout/tiled_layout.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/shape_text.h"
#include "verify/prove/layout/is_bitcast_proof.h"

namespace tileproof::verify {
namespace {

LayoutProof prove(absl::string_view text, ProofSession& session) {
  absl::StatusOr<LayoutProof> proof = prove_layout(*parse_shape(text), session);
  EXPECT_TRUE(proof.ok()) << text << ": " << proof.status();
  return *proof;
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

TEST(LayoutProof, TakesNoSolverWhateverTheSizes) {
  ProofSession session;
  EXPECT_EQ(prove("bf16[100,200]{1,0:T(8,128)(2,1)}", session).verdict, Verdict::kProven);
  EXPECT_EQ(prove("bf16[16777217,1000]{1,0:T(8,128)(2,1)}", session).verdict, Verdict::kProven);
  EXPECT_EQ(session.asked, 0);
  EXPECT_EQ(session.identities, 4);
}

TEST(LayoutProof, ProvesAQuestionThatNeedsTheSolverOnce) {
  ProofSession session;
  const char kHard[] = "f32[]{:T(4,210)(3,*,*,8)(*,*,24,16)L(1396)}";
  EXPECT_EQ(prove(kHard, session).verdict, Verdict::kProven);
  const int64_t asked = session.asked;
  EXPECT_GT(asked, 0);
  EXPECT_EQ(prove(kHard, session).verdict, Verdict::kProven);
  EXPECT_EQ(session.asked, asked);
  EXPECT_GT(session.shared, 0);
}

ClosedForms forms_of(const Shape& shape) {
  const absl::StatusOr<impl::TiledLayout> closed = impl::TiledLayout::create(shape);
  EXPECT_TRUE(closed.ok()) << closed.status();
  return {closed->to_offset(), closed->to_index()};
}

std::vector<impl::Divisor*> divisors_of(impl::ClosedForm& form) {
  std::vector<impl::Divisor*> divisors;
  for (impl::Sum& sum : form.sums) {
    for (impl::Sum::Term& term : sum.terms) divisors.push_back(&term.divisor);
  }
  return divisors;
}

// The divisor with one number changed, for each number.
std::vector<impl::Divisor> wrong_divisors(const impl::Divisor& right) {
  const int64_t c = right.value();
  const uint64_t m = right.multiplier();
  const int l = right.shift();
  std::vector<impl::Divisor> wrong = {{c, m, l + 1}};
  if (l > 0) wrong.emplace_back(c, m, l - 1);
  if (m == 0) return wrong;
  wrong.emplace_back(c, m - 1, l);
  wrong.emplace_back(c, m + (uint64_t{1} << l), l);
  return wrong;
}

TEST(LayoutProof, RefutesEachWrongMultiplierAndShift) {
  const Shape shape = *parse_shape("f32[200000000000000000,3]{1,0:T(3000000001,2)}");
  const ClosedForms right = forms_of(shape);
  ProofSession session;
  EXPECT_EQ(prove_layout(shape, right, session)->verdict, Verdict::kProven);
  int64_t refuted = 0;
  const auto refute = [&](ClosedForms forms, impl::ClosedForm ClosedForms::*form) {
    for (impl::Divisor* divisor : divisors_of(forms.*form)) {
      const impl::Divisor kept = *divisor;
      for (const impl::Divisor& wrong : wrong_divisors(kept)) {
        *divisor = wrong;
        const LayoutProof proof = *prove_layout(shape, forms, session);
        EXPECT_EQ(proof.verdict, Verdict::kRefuted) << wrong.value() << " by " << wrong.multiplier()
                                                    << ", " << wrong.shift() << ": " << proof.open;
        EXPECT_NE(proof.counterexample.find("reference: "), std::string::npos);
        ++refuted;
      }
      *divisor = kept;
    }
  };
  refute(right, &ClosedForms::to_offset);
  refute(right, &ClosedForms::to_index);
  EXPECT_GE(refuted, 12);
}

TEST(LayoutProof, DoesNotProveADivisorThatIsWrongForLargerArraysOnly) {
  const Shape shape = *parse_shape("f32[20,8]{1,0:T(8,8)(3,1)}");
  ClosedForms forms = forms_of(shape);
  for (impl::Divisor* divisor : divisors_of(forms.to_offset)) {
    if (divisor->value() != 3) continue;
    *divisor = {3, divisor->multiplier() + 100, divisor->shift()};
    ProofSession session;
    const LayoutProof proof = *prove_layout(shape, forms, session);
    EXPECT_EQ(proof.verdict, Verdict::kUndecided);
    EXPECT_NE(proof.open.find("do not divide by 3"), std::string::npos) << proof.open;
    return;
  }
  FAIL() << "no division by 3";
}

// Over the integers this form is the identity. With words, 2^61 * v0 wraps from v0 = 8 on.
TEST(LayoutProof, RefutesAFormThatIsRightOnlyOverTheIntegers) {
  const int64_t scale = int64_t{1} << 61;
  const impl::ClosedForm scaled = {
      1, {impl::Sum{{{0, scale}}}, impl::Sum{{{1, 1, impl::Divisor(scale)}}}}, {}, {2}};
  ProofSession session;
  const auto prove_scaled = [&](absl::string_view text) {
    const Shape shape = *parse_shape(text);
    return *prove_layout(shape, {scaled, forms_of(shape).to_index}, session);
  };
  EXPECT_EQ(prove_scaled("s8[4]{0}").verdict, Verdict::kProven);
  const LayoutProof wrong = prove_scaled("s8[16]{0}");
  EXPECT_EQ(wrong.verdict, Verdict::kRefuted);
  EXPECT_EQ(wrong.counterexample, "s8[16]{0} --index 15  reference: 15  closed form: 7");
}

TEST(LayoutProof, RefusesFormsOfAnotherRank) {
  const Shape shape = *parse_shape("f32[3,5]{1,0}");
  ProofSession session;
  EXPECT_FALSE(prove_layout(shape, forms_of(*parse_shape("f32[15]{0}")), session).ok());
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

// Decides whether reshapes, transposes and bitcasts are free: worked examples and random small
// layouts.

// "reshape", "bitcast", "transpose 1,0"
Move move_named(absl::string_view name) {
  if (name == "reshape") return {Move::Kind::kReshape, {}};
  if (name == "bitcast") return {Move::Kind::kBitcast, {}};
  EXPECT_TRUE(absl::ConsumePrefix(&name, "transpose ")) << name;
  return {Move::Kind::kTranspose, numbers_of(name)};
}

std::string described(absl::string_view text) {
  const auto [name, in, out] = parts_of<3>(text, "\n");
  const Move move = move_named(name);
  const auto from = spec::layout_function(*parse_any_layout(in));
  const auto to = spec::layout_function(*parse_any_layout(out));
  if (!from.ok() || !to.ok()) return "no layout";
  const auto proof = prove_is_bitcast(*from, *to, move);
  if (!proof.ok()) return std::string(proof.status().message());
  if (proof->verdict == Verdict::kProven) return "free";
  return proof->verdict == Verdict::kRefuted ? proof->counterexample : "undecided";
}

TEST(IsBitcastProof, Answers) { expect_answers("answers/bitcasts.txt", {{"is_free", described}}); }

}  // namespace
}  // namespace tileproof::verify
