// SPDX-License-Identifier: Apache-2.0
// Tiles of random programs compared with the definition.
#include "spec/access/tile.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "impl/access/tile.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/map/map_text.h"

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

TEST(TileTest, BothRejectInvalidTilesWithTheSameMessage) {
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

TEST(Tile, AnEmptyTileHasNoIndicesWhateverItsOtherSizes) {
  const int64_t long_side = int64_t{1} << 62;
  const auto indices = spec::indices_of({{0, long_side, 1}, {0, 0, 1}}, {long_side, 0});
  ASSERT_TRUE(indices.ok()) << indices.status();
  EXPECT_TRUE(indices->empty());
}

TEST(TileTest, ElementsInTooManyRunsAreUnknown) {
  const impl::IndexedMap reshape{
      *parse_map("(d0) -> (d0 floordiv 1000003, d0 mod 1000003), domain: d0 in [0, 9999999]"), {}};
  const impl::TileResult found =
      impl::tile_needed({{reshape}, false, ""}, {{0, 3333333, 3}}, {10, 1000003});
  EXPECT_EQ(found.kind, impl::TileResult::Kind::kUnknown);
  EXPECT_EQ(found.why, "variables that are tied together have many values");
}

// Clamping may keep the offset that shifts the tile above 0.
TEST(TileTest, AnOffsetIsAddedToWhereTheTileWouldBeginAtZero) {
  const impl::IndexedMap window{
      *parse_map("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in "
                 "[1, 5]"),
      {{{{}, 0, 0}, *parse_map("(d0) -> (), domain: d0 in [0, 3]"), {1, 5}}}};
  const impl::TileResult found = impl::tile_needed({{window}, false, ""}, {{1, 2, 1}}, {9});
  ASSERT_EQ(found.kind, impl::TileResult::Kind::kTile) << found.why;
  EXPECT_EQ(found.tile[0].offset, 1);
  ASSERT_EQ(found.tile[0].moved.size(), 1u);
  EXPECT_EQ(found.tile[0].moved[0].factor, 1);
}

// A window is read and written back at the same offsets: the whole array is kept, by other maps for
// other offsets. For a window that is written elsewhere that is unknown.
TEST(TileTest, OffsetsMayNotMatter) {
  const auto needed = [](const std::string& at) {
    const HloModule module =
        parse_hlo_module(
            "ENTRY e {\n t = f32[9] parameter(0)\n i = s32[] parameter(1)\n"
            " j = s32[] parameter(2)\n w = f32[3] dynamic-slice(t, i), dynamic_slice_sizes={3}\n"
            " n = f32[3] negate(w)\n ROOT u = f32[9] dynamic-update-slice(t, n, " +
            at + ")\n}")
            .value();
    impl::IndexingAnalysis analysis(module);
    const auto indexing = analysis.reads(0, 5, 0, Scope::kComputation).value();
    return std::pair(impl::tile_needed(indexing[0][0], {{2, 4, 2}}, {9}),
                     impl::tile_served(indexing[0][0], {{2, 4, 2}}, {9}));
  };
  const auto [same, served] = needed("i");
  for (const impl::TileResult& found : {same, served}) {
    ASSERT_EQ(found.kind, impl::TileResult::Kind::kTile) << found.why;
    EXPECT_EQ(found.tile[0].offset, 2);
    EXPECT_EQ(found.tile[0].size, 4);
    EXPECT_EQ(found.tile[0].stride, 2);
    EXPECT_TRUE(found.tile[0].moved.empty());
  }
  EXPECT_EQ(needed("j").first.kind, impl::TileResult::Kind::kUnknown);
  EXPECT_EQ(needed("j").second.kind, impl::TileResult::Kind::kUnknown);
}

// ---- Hand-written maps ----

impl::IndexedMap indexed(const std::string& text, std::vector<impl::RuntimeSource> runtime = {}) {
  return {parse_map(text).value(), std::move(runtime)};
}

// The scalar with that number and values in [0, high].
impl::RuntimeSource offset(int32_t number, int64_t high) {
  return {{{}, number, 0}, parse_map("(d0) -> (), domain: d0 in [0, 3]").value(), {0, high}};
}

std::string text_of(const impl::TileResult& found) {
  if (found.kind == impl::TileResult::Kind::kNothing) return "nothing";
  if (found.kind != impl::TileResult::Kind::kTile) return found.why;
  std::string text;
  for (const impl::TileDimension& t : found.tile) {
    absl::StrAppend(&text, text.empty() ? "" : ",", t.offset, ":", t.size, ":", t.stride);
    for (const auto& moved : t.moved) absl::StrAppend(&text, "+", moved.factor, "*rt");
  }
  return text;
}

std::string needed(std::vector<impl::IndexedMap> maps, const impl::Tile& result, int64_t size) {
  return text_of(impl::tile_needed({std::move(maps), false, ""}, result, {size}));
}

std::string served(std::vector<impl::IndexedMap> maps, const impl::Tile& array, int64_t size) {
  return text_of(impl::tile_served({std::move(maps), false, ""}, array, {size}));
}

TEST(TileTest, AnEmptyTileNeedsAndServesNothing) {
  const impl::IndexedMap same = indexed("(d0) -> (d0), domain: d0 in [0, 3]");
  impl::IndexedMap none = same;
  none.map.known_empty = true;
  EXPECT_EQ(needed({same}, {{0, 0, 1}}, 4), "nothing");
  EXPECT_EQ(served({same}, {{0, 0, 1}}, 4), "nothing");
  EXPECT_EQ(needed({none}, {{0, 2, 1}}, 4), "nothing");
  EXPECT_EQ(served({none}, {{0, 2, 1}}, 4), "nothing");
  EXPECT_EQ(needed({none, same, none}, {{1, 2, 2}}, 4), "1:2:2");
  EXPECT_EQ(served({none, same, none}, {{1, 2, 2}}, 4), "1:2:2");
}

// If offsets shift two maps alike, the tile is shifted; otherwise all values must give one answer.
TEST(TileTest, TriesAllValuesUnlessOffsetsShiftAllMapsAlike) {
  const std::vector<impl::RuntimeSource> two = {offset(1, 2), offset(2, 2)};
  const auto map = [&two](const std::string& result, const std::string& domain = "") {
    return indexed("(d0){rt0, rt1} -> (" + result +
                       "), domain: d0 in [0, 3], rt0 in [0, 2], rt1 in [0, 2]" + domain,
                   two);
  };
  const impl::Tile whole = {{0, 4, 1}};
  constexpr char kMoves[] = "it depends on offsets in other ways than a shift";
  EXPECT_EQ(needed({map("d0 + rt0"), map("d0 + rt0 + 4")}, whole, 12), "0:8:1+1*rt");
  EXPECT_EQ(needed({map("d0 + rt0 * 2"), map("d0 + rt0 * 2 + 4")}, whole, 12), "0:8:1+2*rt");
  EXPECT_EQ(needed({map("d0 + rt0"), map("d0 + rt1")}, whole, 12), kMoves);
  EXPECT_EQ(needed({map("d0 + rt0 floordiv 2")}, whole, 12), kMoves);
  EXPECT_EQ(needed({map("d0 + rt0 floordiv 3")}, whole, 12), "0:4:1");
  EXPECT_EQ(needed({map("d0 + rt0 floordiv 2"), map("d0 + rt0")}, whole, 12), kMoves);
  impl::IndexedMap none = map("d0");
  none.map = {};
  none.map.known_empty = true;
  EXPECT_EQ(needed({map("d0 + rt0"), none}, whole, 12), "0:4:1+1*rt");
  EXPECT_EQ(needed({indexed("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 0]",
                            {offset(1, 0)})},
                   whole, 12),
            "0:4:1");
  // One of the two maps reads each element, for every rt0.
  const std::vector<impl::IndexedMap> parts = {map("d0", ", d0 - rt0 in [-2, 0]"),
                                               map("d0", ", d0 - rt0 in [1, 3]")};
  EXPECT_EQ(needed(parts, {{0, 2, 2}}, 4), "0:2:2");
  EXPECT_EQ(served(parts, {{0, 2, 2}}, 4), "0:2:2");
  EXPECT_EQ(needed({parts[0]}, {{0, 2, 2}}, 4), kMoves);
  EXPECT_EQ(served({parts[0]}, {{0, 2, 2}}, 4), "it depends on offsets");
  // Only the stride depends on the value of the offset.
  EXPECT_EQ(needed({indexed("(d0){rt0} -> (rt0 * d0 + d0), domain: d0 in [0, 1], rt0 in [0, 1]",
                            {offset(1, 1)})},
                   {{0, 2, 1}}, 12),
            kMoves);
  EXPECT_EQ(needed({map("rt0 * d0 + d0", ", rt0 in [0, 1], d0 in [0, 1]")}, {{0, 2, 1}}, 12),
            kMoves);
}

TEST(TileTest, DoesNotTryOffsetsWithManyValues) {
  const auto parts = [](int64_t high) {
    const std::string map = "(d0){rt0} -> (d0), domain: d0 in [0, 3], rt0 in [0, ";
    return std::vector<impl::IndexedMap>{
        indexed(absl::StrCat(map, high, "], d0 - rt0 in [-", high, ", 0]"), {offset(1, high)}),
        indexed(absl::StrCat(map, high, "], d0 - rt0 in [1, 3]"), {offset(1, high)})};
  };
  EXPECT_EQ(served(parts(2047), {{0, 2, 2}}, 4), "0:2:2");
  EXPECT_EQ(served(parts(2048), {{0, 2, 2}}, 4), "it depends on offsets");
  EXPECT_EQ(served(parts(2048), {{0, 0, 2}}, 4), "nothing");
  EXPECT_EQ(needed(parts(2048), {{0, 0, 2}}, 4), "nothing");
}

TEST(TileTest, TriesOnlyFeasibleOffsets) {
  impl::RuntimeSource far = offset(1, 4002);
  far.feasible.low = 4000;
  const std::string head = "(d0){rt0} -> (d0), domain: d0 in [0, 3], rt0 in [4000, 4002], ";
  EXPECT_EQ(served({indexed(head + "d0 - rt0 in [-4002, -4000]", {far}),
                    indexed(head + "d0 - rt0 in [-3999, -3997]", {far})},
                   {{0, 2, 2}}, 4),
            "0:2:2");
}

TEST(TileTest, DoesNotTryUnusedOffsets) {
  const std::vector<impl::RuntimeSource> two = {offset(1, 2), offset(2, 1000000)};
  const std::string head =
      "(d0){rt0, rt1} -> (d0), domain: d0 in [0, 3], rt0 in [0, 2], rt1 in [0, 1000000], ";
  std::vector<impl::RuntimeSource> list = two;  // another offset for each element
  list[1].map = parse_map("(d0) -> (d0), domain: d0 in [0, 3]").value();
  for (const auto& offsets : {two, list}) {
    EXPECT_EQ(served({indexed(head + "d0 - rt0 in [-2, 0]", offsets),
                      indexed(head + "d0 - rt0 in [1, 3]", offsets)},
                     {{0, 2, 2}}, 4),
              "0:2:2");
  }
}

// If the answer for the first value of an offset is unknown, the others are not tried.
TEST(TileTest, StopsAtTheFirstOffsetWithoutAnAnswer) {
  const impl::IndexedMap hard =
      indexed("(d0){rt0} -> ((d0 * d0 + rt0) mod 7), domain: d0 in [0, 9999999], rt0 in [0, 2]",
              {offset(1, 2)});
  constexpr char kTied[] = "variables that are tied together have many values";
  EXPECT_EQ(needed({hard}, {{0, 10000000, 1}}, 7), kTied);
  const impl::IndexedMap hard_at_0 = indexed(
      "(d0){rt0} -> ((d0 * d0 * (rt0 - 1)) mod 7), domain: d0 in [0, 9999999], rt0 in [0, 1]",
      {offset(1, 1)});
  EXPECT_EQ(needed({hard_at_0}, {{0, 10000000, 1}}, 7), kTied);
  EXPECT_EQ(served({hard}, {{0, 3, 1}}, 10000000), kTied);
  EXPECT_EQ(needed({hard}, {{0, 7, 1}}, 7), "the indices of dimension 0 have gaps");
}

TEST(TileText, ATripleForEachDimension) {
  const impl::Tile tile = impl::parse_tile("4:5,0:8:2,-1:0:-3").value();
  ASSERT_EQ(tile.size(), 3);
  EXPECT_EQ(tile[0].offset, 4);
  EXPECT_EQ(tile[0].size, 5);
  EXPECT_EQ(tile[0].stride, 1);
  EXPECT_EQ(tile[1].offset, 0);
  EXPECT_EQ(tile[1].size, 8);
  EXPECT_EQ(tile[1].stride, 2);
  EXPECT_EQ(tile[2].offset, -1);
  EXPECT_EQ(tile[2].size, 0);
  EXPECT_EQ(tile[2].stride, -3);
  EXPECT_TRUE(impl::parse_tile("").value().empty());
}

TEST(TileText, EveryOtherTextIsRefused) {
  for (const std::string text : {"4", ":", "4:", ":4", "4:5:", "4:5:6:7", "x:5", "4:x", "4:5:x"}) {
    EXPECT_EQ(impl::parse_tile(text).status().message(),
              "--tile: expected OFFSET:SIZE or OFFSET:SIZE:STRIDE, found '" + text + "'");
    EXPECT_EQ(impl::parse_tile("0:1," + text).status(), impl::parse_tile(text).status());
  }
  EXPECT_FALSE(impl::parse_tile(",").ok());
  EXPECT_EQ(
      impl::parse_tile(std::string(41, '7')).status().message(),
      "--tile: expected OFFSET:SIZE or OFFSET:SIZE:STRIDE, found '" + std::string(40, '7') + "'");
}

}  // namespace
}  // namespace tileproof::verify
