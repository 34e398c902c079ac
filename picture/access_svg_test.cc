// SPDX-License-Identifier: Apache-2.0
// What pictures of accesses show, read back from the SVG.
#include "picture/access_svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "picture/grid.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::picture {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

int count(const std::string& svg, const std::string& part) {
  int found = 0;
  for (size_t at = svg.find(part); at != std::string::npos; at = svg.find(part, at + 1)) ++found;
  return found;
}

// The labels of filled squares, in the order of the document.
std::vector<std::string> labels(const std::string& svg) {
  static const std::regex cell(R"re(<rect class="c"[^>]*/><text[^>]*>([^<]*)</text>)re");
  std::vector<std::string> found;
  for (std::sregex_iterator i(svg.begin(), svg.end(), cell), end; i != end; ++i)
    found.push_back((*i)[1]);
  return found;
}

Access access(const Dims& result, const Dims& operand, const std::string& map) {
  return {"r = op(p)", result, {{"operand 0, p", operand, {*parse_map(map)}}}};
}

std::string text_of(const absl::StatusOr<std::string>& svg) {
  return svg.ok() ? *svg : svg.status().ToString();
}

const Access kTranspose =
    access({3, 2}, {2, 3}, "(d0, d1) -> (d1, d0), domain: d0 in [0, 2], d1 in [0, 1]");

TEST(AccessSvgTest, ATileAndWhatItReadsHaveOneNumber) {
  const std::string svg = text_of(reads_svg(kTranspose, {{1, 2, 1}, {0, 2, 1}}));
  // Elements 0 to 3 of the tile are [1,0] [1,1] [2,0] [2,1]; in p they are columns 1 and 2.
  EXPECT_THAT(labels(svg), ElementsAre("0", "1", "2", "3", "0", "2", "1", "3"));
  EXPECT_EQ(count(svg, "<path class=\"a\""), 0) << "colors and numbers say it, no arrows";
  EXPECT_EQ(count(svg, "class=\"e\""), 2 + 2) << "squares outside of the tile";
  EXPECT_THAT(svg, HasSubstr(">(d0, d1) -&gt; (d1, d0)<"));
  EXPECT_THAT(svg, Not(HasSubstr("3+1")));
}

TEST(AccessSvgTest, AnElementReadSeveralTimesSaysSo) {
  const Access sum = access({2}, {3}, "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 1], s0 in [0, 1]");
  const std::string svg = text_of(reads_svg(sum, corner_tile({2})));
  EXPECT_THAT(labels(svg), ElementsAre("0", "1", "0", "0+1", "1"));
  EXPECT_THAT(svg, HasSubstr("3+1: one more element of the tile reads it"));
}

TEST(AccessSvgTest, RuntimeVariablesAreNamed) {
  const Access slice =
      access({2}, {9}, "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 1], rt0 in [3, 7]");
  EXPECT_THAT(text_of(reads_svg(slice, corner_tile({2}))), HasSubstr("drawn for rt0 = 3"));
  EXPECT_THAT(text_of(heat_svg(slice)), HasSubstr("2 of 9 elements are read, drawn for rt0 = 3"));
}

TEST(AccessSvgTest, WrongTilesAndMapsAreErrors) {
  EXPECT_THAT(text_of(reads_svg(kTranspose, {{1, 3, 1}, {0, 2, 1}})), Not(HasSubstr("<svg")));
  EXPECT_THAT(text_of(reads_svg(kTranspose, {{0, 0, 1}, {0, 2, 1}})),
              HasSubstr("expected a tile of 1"));
  EXPECT_THAT(text_of(reads_svg(kTranspose, {{0, 1, 1}})), Not(HasSubstr("<svg")));
  const Access outside = access({4}, {3}, "(d0) -> (d0), domain: d0 in [0, 3]");
  EXPECT_THAT(text_of(heat_svg(outside)), HasSubstr("[3] is outside of the array [3]"));
  const Access many =
      access({1 << 20, 4}, {4}, "(d0, d1) -> (d1), domain: d0 in [0, 1048575], d1 in [0, 3]");
  EXPECT_THAT(text_of(heat_svg(many)), HasSubstr("reads to draw"));
}

TEST(AccessSvgTest, HeatCountsTheReadingElements) {
  const Access window = access({3}, {7},
                               "(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 2], s0 in [0, 1], "
                               "d0 + s0 in [0, 2]");
  const std::string svg = text_of(heat_svg(window));
  EXPECT_THAT(labels(svg), ElementsAre("1", "1", "1", "1", "1"));
  EXPECT_EQ(count(svg, "class=\"p\""), 2) << "elements 5 and 6 are not read";
  EXPECT_THAT(svg, HasSubstr("5 of 7 elements are read"));
}

TEST(AccessSvgTest, LargeArraysAreBlocks) {
  const Access slice =
      access({64, 32}, {128, 64}, "(d0, d1) -> (d0 * 2, d1), domain: d0 in [0, 63], d1 in [0, 31]");
  const std::string svg = text_of(heat_svg(slice));
  EXPECT_THAT(svg, HasSubstr("a square is 4x2 elements"));
  EXPECT_EQ(count(svg, ">50%<"), 32 * 16);
  EXPECT_EQ(count(svg, "class=\"p\""), 32 * 16);
}

// 32 threads along a row of a transpose read a column: each transaction of 32 bytes moves 8
// elements and one is used.
TEST(AccessSvgTest, TrafficShowsWhatIsMoved) {
  const Access transpose =
      access({32, 32}, {32, 32}, "(d0, d1) -> (d1, d0), domain: d0 in [0, 31], d1 in [0, 31]");
  const IndexingMap one_row = *parse_map("(th_x) -> (0, th_x), domain: th_x in [0, 31]");
  const std::string svg =
      text_of(traffic_svg(transpose, {*parse_shape("f32[32,32]{1,0}")}, one_row, {}));
  EXPECT_THAT(svg, HasSubstr("1 accesses, 32 transactions of 32 bytes, at most 32 an access"));
  EXPECT_EQ(labels(svg).size(), 32 * 8);
  EXPECT_EQ(count(svg, "class=\"t0\""), 32) << "the elements of the first warp";
  EXPECT_EQ(count(svg, "class=\"m\""), 32 * 7) << "moved, never used";
  EXPECT_EQ(count(svg, "class=\"p\""), 32 * 24) << "not moved";
}

TEST(AccessSvgTest, TrafficAgreesWithTheDefinition) {
  const IndexingMap threads = *parse_map(
      "(th_x, bl_x) -> (bl_x * 4 + th_x floordiv 8, th_x mod 8), domain: th_x in [0, 31], bl_x in "
      "[0, 3]");
  const std::string map = "(d0, d1) -> (d1, d0), domain: d0 in [0, 15], d1 in [0, 7]";
  for (const char* text : {"f32[8,16]{1,0}", "f32[8,16]{0,1:T(4,4)}", "bf16[8,16]{1,0}"}) {
    const Shape shape = *parse_shape(text);
    const auto counts = spec::count_transactions(threads, *parse_map(map), shape, {}, 1 << 20);
    ASSERT_TRUE(counts.ok()) << counts.status();
    EXPECT_THAT(text_of(traffic_svg(access({16, 8}, {8, 16}, map), {shape}, threads, {})),
                HasSubstr(absl::StrCat(counts->accesses, " accesses, ", counts->transactions,
                                       " transactions of 32 bytes, at most ", counts->most)))
        << text;
  }
}

TEST(GridTest, WideSlicesAreBelowEachOther) {
  EXPECT_EQ(slices_in_a_row(100), 4);
  EXPECT_EQ(slices_in_a_row(700), 2);
  EXPECT_EQ(slices_in_a_row(5000), 1);
  const Grid grid({4, 4, 32}, 1, 0, 0);
  EXPECT_EQ(grid.place({2, 0, 0})->x, grid.place({0, 0, 0})->x);
  EXPECT_GT(grid.place({2, 0, 0})->y, grid.place({1, 3, 0})->y);
}

TEST(GridTest, EachSquareIsWhereItsElementsAre) {
  for (const Dims& dims : std::vector<Dims>{{}, {5}, {3, 4}, {100, 70}, {2, 3, 4}, {20, 2, 2}}) {
    const Grid grid(dims, 3, 10, 20);
    int64_t squares = 0;
    grid.for_each([&](const Dims& first, const Dims& sizes, const Rect& place) {
      ++squares;
      Dims last = first;
      for (size_t d = 0; d < sizes.size(); ++d) last[d] += sizes[d] - 1;
      for (const Dims& index : {first, last}) {
        const auto found = grid.place(dims.empty() ? Dims{} : index);
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(found->x, place.x);
        EXPECT_EQ(found->y, place.y);
      }
      EXPECT_GE(place.x, 10);
      EXPECT_LE(place.x + place.width, 10 + grid.width());
      EXPECT_LE(place.y + place.height, 20 + grid.height());
    });
    EXPECT_GT(squares, 0);
  }
  EXPECT_FALSE(Grid({20, 2, 2}, 3, 0, 0).place({15, 0, 0}).has_value()) << "slice 15 is left out";
}

}  // namespace
}  // namespace tileproof::picture
