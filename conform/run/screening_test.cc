// SPDX-License-Identifier: Apache-2.0
// Which features requests have, and which one is left out after a program died five times.
#include "conform/run/screening.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tileproof::conform {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> names_of(FeatureSet features) {
  std::vector<std::string> names;
  for (size_t i = 0; i < kScreenedFeatures.size(); ++i) {
    if ((features >> i) & 1) names.emplace_back(kScreenedFeatures[i]);
  }
  return names;
}

std::string about_map(const std::string& map) {
  return R"({"op":"map.simplify","map":")" + map + R"("})";
}

std::string about_layout(const std::string& shape) {
  return R"({"op":"layout.physical","shape":")" + shape + R"("})";
}

TEST(Screening, FindsTheFeaturesOfARequest) {
  const auto of = [](const std::string& request) { return names_of(screened_features(request)); };
  EXPECT_THAT(of(about_map("(d0) -> (d0 floordiv 2), domain: d0 in [-1, 5]")), IsEmpty());
  EXPECT_THAT(of(about_map("(d0) -> (d0 ceildiv 2), domain: d0 in [0, 5]")),
              ElementsAre("ceildiv"));
  EXPECT_THAT(of(about_map("(d0) -> (d0 mod 0), domain: d0 in [0, 5]")),
              ElementsAre("zero divisor"));
  EXPECT_THAT(of(about_map("(d0) -> (d0 mod 05), domain: d0 in [0, 5]")), IsEmpty());
  EXPECT_THAT(of(about_map("(d0) -> (d0 floordiv -3), domain: d0 in [0, 5]")),
              ElementsAre("negative divisor"));
  EXPECT_THAT(of(about_map("(d0) -> (d0 mod (d0 + 1)), domain: d0 in [0, 5]")),
              ElementsAre("compound divisor"));
  EXPECT_THAT(of(about_map("(d0) -> (d0), domain: d0 in [0, 9223372036854775807]")),
              ElementsAre("int64 extremes"));
  EXPECT_THAT(of(about_map("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 5], rt0 in [0, 1]")),
              ElementsAre("runtime variables"));
  EXPECT_THAT(of(about_layout("f32[3,5]{1,0:T(2,2)}")), IsEmpty());
  EXPECT_THAT(of(about_layout("bf16[4,8]{1,0:T(2,4)(2,1)}")), ElementsAre("several tiles"));
  EXPECT_THAT(of(about_layout("f32[4,6]{1,0:T(*,8)}")), ElementsAre("combined dimensions"));
}

// Each feature alone: a program that dies of it is asked on without it.
TEST(Screening, LeavesOutTheFeatureThatExplainsTheDeaths) {
  for (size_t i = 0; i < kScreenedFeatures.size(); ++i) {
    const FeatureSet feature = FeatureSet{1} << i;
    Screen screen;
    screen.answered(0);
    for (int death = 0; death < kStopAfter; ++death) {
      EXPECT_TRUE(screen.wants(feature));
      EXPECT_EQ(screen.died(feature, "signal 6"), "");
    }
    EXPECT_FALSE(screen.wants(feature));
    EXPECT_TRUE(screen.wants(0));
    const std::vector<ScreenedFeature> screened = screen.screened("simplify");
    ASSERT_EQ(screened.size(), 1u);
    EXPECT_EQ(screened[0].feature, std::string(kScreenedFeatures[i]));
    EXPECT_EQ(screened[0].why, "5 times: signal 6");
    EXPECT_EQ(screened[0].requests, 1);
  }
}

TEST(Screening, StopsIfARequestWithTheFeatureWasAnswered) {
  Screen screen;
  screen.answered(1);
  std::string why;
  for (int death = 0; death < kStopAfter; ++death) why = screen.died(1, "signal 6");
  EXPECT_THAT(why, HasSubstr("after 5 times: signal 6"));
  EXPECT_TRUE(screen.wants(1));
}

TEST(Screening, CountsDeathsOfDifferentKindsApart) {
  Screen screen;
  for (int death = 0; death + 1 < kStopAfter; ++death) {
    EXPECT_EQ(screen.died(0, "signal 6"), "");
    EXPECT_EQ(screen.died(0, "no answer in 2 s"), "");
  }
  EXPECT_NE(screen.died(0, "signal 6"), "");
}

}  // namespace
}  // namespace tileproof::conform
