// SPDX-License-Identifier: Apache-2.0
// Access relations: runtime variables, number types, limits, and the classification of
// instructions.
#include "spec/hlo/access_relation.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
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

TEST(AccessRelation, RuntimeVariablesHaveTheBoundsOfTheDocument) {
  const AccessRelation slice = access_relation_of_root(*parse_hlo_module(
      "r = f32[1,2,32] dynamic-slice(f32[2,2,258] src, s32[] of1, s32[] of2, s32[] of3), "
      "dynamic_slice_sizes={1,2,32}"));
  ASSERT_EQ(slice.runtime.size(), 3);
  std::vector<int64_t> highs;
  for (const RuntimeVariable& rt : slice.runtime) {
    EXPECT_EQ(rt.low, 0);
    highs.push_back(rt.high);
  }
  EXPECT_THAT(highs, ElementsAre(1, 0, 226));  // the document's ranges
  const AccessRelation gather = access_relation_of_root(*parse_hlo_module(
      "r = f32[1806,7,8,4] gather(f32[33,76,70] operand, s32[1806,2] indices), "
      "offset_dims={1,2,3}, collapsed_slice_dims={}, start_index_map={0,1}, index_vector_dim=1, "
      "slice_sizes={7,8,4}"));
  ASSERT_EQ(gather.runtime.size(), 2);
  EXPECT_EQ(gather.runtime[0].high, 26);
  EXPECT_EQ(gather.runtime[1].high, 68);
  // rt1 reads indices(d0, 1). The document's map to the operand is (d1 + rt0, d2 + rt1, d3).
  const IterationPoint<int64_t> at{{5, 1, 2, 3}, {}, {20, 60}};
  EXPECT_THAT(reach(gather.runtime[1].element, at).index, ElementsAre(5, 1));
  EXPECT_THAT(reach(gather.dependences[0], at).index, ElementsAre(21, 62, 3));
  const AccessRelation update = access_relation_of_root(*parse_hlo_module(
      "r = f32[20,30] dynamic-update-slice(f32[20,30] src, f32[5,10] upd, s32[] of1, s32[] of2)"));
  EXPECT_EQ(update.runtime[0].high, 15);
  EXPECT_EQ(update.runtime[1].high, 20);
}

TEST(AccessRelation, DependsOnEveryElementThatRangeValuesReach) {
  const AccessRelation dot = access_relation_of_root(
      *parse_hlo_module("r = f32[2,4] dot(f32[2,3] a, f32[3,4] b), lhs_contracting_dims={1}, "
                        "rhs_contracting_dims={0}"));
  const auto holds = [&](const std::vector<int64_t>& o, int64_t s, const std::vector<int64_t>& i) {
    return depends_on(dot.dependences[1], IterationPoint<int64_t>{o, {s}, {}}, i);
  };
  EXPECT_TRUE(holds({1, 3}, 2, {2, 3}));
  EXPECT_FALSE(holds({1, 3}, 2, {1, 3}));
  EXPECT_FALSE(holds({1, 3}, 3, {3, 3}));  // s is outside its range
}

// A number type with no more than spec/hlo/access_function.h needs.
struct Sure {
  bool is;
  Sure(bool b) : is(b) {}  // NOLINT: a truth value
  Sure operator&&(const Sure& other) const { return is && other.is; }
  Sure operator||(const Sure& other) const { return is || other.is; }
  Sure operator!() const { return !is; }
};
struct Number {
  int64_t v;
  explicit Number(int64_t value) : v(value) {}
  Number operator+(const Number& other) const { return Number(v + other.v); }
  Number operator*(int64_t c) const { return Number(v * c); }
  Sure operator<(int64_t c) const { return v < c; }
  Sure operator==(const Number& other) const { return v == other.v; }
  friend Number floordiv(const Number& x, int64_t c) { return Number(spec::floordiv(x.v, c)); }
  friend Number mod(const Number& x, int64_t c) { return Number(spec::mod(x.v, c)); }
};

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

// Each of these fits. Only the size of its numbers is the problem.
TEST(AccessRelation, RefusesNumbersBeyond56Bits) {
  const std::pair<const char*, const char*> cases[] = {
      {"f32[144115188075855874] pad(f32[2] x, f32[] v), padding=0_144115188075855872",
       "r: expected padding: numbers to 2^56"},
      {"f32[144115188075855873] pad(f32[2] x, f32[] v), padding=0_0_144115188075855871",
       "r: expected padding: numbers to 2^56"},
      {"f32[1] reduce-window(f32[1] x, f32[] i), window={size=1 stride=144115188075855872}",
       "r: expected window: numbers to 2^56, found 144115188075855872"},
      {"f32[2] reduce-window(f32[3] x, f32[] i), window={size=1 stride=72057594037927936 "
       "lhs_dilate=72057594037927936 pad=0_-72057594037927936}",
       "r: expected window: dilated sizes to 2^56"},
      {"f32[1] select-and-scatter(f32[1] x, f32[1] s, f32[] i), "
       "window={size=1 stride=144115188075855872}",
       "r: expected window: numbers to 2^56, found 144115188075855872"},
      {"f32[1,1,1] convolution(f32[1,1,1] x, f32[1,1,1] k), "
       "window={size=1 stride=144115188075855872}, dim_labels=b0f_0io->b0f",
       "r: expected window: numbers to 2^56, found 144115188075855872"},
      {"f32[144115188075855872] scatter(f32[144115188075855872] x, s32[1,1] i, f32[1] u), "
       "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
       "index_vector_dim=1",
       "r: expected sizes to 2^56"},
  };
  for (const auto& [text, error] : cases) {
    const HloModule module = *parse_hlo_module(absl::StrCat("r = ", text));
    const int32_t root = module.computations[module.entry].root;
    const auto relation = access_relation_of(module, module.entry, root, 0);
    EXPECT_EQ(relation.status(), absl::OutOfRangeError(error)) << text;
    EXPECT_EQ(classify(module)[module.entry][root].kind, Kind::kBeyond) << text;
  }
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
  EXPECT_EQ(kinds[1][6].reason, "while: the body's map is not followed through the loop");
}

}  // namespace
}  // namespace tileproof::spec
