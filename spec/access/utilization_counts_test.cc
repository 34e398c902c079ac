// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "spec/access/utilization.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::spec {
namespace {

// "0..3 of 4" for each array of each operand or parameter, or the error.
std::string counts_of(absl::string_view text, int64_t combinations = 1'000,
                      Scope scope = Scope::kInstruction) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  if (!module.ok()) return std::string(module.status().message());
  const int32_t root = module->computations[module->entry].root;
  const auto found = utilization(*module, module->entry, root, scope, combinations);
  if (!found.ok()) return std::string(found.status().message());
  std::string counts;
  for (const auto& leaves : found->read) {
    for (const ElementsRead& one : leaves) {
      absl::StrAppend(&counts, counts.empty() ? "" : ", ", one.least,
                      one.least == one.most ? "" : absl::StrCat("..", one.most), " of ",
                      one.elements);
    }
  }
  for (const std::string& reason : found->conservative) absl::StrAppend(&counts, "; ", reason);
  return counts;
}

constexpr absl::string_view kTooMany = "too many values of offsets to enumerate";

TEST(Utilization, TheExamplesOfTheHeader) {
  EXPECT_EQ(counts_of("s = f32[4,8] slice(f32[10,8] p), slice={[0:8:2], [0:8]}"), "32 of 80");
  EXPECT_EQ(counts_of("g = f32[2,8] gather(f32[3,8] t, s32[2] r), offset_dims={1}, "
                      "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
                      "slice_sizes={1,8}"),
            "8..16 of 24, 2 of 2");
}

TEST(Utilization, AllLeavesOfTheResultCountOnce) {
  EXPECT_EQ(counts_of("t = (f32[2], f32[3]) tuple(f32[2] a, f32[3] b)"), "2 of 2, 3 of 3");
  const std::string parts =
      "p = (f32[4], f32[5]) parameter(0)\na = f32[4] get-tuple-element(p), index=0\n"
      "s = f32[2] slice(a), slice={[0:2]}\nu = f32[2] slice(a), slice={[1:3]}\n"
      "k = f32[1] custom-call(s), custom_call_target=\"k\"\n"
      "r = (f32[2], f32[2], f32[1]) tuple(s, u, k)";
  EXPECT_EQ(counts_of(parts, 1, Scope::kComputation),
            "3 of 4, 0 of 5; k: custom-call \"k\": opaque");
  EXPECT_EQ(counts_of("r = frobnicate(f32[2] a)"), "r: expected a shape of the result");
}

// An offset of s32 goes through -1, .., 9, one of u2 through 0, .., 3.
TEST(Utilization, TriesAsManyValuesAsAreGiven) {
  const auto with = [](absl::string_view type, int64_t combinations, int64_t size = 9) {
    return counts_of(absl::StrCat("r = f32[1] dynamic-slice(f32[", size, "] a, ", type,
                                  "[] i), dynamic_slice_sizes={1}"),
                     combinations);
  };
  EXPECT_EQ(with("s32", 11), "1 of 9, 1 of 1");
  EXPECT_EQ(with("s32", 10), kTooMany);
  EXPECT_EQ(with("u32", 10), "1 of 9, 1 of 1");
  EXPECT_EQ(with("u32", 9), kTooMany);
  EXPECT_EQ(with("u2", 4), "1 of 9, 1 of 1");
  EXPECT_EQ(with("u2", 3), kTooMany);
  EXPECT_EQ(with("s2", 3), "1 of 9, 1 of 1");  // -1, 0, 1
  EXPECT_EQ(with("s2", 2), kTooMany);
  EXPECT_EQ(with("s32", 3, 1), "1 of 1, 1 of 1");
  EXPECT_EQ(with("s32", 2, 1), kTooMany);
  const std::string two =
      "r = f32[1,1] dynamic-slice(f32[1,2] a, s32[] i, s32[] j), dynamic_slice_sizes={1,1}";
  EXPECT_EQ(counts_of(two, 16), "1 of 2, 1 of 1, 1 of 1");
  EXPECT_EQ(counts_of(two, 15), kTooMany);
}

// The largest size counts wherever it is: of an operand, of a part, or in another computation.
TEST(Utilization, ValuesGoUpToTheLargestSizeOfTheModule) {
  const std::string slice =
      "i = s32[] parameter(0)\na = f32[2] parameter(1)\n"
      "r = f32[1] dynamic-slice(a, i), dynamic_slice_sizes={1}";
  EXPECT_EQ(counts_of(slice, 4), "1 of 2, 1 of 1");
  EXPECT_EQ(counts_of(slice, 3), kTooMany);
  const std::string with_part = "t = (f32[1], f32[1,7]) parameter(2)\n" + slice;
  EXPECT_EQ(counts_of(with_part, 9), "1 of 2, 1 of 1");
  EXPECT_EQ(counts_of(with_part, 8), kTooMany);
  const std::string with_call =
      "HloModule m\nf {\n q = f32[6] parameter(0)\n ROOT n = f32[6] negate(q)\n}\nENTRY e {\n" +
      slice + "\n}";
  EXPECT_EQ(counts_of(with_call, 8), "1 of 2, 1 of 1");
  EXPECT_EQ(counts_of(with_call, 7), kTooMany);
}

// The shape of `a` is written where it is used.
TEST(Utilization, AnOperandMayHaveTheLargestSize) {
  const std::string text =
      "a = frobnicate()\ni = s32[] parameter(0)\n"
      "r = f32[1] dynamic-slice(f32[5] a, s32[] i), dynamic_slice_sizes={1}";
  EXPECT_EQ(counts_of(text, 7), "1 of 5, 1 of 1");
  EXPECT_EQ(counts_of(text, 6), kTooMany);
}

// Which update lands depends on both indices.
TEST(Utilization, TheLeastAndTheMostOverAllValues) {
  EXPECT_EQ(counts_of("s = f32[2] scatter(f32[2] a, s32[2,1] i, f32[2] u), update_window_dims={}, "
                      "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                      "index_vector_dim=1, to_apply=f"),
            "2 of 2, 2 of 2, 0..2 of 2");
  const HloModule module = *parse_hlo_module(
      "g = f32[2] gather(f32[3] t, s32[2] r), offset_dims={}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=1, slice_sizes={1}");
  const int32_t root = module.computations[module.entry].root;
  for (const int64_t step : {0, 1}) {
    const auto value = [&](const HloElement& at) { return at.index[0] * step; };
    const auto found = utilization_at(module, module.entry, root, Scope::kInstruction, value);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->read[0][0].least, step + 1);
    EXPECT_EQ(found->read[0][0].most, step + 1);
    EXPECT_EQ(found->read[0][0].elements, 3);
  }
}

}  // namespace
}  // namespace tileproof::spec
