// SPDX-License-Identifier: Apache-2.0
#include "spec/layout/named_format.h"

#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "corpus/paths.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::spec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string chosen(absl::string_view format, absl::string_view text) {
  const absl::StatusOr<ChosenLayout> layout = chosen_layout(format, *parse_shape(text));
  EXPECT_TRUE(layout.ok()) << text << ": " << layout.status();
  return layout.ok() ? to_text(layout->shape) : "";
}

std::vector<std::string> rules(absl::string_view text) {
  const absl::StatusOr<ChosenLayout> layout = chosen_layout("tpu", *parse_shape(text));
  EXPECT_TRUE(layout.ok()) << text << ": " << layout.status();
  std::vector<std::string> names;
  if (!layout.ok()) return names;
  for (const FormatRule* rule : layout->rules) names.emplace_back(rule->name);
  return names;
}

TEST(NamedFormat, ChoosesTheTilesOfTheSixItemsInTheDocument) {
  EXPECT_EQ(chosen("untiled", "f32[3,5]"), "f32[3,5]{1,0}");
  EXPECT_EQ(chosen("untiled", "f32[3,5]{0,1:T(2,2)L(8)S(1)}"), "f32[3,5]{0,1:S(1)}");
  EXPECT_EQ(chosen("tpu", "f32[16,200]"), "f32[16,200]{1,0:T(8,128)}");
  EXPECT_EQ(chosen("tpu", "f32[1,200]"), "f32[1,200]{1,0:T(2,128)}");
  EXPECT_EQ(chosen("tpu", "f32[2,200]"), "f32[2,200]{1,0:T(2,128)}");
  EXPECT_EQ(chosen("tpu", "f32[3,200]"), "f32[3,200]{1,0:T(4,128)}");
  EXPECT_EQ(chosen("tpu", "f32[4,200]"), "f32[4,200]{1,0:T(4,128)}");
  EXPECT_EQ(chosen("tpu", "f32[5,200]"), "f32[5,200]{1,0:T(8,128)}");
  EXPECT_EQ(chosen("tpu", "bf16[16,200]"), "bf16[16,200]{1,0:T(8,128)(2,1)}");
  EXPECT_EQ(chosen("tpu", "s8[16,200]"), "s8[16,200]{1,0:T(8,128)(4,1)}");
  EXPECT_EQ(chosen("tpu", "pred[16,200]"), "pred[16,200]{1,0:T(8,128)(4,1)}");
  EXPECT_EQ(chosen("tpu", "pred[16,200]{1,0:E(1)}"), "pred[16,200]{1,0:T(32,128)(32,1)E(1)}");
}

TEST(NamedFormat, FindsTheSecondMinorDimensionByTheOrderInMemory) {
  EXPECT_EQ(chosen("tpu", "f32[16,3,200]{2,0,1}"), "f32[16,3,200]{2,0,1:T(8,128)}");
  EXPECT_EQ(chosen("tpu", "f32[16,3,200]{1,0,2}"), "f32[16,3,200]{1,0,2:T(8,128)}");
  EXPECT_EQ(chosen("tpu", "f32[16,3,200]{0,1,2}"), "f32[16,3,200]{0,1,2:T(4,128)}");
  EXPECT_EQ(chosen("tpu", "f32[16,<=3,200]"), "f32[16,<=3,200]{2,1,0:T(4,128)}");
}

TEST(NamedFormat, AssumesSomethingIfTheDocumentIsSilent) {
  EXPECT_THAT(rules("bf16[8,3,200]{2,1,0}"), ElementsAre("4x128", "16-bit", "packed-small"));
  EXPECT_EQ(chosen("tpu", "bf16[8,3,200]"), "bf16[8,3,200]{2,1,0:T(4,128)(2,1)}");
  EXPECT_THAT(rules("f32[3,5]"), ElementsAre("given-order", "4x128"));
  EXPECT_THAT(rules("f16[16,200]{1,0}"), ElementsAre("8x128", "16-bit-types"));
  EXPECT_THAT(rules("pred[1,1]{1,0}"),
              ElementsAre("2x128", "pred-byte", "8-bit", "packed-small", "packed-rows"));
  EXPECT_EQ(chosen("tpu", "pred[1,1]"), "pred[1,1]{1,0:T(4,128)(4,1)}");
  EXPECT_EQ(chosen("tpu", "s4[16,200]"), "s4[16,200]{1,0:T(8,128)(8,1)E(4)}");
  EXPECT_EQ(chosen("tpu", "u2[16,200]"), "u2[16,200]{1,0:T(16,128)(16,1)E(2)}");
  EXPECT_EQ(chosen("tpu", "f64[16,200]"), "f64[16,200]{1,0:T(8,128)}");
  EXPECT_EQ(chosen("tpu", "f32[0,200]"), "f32[0,200]{1,0:T(8,128)}");
  EXPECT_EQ(chosen("tpu", "f32[]"), "f32[]{:T(128)}");
  EXPECT_EQ(chosen("tpu", "f32[301]"), "f32[301]{0:T(512)}");
  EXPECT_EQ(chosen("tpu", "bf16[128]"), "bf16[128]{0:T(256)(128)(2,1)}");
  EXPECT_EQ(chosen("tpu", "s8[5000]"), "s8[5000]{0:T(1024)(128)(4,1)}");
}

// All rules that apply, and no other.
TEST(NamedFormat, RulesApplyToTheirCases) {
  EXPECT_THAT(rules("f32[0,200]{1,0}"), ElementsAre("no-elements"));
  EXPECT_THAT(rules("f32[1,200]{1,0}"), ElementsAre("2x128"));
  EXPECT_THAT(rules("f32[2,200]{1,0}"), ElementsAre("2x128"));
  EXPECT_THAT(rules("f32[3,200]{1,0}"), ElementsAre("4x128"));
  EXPECT_THAT(rules("f32[4,200]{1,0}"), ElementsAre("4x128"));
  EXPECT_THAT(rules("f32[5,200]{1,0}"), ElementsAre("8x128"));
  EXPECT_THAT(rules("f64[5,200]{1,0}"), ElementsAre("8x128", "other-widths"));
  EXPECT_THAT(rules("bf16[5,200]{1,0}"), ElementsAre("8x128", "16-bit"));
  EXPECT_THAT(rules("bf16[5,200]{1,0:E(32)}"), ElementsAre("8x128"));
  EXPECT_THAT(rules("s8[5,200]{1,0}"), ElementsAre("8x128", "8-bit"));
  EXPECT_THAT(rules("s8[3,200]{1,0}"), ElementsAre("4x128", "8-bit", "packed-small"));
  EXPECT_THAT(rules("pred[5,200]{1,0}"), ElementsAre("8x128", "pred-byte", "8-bit"));
  EXPECT_THAT(rules("pred[5,200]{1,0:E(1)}"), ElementsAre("8x128", "1-bit"));
  EXPECT_THAT(rules("pred[5,200]{1,0:E(2)}"), ElementsAre("8x128", "sub-byte", "packed-rows"));
  EXPECT_THAT(rules("u1[5,200]{1,0}"), ElementsAre("8x128", "sub-byte", "packed-rows"));
  EXPECT_THAT(rules("u2[5,200]{1,0}"), ElementsAre("8x128", "sub-byte", "packed-rows"));
  EXPECT_THAT(rules("u4[5,200]{1,0}"), ElementsAre("8x128", "sub-byte"));
  EXPECT_THAT(rules("bf16[128]{0}"), ElementsAre("few-dimensions", "16-bit"));
  EXPECT_THAT(rules("u1[128]{0}"), ElementsAre("few-dimensions", "sub-byte"));
  EXPECT_THAT(rules("f32[]"), ElementsAre("few-dimensions"));
  EXPECT_EQ(chosen("tpu", "f16[16,200]"), "f16[16,200]{1,0:T(8,128)(2,1)}");
  EXPECT_EQ(chosen("tpu", "f32[512]"), "f32[512]{0:T(512)}");
  EXPECT_EQ(chosen("tpu", "f32[5000]"), "f32[5000]{0:T(1024)}");
  const absl::StatusOr<ChosenLayout> untiled = chosen_layout("untiled", *parse_shape("f32[]"));
  ASSERT_TRUE(untiled.ok()) << untiled.status();
  ASSERT_EQ(untiled->rules.size(), 1);
  EXPECT_EQ(untiled->rules[0]->name, "untiled");
  EXPECT_EQ(untiled->shape.layout, std::nullopt);
}

TEST(NamedFormat, EveryRuleCitesAnItemOrStatesItsAssumption) {
  for (const absl::Span<const FormatRule> table : {tpu_format(), untiled_format()}) {
    for (const FormatRule& rule : table) {
      EXPECT_FALSE(rule.sentence.empty()) << rule.name;
      EXPECT_EQ(rule.item == 0, !rule.assumed.empty()) << rule.name;
      EXPECT_TRUE(rule.item >= 0 && rule.item <= 6) << rule.name;
    }
  }
}

TEST(NamedFormat, RejectsUnknownFormatsAndShapesWithoutALayout) {
  EXPECT_THAT(chosen_layout("gpu", *parse_shape("f32[3]")).status().message(),
              HasSubstr("one of tpu, untiled, found gpu"));
  EXPECT_FALSE(chosen_layout("tpu", *parse_shape("(f32[3])")).ok());
  EXPECT_FALSE(chosen_layout("tpu", *parse_shape("f32[?,3]")).ok());
  EXPECT_FALSE(chosen_layout("tpu", *parse_shape("token[]")).ok());
  EXPECT_FALSE(chosen_layout("tpu", *parse_shape("s8[1,9223372036854775807]")).ok());
}

// Returns the tiles of a layout, which is all of it that moves elements.
std::vector<Tile> tiles(const Shape& shape) { return layout_of(shape).tiles; }

// Real layouts have tiles for reasons that the document does not give: an S(5) buffer of the host,
// a tile that a fusion wants, tests with made-up tiles. So the test counts agreement and requires
// only part of it.
TEST(NamedFormat, MostRealLayoutsAgreeWithTheRules) {
  std::ifstream file(project_path("corpus/layouts/real.txt"));
  std::map<std::string, std::pair<int, int>> count;  // for each list of rules: agreeing, all
  int documented = 0, documented_agree = 0, assumed = 0, assumed_agree = 0;
  for (std::string line; std::getline(file, line);) {
    const absl::StatusOr<Shape> shape = parse_shape(line);
    if (!shape.ok() || tiles(*shape).empty()) continue;
    const absl::StatusOr<ChosenLayout> choice = chosen_layout("tpu", *shape);
    ASSERT_TRUE(choice.ok()) << line << ": " << choice.status();
    const bool same = tiles(choice->shape) == tiles(*shape);
    bool silent = false;
    std::string names;
    for (const FormatRule* rule : choice->rules) {
      absl::StrAppend(&names, names.empty() ? "" : ", ", rule->name);
      silent = silent || rule->item == 0;
    }
    auto& [agree, all] = count[names];
    agree += same;
    ++all;
    (silent ? assumed : documented) += 1;
    (silent ? assumed_agree : documented_agree) += same;
  }
  for (const auto& [names, agreeing] : count)
    std::cout << names << ": " << agreeing.first << " of " << agreeing.second << "\n";
  std::cout << "agree by the document alone: " << documented_agree << " of " << documented
            << " real tiled layouts; agree with an assumption: " << assumed_agree << " of "
            << assumed << "\n";
  EXPECT_GE(documented, 300);
  EXPECT_GE(documented_agree * 10, documented * 8);  // 284 of 327 when written
  EXPECT_GE(assumed_agree * 2, assumed);
}

// Compares the size of the chosen layout with the size that an allocator logged.
TEST(NamedFormat, MostLoggedSizesAreThoseOfTheChosenLayouts) {
  std::ifstream file(project_path("corpus/layouts/allocations.tsv"));
  int all = 0, same = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::string text = line.substr(0, line.find('\t'));
    const Shape real = *parse_shape(text);
    const absl::StatusOr<ChosenLayout> choice = chosen_layout("tpu", real);
    ASSERT_TRUE(choice.ok()) << text << ": " << choice.status();
    const int64_t bytes = tiled_layout(choice->shape)->bytes;
    const int64_t logged = tiled_layout(real)->bytes;  // LayoutCorpus checks this
    if (bytes != logged) {
      std::cout << "chosen " << to_text(choice->shape) << " of " << bytes << " bytes; logged "
                << text << " of " << logged << "\n";
    }
    same += bytes == logged;
    ++all;
  }
  std::cout << same << " of " << all << " logged sizes equal the size of the chosen layout\n";
  EXPECT_GE(same * 2, all);
}

}  // namespace
}  // namespace tileproof::spec
