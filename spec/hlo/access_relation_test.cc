// SPDX-License-Identifier: Apache-2.0
// Access relations: runtime variables, number types, limits, and the classification of
// instructions.
#include "spec/hlo/access_relation.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "corpus/answers_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/hlo/classification.h"
#include "spec/hlo/number_testing.h"
#include "spec/hlo/runtime_value.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::spec {
namespace {

using ::testing::ElementsAre;
using Kind = Classification::Kind;

AccessRelation access_relation_of_root(const HloModule& module) {
  const HloComputation& entry = module.computations[module.entry];
  const auto relation = access_relation_of(module, module.entry, entry.root, 0);
  EXPECT_TRUE(relation.ok()) << relation.status();
  return *relation;
}

std::string relation(absl::string_view text) {
  const HloModule module = *parse_hlo_module(text);
  const int32_t root = module.computations[module.entry].root;
  const absl::Status status = access_relation_of(module, module.entry, root, 0).status();
  const bool is_beyond = classify(module)[module.entry][root].kind == Kind::kBeyond;
  EXPECT_EQ(is_beyond, absl::IsOutOfRange(status)) << text << ": " << status;
  return status.ok() ? "it has one" : absl::StrCat(is_beyond ? "beyond: " : "", status.message());
}

std::string runtime_bounds(absl::string_view text) {
  const AccessRelation of = access_relation_of_root(*parse_hlo_module(text));
  return absl::StrJoin(of.runtime, " ", [](std::string* out, const RuntimeVariable& rt) {
    absl::StrAppend(out, "[", rt.low, ", ", rt.high, "]");
  });
}

TEST(AccessRelation, Answers) {
  expect_answers("answers/access_relations.txt",
                 {{"bounds", runtime_bounds}, {"relation", relation}});
}

// rt1 reads indices(d0, 1). The document's map to the operand is (d1 + rt0, d2 + rt1, d3).
TEST(AccessRelation, RuntimeVariablesReadElements) {
  const AccessRelation gather = access_relation_of_root(*parse_hlo_module(
      "r = f32[1806,7,8,4] gather(f32[33,76,70] operand, s32[1806,2] indices), "
      "offset_dims={1,2,3}, collapsed_slice_dims={}, start_index_map={0,1}, index_vector_dim=1, "
      "slice_sizes={7,8,4}"));
  const IterationPoint<int64_t> at{{5, 1, 2, 3}, {}, {20, 60}};
  EXPECT_THAT(reach(gather.runtime[1].element, at).index, ElementsAre(5, 1));
  EXPECT_THAT(reach(gather.dependences[0], at).index, ElementsAre(21, 62, 3));
}

TEST(AccessRelation, RangeValuesReachElements) {
  const AccessRelation dot = access_relation_of_root(
      *parse_hlo_module("r = f32[2,4] dot(f32[2,3] a, f32[3,4] b), lhs_contracting_dims={1}, "
                        "rhs_contracting_dims={0}"));
  EXPECT_THAT(reach(dot.dependences[1], IterationPoint<int64_t>{{1, 3}, {2}, {}}).index,
              ElementsAre(2, 3));
  const AccessRelation all = access_relation_of_root(
      *parse_hlo_module("r = f32[4] custom-call(f32[2,3] a), custom_call_target=\"k\""));
  EXPECT_THAT(reach(all.dependences[0], IterationPoint<int64_t>{{0}, {1, 2}, {}}).index,
              ElementsAre(1, 2));
}

TEST(RuntimeValue, IntegersOfTypesAndConstants) {
  HloInstruction wide =
      parse_hlo_module("c = s32[2] constant({300, 255})")->computations[0].instructions[0];
  EXPECT_EQ(numbers_of_constant(wide), (std::vector<absl::int128>{300, 255}));
  wide.shape = SharedShape(make_array(ElementType::kU8, {2}));  // the parser refuses that
  EXPECT_EQ(numbers_of_constant(wide), std::nullopt);
  HloInstruction below =
      parse_hlo_module("c = s32[2] constant({-1, 5})")->computations[0].instructions[0];
  below.shape = SharedShape(make_array(ElementType::kU8, {2}));
  EXPECT_EQ(numbers_of_constant(below), std::nullopt);
  wide.shape = SharedShape(make_array(ElementType::kS32, {3}));
  EXPECT_EQ(numbers_of_constant(wide), std::nullopt);
  const HloModule module = *parse_hlo_module(
      "a = s32[2,3] iota(), iota_dimension=1\n"
      "u = s32[?] custom-call(a), custom_call_target=\"k\"\nt = (s8[2], pred[]) parameter(0)");
  const std::vector<HloInstruction>& i = module.computations[0].instructions;
  HloInstruction bare = i[0];
  bare.shape = SharedShape();
  EXPECT_EQ(integer_range_of(bare, 0).has_value(), false);
  EXPECT_EQ(integer_range_of(i[0], 0)->high, 2147483647);
  EXPECT_EQ(integer_range_of(i[0], 1).has_value(), false);
  EXPECT_EQ(integer_range_of(i[1], 0).has_value(), false);
  EXPECT_EQ(integer_range_of(i[2], 0)->low, -128);
  EXPECT_EQ(integer_range_of(i[2], 1)->high, 1);
  EXPECT_EQ(integer_range_of(i[2], 2).has_value(), false);
}

TEST(AccessRelation, WhatARootHandsOnPassesThrough) {
  const auto passes = [](absl::string_view first, absl::string_view second, int64_t leaf) {
    const HloModule module = *parse_hlo_module(
        absl::StrCat("s = (s32[], s32[]) parameter(0)\na = s32[] get-tuple-element(s), index=0\n"
                     "b = s32[] get-tuple-element(s), index=1\nc = s32[] copy(b)\n"
                     "n = s32[] negate(a)\nr = (s32[], s32[]) tuple(",
                     first, ", ", second, ")"));
    return passes_through(module, module.entry, leaf);
  };
  EXPECT_FALSE(passes("n", "c", 0));
  EXPECT_TRUE(passes("n", "c", 1));
  EXPECT_FALSE(passes("c", "a", 0));
  EXPECT_FALSE(passes("c", "a", 1));
}

TEST(AccessRelation, TakesAnyNumberType) {
  const AccessRelation pad = access_relation_of_root(
      *parse_hlo_module("r = f32[6] pad(f32[2] p, f32[] v), padding=1_2_1"));
  for (int64_t o = 0; o < 6; ++o) {
    const IterationPoint<Number> at{{Number(o)}, {}, {}};
    const bool lands = o == 1 || o == 3;
    EXPECT_EQ(reach(pad.dependences[0], at).in_domain.is, lands) << o;
    EXPECT_EQ(reach(pad.dependences[1], at).in_domain.is, !lands) << o;
  }
}

TEST(Classification, OfLoops) {
  const HloModule module = *parse_hlo_module(R"(HloModule m
b {
  s = (s32[], f32[2], f32[2], f32[2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[2] get-tuple-element(s), index=1
  y = f32[2] get-tuple-element(s), index=2
  z = f32[2] get-tuple-element(s), index=3
  one = s32[] constant(1)
  n = s32[] add(i, one)
  ROOT t = (s32[], f32[2], f32[2], f32[2]) tuple(n, x, z, y)
}
k {
  s = (s32[], f32[2], f32[2], f32[2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  two = s32[] constant(2)
  ROOT c = pred[] compare(i, two), direction=LT
}
d {
  s = (s32[], f32[2], f32[2], f32[2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[2] get-tuple-element(s), index=1
  o = f32[2] custom-call(x), custom_call_target="o"
  one = s32[] constant(1)
  n = s32[] add(i, one)
  ROOT t = (s32[], f32[2], f32[2], f32[2]) tuple(n, o, o, o)
}
e {
  x = f32[2] parameter(0)
  ROOT t = f32[2] copy(x)
}
f {
  x = f32[2] parameter(0)
  ROOT p = pred[] constant(true)
}
ENTRY main {
  x = f32[2] parameter(0)
  j = s32[] parameter(1)
  i = s32[] constant(0)
  known = (s32[], f32[2], f32[2], f32[2]) tuple(i, x, x, x)
  open = (s32[], f32[2], f32[2], f32[2]) tuple(j, x, x, x)
  w = (s32[], f32[2], f32[2], f32[2]) while(known), condition=k, body=b
  v = (s32[], f32[2], f32[2], f32[2]) while(open), condition=k, body=b
  u = (s32[], f32[2], f32[2], f32[2]) while(known), condition=k, body=d
  ROOT handed = f32[2] while(x), condition=f, body=e
}
)");
  const auto kinds = classify(module)[module.entry];
  EXPECT_EQ(kinds[5].kind, Kind::kDefined);
  EXPECT_EQ(kinds[6].kind, Kind::kConservative);
  EXPECT_EQ(kinds[6].reason, kUnknownLoop);
  EXPECT_EQ(kinds[7].kind, Kind::kConservative);
  EXPECT_EQ(kinds[7].reason, "custom-call \"o\": opaque");
  EXPECT_EQ(kinds[8].kind, Kind::kDefined);  // though it never ends
}

TEST(Classification, GivesEveryInstructionAKindAndAReason) {
  const HloModule module = *parse_hlo_module(
      "f {\n a = f32[2] parameter(0)\n k = f32[2] custom-call(a), custom_call_target=\"x\"\n"
      " ROOT n = f32[2] negate(k)\n}\n"
      "ENTRY e {\n p = f32[2] parameter(0)\n n = f32[2] negate(p)\n"
      " u = f32[2] fusion(n), kind=kLoop, calls=f\n s = f32[3] slice(u), slice={[0:3]}\n"
      " z = f32[] constant(0)\n q = f32[2] pad(n, z), "
      "padding=-9223372036854775807_9223372036854775807\n"
      " ROOT w = f32[2] while(n), condition=c, body=b\n}");
  const auto kinds = classify(module);
  ASSERT_EQ(kinds.size(), 2);
  EXPECT_EQ(kinds[0][0].kind, Kind::kNoDataflow);
  EXPECT_EQ(kinds[0][1].kind, Kind::kConservative);
  EXPECT_EQ(kinds[0][2].kind, Kind::kDefined);
  EXPECT_EQ(kinds[1][1].kind, Kind::kDefined);
  EXPECT_EQ(kinds[1][2].kind, Kind::kConservative);  // because of the custom-call inside
  EXPECT_EQ(kinds[1][2].reason, "custom-call \"x\": opaque");
  EXPECT_EQ(kinds[1][3].kind, Kind::kRefused);
  EXPECT_THAT(kinds[1][3].reason, ::testing::StartsWith("s: expected a slice within dimension 0"));
  EXPECT_EQ(kinds[1][5].kind, Kind::kBeyond);
  EXPECT_EQ(kinds[1][5].reason, "q: expected padding: numbers to 2^56");
  EXPECT_EQ(kinds[1][6].kind, Kind::kConservative);
  EXPECT_EQ(kinds[1][6].reason, "while of a computation that is not in the text");
}

}  // namespace
}  // namespace tileproof::spec
