// SPDX-License-Identifier: Apache-2.0
#include "spec/layout/explain_index.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/layout/any_layout.h"

namespace tileproof::spec {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Explanation explained(absl::string_view text, const Dims& index,
                      std::optional<int64_t> bits = std::nullopt) {
  const absl::StatusOr<AnyLayout> layout = parse_any_layout(text);
  EXPECT_TRUE(layout.ok()) << layout.status();
  return explain_index(*layout_function(*layout), index, bits);
}

// "(moves) pad dimension 0 to 4 [4,5] [2,3]"
std::vector<std::string> steps(const Explanation& explanation) {
  std::vector<std::string> lines;
  for (const ExplainedStep& step : explanation.steps) {
    lines.push_back(absl::StrCat(step.moves ? "(moves) " : "", step.step, " [",
                                 absl::StrJoin(step.dims, ","), "] [",
                                 absl::StrJoin(step.index, ","), "]"));
  }
  return lines;
}

TEST(Explanation, HasTheTileAndThePlaceInIt) {
  const Explanation found = explained("f32[3,5]{1,0:T(2,2)}", {2, 3}, 32);
  EXPECT_THAT(found.index, ElementsAre(2, 3));
  EXPECT_THAT(found.physical, ElementsAre(1, 1, 0, 1));
  EXPECT_THAT(found.tile, ElementsAre(1, 1));
  EXPECT_THAT(found.position, ElementsAre(0, 1));
  EXPECT_THAT(found.tiles, ElementsAre(2, 3));
  EXPECT_THAT(found.tile_dims, ElementsAre(2, 2));
  EXPECT_EQ(found.offset, 17);
  EXPECT_EQ(found.bit, 17 * 32);
  EXPECT_EQ(found.unswizzled, std::nullopt);
  EXPECT_THAT(found.modes, IsEmpty());
}

TEST(Explanation, HasEachStepWithTheSizesAndTheIndexAfterIt) {
  EXPECT_THAT(
      steps(explained("f32[3,5]{0,1:T(2,2)L(32)}", {2, 3})),
      ElementsAre(
          "(moves) transpose to dimensions 1,0 [5,3] [3,2]",
          "(moves) pad dimension 0 to 6 [6,3] [3,2]", "(moves) pad dimension 1 to 4 [6,4] [3,2]",
          "(moves) split dimension 0 into tiles of 2 [3,2,4] [1,1,2]",
          "(moves) split dimension 2 into tiles of 2 [3,2,2,2] [1,1,1,0]",
          "(moves) transpose to dimensions 0,2,1,3 [3,2,2,2] [1,1,1,0]",
          "combine dimensions 0 and 1 [6,2,2] [3,1,0]", "combine dimensions 0 and 1 [12,2] [7,0]",
          "combine dimensions 0 and 1 [24] [14]", "pad dimension 0 to 32 [32] [14]"));
  // A transpose in the order that there is moves nothing.
  EXPECT_THAT(steps(explained("f32[3,5]", {2, 3})),
              ElementsAre("transpose to dimensions 0,1 [3,5] [2,3]",
                          "combine dimensions 0 and 1 [15] [13]"));
}

TEST(Explanation, WithoutTilesTheWholeIndexIsPhysical) {
  const Explanation found = explained("f32[3,5]{0,1}", {2, 3});
  EXPECT_THAT(found.physical, ElementsAre(3, 2));
  EXPECT_THAT(found.tiles, ElementsAre(5, 3));
  EXPECT_THAT(found.tile, IsEmpty());
  EXPECT_THAT(found.position, IsEmpty());
  EXPECT_THAT(found.tile_dims, IsEmpty());
  EXPECT_EQ(found.offset, 11);
  EXPECT_EQ(found.bit, std::nullopt);
  // One dimension: no step counts the offset.
  const Explanation line = explained("f32[7]", {4});
  EXPECT_THAT(line.physical, ElementsAre(4));
  EXPECT_EQ(line.offset, 4);
}

// A tile of higher rank than the array: the dimension in front is of tiles.
TEST(Explanation, ADimensionInFrontIsNotInATile) {
  const Explanation found = explained("f32[5]{0:T(2,2)}", {3});
  EXPECT_THAT(found.tile, ElementsAre(0, 1));
  EXPECT_THAT(found.position, ElementsAre(0, 1));
  EXPECT_THAT(found.tiles, ElementsAre(1, 3));
  EXPECT_THAT(found.tile_dims, ElementsAre(2, 2));
}

// The star combines the number of a tile with the place in it.
TEST(Explanation, WhatIsCombinedWithAPlaceInATileIsInside) {
  const Explanation found = explained("f32[8]{0:T(4)(*,2)}", {5});
  EXPECT_THAT(found.tile, ElementsAre());
  EXPECT_THAT(found.position, ElementsAre(2, 1));
  EXPECT_THAT(found.tile_dims, ElementsAre(4, 2));
}

// A star before the dimensions of the first tile: what it combines is outside.
TEST(Explanation, WhatIsCombinedOutsideOfTilesStaysOutside) {
  const Explanation found = explained("f32[4,6]{1,0:T(2,3)(*,2,2,2)}", {1, 4});
  EXPECT_THAT(found.tile, ElementsAre(0));
  EXPECT_THAT(found.position, ElementsAre(0, 0, 1, 1, 1));
  EXPECT_THAT(found.tiles, ElementsAre(2));
  EXPECT_THAT(found.tile_dims, ElementsAre(1, 2, 2, 2, 2));
}

TEST(Explanation, ABlockedFormatHasSteps) {
  const Explanation found = explained("dnnl:aBc4b:f32[2,6,3]", {1, 5, 2}, 32);
  EXPECT_THAT(found.tile, ElementsAre(1, 1, 2));
  EXPECT_THAT(found.position, ElementsAre(1));
  EXPECT_EQ(found.offset, ((1 * 2 + 1) * 3 + 2) * 4 + 1);
}

TEST(Explanation, ANestedLayoutHasTheDigitsOfEachMode) {
  const Explanation found = explained("((4,2),(4,3)):((4,16),(1,32))", {6, 9}, 8);
  ASSERT_EQ(found.modes.size(), 2);
  EXPECT_EQ(found.modes[0].mode, 0);
  EXPECT_THAT(found.modes[0].extents, ElementsAre(4, 2));
  EXPECT_THAT(found.modes[0].digits, ElementsAre(2, 1));
  EXPECT_THAT(found.modes[0].strides, ElementsAre(4, 16));
  EXPECT_EQ(found.modes[1].mode, 1);
  EXPECT_THAT(found.modes[1].extents, ElementsAre(4, 3));
  EXPECT_THAT(found.modes[1].digits, ElementsAre(1, 2));
  EXPECT_EQ(found.offset, 2 * 4 + 16 + 1 + 2 * 32);
  EXPECT_EQ(found.bit, found.offset * 8);
  EXPECT_THAT(found.steps, IsEmpty());
  const Explanation integer = explained("5:3", {4});
  ASSERT_EQ(integer.modes.size(), 1);
  EXPECT_THAT(integer.modes[0].extents, ElementsAre(5));
  EXPECT_THAT(integer.modes[0].digits, ElementsAre(4));
  EXPECT_EQ(integer.offset, 12);
}

TEST(Explanation, ASwizzledLayoutHasTheOffsetBefore) {
  const Explanation found = explained("Sw<3,3,3> o 1 o (8,64):(64,1)", {1, 0}, 16);
  EXPECT_EQ(found.unswizzled, 65);
  EXPECT_EQ(found.offset, 73);
  EXPECT_EQ(found.bit, 73 * 16);
  EXPECT_EQ(found.modes.size(), 2);
}

TEST(Explanation, AMemrefHasItsOffset) {
  const Explanation found = explained("memref<4x8xf32, strided<[1, 4], offset: 3>>", {2, 5}, 32);
  EXPECT_EQ(found.offset, 25);
  EXPECT_EQ(found.bit, 25 * 32);
  EXPECT_THAT(found.steps, IsEmpty());
}

TEST(Explanation, ABitBeyond64BitsIsLeftOut) {
  const Explanation found = explained("2:9223372036854775806", {1}, 2);
  EXPECT_EQ(found.offset, 9223372036854775806);
  EXPECT_EQ(found.bit, std::nullopt);
}

}  // namespace
}  // namespace tileproof::spec
