// Tiles of random programs against the reference.
#include "spec/tile.h"

#include <gtest/gtest.h>

#include "fuzz/choose.h"
#include "fuzz/gen_hlo.h"
#include "impl/tile.h"
#include "spec/lang/hlo_text.h"
#include "spec/lang/map_text.h"
#include "verify/tile_compare.h"

namespace tileproof::verify {
namespace {

TEST(TileTest, ASetIsATileIfItIsAProductOfProgressions) {
  EXPECT_EQ(spec::tile_of({{3}, {5}, {7}}), (spec::Tile{{3, 3, 2}}));
  EXPECT_EQ(spec::tile_of({{3}, {5}, {6}}), std::nullopt);
  EXPECT_EQ(spec::tile_of({{4, 1}}), (spec::Tile{{4, 1, 1}, {1, 1, 1}}));
  EXPECT_EQ(spec::tile_of({{0, 1}, {0, 2}, {1, 1}}), std::nullopt);
  EXPECT_EQ(spec::tile_of({{}}), spec::Tile());
}

TEST(TileTest, ATileLiesInsideItsArray) {
  const auto error_of = [](const impl::Tile& tile) {
    return std::string(impl::expect_tile(tile, {10, 1}).message());
  };
  for (const impl::TileDimension& inside :
       {impl::TileDimension{0, 10, 1}, {9, 1, 1}, {1, 3, 4}, {0, 0, 1}, {10, 0, 1}, {-1, 0, 7}}) {
    EXPECT_EQ(error_of({inside, {0, 1, 1}}), "");
  }
  for (const impl::TileDimension& outside : {impl::TileDimension{0, 11, 1},
                                             {10, 1, 1},
                                             {-1, 1, 1},
                                             {1, 4, 3},
                                             {2, 3, 4},
                                             {1, 1, 9223372036854775807},
                                             {0, 2, 9223372036854775807}}) {
    const bool is_one = outside.size == 1 && outside.offset == 1;
    EXPECT_EQ(error_of({outside, {0, 1, 1}}),
              is_one ? "" : "tile: dimension 0: expected indices inside of [0, 9]");
  }
  EXPECT_EQ(error_of({{0, 1, 1}, {0, 2, 1}}),
            "tile: dimension 1: expected indices inside of [0, 0]");
  for (const impl::TileDimension& none :
       {impl::TileDimension{0, -1, 1}, {0, 1, 0}, {0, 0, 0}, {0, 1, -1}}) {
    EXPECT_NE(error_of({none, {0, 1, 1}}), "");
  }
  EXPECT_NE(error_of({{0, 1, 1}}), "");
  EXPECT_NE(error_of({{0, 1, 1}, {0, 1, 1}, {0, 1, 1}}), "");
}

TEST(TileTest, WhatIsNoTileOfTheArrayIsRefusedByBothInTheSameWords) {
  for (const auto& [tile, message] :
       {std::pair(spec::Tile{{0, 1, 1}}, "tile: expected 2 dimensions, found 1"),
        {spec::Tile{{0, 1, 1}, {0, -1, 1}},
         "tile: dimension 1: expected a size of at least 0 and a stride of at least 1"},
        {spec::Tile{{0, 1, 0}, {0, 1, 1}},
         "tile: dimension 0: expected a size of at least 0 and a stride of at least 1"},
        {spec::Tile{{0, 2, 4}, {0, 1, 1}}, "tile: dimension 0: expected indices inside of [0, 3]"},
        {spec::Tile{{-1, 1, 1}, {0, 1, 1}},
         "tile: dimension 0: expected indices inside of [0, 3]"}}) {
    EXPECT_EQ(spec::indices_of(tile, {4, 8}).status(), absl::InvalidArgumentError(message));
    impl::Tile same;
    for (const spec::TileDimension& t : tile) same.push_back({t.offset, t.size, t.stride});
    EXPECT_EQ(impl::expect_tile(same, {4, 8}), absl::InvalidArgumentError(message));
  }
  EXPECT_TRUE(impl::expect_tile({{0, 4, 1}, {1, 3, 3}}, {4, 8}).ok());
}

TEST(TileTest, ElementsInTooManyPiecesAreNotFoundOut) {
  const impl::IndexedMap reshape{
      *parse_map("(d0) -> (d0 floordiv 1000003, d0 mod 1000003), domain: d0 in [0, 9999999]"), {}};
  const impl::FoundTile found =
      impl::tile_needed({{reshape}, false, ""}, {{0, 3333333, 3}}, {10, 1000003});
  EXPECT_EQ(found.kind, impl::FoundTile::Kind::kUnknown);
  EXPECT_EQ(found.why, "variables that are tied together have many values");
}

// The offset that the tile is moved by may be clamped to others than 0.
TEST(TileTest, AnOffsetIsAddedToWhereTheTileWouldBeginAtZero) {
  const impl::IndexedMap window{
      *parse_map("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in "
                 "[1, 5]"),
      {{{{}, 0, 0}, *parse_map("(d0) -> (), domain: d0 in [0, 3]"), {1, 5}}}};
  const impl::FoundTile found = impl::tile_needed({{window}, false, ""}, {{1, 2, 1}}, {9});
  ASSERT_EQ(found.kind, impl::FoundTile::Kind::kTile) << found.why;
  EXPECT_EQ(found.tile[0].offset, 1);
  ASSERT_EQ(found.tile[0].moved.size(), 1u);
  EXPECT_EQ(found.tile[0].moved[0].factor, 1);
}

// A window is read and written back at the same offsets: all of the array is kept, in other maps
// for other offsets. Of what is written elsewhere that cannot be said.
TEST(TileTest, OffsetsMayMakeNoDifference) {
  const auto needed = [](const std::string& at) {
    const HloModule module =
        parse_hlo_module(
            "ENTRY e {\n t = f32[9] parameter(0)\n i = s32[] parameter(1)\n"
            " j = s32[] parameter(2)\n w = f32[3] dynamic-slice(t, i), dynamic_slice_sizes={3}\n"
            " n = f32[3] negate(w)\n ROOT u = f32[9] dynamic-update-slice(t, n, " +
            at + ")\n}")
            .value();
    impl::IndexingAnalysis analysis(module);
    const auto indexing = analysis.computation(0, 5, 0).value();
    return std::pair(impl::tile_needed(indexing[0][0], {{2, 4, 2}}, {9}),
                     impl::tile_served(indexing[0][0], {{2, 4, 2}}, {9}));
  };
  const auto [same, served] = needed("i");
  for (const impl::FoundTile& found : {same, served}) {
    ASSERT_EQ(found.kind, impl::FoundTile::Kind::kTile) << found.why;
    EXPECT_EQ(found.tile[0].offset, 2);
    EXPECT_EQ(found.tile[0].size, 4);
    EXPECT_EQ(found.tile[0].stride, 2);
    EXPECT_TRUE(found.tile[0].moved.empty());
  }
  EXPECT_EQ(needed("j").first.kind, impl::FoundTile::Kind::kUnknown);
  EXPECT_EQ(needed("j").second.kind, impl::FoundTile::Kind::kUnknown);
}

TEST(TileTest, RandomProgramsAsTheReferenceSays) {
  TileComparison all;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    Choose choose(Choose::Random{seed});
    const GeneratedHlo hlo =
        seed % 2 == 0 ? generate_operation(choose) : generate_computation(choose);
    const absl::StatusOr<HloModule> module = parse_hlo_module(hlo.text);
    ASSERT_TRUE(module.ok()) << hlo.text;
    for (int i = 0; i < 4; ++i) {
      const TileComparison found =
          compare_tiles(*module, module->entry, module->computations[module->entry].root, choose);
      ASSERT_EQ(found.difference, "") << "seed " << seed << "\n" << hlo.text;
      all.tiles += found.tiles;
      all.nothing += found.nothing;
      all.none += found.none;
      all.unknown += found.unknown;
    }
  }
  EXPECT_GT(all.tiles, 2000);
  EXPECT_GT(all.nothing, 100);
  EXPECT_GT(all.none, 30);
  EXPECT_GT(all.tiles, 5 * all.unknown);
}

}  // namespace
}  // namespace tileproof::verify
