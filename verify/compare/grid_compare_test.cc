// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/grid_compare.h"

#include "gtest/gtest.h"

namespace tileproof::verify {
namespace {

// The property `grid` compares them; it would mean little if the prover left them open.
TEST(GridCompare, IndexMapsDecideMostFactsBothWays) {
  int64_t by_maps = 0, refuted = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Choose choose(Choose::Random{seed});
    const GridComparison found = compare_grid(random_grid(choose));
    EXPECT_EQ(found.difference, "") << "seed " << seed;
    by_maps += found.by_maps;
    refuted += found.refuted;
  }
  EXPECT_GT(by_maps, 400);
  EXPECT_GT(refuted, 60);
}

}  // namespace
}  // namespace tileproof::verify
