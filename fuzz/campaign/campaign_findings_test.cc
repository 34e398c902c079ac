// SPDX-License-Identifier: Apache-2.0
// Failing inputs: one finding per cause, minimized, on record until it no longer fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/campaign_testing.h"
#include "fuzz/campaign/report.h"

namespace tileproof::campaign {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST_F(CampaignTest, FailuresOfOneCauseAreOneFinding) {
  add("one", "starts; fail i$$ 'wrong map'\n");
  const Summary summary = campaign();
  EXPECT_EQ(causes(summary), std::set<std::string>{"FOUND: wrong map"});
  EXPECT_GT(summary.state.findings[0].count, 1);
  EXPECT_LE(files_in(options_.folder / "one" / "found" / summary.state.findings[0].key).size(),
            20u);
  EXPECT_EQ(exit_status(summary), 1);
  EXPECT_THAT(happened_, Contains(HasSubstr("one: FOUND: wrong map")));
}

TEST_F(CampaignTest, AFindingOfAnotherTargetDoesNotFailACampaign) {
  options_.time = Milliseconds(2000);
  add("one", "starts; fail x 'wrong map'\n");
  EXPECT_THAT(to_text(campaign(), options_), HasSubstr("is a bug of Tileproof"));
  options_.targets.clear();
  add("two", kGood);
  const Summary summary = campaign();
  EXPECT_EQ(exit_status(summary), 0);
  const std::string text = to_text(summary, options_);
  EXPECT_THAT(text, HasSubstr("nothing found"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("wrong map")));
  ASSERT_EQ(summary.state.findings.size(), 1u);  // the next campaign of `one` runs it again
  EXPECT_FALSE(summary.state.findings[0].gone);
}

TEST_F(CampaignTest, MinimizesAFindingAndWritesItAsARegression) {
  // Fails for every input that contains x; the smallest is x.
  add("one",
      "if [ $mode = slice ]; then starts; fail aaxaa 'has x'; fi\n"
      "if [ $mode = minimise ]; then printf x > $exact; exit 0; fi\n"
      "grep -q x $first && fail \"$(cat $first)\" 'has x'; exit 0\n");
  const Summary summary = campaign();
  ASSERT_EQ(summary.state.findings.size(), 1u);
  const Finding& finding = summary.state.findings[0];
  EXPECT_TRUE(finding.minimized);
  EXPECT_EQ(file(fs::path("corpus") / finding.input), "x");
  const std::string regression = file(fs::path("corpus/one/regressions") / (finding.key + ".txt"));
  EXPECT_THAT(regression, HasSubstr("\nx\n"));
  EXPECT_THAT(regression, HasSubstr("# Belongs into corpus/layouts/regressions.txt\n"));
  const std::string replay = absl::StrCat((options_.programs / "one_fuzzer").string(), " ",
                                          (options_.folder / finding.input).string());
  EXPECT_THAT(regression, HasSubstr("# Replay: " + replay));
  EXPECT_THAT(to_text(summary, options_), HasSubstr(replay));
  EXPECT_EQ(WEXITSTATUS(std::system((replay + " > /dev/null").c_str())), 77);
}

TEST_F(CampaignTest, ASmallerInputOfAnotherCauseIsAnotherFinding) {
  add("one",
      "if [ $mode = slice ]; then starts; fail aaxaa 'has x'; fi\n"
      "if [ $mode = minimise ]; then printf y > $exact; exit 0; fi\n"
      "grep -q x $first && fail \"$(cat $first)\" 'has x'\n"
      "grep -q y $first && fail \"$(cat $first)\" 'has y'; exit 0\n");
  const Summary summary = campaign();
  EXPECT_EQ(causes(summary), (std::set<std::string>{"FOUND: has x", "FOUND: has y"}));
  EXPECT_EQ(file(fs::path("corpus") / summary.state.findings[0].input), "aaxaa");
}

constexpr absl::string_view kTimeout =
    "printf slow > ${prefix}timeout-slow\n"
    "echo '==1== ERROR: libFuzzer: timeout after 2 seconds'\n"
    "echo '    #1 0x1 in tileproof::simplify(int) /a/simplify.cc:1:2'\n"
    "echo \"artifact_prefix='$prefix'; Test unit written to ${prefix}timeout-slow\"\n"
    "exit 70\n";

TEST_F(CampaignTest, ATimeoutThatDoesNotRepeatIsNoFinding) {
  add("once", absl::StrCat("starts; [ $mode = slice ] || exit 0\n"
                           "[ -e timed ] && { sleep 0.1; ends; }\ntouch timed\n",
                           kTimeout));
  const Summary summary = campaign();
  EXPECT_TRUE(summary.state.findings.empty());
  EXPECT_THAT(summary.notes, Contains(HasSubstr("once: run again, timeout-slow does not fail")));
  EXPECT_EQ(exit_status(summary), 0);
}

TEST_F(CampaignTest, ATimeoutThatRepeatsIsAFinding) {
  add("always", absl::StrCat("starts\n[ $mode = merge ] && exit 0\n", kTimeout));
  const Summary summary = campaign();
  ASSERT_EQ(summary.state.findings.size(), 1u);
  EXPECT_FALSE(summary.state.findings[0].gone);
  EXPECT_EQ(exit_status(summary), 1);
}

TEST_F(CampaignTest, AFindingThatNoLongerFailsIsGone) {
  add("one", "starts; fail x 'was wrong'\n");
  EXPECT_EQ(exit_status(campaign()), 1);
  std::ofstream(options_.programs / "one_fuzzer") << "#!/bin/sh\n" << kPrelude << kGood;
  const Summary summary = campaign();
  ASSERT_EQ(summary.state.findings.size(), 1u);
  EXPECT_TRUE(summary.state.findings[0].gone);
  EXPECT_EQ(exit_status(summary), 0);
  EXPECT_EQ(summary.state.campaigns, 2);
}

// Ways in which a program ends before it runs its input.
constexpr absl::string_view kDying[] = {
    "echo cannot open shared object >&2; exit 127\n",
    "[ $mode = replay ] && kill -9 $$\nstarts; sleep 0.1; ends\n",
};

TEST_F(CampaignTest, AFindingStaysIfItsProgramDiesInTheReplay) {
  options_.time = Milliseconds(2000);
  for (const absl::string_view dying : kDying) {
    fs::remove_all(options_.folder);
    options_.targets.clear();
    add("one", "[ $mode = minimise ] && exit 0\nstarts; fail x 'was wrong'\n");
    campaign();
    options_.targets.clear();
    add("one", dying);
    const Summary summary = campaign();
    ASSERT_EQ(summary.state.findings.size(), 1u) << dying;
    EXPECT_FALSE(summary.state.findings[0].gone) << dying;
    EXPECT_EQ(exit_status(summary), 1) << dying;
    EXPECT_THAT(summary.notes, Contains(HasSubstr("one: run again, it ended with "))) << dying;
  }
}

TEST_F(CampaignTest, AFailingInputWaitsIfItsProgramDiesInTheReplay) {
  const fs::path waiting = options_.folder / "one" / "found" / "crash-1";
  fs::create_directories(waiting.parent_path());
  std::ofstream(waiting) << "one";
  for (const absl::string_view dying : kDying) {
    options_.targets.clear();
    add("one", dying);
    const Summary summary = campaign();
    EXPECT_TRUE(fs::exists(waiting)) << dying;
    EXPECT_EQ(summary.waiting, 1) << dying;
    EXPECT_EQ(exit_status(summary), 1) << dying;
    EXPECT_THAT(summary.notes, Contains(HasSubstr("one: run again, it ended with "))) << dying;
  }
}

TEST_F(CampaignTest, AnInputThatNoLongerFailsIsSetAside) {
  const fs::path folder = options_.folder / "one";
  fs::create_directories(folder / "found");
  std::ofstream(folder / "found" / "crash-1") << "one";
  add("one", kGood);
  const Summary summary = campaign();
  EXPECT_TRUE(fs::exists(folder / "aside" / "crash-1"));
  EXPECT_EQ(summary.waiting, 0);
  EXPECT_EQ(exit_status(summary), 0);
}

TEST_F(CampaignTest, AFindingThatFailsForAnotherCauseIsAnotherFinding) {
  options_.time = Milliseconds(2000);
  add("one", "[ $mode = minimise ] && exit 0\nstarts; fail x 'first bug'\n");
  campaign();
  options_.targets.clear();
  add("one",
      "[ $mode = minimise ] && exit 0\n"
      "[ $mode = replay ] && fail \"$(cat $first)\" 'second bug'\nstarts; sleep 0.1; ends\n");
  for (int again = 0; again < 2; ++again) {
    const Summary summary = campaign();
    ASSERT_EQ(summary.state.findings.size(), 2u);
    const Finding& first = summary.state.findings[0];
    const Finding& second = summary.state.findings[1];
    EXPECT_EQ(first.cause, "FOUND: first bug");
    EXPECT_TRUE(first.gone);
    EXPECT_EQ(second.cause, "FOUND: second bug");
    EXPECT_FALSE(second.gone);
    EXPECT_EQ(second.count, 1);  // not counted again by every campaign
    EXPECT_EQ(file(fs::path("corpus") / second.input), "x");
    EXPECT_EQ(exit_status(summary), 1);
  }
}

TEST_F(CampaignTest, AFindingIsGoneIfNoneOfItsInputsFails) {
  const fs::path found = options_.folder / "one" / "found";
  fs::create_directories(found);
  std::ofstream(found / "crash-1") << "first";
  std::ofstream(found / "crash-2") << "other";
  add("one",
      "[ $mode = minimise ] && exit 0\n"
      "[ $mode = replay ] && fail \"$(cat $first)\" 'wrong'\nstarts; sleep 0.1; ends\n");
  ASSERT_EQ(campaign().state.findings.at(0).count, 2);
  const std::string rest = "starts; sleep 0.1; ends\n";
  options_.targets.clear();
  add("one",
      "[ $mode = minimise ] && exit 0\n"
      "[ $mode = replay ] && grep -q other $first && fail other 'wrong'\n" +
          rest);
  const Summary still = campaign();
  ASSERT_EQ(still.state.findings.size(), 1u);
  EXPECT_FALSE(still.state.findings[0].gone);
  EXPECT_EQ(file(fs::path("corpus") / still.state.findings[0].input), "other");
  EXPECT_EQ(exit_status(still), 1);
  options_.targets.clear();
  add("one", rest);
  EXPECT_TRUE(campaign().state.findings.at(0).gone);
}

TEST_F(CampaignTest, AFindingThatFailsAgainGetsTheFailingInput) {
  options_.time = Milliseconds(2000);
  add("one", "[ $mode = minimise ] && exit 0\nstarts; fail x 'wrong'\n");
  campaign();
  const std::string y_fails =
      "[ $mode = minimise ] && exit 0\n"
      "[ $mode = replay ] && { grep -q y $first && fail y 'wrong'; exit 0; }\nstarts; ";
  options_.targets.clear();
  add("one", y_fails + "sleep 0.1; ends\n");
  EXPECT_TRUE(campaign().state.findings.at(0).gone);
  options_.targets.clear();
  add("one", y_fails + "fail y 'wrong'\n");
  const Summary summary = campaign();
  ASSERT_EQ(summary.state.findings.size(), 1u);
  EXPECT_FALSE(summary.state.findings[0].gone);
  EXPECT_EQ(file(fs::path("corpus") / summary.state.findings[0].input), "y");
  EXPECT_EQ(exit_status(campaign()), 1);
}

TEST_F(CampaignTest, TheNextCampaignFilesAFailureOfAKilledOne) {
  add("one",
      "[ $mode = replay ] && fail \"$(cat $first)\" 'left behind'\n"
      "[ $mode = minimise ] && exit 0\nstarts; sleep 0.1; ends\n");
  fs::create_directories(options_.folder / "one" / "found");
  std::ofstream(options_.folder / "one" / "found" / "crash-1") << "one";
  const Summary summary = campaign();
  EXPECT_EQ(causes(summary), std::set<std::string>{"FOUND: left behind"});
  EXPECT_TRUE(
      fs::exists(options_.folder / "one" / "found" / summary.state.findings[0].key / "crash-1"));
  EXPECT_EQ(summary.waiting, 0);
}

}  // namespace
}  // namespace tileproof::campaign
