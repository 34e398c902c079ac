// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/merge_maps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "impl/hlo/indexing_testing.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

using testing::ElementsAre;

std::vector<std::string> merged(const std::vector<std::string>& texts) {
  std::vector<IndexedMap> maps;
  for (const std::string& text : texts) maps.push_back({*parse_map(text), {}});
  merge_maps(maps);
  std::vector<std::string> result;
  for (const IndexedMap& one : maps) result.push_back(to_text(one.map));
  return result;
}

TEST(MergeMaps, AVariableOfOneValueIsReplaced) {
  EXPECT_THAT(merged({"(d0, d1) -> (d0, d1 + d0), domain: d0 in [0, 0], d1 in [0, 3]"}),
              ElementsAre("(d0, d1) -> (0, d1), domain: d0 in [0, 0], d1 in [0, 3]"));
  EXPECT_THAT(
      merged({"(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 3], s0 in [2, 2], s1 in [0, 1]"}),
      ElementsAre("(d0)[s0] -> (2, s0), domain: d0 in [0, 3], s0 in [0, 1]"));
}

TEST(MergeMaps, BoundsThatTouchAreJoined) {
  EXPECT_THAT(merged({"(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [128, 255]",
                      "(d0)[s0] -> (s0 + 128), domain: d0 in [0, 3], s0 in [0, 63]",
                      "(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 127]"}),
              ElementsAre("(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 255]"));
  EXPECT_THAT(merged({"(d0) -> (d0), domain: d0 in [4, 7]", "(d0) -> (d0), domain: d0 in [0, 3]"}),
              ElementsAre("(d0) -> (d0), domain: d0 in [0, 7]"));
  EXPECT_THAT(merged({"(d0, d1) -> (), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [0, 4]",
                      "(d0, d1) -> (), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [5, 8]"}),
              ElementsAre("(d0, d1) -> (), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [0, 8]"));
}

TEST(MergeMaps, AMapInsideOfAnotherGoes) {
  const std::string bounds = ", domain: d0 in [0, 7], d1 in [0, 7]";
  const std::string identity = "(d0, d1) -> (d0, d1)" + bounds;
  const std::string below = identity + ", d0 - d1 in [0, 7]";
  EXPECT_THAT(merged({identity, below}), ElementsAre(identity));
  EXPECT_THAT(merged({below, identity}), ElementsAre(identity));
  const std::string far = identity + ", d0 - d1 in [3, 7], d0 + d1 in [0, 3]";
  EXPECT_THAT(merged({far, below}), ElementsAre(below));
  // Any index takes the place of one.
  const std::string row = "(d0, d1)[s0] -> (d0, s0)" + bounds + ", s0 in [0, 7]";
  EXPECT_THAT(merged({below, row, identity}), ElementsAre(row));
  const std::string all = "(d0, d1)[s0, s1] -> (s1, s0)" + bounds + ", s0 in [0, 7], s1 in [0, 7]";
  EXPECT_THAT(merged({row, all}), ElementsAre(all));
}

TEST(MergeMaps, BoundsThatFollowFromAConstraintAreJoined) {
  const std::string head = "(d0, d1) -> (), domain: ";
  EXPECT_THAT(merged({head + "d0 in [0, 7], d1 in [0, 7], d0 - d1 in [0, 7]",
                      head + "d0 in [0, 6], d1 in [1, 7], d0 - d1 in [-7, -1]"}),
              ElementsAre("(d0, d1) -> (), domain: d0 in [0, 7], d1 in [0, 7]"));
  const std::vector<std::string> narrower = {
      head + "d0 in [0, 7], d1 in [0, 7], d0 - d1 in [0, 7]",
      head + "d0 in [0, 5], d1 in [1, 7], d0 - d1 in [-7, -1]"};
  EXPECT_EQ(merged(narrower).size(), 2);
}

TEST(MergeMaps, AnImpliedConstraintGoes) {
  const std::string identity = "(d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 7]";
  EXPECT_THAT(merged({identity + ", d0 - d1 in [-7, -1]", identity + ", d0 - d1 in [0, 7]"}),
              ElementsAre(identity));
}

TEST(MergeMaps, OthersStay) {
  const std::vector<std::vector<std::string>> lists = {
      // A gap.
      {"(d0) -> (d0), domain: d0 in [0, 3]", "(d0) -> (d0), domain: d0 in [5, 7]"},
      // Two bounds differ.
      {"(d0, d1) -> (d0), domain: d0 in [0, 3], d1 in [0, 3]",
       "(d0, d1) -> (d0), domain: d0 in [4, 7], d1 in [4, 7]"},
      // Other results.
      {"(d0) -> (d0), domain: d0 in [0, 3]", "(d0) -> (d0 + 1), domain: d0 in [4, 7]"},
      // The range variable is used twice, so that its offset stays.
      {"(d0)[s0] -> (s0 + 4, s0), domain: d0 in [0, 3], s0 in [0, 3]",
       "(d0)[s0] -> (s0, s0), domain: d0 in [0, 3], s0 in [4, 7]"},
      {"(d0)[s0] -> (s0 + 4), domain: d0 in [0, 3], s0 in [0, 3], d0 + s0 in [0, 3]",
       "(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 3]"},
      // The larger map has a condition of its own, or fewer of the indices.
      {"(d0, d1) -> (d0), domain: d0 in [0, 3], d1 in [0, 3], d0 + d1 in [0, 3]",
       "(d0, d1) -> (d0), domain: d0 in [0, 3], d1 in [0, 3], d0 - d1 in [0, 3]"},
      {"(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 2]",
       "(d0) -> (d0), domain: d0 in [0, 3]"},
      // Both coordinates are one variable.
      {"(d0, d1)[s0] -> (s0, s0), domain: d0 in [0, 3], d1 in [0, 3], s0 in [0, 3]",
       "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 3]"},
  };
  for (const auto& list : lists) EXPECT_EQ(merged(list), list);
}

TEST(MergeMaps, UnusedRuntimeVariablesGo) {
  const HloModule module = module_of(
      "p = f32[9,9,9] parameter(0)\ni = s32[] parameter(1)\nj = s32[] parameter(2)\n"
      "k = s32[] parameter(3)\n"
      "ROOT r = f32[2,9,2] dynamic-slice(p, i, j, k), dynamic_slice_sizes={2,9,2}");
  IndexingAnalysis analysis(module);
  const Indexing found = *analysis.reads(0, module.computations[0].root);
  std::vector<IndexedMap> maps = found[0][0].maps;
  merge_maps(maps);
  ASSERT_EQ(maps.size(), 1);
  const IndexedMap array = without_unused_runtime(maps[0]);
  EXPECT_EQ(to_text(array.map),
            "(d0, d1, d2){rt0, rt1} -> (d0 + rt0, d1, d2 + rt1), domain: d0 in [0, 1], d1 in [0, "
            "8], d2 in [0, 1], rt0 in [0, 7], rt1 in [0, 7]");
  ASSERT_EQ(array.runtime.size(), 2);
  EXPECT_EQ(array.runtime[0].position.instruction, 1);
  EXPECT_EQ(array.runtime[1].position.instruction, 3);
  const IndexedMap offset = without_unused_runtime(found[1][0].maps[0]);
  EXPECT_EQ(to_text(offset.map),
            "(d0, d1, d2) -> (), domain: d0 in [0, 1], d1 in [0, 8], d2 in [0, 1]");
  EXPECT_TRUE(offset.runtime.empty());
}

// rt1 is the element of an array whose index is rt0.
TEST(MergeMaps, AVariableThatTheSourceOfAnotherUsesIsUsed) {
  const auto map = [](const std::string& result) {
    return *parse_map("(d0){rt0, rt1} -> (" + result +
                      "), domain: d0 in [0, 3], rt0 in [0, 7], rt1 in [0, 7]");
  };
  const RuntimeSource first{{{}, 1, 0}, map("d0"), {0, 7}};
  const RuntimeSource second{{{}, 2, 0}, map("rt0"), {0, 7}};
  EXPECT_EQ(without_unused_runtime({map("rt1"), {first, second}}).runtime.size(), 2);
  EXPECT_EQ(without_unused_runtime({map("rt0"), {first, second}}).runtime.size(), 1);
  EXPECT_EQ(without_unused_runtime({map("d0"), {first, second}}).runtime.size(), 0);
}

}  // namespace
}  // namespace tileproof::impl
