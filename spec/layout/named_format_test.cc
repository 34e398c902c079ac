// SPDX-License-Identifier: Apache-2.0
#include "spec/layout/named_format.h"

#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "corpus/answers_testing.h"
#include "corpus/files.h"
#include "gtest/gtest.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::spec {
namespace {

std::string names_of(const std::vector<const FormatRule*>& rules) {
  return absl::StrJoin(rules, ", ", [](std::string* out, const FormatRule* rule) {
    absl::StrAppend(out, std::string(rule->name));
  });
}

std::string chosen(absl::string_view text) {
  const auto [format, shape] = parts_of<2>(text);
  const absl::StatusOr<ChosenLayout> layout = chosen_layout(format, *parse_shape(shape));
  return layout.ok() ? to_text(layout->shape) : std::string(layout.status().message());
}

// All rules that apply.
std::string rules(absl::string_view text) {
  const auto [format, shape] = parts_of<2>(text);
  const absl::StatusOr<ChosenLayout> layout = chosen_layout(format, *parse_shape(shape));
  return layout.ok() ? names_of(layout->rules) : std::string(layout.status().message());
}

TEST(NamedFormat, Answers) {
  expect_answers("answers/named_formats.txt", {{"choose", chosen}, {"rules", rules}});
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

// Returns the tiles of a layout, which is all of it that moves elements.
std::vector<Tile> tiles(const Shape& shape) { return layout_of(shape).tiles; }

// Real layouts have tiles for reasons that the document does not give: an S(5) buffer of the host,
// a tile that a fusion wants, tests with made-up tiles. So the test counts agreement and requires
// only part of it.
TEST(NamedFormat, MostRealLayoutsAgreeWithTheRules) {
  std::map<std::string, std::pair<int, int>> count;  // for each list of rules: agreeing, all
  int documented = 0, documented_agree = 0, assumed = 0, assumed_agree = 0;
  for (const std::string& line : project_lines("corpus/layouts/real.txt")) {
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
  int all = 0, same = 0;
  for (const std::string& line : project_lines("corpus/layouts/allocations.tsv")) {
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
