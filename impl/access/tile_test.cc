// SPDX-License-Identifier: Apache-2.0
#include "impl/access/tile.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "corpus/answers_testing.h"
#include "impl/access/tile_propagation.h"
#include "spec/access/tile.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/symbolic_tile.h"

namespace tileproof::verify {
namespace {

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

std::string text_of(const auto& tile) {
  std::string text;
  for (const auto& t : tile)
    absl::StrAppend(&text, text.empty() ? "" : ",", t.offset, ":", t.size, ":", t.stride);
  return tile.empty() ? "no dimensions" : text;
}

std::string text_of(const impl::TileResult& found) {
  if (found.kind == impl::TileResult::Kind::kNothing) return "nothing";
  if (found.kind != impl::TileResult::Kind::kTile) return found.why;
  std::string text;
  for (const impl::TileDimension& t : found.tile) {
    absl::StrAppend(&text, text.empty() ? "" : ",", text_of(impl::Tile{t}));
    for (const auto& moved : t.moved) absl::StrAppend(&text, "+", moved.factor, "*rt");
  }
  return text;
}

// Its runtime variables are scalars with any value in their bounds.
impl::IndexedMap indexed(absl::string_view text) {
  impl::IndexedMap map{parse_map(text).value(), {}};
  for (const Variable& variable : map.map.runtime) {
    const auto number = static_cast<int32_t>(map.runtime.size() + 1);
    map.runtime.push_back(
        {{{}, number, 0}, parse_map("(d0) -> (), domain: d0 in [0, 3]").value(), variable.bounds});
  }
  return map;
}

// Of an array, a tile and the maps on the lines below.
template <auto function>
std::string found_tile(absl::string_view text) {
  const auto [head, lines] = parts_of<2>(text, "\n");
  const auto [dims, tile] = parts_of<2>(head);
  std::vector<impl::IndexedMap> maps;
  for (const absl::string_view line : absl::StrSplit(lines, '\n')) maps.push_back(indexed(line));
  return text_of(
      function({std::move(maps), false, ""}, impl::parse_tile(tile).value(), numbers_of(dims)));
}

std::string tile_of_set(absl::string_view text) {
  spec::IndexSet set;
  for (const absl::string_view index : absl::StrSplit(text, ';')) set.insert(numbers_of(index));
  const auto tile = spec::tile_of(set);
  return tile ? text_of(*tile) : "nothing";
}

std::string is_inside(absl::string_view text) {
  const auto [array, list] = parts_of<2>(text);
  const impl::Tile tile = impl::parse_tile(list).value();
  const absl::Status status = impl::expect_tile(tile, numbers_of(array));
  spec::Tile same;
  for (const impl::TileDimension& t : tile) same.push_back({t.offset, t.size, t.stride});
  EXPECT_EQ(spec::indices_of(same, numbers_of(array)).status(), status) << text;
  return status.ok() ? "it is" : std::string(status.message());
}

std::string tile_text(absl::string_view text) {
  const auto tile = impl::parse_tile(text);
  return tile.ok() ? text_of(*tile) : std::string(tile.status().message());
}

TEST(TileTest, Answers) {
  expect_answers("answers/tiles.txt", {{"inside", is_inside},
                                       {"needed", found_tile<impl::tile_needed>},
                                       {"served", found_tile<impl::tile_served>},
                                       {"set", tile_of_set},
                                       {"tile", tile_text}});
}

TEST(TileTest, DoesNotTryUnusedOffsetsOfEachElement) {
  const std::string head =
      "(d0){rt0, rt1} -> (d0), domain: d0 in [0, 3], rt0 in [0, 2], rt1 in [0, 1000000], ";
  std::vector<impl::IndexedMap> maps = {indexed(head + "d0 - rt0 in [-2, 0]"),
                                        indexed(head + "d0 - rt0 in [1, 3]")};
  for (impl::IndexedMap& map : maps)
    map.runtime[1].map = parse_map("(d0) -> (d0), domain: d0 in [0, 3]").value();
  EXPECT_EQ(text_of(impl::tile_served({maps, false, ""}, {{0, 2, 2}}, {4})), "0:2:2");
}

}  // namespace
}  // namespace tileproof::verify

namespace tileproof::impl {
namespace {

// The tile that a map makes of a tile; "unknown" if it makes none.
std::string made_of(absl::string_view text) {
  const auto [tile, map] = parts_of<2>(text, "\nby ");
  const auto made = propagate(parse_symbolic_tile(tile).value(), parse_map(map).value());
  return made ? to_text(*made) : "unknown";
}

TEST(TilePropagation, Answers) {
  expect_answers("answers/tile_propagation.txt", {{"tile", made_of}});
}

}  // namespace
}  // namespace tileproof::impl
