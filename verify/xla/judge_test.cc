// SPDX-License-Identifier: Apache-2.0
// Tests that the judge of XLA's answers detects an extra source and a missing one, and names known
// differences.
#include "verify/xla/judge.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "verify/xla/verdict.h"

namespace tileproof::xla {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string entry(const std::string& instructions) {
  return absl::StrCat(
      "HloModule m\nr {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] "
      "maximum(a, b)\n}\nENTRY main {\n",
      instructions, "\n}\n");
}

Judged judged(const std::string& encoding, const std::string& instructions,
              const std::string& answer, const nlohmann::json& offsets = nlohmann::json::object()) {
  const nlohmann::json line{{"id", "q1"},         {"kind", "test"},
                            {"way", encoding},    {"text", entry(instructions)},
                            {"offsets", offsets}, {"answer", {answer}}};
  const absl::StatusOr<Judged> result = judge(line.dump());
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *result : Judged{};
}

constexpr char kReverse[] =
    "  p = f32[3] parameter(0)\n  ROOT r = f32[3] reverse(p), dimensions={0}";

TEST(JudgeXla, AgreesIfTheSourcesAreTheSame) {
  const Judged result = judged("bits", kReverse, "2|1|0");
  EXPECT_EQ(result.difference, "");
  EXPECT_EQ(result.elements, 3);
  EXPECT_EQ(result.shown, 3);
}

TEST(JudgeXla, ReportsAnExtraSourceAndAMissingOne) {
  EXPECT_EQ(
      judged("bits", kReverse, "2|0 1|0").difference,
      "element 1 of the result: XLA has {p0[0]} that the reference lacks, the reference has {} "
      "that XLA lacks");
  EXPECT_EQ(
      judged("changes", kReverse, "2||0").difference,
      "element 1 of the result: XLA has {} that the reference lacks, the reference has {p0[1]} "
      "that XLA lacks");
  EXPECT_THAT(judged("bits", kReverse, "2|1").difference,
              HasSubstr("2 elements in XLA, 3 in the reference"));
}

TEST(JudgeXla, UsesTheValuesOfOffsets) {
  const std::string slice =
      "  p = f32[4] parameter(0)\n  i = s32[] parameter(1)\n  ROOT r = f32[2] dynamic-slice(p, i), "
      "dynamic_slice_sizes={2}";
  EXPECT_EQ(judged("bits", slice, "1|2", {{"1", {1}}}).difference, "");
  EXPECT_EQ(judged("bits", slice, "2|3", {{"1", {9}}}).difference, "");
  EXPECT_NE(judged("bits", slice, "2|3", {{"1", {-9}}}).difference, "");
  // Changes may show the offset too, if it is not clamped to one value; they need not.
  EXPECT_EQ(judged("changes", slice, "2 4|3 4", {{"1", {9}}}).difference, "");
  EXPECT_THAT(judged("changes", slice, "2|3", {{"1", {9}}}).explained, ElementsAre("hidden"));
}

TEST(JudgeXla, NamesIgnoredInits) {
  const auto reduce = [](int64_t size) {
    return absl::StrCat("  p = f32[", size,
                        "] parameter(0)\n  i = f32[] parameter(1)\n  ROOT r = f32[] reduce(p, i), "
                        "dimensions={0}, to_apply=r");
  };
  const Judged one = judged("bits", reduce(1), "0");
  EXPECT_EQ(one.difference, "");
  EXPECT_THAT(one.explained, ElementsAre("init-is-identity"));
  EXPECT_NE(judged("bits", reduce(2), "0 1").difference, "");
  EXPECT_NE(judged("bits", reduce(1), "1").difference, "");
  EXPECT_NE(judged("bits", reduce(0), "").difference, "");
  EXPECT_THAT(judged("bits", reduce(2), "0 1 2").explained, IsEmpty());
}

TEST(JudgeXla, RejectsMalformedAnswers) {
  EXPECT_FALSE(judge("").ok());
  EXPECT_FALSE(judge("{}").ok());
  EXPECT_FALSE(judge(R"({"kind": "test", "text": "no module", "answer": ["0"]})").ok());
  EXPECT_FALSE(
      judge(
          nlohmann::json{{"kind", "test"}, {"text", entry(kReverse)}, {"answer", {"x|1|0"}}}.dump())
          .ok());
  const absl::StatusOr<Judged> refused = judge(R"({"kind": "test", "refused": "because"})");
  ASSERT_TRUE(refused.ok());
  EXPECT_EQ(refused->unanswered, "refused: because");
}

Verdict judged_shape(const nlohmann::json& line) {
  const absl::StatusOr<Verdict> result = judge_shape(line.dump());
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *result : Verdict{};
}

TEST(JudgeXlaShapes, FillsInMissingLayoutsBeforeComparing) {
  using Kind = Verdict::Kind;
  EXPECT_EQ(judged_shape({{"text", "f32[3,5]"}, {"is", "f32[3,5]{1,0}"}}).kind, Kind::kBothAccept);
  EXPECT_EQ(judged_shape({{"text", "(f32[2], u8[])"}, {"is", "(f32[2]{0}, u8[])"}}).kind,
            Kind::kBothAccept);
  EXPECT_EQ(judged_shape({{"text", "f32[3,5]"}, {"is", "f32[3,5]{0,1}"}}).kind, Kind::kDifferent);
  EXPECT_EQ(judged_shape({{"text", "f32[3"}, {"error", "expects"}}).kind, Kind::kBothRefuse);
  EXPECT_EQ(judged_shape({{"text", "f32[3"}, {"is", "f32[3]{0}"}}).kind, Kind::kDifferent);
  EXPECT_EQ(judged_shape({{"text", "f32[3]"}, {"error", "expects"}}).kind, Kind::kDifferent);
}

TEST(JudgeXlaShapes, NamesDifferencesOfTheTable) {
  EXPECT_EQ(judged_shape({{"text", "f32[3]{0:T(2}"}, {"is", "f32[3]{0:T(2)}"}}).name,
            "malformed-property");
  EXPECT_EQ(judged_shape({{"text", "f32[3]{0:L(0)}"}, {"ends", "status -6"}}).name,
            "tail-alignment-below-one");
  EXPECT_EQ(judged_shape({{"text", "(f32[3]{0:SC(0:5)})"}, {"error", ""}}).name, "split-unchecked");
  EXPECT_EQ(judged_shape({{"text", "(f32[3]{0:SC(0:2)})"}, {"error", ""}}).kind,
            Verdict::Kind::kDifferent);
}

}  // namespace
}  // namespace tileproof::xla
