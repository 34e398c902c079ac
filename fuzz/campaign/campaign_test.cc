// SPDX-License-Identifier: Apache-2.0
// A campaign divides its time, keeps its inputs, and goes on after any failure.
#include "fuzz/campaign/campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "conform/protocol/json.h"
#include "fuzz/campaign/campaign_testing.h"
#include "fuzz/campaign/report.h"

namespace tileproof::campaign {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST_F(CampaignTest, RunsEveryTargetAndFindsNothing) {
  add("one", kGood);
  add("two", kGood);
  const Summary summary = campaign();
  ASSERT_EQ(summary.targets.size(), 2u);
  for (const TargetResult& target : summary.targets) {
    EXPECT_GE(target.executions, 100) << target.name;
    EXPECT_EQ(target.edges, 10) << target.name;
  }
  EXPECT_TRUE(summary.notes.empty()) << summary.notes.front();
  EXPECT_EQ(exit_status(summary), 0);
}

TEST_F(CampaignTest, GivesUpATargetThatDiesAtStartAndGoesOn) {
  add("dies", "echo cannot open shared object >&2; exit 127\n");
  add("good", kGood);
  options_.targets.push_back({.name = "absent"});
  const Summary summary = campaign();
  EXPECT_THAT(summary.targets[0].left,
              HasSubstr("before its first input, with status 127: cannot open"));
  EXPECT_GE(summary.targets[1].executions, 100);
  EXPECT_THAT(summary.targets[2].left, HasSubstr("there is no program"));
  EXPECT_EQ(exit_status(summary), 2);
}

TEST_F(CampaignTest, ATargetThatHangsDoesNotUseTheTimeOfOthers) {
  add("hangs", "sleep 1000\n");
  add("deaf", "trap '' INT TERM; while :; do sleep 1; done\n");
  add("good", kGood);
  options_.jobs = 3;
  const Summary summary = campaign();  // must return
  EXPECT_GE(summary.targets[2].executions, 100);
  EXPECT_THAT(summary.notes, Contains(HasSubstr("hangs: there was no time for a run")));
}

// A campaign ends in time even if its programs never end and ignore signals: after at most ten
// times its time.
TEST_F(CampaignTest, EndsInTimeIfProgramsNeverEnd) {
  add("deaf", "trap '' INT TERM; starts; while :; do sleep 1; done\n");
  add("endless", "starts; while :; do echo what it says; done\n");
  const Clock::time_point begin = Clock::now();
  const Summary summary = campaign();
  const auto took = std::chrono::duration_cast<Milliseconds>(Clock::now() - begin);
  EXPECT_LT(took, options_.time * 10);
  EXPECT_GT(took, options_.time / 2);
  EXPECT_GE(took, summary.time);
  EXPECT_FALSE(summary.interrupted);
}

TEST_F(CampaignTest, LackOfMemoryIsAFindingAndOthersGoOn) {
  add("big",
      "[ $mode = minimise ] && touch minimised\n"
      "starts; [ $mode = slice ] && printf large > ${prefix}oom-large\n"
      "echo \"==1== ERROR: libFuzzer: out-of-memory (used: $((limit + 1))Mb; limit: ${limit}Mb)\"\n"
      "echo '    #1 0x1 in tileproof::impl::simplify(int) /a/simplify.cc:1:2'\n"
      "echo \"artifact_prefix='$prefix'; Test unit written to ${prefix}oom-large\"\n"
      "exit 71\n");
  add("good", kGood);
  const Summary summary = campaign();
  ASSERT_EQ(summary.state.findings.size(), 1u);
  const Finding& finding = summary.state.findings[0];
  EXPECT_EQ(finding.target, "big");
  EXPECT_EQ(finding.cause, "out-of-memory in tileproof::impl::simplify");
  EXPECT_THAT(finding.line, HasSubstr("used: 101Mb; limit: 100Mb"));
  EXPECT_EQ(file(fs::path("corpus") / finding.input), "large");
  EXPECT_FALSE(fs::exists(options_.folder / "big" / "minimised"));
  EXPECT_EQ(summary.targets[0].left, "");
  EXPECT_GE(summary.targets[1].executions, 100);
  EXPECT_EQ(exit_status(summary), 1);
}

TEST_F(CampaignTest, AKilledProgramIsANoteAndOthersGoOn) {
  add("killed", "starts; sleep 0.1; kill -9 $$\n");
  add("good", kGood);
  const Summary summary = campaign();
  EXPECT_THAT(summary.notes, Contains(HasSubstr("killed: ended with ")));
  EXPECT_TRUE(summary.state.findings.empty());
  EXPECT_GE(summary.targets[1].executions, 100);
}

TEST_F(CampaignTest, ReportsProgress) {
  add("one",
      "if [ $mode = minimise ]; then exit 0; fi\n"
      "starts; echo $$ > $first/$$; printf '#50\\tNEW    cov: 13 ft: 25 corp: 2/2b\\n'; sleep 0.8\n"
      "fail x 'wrong'\n");
  options_.jobs = 1;
  options_.time = Milliseconds(6000);
  std::vector<Progress> reports;
  options_.progress = [&](const Progress& progress) { reports.push_back(progress); };
  const Summary summary = campaign();
  ASSERT_GE(reports.size(), 3u);
  for (size_t i = 1; i < reports.size(); ++i) {
    EXPECT_LE(reports[i].left, reports[i - 1].left);
    EXPECT_GE(reports[i].executions, reports[i - 1].executions);
    EXPECT_GE(reports[i].findings, reports[i - 1].findings);
    EXPECT_GE(reports[i].new_inputs, reports[i - 1].new_inputs);
  }
  EXPECT_LE(reports.front().left, options_.time);
  EXPECT_THAT(reports, Contains(::testing::Field(&Progress::running, Contains("one"))));
  EXPECT_THAT(reports, Contains(::testing::Field(&Progress::per_second, ::testing::Gt(0.0))));
  const Progress& last = reports.back();
  EXPECT_GE(last.executions, 2);
  EXPECT_EQ(last.features, 25);
  EXPECT_EQ(last.new_features, 25);
  EXPECT_GE(last.new_inputs, 1);
  EXPECT_EQ(last.findings, 1);
}

TEST_F(CampaignTest, AShortCampaignStartsWithTargetsThatHadNoTimeBefore) {
  const std::string said = (root_ / "said").string();
  for (const char* name : {"one", "two"}) {
    add(name, absl::StrCat("[ $mode = slice ] && echo ", name, " >> ", said,
                           "\nstarts; sleep 2.5; ends\n"));
  }
  options_.jobs = 1;
  options_.time = Milliseconds(2000);
  campaign();
  const std::string first = file("said");
  campaign();
  EXPECT_THAT(first, ::testing::StartsWith("one\n"));
  EXPECT_THAT(file("said").substr(first.size()), ::testing::StartsWith("two\n")) << file("said");
}

TEST_F(CampaignTest, AMissingFileOfSeedsIsANote) {
  add("one", kGood);
  options_.targets[0].seeds = {"no/such/file.txt"};
  const Summary summary = campaign();
  EXPECT_GE(summary.targets[0].executions, 100);
  EXPECT_THAT(summary.notes, Contains(HasSubstr("no seeds in")));
}

// A job that keeps three inputs.
constexpr absl::string_view kKeepsThree =
    "for i in 1 2 3; do echo $i > $first/n$i; done; starts; sleep 0.1; ends\n";

TEST_F(CampaignTest, MinimizesTheKeptInputs) {
  add("one", kKeepsThree, "[ $mode = merge ] && keep kept/n1 kept/n2\n");
  const Summary summary = campaign();
  EXPECT_EQ(summary.targets[0].inputs, 2);
  EXPECT_EQ(summary.targets[0].edges, 10);
  EXPECT_TRUE(fs::exists(options_.folder / "one" / "kept" / "n1"));
  EXPECT_TRUE(summary.notes.empty()) << summary.notes.front();
}

TEST_F(CampaignTest, AMergeThatFailsKeepsTheInputs) {
  add("one", kKeepsThree,
      "[ $mode = merge ] && { cp kept/n1 \"$first\"; echo 'No such file: n7'; exit 1; }\n");
  add("two", kKeepsThree, "[ $mode = merge ] && exit 0\n");
  const Summary summary = campaign();
  EXPECT_EQ(summary.targets[0].inputs, 4);
  EXPECT_EQ(summary.targets[1].inputs, 4);
  EXPECT_THAT(summary.notes,
              Contains(HasSubstr("could not be minimized: status 1: No such file: n7")));
  EXPECT_THAT(summary.notes, Contains(HasSubstr("could not be minimized: nothing was written")));
}

TEST_F(CampaignTest, LosesNoFindingWhenKilledAtAnyMoment) {
  // Each run keeps an input and fails in one of three ways, after it recorded this in its own file.
  const std::string said = (root_ / "said").string();
  add("one", absl::StrCat("[ $mode = replay ] && fail \"$(cat $first)\" way$(cut -c1 $first)\n"
                          "if [ $mode = minimise ]; then sleep 0.05; exit 0; fi\n"
                          "starts; way=$(($$ % 3)); case $way in 0) n=a;; 1) n=b;; *) n=c;; esac\n"
                          "echo $$ > $first/kept$$\n"
                          "printf '%s' \"$n$$\" > \"${prefix}crash-$n$$\"\n"
                          "echo kept$$ way$n >> ",
                          said,
                          "\n"
                          "fail $n$$ way$n\n"));
  for (int i = 0; i < 10; ++i) {
    killed_campaign(100 + 137 * i % 700);
    const absl::StatusOr<State> state = read_state(options_.folder / "state.json");
    ASSERT_TRUE(state.ok()) << state.status();
  }
  options_.time = Milliseconds(6000);
  const Summary summary = campaign();
  int64_t runs = 0;
  const std::set<std::string> found = causes(summary);
  for (const absl::string_view line : absl::StrSplit(file("said"), '\n', absl::SkipEmpty())) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    EXPECT_TRUE(fs::exists(options_.folder / "one" / "kept" / words[0])) << line;
    EXPECT_TRUE(found.contains("FOUND: " + words[1])) << line;
    ++runs;
  }
  EXPECT_GT(runs, 3);
  EXPECT_EQ(summary.state.campaigns, 11);
}

TEST_F(CampaignTest, SetsAnUnreadableStateAsideAndCollectsFindingsAnew) {
  add("one",
      "[ $mode = replay ] && fail \"$(cat $first)\" wrong\n"
      "[ $mode = minimise ] && exit 0\nstarts; fail x wrong\n");
  campaign();
  std::ofstream(options_.folder / "state.json") << "{\"version\":1,\"targ";
  const Summary summary = campaign();
  EXPECT_THAT(summary.notes, Contains(HasSubstr("state.json.unreadable")));
  EXPECT_EQ(causes(summary), std::set<std::string>{"FOUND: wrong"});
}

TEST_F(CampaignTest, TheStateIsReadableWhateverATargetPrints) {
  add("one", "starts; printf 'FOUND: \\377\\001 {\"\\n'; exit 77\n");
  campaign();
  const absl::StatusOr<State> state = read_state(options_.folder / "state.json");
  ASSERT_TRUE(state.ok()) << state.status();
  ASSERT_EQ(state->findings.size(), 1u);
  EXPECT_EQ(state->findings[0].line, "FOUND: \\xff\\x01 {\"");
}

TEST_F(CampaignTest, OneCampaignAtATimeInAFolder) {
  add("one", kGood);
  fs::create_directories(options_.folder);
  const absl::StatusOr<Lock> lock = Lock::take(options_.folder);
  EXPECT_THAT(std::string(run(options_).status().message()), HasSubstr("another campaign"));
}

TEST_F(CampaignTest, ASignalEndsItCleanly) {
  add("one", "starts; sleep 1000\n");
  options_.time = Milliseconds(600'000);
  const pid_t self = ::getpid();
  options_.progress = [self](const Progress& progress) {
    if (!progress.running.empty()) ::kill(self, SIGTERM);
  };
  const Summary summary = campaign();  // must return
  EXPECT_TRUE(summary.interrupted);
}

TEST_F(CampaignTest, ReportsAreCompleteAndSelfContained) {
  add("one", "starts; sleep 0.1; ends\n");
  add("two", "starts; fail '<x>' '<wrong>'\n");
  const Summary summary = campaign();
  const absl::StatusOr<conform::JsonText> json =
      conform::read_json(conform::to_text(to_json(summary, options_)));
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(*conform::find(json->value, "status")->as<int64_t>(), 1);
  EXPECT_EQ(conform::find(json->value, "targets")->as<conform::Json::Array>()->size(), 2u);
  const std::string html = to_html(summary, options_);
  EXPECT_THAT(html, HasSubstr("<polyline"));
  EXPECT_EQ(summary.state.targets[0].samples.front().executions, 0);  // the coverage of the seeds
  EXPECT_THAT(html, HasSubstr("&lt;wrong&gt;"));
  EXPECT_THAT(html, ::testing::Not(HasSubstr("<wrong>")));
  EXPECT_THAT(html, ::testing::Not(HasSubstr("http")));
}

}  // namespace
}  // namespace tileproof::campaign
