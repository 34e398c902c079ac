// SPDX-License-Identifier: Apache-2.0
// What pictures show, read back from the SVG.
#include "picture/layout_svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "picture/array_view.h"
#include "picture/svg.h"

namespace tileproof::picture {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string drawn(const std::string& text, const LayoutPicture& picture = {}) {
  const absl::StatusOr<AnyLayout> layout = parse_any_layout(text);
  if (!layout.ok()) return layout.status().ToString();
  const absl::StatusOr<std::string> svg = layout_svg(*layout, picture);
  return svg.ok() ? *svg : svg.status().ToString();
}

// The labels of all cells, in the order of the document: offsets, then indices.
std::vector<std::string> labels(const std::string& svg) {
  static const std::regex cell(R"re(<rect class="c"[^>]*/><text[^>]*>([^<]*)</text>)re");
  std::vector<std::string> found;
  for (std::sregex_iterator i(svg.begin(), svg.end(), cell), end; i != end; ++i)
    found.push_back((*i)[1]);
  return found;
}

int count(const std::string& svg, const std::string& part) {
  int found = 0;
  for (size_t at = svg.find(part); at != std::string::npos; at = svg.find(part, at + 1)) ++found;
  return found;
}

TEST(LayoutSvgTest, TheArrayShowsOffsetsAndMemoryShowsIndices) {
  EXPECT_THAT(labels(drawn("f32[2,2]{0,1}")),
              ElementsAre("0", "2", "1", "3", "0,0", "1,0", "0,1", "1,1"));
}

// Figure 1 of XLA's "Tiled layout": f32[3,5]{1,0:T(2,2)}.
TEST(LayoutSvgTest, ReproducesTheFirstFigureOfTheDocument) {
  const std::string svg = drawn("f32[3,5]{1,0:T(2,2)}");
  const std::vector<std::string> all = labels(svg);
  ASSERT_EQ(all.size(), 30);
  EXPECT_THAT(
      std::vector(all.begin(), all.begin() + 15),
      ElementsAre("0", "1", "4", "5", "8", "2", "3", "6", "7", "10", "12", "13", "16", "17", "20"));
  EXPECT_EQ(count(svg, "class=\"p\""), 2 * 9) << "of 24 slots 9 are padding, in both views";
  EXPECT_EQ(count(svg, "class=\"t0\""), 6) << "2 by 3 tiles";
}

TEST(LayoutSvgTest, OutlinesTheTilesOfEachLevel) {
  const std::string svg = drawn("bf16[4,8]{1,0:T(4,4)(2,1)}");
  EXPECT_EQ(count(svg, "class=\"t0\""), 2);
  EXPECT_EQ(count(svg, "class=\"t1\""), 16);
}

TEST(LayoutSvgTest, DrawsEverySystem) {
  for (const char* text :
       {"((2,2),(2,3)):((2,8),(1,4))", "zN:f16[20,40]", "dnnl:nChw8c:f32[1,16,2,2]",
        "(4,(2,2)):(2,(1,8))", "f32[]", "f32[7]{0:T(4)}", "5:2", "Sw<2,0,3> o 0 o (4,8):(8,1)",
        "memref<4x3xf32, strided<[1, 4], offset: 5>>"}) {
    EXPECT_THAT(drawn(text), HasSubstr("</svg>")) << text;
  }
}

// The accumulators of a matrix instruction: 32 threads with 4 values each hold 16 rows of 8.
TEST(LayoutSvgTest, AThreadValueLayoutShowsWhoHoldsEachElement) {
  const std::vector<std::string> all = labels(drawn("((4,8),(2,2)):((32,1),(16,8))"));
  ASSERT_EQ(all.size(), 2 * 128);
  EXPECT_THAT(std::vector(all.begin(), all.begin() + 4), ElementsAre("0", "16", "8", "24"));
  EXPECT_THAT(std::vector(all.begin() + 128, all.begin() + 131), ElementsAre("0,0", "4,0", "8,0"));
  EXPECT_EQ(all[128 + 16], "0,1");
}

TEST(LayoutSvgTest, NestedAndTiledLayoutsOfOneFunctionHaveOnePicture) {
  EXPECT_EQ(labels(drawn("((2,2),(2,2)):((2,8),(1,4))")), labels(drawn("f32[4,4]{1,0:T(2,2)}")));
}

TEST(LayoutSvgTest, MoreDimensionsAreSlices) {
  const std::string svg = drawn("f32[2,3,4]{2,1,0}");
  EXPECT_THAT(svg, HasSubstr("[0,:,:]"));
  EXPECT_THAT(svg, HasSubstr("[1,:,:]"));
  EXPECT_EQ(labels(svg).size(), 2 * 24);
}

TEST(LayoutSvgTest, ALargeArrayIsDrawnAsTilesAndItsFirstTile) {
  const std::string svg = drawn("f32[128,256]{1,0:T(8,128)}");
  const std::vector<std::string> all = labels(svg);
  EXPECT_THAT(std::vector(all.begin(), all.begin() + 4), ElementsAre("0", "1024", "2048", "3072"));
  EXPECT_THAT(svg, HasSubstr("the tile at [0,0]"));
  EXPECT_LT(svg.size(), 200'000);
}

TEST(LayoutSvgTest, HugeArraysAreDrawnAtOnce) {
  const std::string svg = drawn("f32[1000000000,1000000000]{1,0:T(8,128)}");
  EXPECT_THAT(svg, HasSubstr("</svg>"));
  EXPECT_LT(svg.size(), 200'000);
}

TEST(LayoutSvgTest, AComparisonMarksTheElementsThatDiffer) {
  const AnyLayout tiled = *parse_any_layout("f32[2,4]{1,0:T(2,2)}");
  const AnyLayout plain = *parse_any_layout("f32[2,4]{1,0}");
  const absl::StatusOr<std::string> svg = compared_svg(tiled, plain);
  ASSERT_TRUE(svg.ok()) << svg.status();
  EXPECT_THAT(*svg, HasSubstr("4 of the 8 elements drawn have another offset"));
  EXPECT_EQ(count(*svg, "class=\"m\""), 4);
  EXPECT_EQ(count(*svg, "<path class=\"a\""), 4) << "what moves in memory";
  EXPECT_FALSE(compared_svg(tiled, *parse_any_layout("f32[4,2]{1,0}")).ok());
}

TEST(LayoutSvgTest, AComparisonSaysWhereMemoryEnds) {
  const auto svg =
      compared_svg(*parse_any_layout("f32[4,8]{1,0:T(2,4)}"), *parse_any_layout("f32[4,8]{1,0}"));
  ASSERT_TRUE(svg.ok()) << svg.status();
  EXPECT_THAT(*svg, HasSubstr(".. to offset 31"));
}

// The chosen element has a ring in the array, in memory, and in a large array its tile is enlarged.
TEST(LayoutSvgTest, TheChosenElementIsMarked) {
  EXPECT_EQ(count(drawn("f32[4,6]{1,0:T(2,4)}", {.chosen = Dims{2, 3}}), "class=\"r\""), 2);
  EXPECT_EQ(count(drawn("f32[]", {.chosen = Dims{}}), "class=\"r\""), 2);
  const std::string large = drawn("f32[128,256]{1,0:T(8,128)}", {.chosen = Dims{100, 255}});
  EXPECT_THAT(large, HasSubstr("the tile at [96,128]"));
  EXPECT_EQ(count(large, "class=\"r\""), 3) << "the tile, too";
  EXPECT_THAT(large, HasSubstr(">100,255<"));
  EXPECT_THAT(drawn("f32[4,6]", {.chosen = Dims{4, 0}}), HasSubstr("index"));
}

// The colors of a tile begin at its own first offset, or nobody could tell its elements apart.
TEST(LayoutSvgTest, AnEnlargedTileHasAllColors) {
  const std::string svg = drawn("f32[128,256]{1,0:T(8,128)}");
  EXPECT_GE(count(svg, "fill=\"#3e3a80\""), 3) << "the darkest: both legends, and offset 1023";
}

TEST(LayoutSvgTest, TheFormulaHasLinesOfItsOwn) {
  const std::string svg =
      drawn("f32[2,2]", {.formula = std::string(100, 'a') + " + " + std::string(99, 'b')});
  EXPECT_THAT(svg, HasSubstr("offset = " + std::string(100, 'a') + "<"));
  EXPECT_THAT(svg, HasSubstr("+ " + std::string(99, 'b') + "<"));
}

// Sw<2,0,3>: bits 3 and 4 are xored into bits 0 and 1. Element [2,3] is at 19 before, and at 17 after.
TEST(LayoutSvgTest, ASwizzleIsDrawnAsBits) {
  const std::string svg = drawn("Sw<2,0,3> o 0 o (4,8):(8,1)", {.chosen = Dims{2, 3}});
  for (const char* part : {">b0^b3<", ">b1^b4<", ">19 =<", ">17 =<"})
    EXPECT_THAT(svg, HasSubstr(part));
  EXPECT_EQ(count(svg, "<path class=\"a\""), 2);
  const std::string bytes = drawn("Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)");
  EXPECT_THAT(bytes, HasSubstr(">b3^b6<")) << "of elements of two bytes";
}

TEST(LayoutSvgTest, MemoryOfAHugeTiledArray) {
  const std::string svg = drawn("f32[1000000000,1000000000]{1,0:T(8,128)}");
  EXPECT_THAT(svg, HasSubstr(">1,127<")) << "at offset 255";
}

TEST(LayoutSvgTest, NamesBankConflicts) {
  const LayoutPicture banks{.coloring = Coloring::kBank};
  EXPECT_THAT(drawn("f32[32,32]{1,0}", banks),
              HasSubstr("along dimension 0: 32-way, along dimension 1: none"));
  EXPECT_THAT(drawn("(32,32):(33,1)", banks), HasSubstr("expected an element type"));
}

TEST(LayoutSvgTest, APathVisitsTheElementsInTheOrderOfTheirOffsets) {
  EXPECT_EQ(count(drawn("f32[2,2]{0,1}", {.path = true}), "<polyline"), 1);
}

TEST(LayoutSvgTest, ArraysWithoutElementsAreAnError) {
  EXPECT_THAT(drawn("f32[0,5]{1,0}"), HasSubstr("expected an array with elements to draw"));
}

TEST(LayoutSvgTest, ColorsGetDarkerAllTheWay) {
  const auto lightness = [](const Color& color) {
    return 299 * color.red + 587 * color.green + 114 * color.blue;
  };
  for (int i = 0; i < 64; ++i)
    EXPECT_GT(lightness(ramp(i / 64.0)), lightness(ramp((i + 1) / 64.0)));
}

TEST(LayoutSvgTest, LongAxesShowTheirBeginningAndTheirEnd) {
  EXPECT_THAT(shown(3, 8), ElementsAre(0, 1, 2));
  EXPECT_THAT(shown(1000, 8), ElementsAre(0, 1, 2, 3, 4, kGap, 998, 999));
  EXPECT_THAT(shown(1000, 8, 500), ElementsAre(0, 1, kGap, 499, 500, kGap, 998, 999));
  for (int64_t chosen = 0; chosen < 40; ++chosen) {
    EXPECT_THAT(shown(40, 14, chosen), Contains(chosen));
    EXPECT_LE(std::ssize(shown(40, 14, chosen)), 14);
  }
}

TEST(LayoutSvgTest, TextIsEscaped) {
  Svg svg;
  svg.text(0, 0, "a<b & c", Svg::Anchor::kStart);
  EXPECT_THAT(std::move(svg).finish("x<y", 1, 1), HasSubstr("a&lt;b &amp; c"));
}

// Each element with its thread and register; copies are counted, and what nobody holds is hatched.
TEST(ThreadsSvg, ThreadsAndRegisters) {
  const auto svg_of = [](const std::string& text) {
    return threads_svg(parse_thread_layout(text).value_or(ThreadLayout{}));
  };
  const std::string twice =
      svg_of(
          "tensor<2x4xf32, #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 2], "
          "warpsPerCTA = [1, 2], order = [1, 0]}>>")
          .value_or("");
  EXPECT_THAT(labels(twice), ElementsAre("T0:V0 +1", "T0:V1 +1", "T1:V0 +1", "T1:V1 +1", "T2:V0 +1",
                                         "T2:V1 +1", "T3:V0 +1", "T3:V1 +1"));
  const std::string gap = svg_of("tv:(2,1):(2,0):f32[4]").value_or("");
  EXPECT_THAT(labels(gap), ElementsAre("T0:V0", "T1:V0"));
  EXPECT_FALSE(svg_of("tv:(2,1):(2,0):f32[2,2,2]").ok());
}

}  // namespace
}  // namespace tileproof::picture
