// SPDX-License-Identifier: Apache-2.0
#include "verify/lemmas/tiling_fold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>

namespace tileproof::lemmas {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(TilingFold, EveryPaddedRepeatedTilingOfRankUpToEightIsABijection) {
  int tilings = 0;
  int64_t instances = 0;
  for (size_t rank = 1; rank <= 8; ++rank) {
    const absl::StatusOr<RankFold> fold = fold_all_tilings(rank, 1);
    ASSERT_TRUE(fold.ok()) << "rank " << rank << ": " << fold.status();
    EXPECT_THAT(fold->lemmas,
                ElementsAre("combine-in-bounds", "digit-quotient", "digit-remainder",
                            "indexed-size", "leading-one", "split-in-bounds", "split-undone",
                            "uncombine-in-bounds", "unsplit-in-bounds"));
    tilings += fold->tilings;
    instances += fold->instances;
  }
  std::cout << tilings << " lists of tiles, " << instances
            << " instances of lemmas, each checked\n";
  EXPECT_GT(tilings, 1000);
}

TEST(TilingFold, StepsOfATileMatchTheLayoutDocuments) {
  const std::vector<TilingStep> steps = tiling_steps(3, {2}, false);
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].kind, TilingStep::kSplit);
  EXPECT_EQ(steps[0].dimension, 1u);
  EXPECT_EQ(steps[1].kind, TilingStep::kSplit);
  EXPECT_EQ(steps[1].dimension, 3u);  // after the first split, the last dimension is one further
  EXPECT_EQ(steps[2].kind, TilingStep::kMove);
  EXPECT_THAT(steps[2].order, ElementsAre(0, 1, 3, 2, 4));
}

TEST(TilingFold, ATileOfHigherRankInsertsOnesInFront) {
  const std::vector<TilingStep> steps = tiling_steps(1, {3}, false);
  ASSERT_GE(steps.size(), 2u);
  EXPECT_EQ(steps[0].kind, TilingStep::kOne);
  EXPECT_EQ(steps[1].kind, TilingStep::kOne);
  EXPECT_TRUE(fold_tiling(1, steps).ok());
}

TEST(TilingFold, DerivesTheSixteenDimensionsOfTwoTilesOverRankEight) {
  const absl::StatusOr<TilingFold> fold = fold_tiling(8, tiling_steps(8, {8, 8}, false));
  ASSERT_TRUE(fold.ok()) << fold.status();
  // Splits: two instances each forward, three backward. Combining the 24 dimensions: four forward,
  // two backward.
  EXPECT_EQ(fold->instances, 16 * 5 + 23 * 6);
}

TEST(TilingFold, RefusesStepsThatLoseADimension) {
  const auto refused = [](size_t rank, const std::vector<TilingStep>& steps) {
    return std::string(fold_tiling(rank, steps).status().message());
  };
  EXPECT_THAT(refused(2, {{TilingStep::kMove, 0, {0, 0}}}), HasSubstr("each dimension once"));
  EXPECT_THAT(refused(2, {{TilingStep::kMove, 0, {0}}}), HasSubstr("each dimension once"));
  EXPECT_THAT(refused(2, {{TilingStep::kSplit, 2}}), HasSubstr("step 0: no such dimension"));
  EXPECT_THAT(refused(1, {{TilingStep::kCombine, 0}}), HasSubstr("no such dimensions"));
  EXPECT_THAT(refused(0, {}), HasSubstr("rank 0"));
}

}  // namespace
}  // namespace tileproof::lemmas
