// SPDX-License-Identifier: Apache-2.0
// Answers as the page gets them: texts.
#include "explorer/answers/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace tileproof::explorer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string answered(const std::string& question) {
  Memory memory;
  return answer_text(question, memory);
}

TEST(AnswerTest, Layout) {
  EXPECT_THAT(
      answered(R"({"ask":"layout","text":"f32[3,5]{1,0:T(2,2)}"})"),
      AllOf(StartsWith(R"({"ok":{"layout":"f32[3,5]{1,0:T(2,2)}","dims":[3,5],"elements":15)"),
            HasSubstr(R"("padding":9)"), HasSubstr(R"("bytes":96)"), HasSubstr("<svg ")));
  EXPECT_THAT(answered("{\"ask\":\"layout\",\"text\":\"f32[3,5]{1,0:T(2,2)\"}"),
              StartsWith(R"({"error":"column 20: expected)"));
}

TEST(AnswerTest, ElementOfTheFirstFigureOfTheDocument) {
  EXPECT_THAT(answered(R"({"ask":"element","text":"f32[3,5]{1,0:T(2,2)}","index":[2,3]})"),
              AllOf(HasSubstr(R"("offset":17)"), HasSubstr(R"("tile":[1,1],"position":[0,1])")));
  EXPECT_THAT(answered(R"({"ask":"element","text":"f32[3,5]{1,0:T(2,2)}","index":[3,3]})"),
              HasSubstr("error"));
  EXPECT_THAT(answered(R"({"ask":"element","text":"f32[3,5]{1,0:T(2,2)}","index":[2]})"),
              HasSubstr("error"));
}

TEST(AnswerTest, StepsKeepEachElement) {
  EXPECT_THAT(answered(R"({"ask":"steps","text":"f32[2,2]{0,1}"})"),
              AllOf(HasSubstr(R"("dims":[2,2],"ids":[0,1,2,3])"), HasSubstr(R"("ids":[0,2,1,3])")));
  EXPECT_THAT(answered(R"({"ask":"steps","text":"f32[100,100]{1,0}"})"),
              HasSubstr(R"("limit":true)"));
}

TEST(AnswerTest, Conversions) {
  EXPECT_THAT(answered(R"({"ask":"convert","text":"zN:f16[64,96]"})"),
              HasSubstr("((16,4),(16,6)):((16,256),(1,1024))"));
}

TEST(AnswerTest, ComparesLayoutsAndMaps) {
  EXPECT_THAT(
      answered(
          R"({"ask":"compare","left":"f32[128,256]{1,0:T(8,128)}","right":"f32[128,256]{1,0}"})"),
      HasSubstr(R"("verdict":"different","at":[1,0],"left":128,"right":256)"));
  EXPECT_THAT(answered(R"({"ask":"compare","left":"(d0) -> (d0 mod 6), domain: d0 in [0, 9]",)"
                       R"("right":"(d0) -> (d0), domain: d0 in [0, 9]"})"),
              AllOf(HasSubstr(R"("verdict":"different")"),
                    HasSubstr(R"("point":"d0 = 6","left":[0],"right":[6])")));
  EXPECT_THAT(answered("{\"ask\":\"compare\",\"left\":\"(d0) -> (d0)\",\"right\":\"f32[2]\"}"),
              HasSubstr("error"));
}

TEST(AnswerTest, MapsHaveCheckedSteps) {
  EXPECT_THAT(answered(R"({"ask":"map","text":"(d0, d1) -> ((d0 * 8 + d1) floordiv 8), )"
                       R"(domain: d0 in [0, 3], d1 in [0, 7]"})"),
              AllOf(HasSubstr(R"("simplified":"(d0, d1) -> (d0))"), HasSubstr(R"("accepted":true)"),
                    HasSubstr(R"("lemma":)")));
}

TEST(AnswerTest, PlotsFromTheBeginningOfABox) {
  const std::string question =
      R"({"ask":"plot","text":"(d0, d1) -> (d0 * 10 + d1), domain: d0 in [0, 5], d1 in [0, 2]",)"
      R"("x":"d1","y":"d0","result":0,"at":[4,1]})";
  EXPECT_EQ(answered(question), R"({"ok":{"x":[1,2],"y":[4,5],"values":[[41,42],[51,52]]}})");
  EXPECT_EQ(answered(R"({"ask":"plot","text":"(d0) -> (d0), domain: d0 in [0, 5]","x":"d0",)"
                     R"("result":0,"at":[9]})"),
            R"({"ok":{"x":[9,8],"y":[0,0],"values":[[]]}})");
}

constexpr char kTranspose[] =
    R"("text":"p = f32[2,3] parameter(0)\nROOT t = f32[3,2] transpose(f32[2,3] p), dimensions={1,0}")";

TEST(AnswerTest, ModulesInstructionsAndTiles) {
  EXPECT_THAT(answered(absl::StrCat(R"({"ask":"module",)", kTranspose, "}")),
              AllOf(HasSubstr(R"("opcode":"transpose")"), HasSubstr(R"("operands":[0])")));
  const std::string place = absl::StrCat(kTranspose, R"(,"computation":0,"instruction":1)");
  EXPECT_THAT(
      answered(absl::StrCat(R"({"ask":"instruction",)", place, "}")),
      AllOf(HasSubstr("(d0, d1) -> (d1, d0)"), HasSubstr(R"("least":6,"most":6,"elements":6)")));
  EXPECT_THAT(answered(absl::StrCat(R"({"ask":"tile","tile":"1:2,0:1",)", place, "}")),
              HasSubstr(R"("tile":[[0,1,1],[1,2,1]])"));
  for (const char* ask : {"reads", "heat"}) {
    EXPECT_THAT(answered(absl::StrCat(R"({"ask":")", ask, R"(",)", place, "}")),
                HasSubstr("</svg>"))
        << ask;
  }
  EXPECT_THAT(answered(absl::StrCat(
                  R"({"ask":"traffic","threads":"(th_x) -> (th_x, 0), domain: th_x in [0, 2]",)",
                  place, "}")),
              AllOf(HasSubstr(R"("accesses":1,"transactions":1,"most":1)"), HasSubstr("</svg>")));
  EXPECT_THAT(answered(absl::StrCat(R"({"ask":"traffic","threads":"(th_x -> (",)", place, "}")),
              HasSubstr(R"({"error":"threads: column)"));
}

TEST(AnswerTest, LargeModulesAreALimit) {
  std::string text = "p0 = f32[8] parameter(0)";
  for (int i = 1; i <= 3000; ++i) {
    absl::StrAppend(&text, "\\np", i, " = f32[8] negate(f32[8] p", i - 1, ")");
  }
  Memory memory;
  const std::string question = absl::StrCat(R"({"ask":"module","text":")", text, R"("})");
  EXPECT_THAT(answer_text(question, memory), HasSubstr(R"("limit":true)"));
  memory.most_instructions = 5000;
  EXPECT_THAT(answer_text(question, memory), HasSubstr(R"("name":"p3000")"));
}

TEST(AnswerTest, WrongQuestionsAreErrors) {
  for (
      const char* question :
      {"", "{", "7", "{}", R"({"ask":7})", R"({"ask":"nothing"})", R"({"ask":"layout"})",
       R"({"ask":"element","text":"f32[2]","index":"x"})", R"({"ask":"module","text":""})",
       R"({"ask":"lemma","name":"no-such"})",
       R"({"ask":"layout","text":"f32[2]","coloring":"red"})",
       R"({"ask":"tile","text":"a = f32[2] iota(), iota_dimension=0","computation":0,"instruction":5,"tile":"0:1"})",
       R"({"ask":"plot","text":"(d0) -> (d0), domain: d0 in [0, 5]","x":"d7","result":0,"at":[0]})",
       R"({"ask":"plot","text":"(d0) -> (d0), domain: d0 in [0, 5]","x":"d0","result":1,"at":[0]})"}) {
    EXPECT_THAT(answered(question), StartsWith(R"({"error":)")) << question;
  }
}

}  // namespace
}  // namespace tileproof::explorer
