// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/map/grid_check.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "generate/choose/choose.h"
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

constexpr GridCheckOptions kByBlocks = {.of_maps = {}, .elements = 0};
constexpr GridCheckOptions kByMaps = {.of_maps = {}, .elements = 0, .steps = 0};

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

// A random grid of at most 64 steps with one output.
Grid random_grid(Choose& choose) {
  Grid grid;
  std::vector<std::string> names, bounds;
  for (int64_t d = choose.between(1, 3); d > 0; --d) {
    grid.sizes.push_back(choose.between(1, 4));
    grid.is_parallel.push_back(choose.chance(1, 3));
    names.push_back(absl::StrCat("d", names.size()));
    bounds.push_back(absl::StrCat(names.back(), " in [0, ", grid.sizes.back() - 1, "]"));
  }
  Dims shape, block;
  std::vector<std::string> results;
  for (int64_t d = choose.between(1, 2); d > 0; --d) {
    shape.push_back(choose.between(1, 8));
    block.push_back(choose.between(1, 3));
    const std::string& name = choose.pick(names);
    results.push_back(choose.pick<std::string>(
        {name, name, absl::StrCat(name, " * 2"), absl::StrCat(name, " floordiv 2"),
         absl::StrCat(name, " + ", choose.pick(names)), absl::StrCat("2 - ", name), "1"}));
  }
  grid.operands.push_back(
      output(shape, block,
             absl::StrCat("(", absl::StrJoin(names, ", "), ") -> (", absl::StrJoin(results, ", "),
                          "), domain: ", absl::StrJoin(bounds, ", "))));
  return grid;
}

TEST(GridCheck, BlocksAndMapsAgreeWithTheReference) {
  int refuted = 0, by_maps = 0;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    Choose choose(Choose::Random{seed});
    const Grid grid = random_grid(choose);
    const CheckedGrid right = checked(grid), blocks = checked(grid, kByBlocks);
    const CheckedGrid maps = checked(grid, kByMaps);
    const std::string text = to_text(grid.operands[0].index_map);
    const auto compare = [&](const char* name, const CheckedGridFact& expected,
                             const CheckedGridFact& block, const CheckedGridFact& map) {
      EXPECT_EQ(block.verdict, expected.verdict) << "seed " << seed << ", " << name << ": " << text;
      if (map.verdict == Verdict::kUndecided) return;
      EXPECT_EQ(map.verdict, expected.verdict) << "seed " << seed << ", " << name << ": " << text;
      ++by_maps;
      refuted += map.verdict == Verdict::kRefuted ? 1 : 0;
    };
    compare("inside", right.inside, blocks.inside, maps.inside);
    compare("covered", right.covered, blocks.covered, maps.covered);
    compare("once", right.once, blocks.once, maps.once);
    compare("races", right.races, blocks.races, maps.races);
  }
  EXPECT_GT(refuted, 200);
  EXPECT_GT(by_maps, 1500);
}

}  // namespace
}  // namespace tileproof::verify
