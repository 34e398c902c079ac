// SPDX-License-Identifier: Apache-2.0
// Tests the judge with programs that each deserve a certain verdict (testdata/misbehave.cc), and
// with our own implementations, which pass.
#include "conform/run/conform.h"

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "conform/report/report.h"
#include "conform/run/conform_testing.h"
#include "conform/run/session.h"
#include "corpus/paths.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/base/cases_testing.h"

namespace tileproof::conform {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// Expects this verdict for all requests of layout.delinearize, and a pass for all others.
void expect_of_offsets(const Report& report, Verdict verdict) {
  for (const Record& record : report.records) {
    const bool unlucky = report.op_of(record) == "layout.delinearize";
    EXPECT_EQ(to_text(record.verdict), to_text(unlucky ? verdict : Verdict::kPass))
        << case_id(record.id);
  }
  EXPECT_GT(count(report, "layout.delinearize"), 0);
  EXPECT_EQ(exit_status(report), 1);
}

TEST(Conform, ARightProgramPasses) {
  const Report report = report_of(options_for("right"));
  EXPECT_EQ(report.name, "misbehave");
  EXPECT_THAT(report.records, SizeIs(60));
  EXPECT_EQ(count(report, Verdict::kPass), 60);
  EXPECT_THAT(report.notes, IsEmpty());
  EXPECT_EQ(exit_status(report), 0);
}

TEST(Conform, BothEnginesPassTheSuitesOfLayouts) {
  for (const char* engine : {"spec", "impl"}) {
    ConformOptions options = options_for("");
    options.command = {build_path("bin/tileproof"), "respond", "--engine", engine};
    options.suites = {suite_named("layout"), suite_named("parse")};
    options.count = 3000;
    options.timeout = Milliseconds(5000);
    const Report report = report_of(options);
    EXPECT_EQ(count(report, Verdict::kPass), 6000) << to_text(report);
    EXPECT_EQ(exit_status(report), 0);
  }
}

TEST(Conform, BothEnginesPassTheSuitesOfMaps) {
  for (const char* engine : {"spec", "impl"}) {
    for (const char* suite : {"map", "simplify", "compose", "equal"}) {
      ConformOptions options = options_for("");
      options.command = {build_path("bin/tileproof"), "respond", "--engine", engine};
      options.suites = {suite_named(suite)};
      options.count = 400;
      options.timeout = Milliseconds(10'000);
      const Report report = report_of(options);
      EXPECT_EQ(exit_status(report), 0) << to_text(report);
      const bool all = std::string(engine) == "impl" || count(report, Verdict::kUnsupported) == 0;
      if (all) {
        EXPECT_EQ(count(report, Verdict::kPass), 400) << to_text(report);
      }
    }
  }
}

TEST(Conform, ShrinksAWrongAnswerToTheSmallestRequest) {
  const Report report = report_of(options_for("wrong", 500));
  EXPECT_GT(count(report, Verdict::kWrong), 0);
  EXPECT_EQ(exit_status(report), 1);
  const Failure failure = first_shrunk(report);
  ASSERT_TRUE(failure.smallest.has_value());
  // The program adds 1 to every offset but 0, so the smallest failure is offset 1 of two elements.
  EXPECT_EQ(to_text(failure.smallest->request),
            R"({"op":"layout.linearize","shape":"f32[2]{0}","index":[1]})");
  EXPECT_EQ(failure.smallest->what, R"({"result":2})");
  EXPECT_EQ(failure.smallest->right, R"({"result":1})");
  for (const Cluster& cluster : clusters_of(report)) {  // an unknown key is not kept
    const Failure& one = report.failures.at(cluster.example);
    EXPECT_EQ(find(one.shown().request, "note"), nullptr);
  }
}

TEST(Conform, ReportsErrorsForValidAndResultsForInvalidRequests) {
  const Report refused = report_of(options_for("error"));
  EXPECT_GT(count(refused, Verdict::kError), 0);
  EXPECT_EQ(count(refused, Verdict::kError) + count(refused, Verdict::kPass), 60);
  const Report lenient = report_of(options_for("lenient", 400));
  EXPECT_GT(count(lenient, Verdict::kError), 10);
  // `wrong` where the exact result is right as well as an error.
  EXPECT_EQ(count(lenient, Verdict::kError) + count(lenient, Verdict::kWrong) +
                count(lenient, Verdict::kPass),
            400);
  EXPECT_THAT(first_failure(lenient).right, HasSubstr(R"({"error":)"));
  EXPECT_EQ(exit_status(lenient), 1);
}

TEST(Conform, CountsUnsupportedByReasonAndNeverAsAPass) {
  const Report report = report_of(options_for("unsupported"));
  EXPECT_THAT(report.unsupported,
              ElementsAre(std::pair<const std::string, int64_t>("everything", 60)));
  EXPECT_EQ(exit_status(report), 2);  // nothing was checked
}

TEST(Conform, ReportsACrashWithItsSignalAndAsksTheOtherCases) {
  ConformOptions options = options_for("crash");
  options.keep_going = true;
  const Report report = report_of(options);
  expect_of_offsets(report, Verdict::kCrash);
  EXPECT_THAT(first_failure(report).what, HasSubstr("signal 11"));
  EXPECT_TRUE(first_shrunk(report).smallest.has_value());
}

TEST(Conform, ChargesACrashToTheRequestThatCausedIt) {
  ConformOptions options = options_for("crash-in-window");
  options.keep_going = true;
  expect_of_offsets(report_of(options), Verdict::kCrash);
}

TEST(Conform, ReportsAnEarlyExitAsACrashWithItsStatus) {
  ConformOptions options = options_for("exit", 20);
  const Report report = report_of(options);
  expect_of_offsets(report, Verdict::kCrash);
  EXPECT_EQ(first_failure(report).what, "status 3");
}

TEST(Conform, ChargesATimeoutToTheRequestThatCausedIt) {
  for (const char* mode : {"hang", "hang-in-window"}) {
    ConformOptions options = options_for(mode, 8);
    options.timeout = Milliseconds(400);
    const Report report = report_of(options);
    expect_of_offsets(report, Verdict::kTimeout);
    EXPECT_EQ(first_failure(report).what, "no answer in 0.4 s");
  }
}

// The second question takes longer to make than an answer may take.
TEST(Conform, ChargesNoProgramForTheTimeThatQuestionsTake) {
  absl::StatusOr<Session> session =
      Session::start({build_path("bin/misbehave"), "crash-in-window"}, Milliseconds(1000));
  ASSERT_TRUE(session.ok()) << session.status();
  int asked = 0, answered = 0, others = 0;
  const auto next = [&]() -> std::optional<Ticket> {
    if (asked == 2) return std::nullopt;
    if (++asked == 2) std::this_thread::sleep_for(Milliseconds(1500));
    return Ticket{.request = R"({"op":"layout.physical","shape":"f32[3]{0}"})"};
  };
  const auto done = [&](const Ticket&, Outcome outcome) {
    ++(outcome.kind == Outcome::Kind::kAnswer ? answered : others);
  };
  EXPECT_TRUE(session->ask(next, done).ok());
  EXPECT_EQ(answered, 2);
  EXPECT_EQ(others, 0);
}

TEST(Conform, AcceptsASlowProgramWithinTheTimeout) {
  EXPECT_EQ(exit_status(report_of(options_for("slow", 20))), 0);
  ConformOptions options = options_for("slow", 20);
  options.timeout = Milliseconds(5);
  EXPECT_GT(count(report_of(options), Verdict::kTimeout), 0);
}

TEST(Conform, StopsASuiteAfterFiveCrashesOfOneKind) {
  const Report report = report_of(options_for("exit", 400));
  EXPECT_EQ(count(report, Verdict::kCrash), kStopAfter);
  EXPECT_THAT(report.records.size(), ::testing::Lt(400u));
  EXPECT_THAT(report.not_asked.at("layout"), HasSubstr("status 3"));
}

TEST(Conform, StopsIfAProgramNeverAnswers) {
  for (const char* mode : {"deaf", "closed"}) {
    ConformOptions options = options_for(mode);
    options.timeout = Milliseconds(40);
    std::vector<std::string> told;
    options.tell = [&told](const std::string& text) { told.push_back(text); };
    const absl::Status status = conform(options).status();
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
    EXPECT_THAT(status.message(), HasSubstr("the program does not answer"));
    EXPECT_THAT(told, ElementsAre(HasSubstr("has not answered the greeting within 0.04 s"),
                                  HasSubstr("starting it again")));
  }
}

TEST(Conform, TimesOutIfAProgramHangsAtOneCase) {
  ConformOptions options = options_for("deaf", 1);  // never answers; but only one request shows it
  options.timeout = Milliseconds(40);
  const Report report = report_of(options);
  EXPECT_EQ(count(report, Verdict::kTimeout), 1);
  EXPECT_THAT(report.notes, Contains(HasSubstr("no answer to hello")));
  EXPECT_EQ(exit_status(report), 1);
}

TEST(Conform, ReturnsAnErrorIfTheProgramDoesNotStart) {
  ConformOptions options = options_for("");
  options.command = {"/no/such/program"};
  EXPECT_THAT(conform(options).status().message(), HasSubstr("No such file"));
  options.command = {"/"};
  EXPECT_THAT(conform(options).status().message(), HasSubstr("cannot start /"));
}

TEST(Conform, ReturnsAnErrorIfTheProgramEndsBeforeItAnswers) {
  for (const int64_t jobs : {1, 2}) {
    for (const int64_t count : {1, 60}) {
      ConformOptions options = options_for("ends-at-once", count);
      options.jobs = jobs;
      const absl::Status status = conform(options).status();
      EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
      EXPECT_THAT(status.message(), HasSubstr("before its first answer (status 4), and printed "
                                              "nothing"));
    }
  }
  ConformOptions script = options_for("", 60);
  script.command = {"sh", "-c", "echo first >&2; echo 'no module named shapes' >&2; exit 2"};
  EXPECT_THAT(conform(script).status().message(),
              HasSubstr("before its first answer (status 2): no module named shapes"));
}

TEST(Conform, ReportsMalformedAndStrayLines) {
  for (const char* mode :
       {"garbage", "banner", "afterword", "twice", "unknown-id", "two-results"}) {
    SCOPED_TRACE(mode);
    expect_of_offsets(report_of(options_for(mode, 30)), Verdict::kProtocol);
  }
}

TEST(Conform, StopsAFloodOfLines) {
  ConformOptions options = options_for("flood", 12);
  options.timeout = Milliseconds(500);
  const Report report = report_of(options);
  EXPECT_THAT(report.records, SizeIs(12));
  EXPECT_GT(count(report, Verdict::kProtocol), 0);
  EXPECT_EQ(exit_status(report), 1);
}

TEST(Conform, ReadsAnAnswerByteByByte) {
  const Report report = report_of(options_for("piecemeal", 20));
  EXPECT_EQ(count(report, Verdict::kPass), 20) << to_text(report);
}

TEST(Conform, AcceptsARightAnswerInAnySpelling) {
  const Report report = report_of(options_for("other-spelling"));
  EXPECT_EQ(count(report, Verdict::kPass), 60) << to_text(report);
}

TEST(Conform, RejectsAnIdWithALeadingZero) {
  const Report report = report_of(options_for("padded-id"));
  expect_of_offsets(report, Verdict::kProtocol);
}

TEST(Conform, RejectsALineWithoutEnd) {
  ConformOptions options = options_for("endless-line", 6);
  options.timeout = Milliseconds(2000);
  const Report report = report_of(options);
  expect_of_offsets(report, Verdict::kProtocol);
  EXPECT_THAT(first_failure(report).what, HasSubstr("16 MiB"));
}

TEST(Conform, StopsASuiteAfterFiveLinesWithoutEnd) {
  const Report report = report_of(options_for("endless-line", 400));
  EXPECT_EQ(count(report, Verdict::kProtocol), kStopAfter);
  EXPECT_THAT(report.not_asked.at("layout"), HasSubstr("16 MiB"));
}

// The outcomes of so many requests to a program at each of which it ends.
int ends_of(const std::string& script, int requests) {
  absl::StatusOr<Session> session =
      Session::start({"sh", "-c", script, build_path("bin/misbehave")}, Milliseconds(20'000));
  if (!session.ok()) return -1;
  int asked = 0, crashes = 0;
  const auto next = [&]() -> std::optional<Ticket> {
    if (asked++ == requests) return std::nullopt;
    return Ticket{.request = R"({"op":"layout.delinearize","shape":"f32[3]{0}","offset":0})"};
  };
  const auto done = [&](const Ticket&, const Outcome& outcome) {
    crashes += outcome.what == "status 3" ? 1 : 0;
  };
  EXPECT_TRUE(session->ask(next, done).ok());
  return crashes;
}

TEST(Conform, StartsCopiesAheadOfAProgramThatCrashes) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(ends_of("sleep 0.5; exec \"$0\" exit", 20), 20);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(Conform, RestartsAProgramThatDoesNotRunBesideAnotherCopy) {
  const std::string lock = testing::TempDir() + "conform_test_lock";
  const std::string script = absl::StrCat("exec flock --nonblock ", lock, " \"$0\" exit");
  EXPECT_EQ(ends_of(script, 12), 12);
}

TEST(Conform, ReportsADifferentSecondAnswerAsFlaky) {
  const Report report = report_of(options_for("flaky"));
  EXPECT_GT(count(report, Verdict::kFlaky), 0);
  EXPECT_EQ(count(report, Verdict::kFlaky) + count(report, Verdict::kPass), 60);
  EXPECT_FALSE(first_failure(report).again.empty());
  EXPECT_EQ(exit_status(report), 1);
}

TEST(Conform, AcceptsAnswersInAnyOrderWithinTheWindow) {
  const Report report = report_of(options_for("disorder", 45));
  EXPECT_EQ(count(report, Verdict::kPass), 45) << to_text(report);
}

TEST(Conform, ExpectsDecimalStringsIfHelloPromisesThem) {
  EXPECT_EQ(count(report_of(options_for("strings")), Verdict::kPass), 60);
  const Report bare = report_of(options_for("bare-integers"));
  EXPECT_GT(count(bare, Verdict::kProtocol), 0);
  EXPECT_THAT(first_failure(bare).what, HasSubstr("decimal strings"));
}

TEST(Conform, AsksNothingBeyondTheLimits) {
  // The program exits if a request exceeds its limits.
  const Report report = report_of(options_for("limited", 500));
  EXPECT_EQ(count(report, Verdict::kPass), 500) << to_text(report);
  EXPECT_EQ(count(report, "layout.linearize"), 0);
}

TEST(Conform, UsesDefaultsIfHelloIsNotAnswered) {
  ConformOptions options = options_for("no-hello");
  options.timeout = Milliseconds(400);
  const Report shy = report_of(options);
  EXPECT_EQ(count(shy, Verdict::kPass), 60);
  EXPECT_THAT(shy.notes, ElementsAre(HasSubstr("no answer to hello")));
  const Report dying = report_of(options_for("dies-of-hello"));
  EXPECT_EQ(count(dying, Verdict::kPass), 60);
  EXPECT_THAT(dying.notes, ElementsAre(HasSubstr("ended at hello (status 6)"),
                                       HasSubstr("standard error of later starts")));
}

TEST(Conform, KillsAProgramThatIgnoresTheEndOfInput) {
  ConformOptions options = options_for("stubborn");
  options.timeout = Milliseconds(400);
  const Report report = report_of(options);
  EXPECT_EQ(exit_status(report), 0);
  EXPECT_THAT(report.notes, ElementsAre(HasSubstr("did not stop at the end of its input")));
}

TEST(Conform, SplitsCasesAmongShardsAndFindsACaseById) {
  std::vector<uint64_t> whole, parts;
  for (const Record& record : report_of(options_for("right")).records) whole.push_back(record.id);
  for (int64_t shard = 0; shard < 3; ++shard) {
    ConformOptions options = options_for("right");
    options.shard = shard;
    options.shards = 3;
    const Report report = report_of(options);
    EXPECT_THAT(report.records, SizeIs(20));
    for (const Record& record : report.records) parts.push_back(record.id);
  }
  EXPECT_THAT(parts, ::testing::UnorderedElementsAreArray(whole));
  ConformOptions options = options_for("right");
  options.cases = {case_id(whole[17])};
  EXPECT_THAT(report_of(options).records, SizeIs(1));
  options.cases = {"0123456789abcdef"};
  const Report none = report_of(options);
  EXPECT_EQ(exit_status(none), 2);
  EXPECT_THAT(none.notes, ElementsAre("found no case 0123456789abcdef"));
}

// Programs that answer each request in the same way, whatever was asked before: how many copies of
// them are asked makes no difference, not even where a suite is stopped or a feature is screened.
TEST(Conform, SeveralCopiesSideBySideGiveTheSameReport) {
  struct {
    const char* mode;
    const char* suite;
    int64_t count;
  } programs[] = {{"right", "layout", 300},
                  {"wrong", "layout", 60},
                  {"crash", "layout", 40},
                  {"crash-in-window", "layout", 40},
                  {"unsupported", "layout", 60},
                  {"five-mistakes-and-crash", "simplify", at_night() ? 100 : 40}};
  for (const auto& program : programs) {
    ConformOptions options = options_for(program.mode, program.count);
    options.suites = {suite_named(program.suite)};
    options.steer = true;
    const std::string alone = to_text(to_json(report_of(options)));
    EXPECT_GT(alone.size(), 200u) << program.mode;
    options.jobs = 3;
    EXPECT_EQ(to_text(to_json(report_of(options))), alone) << program.mode;
  }
}

TEST(Conform, SeveralCopiesGiveTheSameReportOfAWholeRunInOrder) {
  ConformOptions options;
  options.command = {build_path("bin/tileproof"), "respond"};
  options.suites = {suite_named("layout"), suite_named("map"), suite_named("tla")};
  options.count = 200;
  options.timeout = Milliseconds(20'000);
  const Report alone = report_of(options);
  options.jobs = 3;
  const Report side_by_side = report_of(options);
  EXPECT_EQ(exit_status(side_by_side), 0);
  EXPECT_EQ(to_text(to_json(side_by_side)), to_text(to_json(alone)));
  ASSERT_EQ(side_by_side.records.size(), alone.records.size());
  for (size_t i = 0; i < alone.records.size(); ++i) {
    EXPECT_EQ(side_by_side.records[i].id, alone.records[i].id) << i;
  }
}

TEST(Conform, SeveralCopiesOfWhatIsNoProgramAreAnError) {
  ConformOptions options = options_for("right");
  options.command = {"/no/such/program"};
  options.jobs = 3;
  EXPECT_THAT(conform(options).status().message(), HasSubstr("/no/such/program"));
}

TEST(Conform, CallsACrashThatDependsOnEarlierRequestsACrash) {
  ConformOptions options = options_for("crash-now-and-then");
  options.keep_going = true;
  const Report report = report_of(options);
  EXPECT_GT(count(report, Verdict::kCrash), 0);
  EXPECT_EQ(count(report, Verdict::kFlaky), 0);
  EXPECT_THAT(to_text(report), HasSubstr(" crash)"));
}

TEST(Conform, RefusesLimitsAndWindowsThatItDoesNotKnow) {
  EXPECT_THAT(report_of(options_for("unknown-limit")).notes,
              ElementsAre(HasSubstr("expected the limits rank, tiles and bits, found \"rnak\"")));
  EXPECT_THAT(report_of(options_for("window-of-zero")).notes,
              ElementsAre(HasSubstr("expected window to be at least 1")));
}

TEST(Conform, DoesNotAskWhatTheJudgeCannotDecide) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    ConformOptions options = options_for("right", 1500);
    options.suites = {suite_named("map")};
    options.seed = seed;
    const Report report = report_of(options);
    EXPECT_EQ(count(report, Verdict::kUndecided), 0) << to_text(report);
  }
}

TEST(Conform, SaysWhyACaseThatItKnowsIsNotAsked) {
  const Report whole = report_of(options_for("right"));
  ConformOptions options = options_for("limited");
  for (const Record& record : whole.records) options.cases.push_back(case_id(record.id));
  const Report report = report_of(options);
  EXPECT_THAT(report.notes, Contains(HasSubstr(" is beyond the limits of your hello: {")));
  EXPECT_THAT(report.notes, Contains(HasSubstr(" that your hello does not name: {")));
  EXPECT_THAT(report.notes, Not(Contains(HasSubstr("found no case"))));
  EXPECT_THAT(to_text(report), Not(HasSubstr(" were not asked")));
}

TEST(Conform, CountsRequestsBeyondTheLimits) {
  const Report report = report_of(options_for("limited", 100));
  EXPECT_GT(report.beyond_limits.at("layout"), 0);
  EXPECT_THAT(to_text(report), HasSubstr("beyond the program's limits were not asked"));
}

// corpus/adapters/layouts.py is an independent implementation. With --first-tile it ignores all
// tiles but the first.
TEST(Conform, PassesThePythonAdapterAndCatchesItsFirstTileMode) {
  if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "python3 is not installed";
  ConformOptions options = options_for("");
  options.command = {"python3", project_path("corpus/adapters/layouts.py")};
  options.suites = {suite_named("layout"), suite_named("parse")};
  options.count = 400;
  options.timeout = Milliseconds(5000);
  const Report whole = report_of(options);
  EXPECT_EQ(exit_status(whole), 0) << to_text(whole);
  EXPECT_GT(count(whole, Verdict::kPass), 700);
  options.command.push_back("--first-tile");
  const Report first = report_of(options);
  EXPECT_EQ(exit_status(first), 1);
  EXPECT_THAT(to_text(first), HasSubstr(R"("shape":"f32[2]{0:T(1)(2)}","index":[1]})"));
}

}  // namespace
}  // namespace tileproof::conform
