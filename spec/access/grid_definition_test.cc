// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "spec/access/grid.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::spec {
namespace {

using ::testing::HasSubstr;

IndexingMap map_of(const std::string& text) {
  const auto map = parse_map(text);
  EXPECT_TRUE(map.ok()) << text << ": " << map.status();
  return map.value_or(IndexingMap());
}

GridOperand operand(const std::string& name, Dims shape, const Dims& block,
                    const std::string& index_map) {
  GridOperand result{
      .name = name, .shape = std::move(shape), .block = {}, .index_map = map_of(index_map)};
  for (const int64_t size : block) result.block.push_back({.size = size});
  return result;
}

GridOperand output(Dims shape, const Dims& block, const std::string& index_map) {
  GridOperand result = operand("out", std::move(shape), block, index_map);
  result.is_output = true;
  return result;
}

GridFacts facts(const Grid& grid) {
  const auto found = grid_facts(grid, 100'000);
  EXPECT_TRUE(found.ok()) << found.status();
  return found.value_or(GridFacts());
}

constexpr char kTwo[] = "(i, j) -> (i, j), domain: i in [0, 1], j in [0, 1]";

TEST(Grid, OneBlockAStep) {
  const GridFacts found = facts({{2, 2}, {true, true}, {output({4, 6}, {2, 3}, kTwo)}});
  EXPECT_FALSE(found.inside || found.covered || found.once || found.races || found.aliases);
  EXPECT_EQ(found.blocks, 4);
  EXPECT_EQ(found.partly, 0);
}

TEST(Grid, TheLastBlockMayBePartlyPadding) {
  const GridFacts found = facts({{2, 2}, {true, true}, {output({3, 5}, {2, 3}, kTwo)}});
  EXPECT_FALSE(found.inside || found.covered);
  EXPECT_EQ(found.partly, 3);
}

TEST(Grid, ABlockWithoutElementsIsOutside) {
  const GridFacts found = facts({{2, 2}, {true, true}, {output({2, 6}, {2, 3}, kTwo)}});
  ASSERT_TRUE(found.inside);
  EXPECT_EQ(*found.inside, (GridFinding{"out", GridStep{1, 0}, {}, {1, 0}, {}}));
}

TEST(Grid, AnElementThatNoStepWritesIsNotCovered) {
  const GridFacts found = facts({{2, 2}, {true, true}, {output({4, 7}, {2, 3}, kTwo)}});
  ASSERT_TRUE(found.covered);
  EXPECT_EQ(found.covered->element, (std::vector<int64_t>{0, 6}));
}

TEST(Grid, StepsThatFollowEachOtherMayWriteOneBlock) {
  const std::string rows = "(i, j) -> (i), domain: i in [0, 1], j in [0, 2]";
  EXPECT_FALSE(facts({{2, 3}, {true, false}, {output({4}, {2}, rows)}}).once);
  const GridFacts at_once = facts({{2, 3}, {true, true}, {output({4}, {2}, rows)}});
  ASSERT_TRUE(at_once.races);
  EXPECT_EQ(*at_once.races, (GridFinding{"out", GridStep{0, 1}, GridStep{0, 0}, {}, {0}}));
}

TEST(Grid, ABlockThatIsLeftAndWrittenAgainIsWrittenTwice) {
  const std::string columns = "(i, j) -> (j), domain: i in [0, 1], j in [0, 2]";
  const GridFacts found = facts({{2, 3}, {false, false}, {output({6}, {2}, columns)}});
  ASSERT_TRUE(found.once);
  EXPECT_EQ(*found.once, (GridFinding{"out", GridStep{1, 0}, GridStep{0, 0}, {}, {0}}));
  EXPECT_FALSE(found.races);
}

TEST(Grid, ElementBlocksOverlap) {
  GridOperand windows = output({5}, {2}, "(i) -> (i), domain: i in [0, 3]");
  windows.block[0].is_element = true;
  const GridFacts found = facts({{4}, {true}, {windows}});
  EXPECT_FALSE(found.covered);
  ASSERT_TRUE(found.races);
  EXPECT_EQ(*found.races, (GridFinding{"out", GridStep{1}, GridStep{0}, {}, {1}}));
  windows.block[0].before = 1;  // begins with padding
  EXPECT_EQ(facts({{4}, {false}, {windows}}).partly, 1);
}

TEST(Grid, AnInputThatSharesMemoryIsReadBeforeItIsOverwritten) {
  const std::string step = "(i) -> (i), domain: i in [0, 2]";
  const std::string mirrored = "(i) -> (2 - i), domain: i in [0, 2]";
  GridOperand same = operand("x", {6}, {2}, step), reversed = operand("x", {6}, {2}, mirrored);
  same.alias = reversed.alias = "out";
  EXPECT_FALSE(facts({{3}, {false}, {same, output({6}, {2}, step)}}).aliases);
  const GridFacts found = facts({{3}, {false}, {reversed, output({6}, {2}, step)}});
  ASSERT_TRUE(found.aliases);
  EXPECT_EQ(*found.aliases, (GridFinding{"x", GridStep{2}, GridStep{0}, {}, {0}}));
  EXPECT_TRUE(facts({{3}, {true}, {reversed, output({6}, {2}, step)}}).races);
}

TEST(Grid, ScalarsTakeAllTheirValues) {
  const std::string paged = "(i){page} -> (page), domain: i in [0, 1], page in [0, 4]";
  const GridFacts found = facts({{2}, {true}, {operand("x", {8}, {2}, paged)}});
  ASSERT_TRUE(found.inside);
  EXPECT_EQ(found.inside->block, (std::vector<int64_t>{4}));
  EXPECT_TRUE(
      absl::IsUnimplemented(grid_facts({{2}, {true}, {output({8}, {2}, paged)}}, 1000).status()));
}

TEST(Grid, WhatDoesNotFitIsAnError) {
  const auto error = [](const Grid& grid) {
    return std::string(grid_facts(grid, 1000).status().message());
  };
  const GridOperand out = output({4, 6}, {2, 3}, kTwo);
  EXPECT_THAT(error({{2, 2}, {true}, {out}}), HasSubstr("expected semantics of 2 dimensions"));
  EXPECT_THAT(error({{2}, {true}, {out}}),
              HasSubstr("operand out: expected an index map of the 1"));
  EXPECT_THAT(error({{2, 2}, {true, true}, {out, out}}), HasSubstr("expected each name once"));
  EXPECT_THAT(error({{3, 2}, {true, true}, {out}}), HasSubstr("to hold the grid"));
  EXPECT_THAT(error({{2, 2}, {true, true}, {output({4}, {2, 3}, kTwo)}}),
              HasSubstr("expected a block of 1 dimensions, found 2"));
  EXPECT_THAT(error({{2, 2}, {true, true}, {output({4000, 6}, {2, 3}, kTwo)}}),
              HasSubstr("too large to enumerate"));
  EXPECT_THAT(error({{2, 2}, {true, true}, {output({INT64_MAX, 6}, {2, 3}, kTwo)}}),
              HasSubstr("expected sizes and padding of at most 2^60"));
  EXPECT_THAT(error({{INT64_MAX, INT64_MAX}, {true, true}, {}}), HasSubstr("too large"));
  GridOperand alias = operand("x", {4, 6}, {2, 3}, kTwo);
  alias.alias = "y";
  EXPECT_THAT(error({{2, 2}, {true, true}, {alias, out}}), HasSubstr("found y"));
}

TEST(Grid, ManyValuesOfAScalarAreTooManyToEnumerate) {
  const GridOperand pages = operand(
      "pages", {8}, {1}, "(i){page} -> (page), domain: i in [0, 1], page in [0, 4294967295]");
  const Grid grid = {{2}, {false}, {pages, output({2}, {1}, "(i) -> (i), domain: i in [0, 1]")}};
  EXPECT_TRUE(absl::IsResourceExhausted(grid_facts(grid, 100'000).status()));
  EXPECT_TRUE(absl::IsResourceExhausted(leaves_its_arrays(grid, {0}, 100'000).status()));
}

// ---- One step ----

TEST(GridStep, RefutesAFact) {
  // Steps 0 and 2 write element 0, and step 3 leaves the array.
  const Grid grid = {
      {4},
      {false},
      {output({2}, {1}, "(i) -> ((i floordiv 3) * 4 + i mod 2), domain: i in [0, 3]")}};
  const auto gap = [&](int64_t i) { return writes_with_a_gap(grid, {i}, 100).value(); };
  EXPECT_TRUE(gap(0) && gap(2));
  EXPECT_FALSE(gap(1) || gap(3));
  EXPECT_TRUE(leaves_its_arrays(grid, {3}, 100).value());
  EXPECT_FALSE(leaves_its_arrays(grid, {2}, 100).value());
  EXPECT_FALSE(has_race(grid, {2}, 100).value());
  Grid at_once = grid;
  at_once.is_parallel[0] = true;
  EXPECT_TRUE(has_race(at_once, {2}, 100).value());
  EXPECT_FALSE(has_race(at_once, {1}, 100).value());
}

TEST(GridStep, ReadsWhatAnotherOneOverwrites) {
  GridOperand in = operand("x", {4}, {2}, "(i) -> (1 - i), domain: i in [0, 1]");
  in.alias = "out";
  const Grid grid = {{2}, {true}, {in, output({4}, {2}, "(i) -> (i), domain: i in [0, 1]")}};
  EXPECT_TRUE(has_race(grid, {0}, 100).value());
  EXPECT_TRUE(has_race(grid, {1}, 100).value());
  EXPECT_FALSE(writes_with_a_gap(grid, {1}, 100).value());
}

TEST(GridStep, AsksAboutAnElement) {
  const Grid grid = {{2}, {true}, {output({3}, {1}, "(i) -> (i * 2), domain: i in [0, 1]")}};
  EXPECT_TRUE(is_written(grid, "out", {2}, 100).value());
  EXPECT_FALSE(is_written(grid, "out", {1}, 100).value());
  EXPECT_THAT(is_written(grid, "out", {3}, 100).status().message(),
              HasSubstr("expected an element of an output"));
  EXPECT_THAT(is_written(grid, "x", {0}, 100).status().message(),
              HasSubstr("expected an element of an output"));
}

TEST(GridStep, RefusesWhatIsNoStep) {
  const Grid grid = {{2}, {true}, {output({2}, {1}, "(i) -> (i), domain: i in [0, 1]")}};
  for (const GridStep& step : {GridStep{2}, GridStep{-1}, GridStep{}, GridStep{0, 0}}) {
    EXPECT_THAT(has_race(grid, step, 100).status().message(),
                HasSubstr("expected a step of the grid"));
  }
  EXPECT_TRUE(absl::IsResourceExhausted(has_race(grid, {0}, 1).status()));
}

}  // namespace
}  // namespace tileproof::spec
