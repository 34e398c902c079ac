// SPDX-License-Identifier: Apache-2.0
// Answers to hlo.index about arrays that are too large to enumerate.
#include "conform/oracle/hlo_proof.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "conform/judge/judge.h"
#include "gtest/gtest.h"

namespace tileproof::conform {
namespace {

std::string verdict(const std::string& hlo, const std::string& answer,
                    const std::string& direction = "output_to_input",
                    const std::string& more = "") {
  const std::string request = absl::StrCat(R"({"id":1,"op":"hlo.index","direction":")", direction,
                                           R"(","hlo":")", hlo, "\"", more, "}");
  const Judgment judgment =
      judge(read_json(request)->value, *read_answer(absl::StrCat(R"({"id":1,)", answer, "}")));
  return std::string(to_text(judgment.verdict));
}

constexpr char kReverse[] = "r = f32[1000000000000] reverse(f32[1000000000000] p), dimensions={0}";

TEST(HloProof, ProvesARightAnswer) {
  EXPECT_EQ(
      verdict(kReverse,
              R"("result":[["(d0) -> (999999999999 - d0), domain: d0 in [0, 999999999999]"]])"),
      "pass");
  EXPECT_EQ(
      verdict(kReverse,
              R"("result":[["(d0) -> (999999999999 - d0), domain: d0 in [0, 999999999999]"]])",
              "input_to_output"),
      "pass");
}

TEST(HloProof, RefutesAnAnswerThatIsWrongAtOneElement) {
  EXPECT_EQ(
      verdict(kReverse,
              R"("result":[["(d0) -> (999999999999 - d0), domain: d0 in [0, 999999999998]"]])"),
      "wrong");
  EXPECT_EQ(
      verdict(kReverse,
              R"("result":[["(d0) -> (999999999998 - d0), domain: d0 in [0, 999999999998]"]])",
              "input_to_output"),
      "wrong");
  EXPECT_EQ(verdict(kReverse, R"("result":[[]])"), "wrong");
}

TEST(HloProof, AcceptsASupersetOnlyIfItIsDeclared) {
  const std::string all =
      R"([["(d0)[s0] -> (s0), domain: d0 in [0, 999999999999], s0 in [0, 999999999999]"]])";
  EXPECT_EQ(verdict(kReverse, "\"result\":" + all), "wrong");
  EXPECT_EQ(verdict(kReverse, "\"result\":" + all + R"(,"inexact":[0])"), "inexact");
}

TEST(HloProof, AnUnknownListIsUnsupported) {
  EXPECT_EQ(verdict(kReverse, R"("result":["unknown"])"), "unsupported");
}

}  // namespace
}  // namespace tileproof::conform
