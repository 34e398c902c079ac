// SPDX-License-Identifier: Apache-2.0
// Equal terms of two modules: the same expression of the same parameter elements.
#include "spec/hlo/terms.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "corpus/answers_testing.h"
#include "spec/hlo/integer_arithmetic.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::spec {
namespace {

HloModule module_of(absl::string_view text) {
  absl::StatusOr<HloModule> module = parse_hlo_module(text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  return module.ok() ? *std::move(module) : HloModule();
}

std::vector<TermId> terms_in(absl::string_view text, Terms& terms) {
  const HloModule module = module_of(text);
  const int32_t root = module.computations[module.entry].root;
  const auto found = terms_of(module, module.entry, root, 0, terms);
  EXPECT_TRUE(found.ok()) << found.status() << "\n" << text;
  return found.ok() ? found->terms : std::vector<TermId>();
}

bool same(absl::string_view left, absl::string_view right) {
  Terms terms;
  const std::vector<TermId> l = terms_in(left, terms);
  return !l.empty() && l == terms_in(right, terms);
}

std::string entry(absl::string_view body) {
  if (absl::StrContains(body, "ENTRY")) return std::string(body);
  return absl::StrCat("ENTRY e { p = f32[4] parameter(0) q = f32[4] parameter(1) ", body, " }");
}

std::string texts(absl::string_view body) {
  Terms terms;
  return absl::StrJoin(terms_in(entry(body), terms), "\n",
                       [&](std::string* out, TermId term) { out->append(terms.text(term)); });
}

TEST(TermsTest, Answers) {
  const auto compared = [](absl::string_view text) {
    const auto [left, right] = parts_of<2>(text, "\n");
    return std::string(same(entry(left), entry(right)) ? "yes" : "no");
  };
  expect_answers("answers/terms.txt", {{"same", compared}, {"texts", texts}});
}

TEST(TermsTest, TheTextOfWhatIsSharedManyTimesIsCut) {
  std::string body = "ENTRY e { v0 = f32[] parameter(0)";
  for (int k = 1; k <= 100; ++k) {
    absl::StrAppend(&body, " v", k, " = f32[] subtract(v", k - 1, ", v", k - 1, ")");
  }
  Terms terms;
  const TermId deep = terms_in(body + " ROOT r = f32[] negate(v100) }", terms).front();
  EXPECT_LT(terms.text(deep, 200).size(), 1'000);
  EXPECT_LT(terms.text(deep).size(), 12'000);
}

// The mask has more elements than any list of an analysis.
TEST(TermsTest, AMaskIsItsElementsAtAnySize) {
  const std::string head = "ENTRY e { x = f32[16,16] parameter(0) y = f32[16,16] parameter(1) ";
  const auto folded = [&](int64_t last) {
    std::string rows;
    for (int64_t i = 0; i < 16; ++i) {
      absl::StrAppend(&rows, i == 0 ? "{" : "}, {");
      for (int64_t j = 0; j < 16; ++j) {
        const bool is_last = i == 15 && j == 15;
        absl::StrAppend(&rows, j == 0 ? "" : ",", is_last ? last : i >= j ? 1 : 0);
      }
    }
    return absl::StrCat(head, "m = pred[16,16] constant({", rows, "}}) ",
                        "ROOT s = f32[16,16] select(m, x, y) }");
  };
  const std::string computed = absl::StrCat(
      head,
      "i = s32[16,16] iota(), iota_dimension=0 j = s32[16,16] iota(), iota_dimension=1 "
      "m = pred[16,16] compare(i, j), direction=GE ROOT s = f32[16,16] select(m, x, y) }");
  EXPECT_TRUE(same(computed, folded(1)));
  EXPECT_FALSE(same(computed, folded(0)));
}

TEST(TermsTest, IntegersOfNoParameterAreEvaluated) {
  std::string chain = "ENTRY e { v0 = u8[] constant(0) one = u8[] constant(1) ";
  for (int64_t k = 0; k < 300; ++k) {
    absl::StrAppend(&chain, "v", k + 1, " = u8[] add(v", k, ", one) ");
  }
  EXPECT_EQ(texts(absl::StrCat(chain, "ROOT r = u8[] copy(v300) }")), "44:u8");
}

TEST(TermsTest, APredicateMayBeKnownThoughItsPartsAreNot) {
  const std::string head =
      "ENTRY e { q = pred[] parameter(0) x = f32[] parameter(1) "
      "y = f32[] parameter(2) a = s32[] constant(1) b = s32[] constant(2) "
      "s = s32[] select(q, a, b) ";
  const auto compared = [&](int64_t with) {
    Terms terms;
    const std::string text =
        absl::StrCat(head, "n = s32[] constant(", with, ") c = pred[] compare(s, n), direction=LT ",
                     "ROOT r = f32[] select(c, x, y) }");
    return terms.operands(terms_in(text, terms)[0]).size();
  };
  EXPECT_EQ(compared(3), 2);  // x, as the predicate is true; and what it reads
  EXPECT_EQ(compared(2), 3);
}

TEST(TermsTest, AShownValueIsThereAndDecidesNothing) {
  Terms terms;
  const auto s32 = ElementType::kS32;
  const TermId three = terms.constant(s32, int64_t{3});
  const TermId shown = terms.shown(three);
  const SymbolId add =
      terms.symbol({.text = "add", .opcode = HloOpcode::kAdd, .type = s32, .from = s32});
  const TermId sum = terms.apply(add, {{shown, three}});
  int64_t work = 100;
  EXPECT_EQ(terms.value(sum), 6);
  EXPECT_EQ(terms.possible(sum, work), nullptr);
  EXPECT_EQ(*terms.possible(three, work), std::vector<int64_t>{3});
  EXPECT_EQ(terms.shown(shown), shown);
  // Nothing is known of a parameter.
  const TermId element = terms.element(terms.symbol({.text = "p", .type = s32}), 0);
  EXPECT_EQ(terms.shown(element), element);
}

TEST(TermsTest, ASymbolIsKnownByItsTextAndItsType) {
  Terms terms;
  const SymbolId f = terms.symbol({.text = "f", .type = ElementType::kF32});
  EXPECT_EQ(terms.symbol({.text = "f", .type = ElementType::kF32}), f);
  EXPECT_NE(terms.symbol({.text = "f", .type = ElementType::kPred}), f);
  EXPECT_FALSE(terms.is_unlike(f));
  EXPECT_TRUE(terms.is_unlike(terms.new_symbol({.text = "f", .type = ElementType::kF32})));
}

// Each result is written as XLA gives it.
TEST(IntegerArithmeticTest, IsModuloTheWidthOfItsType) {
  using enum HloOpcode;
  using enum ElementType;
  struct Row {
    HloOpcode opcode;
    ElementType type;
    int64_t a;
    int64_t b;
    int64_t result;
  };
  const Row rows[] = {
      {kAdd, kU8, 200, 100, 44},
      {kAdd, kS8, 127, 1, -128},
      {kSubtract, kU64, 0, 1, -1},  // 2^64 - 1
      {kMultiply, kS32, 1 << 16, 1 << 16, 0},
      {kDivide, kS8, -128, -1, -128},
      {kDivide, kS32, 7, 0, -1},
      {kDivide, kU8, 7, 0, 255},
      {kDivide, kS32, -7, 2, -3},
      {kRemainder, kS32, -7, 2, -1},
      {kRemainder, kS8, -128, -1, 0},
      {kRemainder, kU8, 7, 0, 7},
      {kDivide, kU64, -1, 2, INT64_MAX},
      {kMinimum, kU64, -1, 2, 2},
      {kMaximum, kS64, -1, 2, 2},
      {kShiftLeft, kU8, 255, 4, 240},
      {kShiftLeft, kS32, 1, 32, 0},
      {kShiftRightLogical, kS8, -1, 1, 127},
      {kShiftRightArithmetic, kS8, -128, 1, -64},
      {kShiftRightArithmetic, kS8, -128, 9, -1},
      {kShiftRightLogical, kS32, 5, -1, 0},
      {kAnd, kS8, -1, 6, 6},
      {kXor, kPred, 1, 1, 0},
  };
  for (const Row& row : rows) {
    const std::optional<int64_t> operands[] = {row.a, row.b};
    EXPECT_EQ(evaluated(row.opcode, row.type, row.type, "", operands), row.result)
        << name_of(row.opcode) << " " << info(row.type).name << " " << row.a << ", " << row.b;
  }
}

TEST(IntegerArithmeticTest, OneOperandAndThree) {
  using enum HloOpcode;
  using enum ElementType;
  const auto one = [](HloOpcode opcode, ElementType type, ElementType from, int64_t a) {
    const std::optional<int64_t> operands[] = {a};
    return evaluated(opcode, type, from, "", operands);
  };
  EXPECT_EQ(one(kConvert, kS8, kS32, 200), -56);
  EXPECT_EQ(one(kConvert, kPred, kS32, 2), 1);
  EXPECT_EQ(one(kConvert, kF32, kS32, 2), std::nullopt);
  EXPECT_EQ(one(kBitcastConvert, kU8, kS8, -1), 255);
  EXPECT_EQ(one(kNot, kPred, kPred, 0), 1);
  EXPECT_EQ(one(kNot, kU8, kU8, 1), 254);
  EXPECT_EQ(one(kNegate, kS8, kS8, -128), -128);
  EXPECT_EQ(one(kAbs, kS8, kS8, -128), -128);
  EXPECT_EQ(one(kPopcnt, kS8, kS8, -1), 8);
  EXPECT_EQ(one(kCountLeadingZeros, kU16, kU16, 1), 15);
  const std::optional<int64_t> clamp[] = {0, -5, 3};
  EXPECT_EQ(evaluated(kClamp, kS32, kS32, "", clamp), 0);
  EXPECT_EQ(evaluated(kClamp, kU32, kU32, "", {{0, 9, 3}}), 3);
  const std::optional<int64_t> some[] = {0, std::nullopt};
  EXPECT_EQ(evaluated(kAnd, kPred, kPred, "", some), 0);
  EXPECT_EQ(evaluated(kOr, kPred, kPred, "", some), std::nullopt);
  EXPECT_EQ(evaluated(kCompare, kPred, kU8, "LT", {{255, 1}}), 0);
  EXPECT_EQ(evaluated(kCompare, kPred, kS8, "LT", {{-1, 1}}), 1);
  EXPECT_EQ(evaluated(kCompare, kPred, kS8, "?", {{-1, 1}}), std::nullopt);
}

// A computation with a loop of three results, one of them handed on, and two that need each other.
std::string with_results(absl::string_view root) {
  return absl::StrCat(
      "c { s = (s32[], f32[4], f32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0 "
      "n = s32[] constant(3) ROOT t = pred[] compare(i, n), direction=LT } "
      "b { s = (s32[], f32[4], f32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0 "
      "x = f32[4] get-tuple-element(s), index=1 y = f32[4] get-tuple-element(s), index=2 "
      "o = s32[] constant(1) j = s32[] add(i, o) z = f32[4] subtract(y, x) "
      "ROOT r = (s32[], f32[4], f32[4]) tuple(j, z, x) } "
      "f { p = f32[4] parameter(0) q = f32[4] parameter(1) z = s32[] constant(0) "
      "s = (s32[], f32[4], f32[4]) tuple(z, p, q) "
      "ROOT w = (s32[], f32[4], f32[4]) while(s), condition=c, body=b } ",
      entry(absl::StrCat("w = (s32[], f32[4], f32[4]) call(p, q), to_apply=f ", root)));
}

TEST(TermsTest, AllResultsAtOnceAreEachResultByItself) {
  for (const char* root :
       {"ROOT r = (s32[], f32[4], f32[4]) copy(w)", "ROOT r = f32[4] get-tuple-element(w), index=2",
        "x = f32[4] get-tuple-element(w), index=1 ROOT r = (f32[4], (s32[], f32[4], f32[4])) "
        "tuple(x, w)"}) {
    const HloModule module = module_of(with_results(root));
    const int32_t at = module.computations[module.entry].root;
    Terms terms;
    const auto all = terms_of_all(module, module.entry, at, terms);
    ASSERT_TRUE(all.ok()) << all.status();
    for (int64_t leaf = 0; leaf < std::ssize(*all); ++leaf) {
      const auto one = terms_of(module, module.entry, at, leaf, terms);
      ASSERT_TRUE(one.ok()) << one.status();
      EXPECT_EQ((*all)[leaf].terms, one->terms) << root << ", leaf " << leaf;
      EXPECT_EQ((*all)[leaf].dims, one->dims);
    }
  }
}

}  // namespace
}  // namespace tileproof::spec
