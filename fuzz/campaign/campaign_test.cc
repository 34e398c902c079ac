// Campaigns of small programs that speak like libFuzzer, crash, hang, or die.
#include "fuzz/campaign/campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "fuzz/campaign/files.h"
#include "fuzz/campaign/input_text.h"
#include "fuzz/campaign/report.h"
#include "fuzz/choose.h"
#include "verify/conform/json.h"

namespace tileproof::campaign {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;

// Every program begins with this, and merges by keeping all.
const std::string kPrelude = ". " TILEPROOF_FAKE_TARGET "\n";
const std::string kKeepsAll = "[ $mode = merge ] && keep \"$second\"/*\n";

constexpr absl::string_view kGood = "starts; sleep 0.1; ends\n";

class CampaignTest : public ::testing::Test {
 protected:
  CampaignTest() {
    root_ = fs::path(::testing::TempDir()) /
            absl::StrCat("campaign_", ::getpid(), "_",
                         ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(root_);
    options_.folder = root_ / "corpus";
    options_.programs = root_ / "bin";
    options_.corpus = root_ / "seeds";
    options_.time = Milliseconds(3000);
    options_.jobs = 2;
    options_.happened = [this](const std::string& what) { happened_.push_back(what); };
    fs::create_directories(options_.programs);
    fs::create_directories(options_.corpus);
  }
  ~CampaignTest() override { fs::remove_all(root_); }

  // A target whose program is the prelude and this.
  void add(const std::string& name, absl::string_view script,
           const std::string& merge = kKeepsAll) {
    options_.targets.push_back(
        {.name = name, .memory_mb = 100, .regressions = {.file = "layouts/regressions.txt"}});
    const fs::path program = options_.programs / (name + "_fuzzer");
    std::ofstream(program) << "#!/bin/sh\n" << kPrelude << merge << script;
    fs::permissions(program, fs::perms::owner_all);
  }

  Summary campaign() {
    absl::StatusOr<Summary> summary = run(options_);
    EXPECT_TRUE(summary.ok()) << summary.status();
    return summary.ok() ? *std::move(summary) : Summary{};
  }

  // Begins a campaign in a process of its own and kills it with SIGKILL after so long.
  void killed_campaign(int milliseconds) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      options_.time = Milliseconds(60'000);
      options_.happened = nullptr;
      const bool good = run(options_).ok();
      ::_exit(good ? 0 : 1);
    }
    ::usleep(static_cast<useconds_t>(milliseconds) * 1000);
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "ended by itself";
  }

  std::string file(const fs::path& path) { return read_file(root_ / path).value_or("(no file)"); }

  fs::path root_;
  Options options_;
  std::vector<std::string> happened_;
};

std::set<std::string> causes(const Summary& summary) {
  std::set<std::string> causes;
  for (const Finding& finding : summary.state.findings) causes.insert(finding.cause);
  return causes;
}

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

TEST_F(CampaignTest, FindingsOfOneCauseAreOne) {
  add("one", "starts; fail i$$ 'wrong map'\n");
  const Summary summary = campaign();
  EXPECT_EQ(causes(summary), std::set<std::string>{"FOUND: wrong map"});
  EXPECT_GT(summary.state.findings[0].count, 1);
  EXPECT_LE(files_in(options_.folder / "one" / "found").size(), 21u);
  EXPECT_EQ(exit_status(summary), 1);
  EXPECT_THAT(happened_, Contains(HasSubstr("one: FOUND: wrong map")));
}

TEST_F(CampaignTest, AFindingIsMadeSmallerAndWrittenAsARegression) {
  // Fails for every input with an x in it; the smallest is x.
  add("one",
      "if [ $mode = slice ]; then starts; fail aaxaa 'has x'; fi\n"
      "if [ $mode = minimise ]; then printf x > $exact; exit 0; fi\n"
      "grep -q x $first && fail \"$(cat $first)\" 'has x'; exit 0\n");
  const Summary summary = campaign();
  ASSERT_EQ(summary.state.findings.size(), 1u);
  const Finding& finding = summary.state.findings[0];
  EXPECT_TRUE(finding.minimised);
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

TEST_F(CampaignTest, ATimeoutThatDoesNotHappenAgainIsGone) {
  add("once", absl::StrCat("starts; [ $mode = slice ] || exit 0\n"
                           "[ -e $0.timed ] && { sleep 0.1; ends; }\ntouch $0.timed\n",
                           kTimeout));
  const Summary summary = campaign();
  ASSERT_EQ(summary.state.findings.size(), 1u);
  EXPECT_TRUE(summary.state.findings[0].gone);
  EXPECT_EQ(exit_status(summary), 0);
}

TEST_F(CampaignTest, ATimeoutThatHappensAgainIsAFinding) {
  add("always", absl::StrCat("starts\n[ $mode = merge ] && exit 0\n", kTimeout));
  const Summary summary = campaign();
  ASSERT_EQ(summary.state.findings.size(), 1u);
  EXPECT_FALSE(summary.state.findings[0].gone);
  EXPECT_EQ(exit_status(summary), 1);
}

TEST_F(CampaignTest, ATargetThatDiesAtStartIsLeftAndTheRestGoesOn) {
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

TEST_F(CampaignTest, ATargetThatHangsDoesNotKeepTheTimeOfTheOthers) {
  add("hangs", "sleep 1000\n");
  add("deaf", "trap '' INT TERM; while :; do sleep 1; done\n");
  add("good", kGood);
  options_.jobs = 3;
  const Summary summary = campaign();  // returns
  EXPECT_GE(summary.targets[2].executions, 100);
  EXPECT_THAT(summary.notes, Contains(HasSubstr("hangs: there was no time for a run")));
}

// The time is kept with programs that never end and do not listen, ten times it at the most.
TEST_F(CampaignTest, TheTimeIsKept) {
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

TEST_F(CampaignTest, LackOfMemoryIsAFindingAndTheRestGoesOn) {
  add("big",
      "[ $mode = minimise ] && touch $0.minimised\n"
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
  EXPECT_FALSE(fs::exists(options_.programs / "big_fuzzer.minimised"));
  EXPECT_EQ(summary.targets[0].left, "");
  EXPECT_GE(summary.targets[1].executions, 100);
  EXPECT_EQ(exit_status(summary), 1);
}

TEST_F(CampaignTest, AProgramThatIsKilledIsANoteAndTheRestGoesOn) {
  add("killed", "starts; sleep 0.1; kill -9 $$\n");
  add("good", kGood);
  const Summary summary = campaign();
  EXPECT_THAT(summary.notes, Contains(HasSubstr("killed: ended with ")));
  EXPECT_TRUE(summary.state.findings.empty());
  EXPECT_GE(summary.targets[1].executions, 100);
}

TEST_F(CampaignTest, HowItGetsOnIsTold) {
  add("one",
      "if [ $mode = minimise ]; then exit 0; fi\n"
      "starts; printf '#50\\tNEW    cov: 13 ft: 25 corp: 2/2b\\n'; sleep 0.8\n"
      "printf '#100\\tpulse  cov: 13 ft: 25 corp: 2/2b\\n'; sleep 0.2\n"
      "fail x 'wrong'\n");
  options_.jobs = 1;
  options_.time = Milliseconds(6000);
  std::vector<Progress> told;
  options_.progress = [&](const Progress& progress) { told.push_back(progress); };
  const Summary summary = campaign();
  ASSERT_GE(told.size(), 3u);
  for (size_t i = 1; i < told.size(); ++i) {
    EXPECT_LT(told[i].left, told[i - 1].left);
    EXPECT_GE(told[i].executions, told[i - 1].executions);
    EXPECT_GE(told[i].findings, told[i - 1].findings);
    EXPECT_GE(told[i].new_inputs, told[i - 1].new_inputs);
  }
  EXPECT_LE(told.front().left, options_.time);
  EXPECT_THAT(told, Contains(::testing::Field(&Progress::running, Contains("one"))));
  EXPECT_THAT(told, Contains(::testing::Field(&Progress::per_second, ::testing::Gt(0.0))));
  const Progress& last = told.back();
  EXPECT_GE(last.executions, 100);
  EXPECT_EQ(last.edges, 13);
  EXPECT_EQ(last.new_edges, 3);
  EXPECT_GE(last.new_inputs, 1);
  EXPECT_EQ(last.findings, 1);
}

TEST_F(CampaignTest, AShortCampaignBeginsWithWhatTheOneBeforeHadNoTimeFor) {
  const std::string said = (root_ / "said").string();
  for (const char* name : {"one", "two"}) {
    add(name, absl::StrCat("[ $mode = slice ] && echo ", name, " >> ", said,
                           "\nstarts; sleep 1.5; ends\n"));
  }
  options_.jobs = 1;
  options_.time = Milliseconds(2000);
  campaign();
  const std::string first = file("said");
  campaign();
  EXPECT_THAT(first, ::testing::StartsWith("one\n"));
  EXPECT_THAT(file("said").substr(first.size()), ::testing::StartsWith("two\n")) << file("said");
}

TEST_F(CampaignTest, AnInputThatFailsAtOnceIsTakenOut) {
  add("one",
      "for input in $first/*; do\n"
      "  [ -f $input ] && grep -q bad $input && fail \"$(cat $input)\" 'bad input'\n"
      "done\n"
      "[ $mode = replay ] && grep -q bad $first && fail \"$(cat $first)\" 'bad input'\n"
      "starts; sleep 0.1; ends\n");
  fs::create_directories(options_.folder / "one" / "kept");
  std::ofstream(options_.folder / "one" / "kept" / "a") << "bad1";
  std::ofstream(options_.folder / "one" / "kept" / "b") << "fine";
  const Summary summary = campaign();
  EXPECT_EQ(causes(summary), std::set<std::string>{"FOUND: bad input"});
  EXPECT_EQ(summary.targets[0].left, "");
  EXPECT_GE(summary.targets[0].executions, 100);
  EXPECT_FALSE(fs::exists(options_.folder / "one" / "kept" / "a"));
  EXPECT_TRUE(fs::exists(options_.folder / "one" / "kept" / "b"));
}

TEST_F(CampaignTest, ATargetThatAlwaysFailsAtStartIsLeft) {
  add("one", "fail nothing 'at start'\n");
  const Summary summary = campaign();
  EXPECT_THAT(summary.targets[0].left, HasSubstr("fails on what it starts with"));
  EXPECT_EQ(exit_status(summary), 1);
}

TEST_F(CampaignTest, UnreadableInputsAreSetAsideAndTheRestIsUsed) {
  const fs::path kept = options_.folder / "one" / "kept";
  fs::create_directories(kept);
  fs::create_symlink("/nowhere", kept / "dangling");
  ASSERT_EQ(::mkfifo((kept / "pipe").c_str(), 0600), 0);
  std::ofstream(kept / "good") << "x";
  add("one",
      "for input in $first/*; do cat $input > /dev/null || exit 1; done\n"
      "starts; sleep 0.1; ends\n");
  options_.targets[0].seeds = {"no/such/file.txt"};
  const Summary summary = campaign();
  EXPECT_GE(summary.targets[0].executions, 100);
  EXPECT_EQ(files_in(kept), std::vector<fs::path>{kept / "good"});
  EXPECT_THAT(summary.notes, Contains(HasSubstr("dangling: No such file")));
  EXPECT_THAT(summary.notes, Contains(HasSubstr("not a regular file: moved to")));
  EXPECT_THAT(summary.notes, Contains(HasSubstr("no seeds in")));
}

// 250 inputs, which is worth a merge.
constexpr absl::string_view kMakesMany =
    "[ -e $first/n250 ] || for i in $(seq 250); do echo $i > $first/n$i; done\n"
    "starts; sleep 0.1; ends\n";

TEST_F(CampaignTest, WhatIsKeptIsMinimisedWhenItHasGrown) {
  add("one", "[ -e $first/done ] && { starts; sleep 0.1; ends; }\n" + std::string(kMakesMany),
      "[ $mode = merge ] && touch \"$second\"/done && keep \"$second\"/n1 \"$second\"/n2 "
      "\"$second\"/done\n");
  const Summary summary = campaign();
  EXPECT_EQ(summary.targets[0].inputs, 3);
  EXPECT_TRUE(fs::exists(options_.folder / "one" / "kept" / "n1"));
  EXPECT_FALSE(fs::exists(options_.folder / "one" / "kept.old"));
  EXPECT_TRUE(summary.notes.empty()) << summary.notes.front();
}

TEST_F(CampaignTest, AMergeThatFailsKeepsTheInputs) {
  add("one", kMakesMany,
      "[ $mode = merge ] && { cp \"$second\"/n1 \"$first\"; echo 'No such file: n7'; exit 1; }\n");
  const Summary summary = campaign();
  EXPECT_EQ(summary.targets[0].inputs, 250);
  EXPECT_THAT(summary.notes,
              Contains(HasSubstr("could not be minimised: status 1: No such file: n7")));
}

// libFuzzer takes the coverage of inputs from the control file of a merge before, and ends with
// status 1 where it wants one of them that a slice has replaced since.
TEST_F(CampaignTest, AMergeDoesNotGoOnFromTheOneBefore) {
  add("one",
      "for i in $(seq 250); do echo $i > $first/n$i; done\n"
      "starts; sleep 0.1; ends\n",
      "[ $mode = merge ] && { [ -e \"$control\" ] && exit 1; echo 250 > \"$control\" && "
      "echo one >> \"${second%/*}/merges\"; keep \"$second\"/n1; }\n");
  options_.time = Milliseconds(6000);
  const Summary summary = campaign();
  const auto merges = read_file(options_.folder / "one" / "merges");
  ASSERT_TRUE(merges.ok());
  EXPECT_GT(merges->size(), std::string("one\n").size());  // more than one
  EXPECT_TRUE(summary.notes.empty()) << summary.notes.front();
}

TEST_F(CampaignTest, AMergeThatWritesNothingKeepsTheInputs) {
  add("one", kMakesMany, "[ $mode = merge ] && exit 0\n");
  const Summary summary = campaign();
  EXPECT_EQ(summary.targets[0].inputs, 250);
  EXPECT_THAT(summary.notes, Contains(HasSubstr("could not be minimised: nothing was written")));
}

TEST_F(CampaignTest, WhatDoesNotHappenAnyMoreIsGone) {
  add("one", "starts; fail x 'was wrong'\n");
  EXPECT_EQ(exit_status(campaign()), 1);
  std::ofstream(options_.programs / "one_fuzzer") << "#!/bin/sh\n" << kPrelude << kGood;
  const Summary summary = campaign();
  ASSERT_EQ(summary.state.findings.size(), 1u);
  EXPECT_TRUE(summary.state.findings[0].gone);
  EXPECT_EQ(exit_status(summary), 0);
  EXPECT_EQ(summary.state.campaigns, 2);
}

// Ways in which a program ends that has not run its input.
constexpr absl::string_view kDying[] = {
    "echo cannot open shared object >&2; exit 127\n",
    "[ $mode = replay ] && kill -9 $$\nstarts; sleep 0.1; ends\n",
};

TEST_F(CampaignTest, AFindingWhoseProgramDiesWhenItIsRunAgainStays) {
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

TEST_F(CampaignTest, AFailingInputWhoseProgramDiesWhenItIsRunAgainWaits) {
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

TEST_F(CampaignTest, AFailingInputThatDoesNotFailAnyMoreIsSetAside) {
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
    EXPECT_EQ(second.count, 1);  // not once more in every campaign
    EXPECT_EQ(file(fs::path("corpus") / second.input), "x");
    EXPECT_EQ(exit_status(summary), 1);
  }
}

TEST_F(CampaignTest, AFindingIsGoneWhereNoneOfItsInputsFails) {
  const std::string also = (options_.programs / "also").string();
  add("one",
      absl::StrCat("[ $mode = minimise ] && exit 0\n",
                   "[ $mode = replay ] && fail \"$(cat $first)\" 'wrong'\n", "[ -e ", also,
                   " ] && fail other 'wrong'\ntouch ", also, "; starts; fail first 'wrong'\n"));
  ASSERT_EQ(campaign().state.findings.at(0).artifacts.size(), 2u);
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

TEST_F(CampaignTest, AFindingThatWasGoneAndHappensAgainHasTheInputThatFails) {
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

TEST_F(CampaignTest, KilledAtAnyMomentNothingFoundIsLost) {
  // Each run keeps an input, and fails in one of three ways after it said so in a file of its own.
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
  EXPECT_GT(runs, 10);
  EXPECT_EQ(summary.state.campaigns, 11);
}

TEST_F(CampaignTest, KilledBeforeAFailureWasFiledTheNextCampaignFilesIt) {
  add("one",
      "[ $mode = replay ] && fail \"$(cat $first)\" 'left behind'\n"
      "[ $mode = minimise ] && exit 0\nstarts; sleep 0.1; ends\n");
  fs::create_directories(options_.folder / "one" / "found");
  std::ofstream(options_.folder / "one" / "found" / "crash-1") << "one";
  const Summary summary = campaign();
  EXPECT_EQ(causes(summary), std::set<std::string>{"FOUND: left behind"});
  EXPECT_EQ(summary.state.findings[0].artifacts, std::vector<std::string>{"crash-1"});
  EXPECT_EQ(summary.waiting, 0);
}

TEST_F(CampaignTest, KilledWhileTheKeptInputsAreReplacedNoneIsLost) {
  const fs::path folder = options_.folder / "one";
  fs::create_directories(folder / "kept.old");
  std::ofstream(folder / "kept.old" / "a") << "x";
  add("one", kGood);
  campaign();
  EXPECT_EQ(files_in(folder / "kept"), std::vector<fs::path>{folder / "kept" / "a"});
  EXPECT_FALSE(fs::exists(folder / "kept.old"));
}

TEST_F(CampaignTest, AStateThatCannotBeReadIsSetAsideAndFindingsAreMadeOutAnew) {
  add("one",
      "[ $mode = replay ] && fail \"$(cat $first)\" wrong\n"
      "[ $mode = minimise ] && exit 0\nstarts; fail x wrong\n");
  campaign();
  std::ofstream(options_.folder / "state.json") << "{\"version\":1,\"targ";
  const Summary summary = campaign();
  EXPECT_THAT(summary.notes, Contains(HasSubstr("state.json.unreadable")));
  EXPECT_EQ(causes(summary), std::set<std::string>{"FOUND: wrong"});
}

TEST_F(CampaignTest, WhateverATargetSaysTheRecordIsRead) {
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

TEST_F(CampaignTest, ASignalEndsItInOrder) {
  add("one", "starts; sleep 1000\n");
  options_.time = Milliseconds(600'000);
  const pid_t self = ::getpid();
  options_.progress = [self](const Progress& progress) {
    if (!progress.running.empty()) ::kill(self, SIGTERM);
  };
  const Summary summary = campaign();  // returns
  EXPECT_TRUE(summary.interrupted);
}

TEST_F(CampaignTest, ReportsAreWholeAndSelfContained) {
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
  EXPECT_EQ(summary.state.targets[0].samples.front().executions, 0);  // what the seeds reach
  EXPECT_THAT(html, HasSubstr("&lt;wrong&gt;"));
  EXPECT_THAT(html, ::testing::Not(HasSubstr("<wrong>")));
  EXPECT_THAT(html, ::testing::Not(HasSubstr("http")));
}

// The program, with shell words before it: its output, and its status.
std::pair<std::string, int> command(const std::string& line) {
  std::string output;
  std::FILE* pipe = ::popen(line.c_str(), "r");
  for (int c; (c = std::fgetc(pipe)) != EOF;) output += static_cast<char>(c);
  const int status = ::pclose(pipe);
  return {output, WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status)};
}

TEST_F(CampaignTest, OnAFullDiskItGoesOnAndSaysWhatItFound) {
  add("layout", "starts 2>/dev/null; fail f32x 'wrong' 2>/dev/null\n");
  add("shape_text", kGood);
  const auto [output, status] = command(absl::StrCat(
      "ulimit -f 0; exec " TILEPROOF_PROGRAM " fuzz layout shape_text --time 2s --corpus ",
      options_.folder.string(), " --programs ", options_.programs.string(), " --seeds ",
      options_.corpus.string(), " 2>&1"));
  EXPECT_EQ(status, 1) << output;
  EXPECT_THAT(output, HasSubstr("FOUND: wrong: 'f32x' at 7"));
  EXPECT_THAT(output, HasSubstr("cannot write"));
  EXPECT_THAT(output, HasSubstr("the campaign goes on without a record"));
  EXPECT_THAT(output, HasSubstr("shape_text: "));
  EXPECT_THAT(output, HasSubstr("1 finding\n"));
}

TEST_F(CampaignTest, TheProgramIsQuietInAPipeAndAnswersWithItsStatus) {
  add("layout", kGood);
  fs::create_directories(options_.corpus / "layouts");
  for (const char* name : {"regressions.txt", "real.txt"}) {
    std::ofstream(options_.corpus / "layouts" / name) << "f32[3]\n";
  }
  const std::string call = absl::StrCat(
      TILEPROOF_PROGRAM " fuzz layout --time 3s --corpus ", options_.folder.string(),
      " --programs ", options_.programs.string(), " --seeds ", options_.corpus.string());
  const auto [errors, status] = command(call + " 2>&1 >/dev/null");
  EXPECT_EQ(status, 0);
  EXPECT_EQ(errors, "");
  const fs::path page = root_ / "page.html";
  const auto [json, again] = command(call + " --json --html " + page.string());
  EXPECT_EQ(again, 0);
  EXPECT_TRUE(conform::read_json(json).ok()) << json;
  EXPECT_TRUE(fs::exists(page));
  EXPECT_EQ(command(TILEPROOF_PROGRAM " fuzz nosuch 2>&1").second, 2);
}

TEST_F(CampaignTest, OnATerminalALineTellsHowItGetsOn) {
  add("layout", "starts; printf '#70\\tNEW    cov: 12 ft: 25 corp: 2/2b\\n'; sleep 1; ends\n");
  const auto [output, status] =
      command(absl::StrCat("script -qec '" TILEPROOF_PROGRAM " fuzz layout --time 3s --corpus ",
                           options_.folder.string(), " --programs ", options_.programs.string(),
                           " --seeds ", options_.corpus.string(), "' /dev/null"));
  EXPECT_THAT(output, ::testing::ContainsRegex("\r\x1b\\[K[0-9]+s left, [0-9]+ runs, [0-9]+/s, "
                                               "12 edges \\(\\+2\\), [0-9]+ new inputs?, "
                                               "0 findings: layout"));
}

TEST_F(CampaignTest, TheProgramShowsAnInputAsACommand) {
  std::ofstream(root_ / "input") << "f32[3]";
  const std::string input = (root_ / "input").string();
  EXPECT_EQ(command(TILEPROOF_PROGRAM " fuzz layout --show " + input).first,
            "tileproof prove 'f32[3]'\n");
  const std::string shown =
      command(TILEPROOF_PROGRAM " fuzz hlo_computation --show " + input).first;
  EXPECT_THAT(shown, HasSubstr("tileproof map --verify --direction $direction $'HloModule"));
  EXPECT_EQ(command(TILEPROOF_PROGRAM " fuzz layout --show /nowhere 2>&1").second, 2);
}

// Texts, or choices.
std::vector<std::string> inputs_of(Input input, size_t lines) {
  const std::string map =
      "(d0, d1)[s0] -> (d0 * 8 + s0, (-d1) mod 2), domain: d0 in [0, 9], d1 in [0, 3], s0 in [0, "
      "7]";
  const std::string after =
      "(d0, d1)[s0] -> (d0 floordiv 8 + s0, d1), domain: d0 in [0, 79], d1 in [0, 1], s0 in [0, 1]";
  switch (input) {
    case Input::kShape:
      return {"f32[3,5]{1,0:T(2,2)}", "bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}", "pred[]"};
    case Input::kNested:
      return {"((4,2),(4,3)):((4,16),(1,32))", "zN:f16[64,96]"};
    case Input::kMap:
      return lines == 2 ? std::vector{map + "\n" + after, map + "\n" + map}
                        : std::vector{map, after};
    case Input::kHlo:
      return {"t = f32[5,8] transpose(f32[8,5] p), dimensions={1,0}",
              "HloModule m\n\nENTRY e {\n  p = f32[4,6] parameter(0)\n  i = s32[] parameter(1)\n"
              "  ROOT d = f32[2,6] dynamic-slice(p, i, i), dynamic_slice_sizes={2,6}\n}\n"};
    case Input::kRequest:
      return {R"({"id":1,"op":"layout.linearize","shape":"f32[3]","index":[1]})"};
    case Input::kTrace:
      return {
          "map (d0) -> (d0), domain: d0 in [0, 7]\n1: result 0 is d0\n2: new result 0 is d0\n"
          "becomes (d0) -> (d0), domain: d0 in [0, 7]\n"};
    default:
      break;
  }
  std::vector<std::string> choices(4);
  Choose choose(Choose::Random{1});
  for (const size_t length : {20, 60, 120}) {
    std::string& bytes = choices[length / 40];
    while (bytes.size() < length) bytes += static_cast<char>(choose(256));
  }
  return choices;
}

// What it prints for an input runs, asks what the target asks, and is no error.
TEST_F(CampaignTest, TheProgramIsAskedTheQuestionOfEachTarget) {
  const std::map<std::string, std::string> answers = {
      {"shape_text", "offset "},
      {"layout", "proven "},
      {"layout_convert", "equal: the same offset for every index"},
      {"nested", "cosize "},
      {"algebra", "same-as-reference-composition: holds"},
      {"map_parse", " -> "},
      {"map_simplify", "map.simplify: 1 pass"},
      {"map_compose", "map.compose: 1 pass"},
      {"map_equal", "equal: "},
      {"map_uses", "map.evaluate: 2 pass"},
      {"hlo_text", "operand 0"},
      {"hlo_mutated", "1 proven"},
      {"hlo_index", "1 proven"},
      {"hlo_computation", " proven"},
      {"hlo_uses", "hlo.tile: 1 pass\nhlo.utilization: 1 pass\n"},
      {"protocol", R"({"id":1,"result":1})"},
      {"trace_check", "accepted: 2 steps"},
  };
  const std::string programs = fs::path(TILEPROOF_PROGRAM).parent_path().string();
  for (const Target& target : all_targets()) {
    bool answered = false;
    for (const std::string& input : inputs_of(target.input, target.lines)) {
      const std::string asked = command_of(target, input);
      std::ofstream(root_ / "asked") << asked << "\n";
      const auto [output, status] = command(
          absl::StrCat("PATH=", programs, ":$PATH bash ", (root_ / "asked").string(), " 2>&1"));
      // 1: no such layout; not equal. 3: undecided.
      const bool may_differ =
          target.question == Question::kConversions || target.question == Question::kEqual;
      EXPECT_TRUE(status == 0 || status == 3 || (status == 1 && may_differ))
          << target.name << ": " << asked << "\nstatus " << status << ": " << output;
      EXPECT_THAT(output, ::testing::Not(HasSubstr("tileproof: "))) << target.name << ": " << asked;
      answered = answered || absl::StrContains(output, answers.at(target.name));
    }
    EXPECT_TRUE(answered) << target.name << ": no answer has " << answers.at(target.name);
  }
}

}  // namespace
}  // namespace tileproof::campaign
