// SPDX-License-Identifier: Apache-2.0
#include "conform/shrink/text_form.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tileproof::conform {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The items of the lists that begin with a bracket, joined by " | ".
std::vector<std::string> items_in(const std::string& json, char open) {
  std::vector<std::string> result;
  for (const TextList& list : lists_in(json)) {
    if (list.open != open) continue;
    std::string joined = list.path;
    for (const TextSpan item : list.items) {
      joined += " | ";
      joined += std::string(part(json, item));
    }
    result.push_back(joined);
  }
  return result;
}

TEST(TextForm, FindsListsInAndOutsideOfStrings) {
  const std::string json = R"({"shape":"f32[2,3]{1,0:T(4)}","index":[1,[2,5]]})";
  EXPECT_THAT(items_in(json, '['), ElementsAre(" | 2 | 3", " | 1 | [2,5]", "/1 | 2 | 5"));
  EXPECT_THAT(
      items_in(json, '{'),
      ElementsAre(R"( | "shape":"f32[2,3]{1,0:T(4)}" | "index":[1,[2,5]])", " | 1 | 0 | T(4)"));
  EXPECT_THAT(items_in(json, '('), ElementsAre("/1 | 4"));
}

TEST(TextForm, LinesAreLists) {
  const std::string json = R"({"hlo":"%p = f32[2] parameter(0)\nROOT %a = add(%p, %p), x=1\n"})";
  EXPECT_THAT(items_in(json, '\n'),
              ElementsAre(" | %p = f32[2] parameter(0)", " | ROOT %a = add(%p, %p) | x=1"));
}

TEST(TextForm, ABracketThatIsNotClosedEndsWithItsString) {
  const std::string json = R"({"shape":"f32[2,(3","index":[1]})";
  EXPECT_THAT(items_in(json, '['), ElementsAre(" | 2 | (3", " | 1"));
  EXPECT_THAT(items_in("{}", '['), IsEmpty());
}

TEST(TextForm, EditsLeaveOutPartsOfOtherEdits) {
  EXPECT_EQ(edited("(a, b, c)", {{{1, 2}, "x"}, {{4, 8}, "y"}, {{4, 5}, "z"}}), "(x, y)");
}

TEST(TextForm, AnItemGoesWithAComma) {
  const std::string json = R"({"index":[1, 2, 3]})";
  for (const TextList& list : lists_in(json)) {
    if (list.open != '[') continue;
    EXPECT_EQ(edited(json, {{with_comma(json, list, 0, 0), ""}}), R"({"index":[2, 3]})");
    EXPECT_EQ(edited(json, {{with_comma(json, list, 1, 2), ""}}), R"({"index":[1]})");
  }
}

}  // namespace
}  // namespace tileproof::conform
