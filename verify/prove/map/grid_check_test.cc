// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/map/grid_check.h"

#include <gtest/gtest.h>

#include <string>

#include "spec/lang/map/map_text.h"

namespace tileproof::verify {
namespace {

using spec::Grid;
using spec::GridOperand;

GridOperand output(const Dims& shape, const Dims& block, const std::string& index_map) {
  GridOperand result{.name = "out",
                     .is_output = true,
                     .shape = shape,
                     .block = {},
                     .index_map = parse_map(index_map).value()};
  for (const int64_t size : block) result.block.push_back({.size = size});
  return result;
}

CheckedGrid checked(const Grid& grid, const GridCheckOptions& options = {}) {
  const auto found = check_grid(grid, options);
  EXPECT_TRUE(found.ok()) << found.status();
  return found.value_or(CheckedGrid());
}

TEST(GridCheck, LargeGridsAreDecidedByTheirMaps) {
  // A matrix product: the last dimension adds up.
  const Grid product = {{1024, 2048, 4096},
                        {true, true, false},
                        {output({131072, 262144}, {128, 128},
                                "(i, j, k) -> (i, j), domain: i in [0, 1023], j in [0, 2047], k in "
                                "[0, 4095]")}};
  const CheckedGrid found = checked(product);
  for (const CheckedGridFact& fact : {found.inside, found.covered, found.once, found.races}) {
    EXPECT_EQ(fact.verdict, Verdict::kProven) << fact.open;
  }
  Grid wrong = product;  // two steps at once add to one block
  wrong.is_parallel[2] = true;
  const CheckedGrid race = checked(wrong);
  ASSERT_EQ(race.races.verdict, Verdict::kRefuted) << race.races.open;
  EXPECT_EQ(text_of_collision(*race.races.finding),
            "step (0, 0, 0) and step (0, 0, 1) both touch out[0, 0]");
}

TEST(GridCheck, ALargeGridThatLeavesItsArray) {
  const Grid groups = {{1 << 24},
                       {true},
                       {output({4194301, 4}, {1, 1},
                               "(pid) -> ((pid floordiv 32) * 8 + pid mod 8, (pid mod 32) floordiv "
                               "8), domain: pid in [0, 16777215]")}};
  const CheckedGrid found = checked(groups);
  ASSERT_EQ(found.inside.verdict, Verdict::kRefuted) << found.inside.open;
  EXPECT_GE(found.inside.finding->block[0], 4194301);
}

TEST(GridCheck, FindingsAreTexts) {
  EXPECT_EQ(text_of_outside({"x", spec::GridStep{3, 0}, {}, {3, 0}, {}}),
            "step (3, 0): block (3, 0) of x has no element");
  EXPECT_EQ(text_of_uncovered({"out", {}, {}, {}, {0, 128}}), "out[0, 128] is never written");
}

}  // namespace
}  // namespace tileproof::verify
