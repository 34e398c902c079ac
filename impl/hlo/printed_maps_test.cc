// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/printed_maps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "impl/hlo/indexing_testing.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

using testing::ElementsAre;

// The maps of a leaf of the root's result, each with its operand and leaf.
std::vector<std::string> of_root(const char* text, Direction direction, int32_t leaf = 0) {
  const HloModule module = module_of(text);
  IndexingAnalysis analysis(module);
  PrintedMaps maps(analysis, module.entry, module.computations[module.entry].root, direction);
  std::vector<std::string> found;
  const auto all = maps.of_result(leaf);
  EXPECT_TRUE(all.ok()) << all.status();
  if (!all.ok()) return found;
  for (const MapsBetween& between : *all) {
    for (const IndexedMap& one : between.list->maps) {
      found.push_back(absl::StrCat(between.operand, "#", between.leaf, " ", to_text(one.map)));
    }
  }
  return found;
}

TEST(PrintedMaps, EachOperandOfAResultIsNamedInEitherDirection) {
  const char* const text = "r = f32[5] concatenate(f32[2] p0, f32[3] p1), dimensions={0}";
  EXPECT_THAT(of_root(text, Direction::kOutputToInput),
              ElementsAre("0#0 (d0) -> (d0), domain: d0 in [0, 1]",
                          "1#0 (d0) -> (d0 - 2), domain: d0 in [2, 4]"));
  EXPECT_THAT(of_root(text, Direction::kInputToOutput),
              ElementsAre("0#0 (d0) -> (d0), domain: d0 in [0, 1]",
                          "1#0 (d0) -> (d0 + 2), domain: d0 in [0, 2]"));
}

// Its shape is written where it is used.
TEST(PrintedMaps, AnOperandWithoutAShapeOfItsOwnHasItsMaps) {
  const char* const text =
      "p = frobnicate()\nq = f32[4] parameter(0)\n"
      "ROOT r = f32[8] concatenate(f32[4] p, q), dimensions={0}";
  EXPECT_THAT(of_root(text, Direction::kInputToOutput),
              ElementsAre("0#0 (d0) -> (d0), domain: d0 in [0, 3]",
                          "1#0 (d0) -> (d0 + 4), domain: d0 in [0, 3]"));
}

TEST(PrintedMaps, EachLeafHasTheMapsOfItsOwn) {
  const char* const text =
      "f { a = f32[2] parameter(0)\n b = (f32[3], f32[4]) parameter(1)\n"
      "  c = f32[4] get-tuple-element(b), index=1\n r = f32[4] reverse(c), dimensions={0}\n"
      "  ROOT t = (f32[2], f32[4]) tuple(a, r) }\n"
      "ENTRY e { p = f32[2] parameter(0)\n q = (f32[3], f32[4]) parameter(1)\n"
      "  ROOT r = (f32[2], f32[4]) fusion(p, q), kind=kLoop, calls=f }";
  for (const Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
    EXPECT_THAT(of_root(text, direction, 0), ElementsAre("0#0 (d0) -> (d0), domain: d0 in [0, 1]"));
    EXPECT_THAT(of_root(text, direction, 1),
                ElementsAre("1#1 (d0) -> (-d0 + 3), domain: d0 in [0, 3]"));
  }
}

}  // namespace
}  // namespace tileproof::impl
