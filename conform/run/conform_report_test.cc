// SPDX-License-Identifier: Apache-2.0
// What a run reports: causes, reasons, expected failures, requirements, JUnit, JSON and SARIF.
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conform/report/cause.h"
#include "conform/report/report.h"
#include "conform/run/conform.h"
#include "conform/run/conform_testing.h"
#include "corpus/paths.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tileproof::conform {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST(ConformReport, AcceptsExpectedFailuresUntilTheyPass) {
  ConformOptions options = options_for("exit");
  options.expectations = *parse_expectations("# known\nlayout.delinearize  # not written yet\n");
  const Report report = report_of(options);
  EXPECT_THAT(report.records, SizeIs(60));  // expected crashes do not stop the suite
  EXPECT_EQ(exit_status(report), 0) << to_text(report);
  options.expectations = *parse_expectations("layout.delinearize\nlayout.physical");
  EXPECT_EQ(exit_status(report_of(options)), 1);  // layout.physical passes
  const std::string passing = case_id(report.records.front().id);
  options.expectations = *parse_expectations("layout.delinearize\n" + passing + " # fixed?");
  const Report fixed = report_of(options);
  EXPECT_EQ(exit_status(fixed), 1);
  EXPECT_THAT(passing_expectations(fixed), ElementsAre(passing));
}

TEST(ConformReport, RejectsAnExpectationThatIsNeitherACaseNorAnOperation) {
  EXPECT_THAT(parse_expectations("\nlayout.sideways").status().message(),
              HasSubstr("line 2: expected a case id"));
}

TEST(ConformReport, ReportsEveryCaseAsJunitAndJson) {
  const Report report = report_of(options_for("wrong"));
  const std::string junit = to_junit(report);
  EXPECT_THAT(junit, HasSubstr("<testsuite name=\"layout\" tests=\"60\""));
  EXPECT_THAT(junit, HasSubstr("<failure type=\"wrong\""));
  EXPECT_THAT(junit, HasSubstr("&quot;layout.linearize&quot;"));
  const Json json = to_json(report);
  EXPECT_EQ(*find(json, "cases"), Json(60));
  EXPECT_EQ(*find(json, "status"), Json(1));
  EXPECT_EQ(std::ssize(*find(json, "failures")->as<Json::Array>()), count(report, Verdict::kWrong));
}

TEST(ConformReport, ShowsAWrongAnswerWithTheStepsOfTheReferenceAndACommand) {
  const std::string text = to_text(report_of(options_for("wrong", 500)));
  EXPECT_THAT(text, HasSubstr("  because  index (1) in [2]\n"));
  EXPECT_THAT(text, HasSubstr("           offset 1\n"));
  EXPECT_THAT(text, HasSubstr(" -- " + build_path("bin/misbehave") + " wrong\n"));
}

TEST(ConformReport, SaysIfTheRightAnswerIsOneOfSeveral) {
  const auto text_of = [](const char* mode, const char* suite) {
    ConformOptions options = options_for(mode, 60);
    options.suites = {suite_named(suite)};
    return to_text(report_of(options));
  };
  EXPECT_THAT(text_of("five-mistakes", "simplify"), HasSubstr("one of several right answers\n"));
  EXPECT_THAT(text_of("wrong", "layout"), Not(HasSubstr("one of several right answers")));
}

TEST(ConformReport, ExplainsMapsByTheValueOfEachOperation) {
  const Json request =
      read_json(R"({"op":"map.evaluate","map":"(d0) -> (d0 mod 2 + 1), domain: d0 in [-1, 0]",)"
                R"("dims":[-1],"ranges":[],"runtime":[]})")
          ->value;
  EXPECT_THAT(reason(request, R"({"result":[0]})"),
              ElementsAre("at d0 = -1", "result 0: -1 mod 2 = 1, 1 + 1 = 2"));
  const Json simplify =
      read_json(
          R"({"op":"map.simplify","map":"(d0) -> (d0), domain: d0 in [0, 3], d0 mod 2 in [0, 0]"})")
          ->value;
  EXPECT_THAT(reason(simplify, R"x({"result":"(d0) -> (d0), domain: d0 in [0, 3]"})x"),
              ElementsAre("at d0 = 1", "constraint: 1 mod 2 = 1, in [0, 0]?",
                          "outside of the domain: no result"));
  EXPECT_THAT(reason(read_json(R"({"op":"layout.physical","shape":"f32[?]"})")->value, "{}"),
              IsEmpty());
}

TEST(ConformReport, ExplainsTheFirstQuestionOfAListThatIsAnsweredWrongly) {
  const Json request =
      read_json(R"({"op":"layout.linearize","shape":"f32[3]","indices":[[0],[1],[2]]})")->value;
  const auto alone = [&](const char* answer) {
    return to_text(first_wrong(request, read_json(answer)->value, read_json("[0,1,2]")->value));
  };
  EXPECT_EQ(alone("[0,7,7]"), R"({"op":"layout.linearize","shape":"f32[3]","index":[1]})");
  EXPECT_EQ(alone("[0,1]"), R"({"op":"layout.linearize","shape":"f32[3]","index":[2]})");
  EXPECT_EQ(alone("null"), R"({"op":"layout.linearize","shape":"f32[3]","index":[0]})");
  EXPECT_EQ(alone("[0,1,2]"), to_text(request));
  EXPECT_THAT(reason(request, R"({"result":[0,7,7]})"),
              ElementsAre("index (1) in [3]", "offset 1"));
}

TEST(ConformReport, ShowsFailuresOfOneCauseOnce) {
  const Report report = report_of(options_for("lenient", 400));
  std::map<std::string, int> causes;
  for (const auto& [index, failure] : report.failures) ++causes[cause_of(report, failure)];
  EXPECT_LT(causes.size(), report.failures.size());
  const std::string text = to_text(report);
  EXPECT_THAT(text, HasSubstr(" more of the same cause\n"));
}

// Mistakes about the order of dimensions, or about the second tile, show at most layouts.
TEST(ConformReport, ShowsOneMistakeOnceForEachOperation) {
  for (const char* mode : {"reversed-order", "reversed-second-tile"}) {
    const Report report = report_of(options_for(mode, 600));
    std::map<std::string, int> examples;
    for (const Cluster& cluster : clusters_of(report)) {
      const Failure& failure = report.failures.at(cluster.example);
      EXPECT_THAT(failure.not_shrunk, IsEmpty());
      const Record& record = report.records[cluster.example];
      if (record.verdict == Verdict::kWrong) ++examples[report.op_of(record)];
    }
    EXPECT_EQ(examples["layout.linearize"], 1) << to_text(report);
    EXPECT_EQ(examples["layout.physical"], 1) << to_text(report);
  }
}

TEST(ConformReport, OtherLinesOnStandardOutputAreOneCause) {
  ConformOptions options = options_for("banner", 200);
  std::vector<std::string> told;
  options.tell = [&told](const std::string& text) { told.push_back(text); };
  const Report report = report_of(options);
  EXPECT_THAT(clusters_of(report), SizeIs(1)) << to_text(report);
  const std::string once =
      "your program prints other lines to standard output, such as 'starting up'";
  EXPECT_THAT(told, ElementsAre(HasSubstr(once)));
  EXPECT_THAT(to_text(report), HasSubstr("  hint     only answers belong to standard output"));
  EXPECT_THAT(to_text(report), Not(HasSubstr("your program prints")));  // it was told at once
  EXPECT_THAT(conclusion(report), HasSubstr("FAILED: the failing cases are above."));
}

// A line before the answer to hello does not replace it: the program gets what it asks for.
TEST(ConformReport, ReadsTheAnswerToHelloBehindOtherLines) {
  const Report report = report_of(options_for("debug", 60));
  EXPECT_EQ(count(report, Verdict::kProtocol), 60) << to_text(report);
  EXPECT_THAT(report.notes, IsEmpty());
  EXPECT_THAT(clusters_of(report), SizeIs(1));
  EXPECT_THAT(to_text(report), HasSubstr("  hint     only answers belong to standard output"));
  EXPECT_THAT(to_text(report), Not(HasSubstr("does not speak the protocol")));
}

TEST(ConformReport, KeepsTheExceptionOfACrashAndShowsStandardError) {
  ConformOptions options = options_for("exceptions", 300);
  options.keep_going = true;
  const Report report = report_of(options);
  int types = 0, keys = 0;
  for (const Cluster& cluster : clusters_of(report)) {
    const Failure& failure = report.failures.at(cluster.example);
    if (!failure.smallest) continue;
    const bool type = failure.smallest->errors.find("TypeError: ") != std::string::npos;
    ++(type ? types : keys);
    const bool refused = failure.smallest->right.rfind("{\"error\"", 0) == 0;
    EXPECT_EQ(refused, !type) << to_text(failure.smallest->request);
    for (const size_t key : cluster.failures) {
      EXPECT_EQ(report.failures.at(key).errors.find("TypeError: ") != std::string::npos, type);
    }
  }
  EXPECT_GT(types, 0);
  EXPECT_GT(keys, 0);
  EXPECT_THAT(to_text(report), HasSubstr("  stderr   Traceback (most recent call last):\n"
                                         "           TypeError: unsupported operand"));
}

// The smallest requests in the text of a report, in order.
std::vector<std::string> shown_maps(const Report& report) {
  std::vector<std::string> maps;
  for (const Cluster& cluster : clusters_of(report)) {
    const Failure& failure = report.failures.at(cluster.example);
    if (!failure.smallest) continue;
    const std::string* map = find(failure.smallest->request, "map")->as<std::string>();
    maps.push_back(map == nullptr ? "" : *map);
    EXPECT_THAT(to_text(report), HasSubstr(maps.back()));
  }
  return maps;
}

int position_of(const std::vector<std::string>& maps, const std::string& part) {
  for (size_t i = 0; i < maps.size(); ++i) {
    if (maps[i].find(part) != std::string::npos) return static_cast<int>(i);
  }
  return -1;
}

// Of a program that makes five mistakes.
const Report& report_of_five_causes() {
  static const Report report = [] {
    ConformOptions options = options_for("five-mistakes", 600);
    options.suites = {suite_named("simplify")};
    options.steer = true;
    return report_of(options);
  }();
  return report;
}

TEST(ConformReport, ShowsEveryOneOfFiveCauses) {
  const Report& report = report_of_five_causes();
  const std::vector<std::string> maps = shown_maps(report);
  const std::string text = to_text(report);
  const int extreme = position_of(maps, "92233720368547");
  for (const std::string part : {"ceildiv", "mod -", "floordiv -", "in [1, 1]"}) {
    EXPECT_NE(position_of(maps, part), -1) << part << "\n" << text;
    EXPECT_LT(position_of(maps, part), extreme) << "ordinary sizes come first\n" << text;
  }
  EXPECT_NE(extreme, -1) << text;
  EXPECT_LE(maps.size(), 20u) << text;
  int64_t in_clusters = 0;
  const Json json = to_json(report);
  for (const Json& cluster : *find(json, "clusters")->as<Json::Array>()) {
    in_clusters += *find(cluster, "count")->as<int64_t>();
  }
  EXPECT_EQ(in_clusters, std::ssize(report.failures));
  EXPECT_THAT(to_sarif(report), HasSubstr("tileproofCause/v1"));
  EXPECT_THAT(to_junit(report), HasSubstr("of cause "));
}

int64_t failing(const Report& report, size_t from, size_t to) {
  return std::count_if(report.records.begin() + static_cast<int64_t>(from),
                       report.records.begin() + static_cast<int64_t>(to),
                       [](const Record& record) { return fails(record.verdict); });
}

TEST(ConformReport, SteersAwayFromTheCausesOfThisRunAndOfExpectedFailures) {
  ConformOptions options = options_for("five-mistakes", 300);
  options.suites = {suite_named("simplify")};
  options.steer = true;
  for (int round = 0; round < 2; ++round) {
    const Report report = report_of(options);
    ASSERT_GT(report.records.size(), 400u);
    const int64_t loud = failing(report, 0, 300),
                  quiet = failing(report, 300, report.records.size());
    EXPECT_LT(quiet * 2, loud) << to_text(report);
    EXPECT_THAT(to_text(report), HasSubstr(" more cases were asked to find other causes: "));
    options.expectations.clear();
    for (size_t i = 0; i < 300; ++i) {
      const Record& record = report.records[i];
      if (fails(record.verdict)) options.expectations.push_back({case_id(record.id), ""});
    }
  }
}

TEST(ConformReport, AsksOnWithoutAFeatureThatCrashes) {
  ConformOptions options = options_for("five-mistakes-and-crash", 400);
  options.suites = {suite_named("simplify")};
  const Report report = report_of(options);
  EXPECT_THAT(report.not_asked, IsEmpty());
  ASSERT_THAT(report.screened, SizeIs(1));
  EXPECT_EQ(report.screened[0].feature, "ceildiv");
  EXPECT_GT(report.screened[0].requests, 0);
  EXPECT_THAT(to_text(report),
              HasSubstr("requests with the feature 'ceildiv' were not asked, after 5 "
                        "times: signal 11"));
  const std::vector<std::string> maps = shown_maps(report);
  for (const std::string part : {"mod -", "floordiv -", "in [1, 1]"}) {
    EXPECT_NE(position_of(maps, part), -1) << part;
  }
}

TEST(ConformReport, CountsSupersetsAndEchoesApart) {
  ConformOptions options = options_for("everything", 100);
  options.suites = {suite_named("hlo")};
  options.timeout = Milliseconds(20'000);
  Report report = report_of(options);
  EXPECT_GT(count(report, Verdict::kInexact), 0) << to_text(report);
  EXPECT_EQ(exit_status(report), 0);
  EXPECT_THAT(to_text(report), HasSubstr(" inexact"));
  EXPECT_THAT(conclusion(report), HasSubstr("inexact: right only as supersets"));
  report.requirements.exact = true;
  EXPECT_EQ(exit_status(report), 1);
  EXPECT_THAT(conclusion(report), HasSubstr("--require-exact"));
  options = options_for("echo", 100);
  options.suites = {suite_named("simplify")};
  report = report_of(options);
  EXPECT_GT(count(report, Verdict::kUnsimplified), 20) << to_text(report);
  EXPECT_EQ(exit_status(report), 0);
  EXPECT_THAT(conclusion(report), HasSubstr("return the given map unsimplified"));
}

TEST(ConformReport, ShrinksASupersetOfASlice) {
  ConformOptions options = options_for("whole-operand", 300);
  options.suites = {suite_named("hlo")};
  const Report report = report_of(options);
  const Failure failure = first_shrunk(report);
  ASSERT_TRUE(failure.smallest.has_value()) << to_text(report);
  EXPECT_EQ(*find(failure.smallest->request, "hlo"),
            Json("%p = f32[2] parameter(0)\nROOT %s = f32[1] slice(%p), slice={[0:1]}\n"));
}

TEST(ConformReport, RequiresCoverage) {
  ConformOptions options = options_for("right", 60);
  options.requirements.coverage = 1;
  EXPECT_EQ(exit_status(report_of(options)), 0);
  options = options_for("", 60);
  options.command = {build_path("bin/tileproof"), "respond", "--engine", "spec"};
  options.suites = {suite_named("simplify")};
  options.requirements.coverage = 0.9;
  const Report report = report_of(options);
  EXPECT_EQ(exit_status(report), 1);
  EXPECT_THAT(conclusion(report), HasSubstr("FAILED: --require-coverage 0.9: only "));
}

TEST(ConformReport, SaysWhatTheSummaryMeans) {
  ConformOptions options = options_for("exit");
  options.expectations = *parse_expectations("layout.delinearize\n0123456789abcdef # gone");
  Report report = report_of(options);
  EXPECT_THAT(to_text(report), HasSubstr(" expected failures\n"));
  EXPECT_THAT(conclusion(report), HasSubstr(" fail as expected."));
  EXPECT_THAT(to_text(report), HasSubstr("expected to fail, but never asked: 0123456789abcdef\n"));
  options = options_for("right");
  options.expectations = *parse_expectations("layout.delinearize");
  report = report_of(options);
  EXPECT_THAT(to_text(report), HasSubstr("60 cases: 60 passed; 1 unexpected passes\n"));
  EXPECT_THAT(conclusion(report), HasSubstr("what was expected to fail passes"));
}

TEST(ConformReport, HasALineForEachFurtherCauseIfBrief) {
  const Report& report = report_of_five_causes();
  const auto blocks = [](const std::string& text) {
    int count = 0;
    for (size_t at = text.find("\n  right "); at != std::string::npos;
         at = text.find("\n  right ", at + 1)) {
      ++count;
    }
    return count;
  };
  const int causes = blocks(to_text(report));
  const std::string brief = to_text(report, /*brief=*/true);
  ASSERT_GT(causes, 5) << brief;
  EXPECT_EQ(blocks(brief), 5) << brief;
  EXPECT_THAT(brief,
              HasSubstr(absl::StrCat(causes - 5, causes == 6 ? " more cause" : " more causes")));
  for (const std::string& map : shown_maps(report)) EXPECT_THAT(brief, HasSubstr(map));
}

TEST(ConformReport, EndsWithTheNumbersOfAnswers) {
  Report report;
  const uint32_t suite = number_of(report, "layout"), op = number_of(report, "layout.linearize");
  for (const Verdict verdict : {Verdict::kPass, Verdict::kPass, Verdict::kUnsupported}) {
    report.records.push_back({report.records.size(), suite, op, verdict});
  }
  EXPECT_EQ(conclusion(report), "2 right, 1 unsupported, none wrong.");
  report.records.pop_back();
  EXPECT_EQ(conclusion(report), "All answers are right.");
}

TEST(ConformReport, RepeatsAFailureByTheIdOfItsCase) {
  ConformOptions options = options_for("parsed-wrong");
  options.seed = 7;
  const std::string text = to_text(report_of(options));
  const size_t from = text.find("  again    tileproof conform --suite layout --seed 7 --case ");
  ASSERT_NE(from, std::string::npos) << text;
  EXPECT_THAT(text, Not(HasSubstr("\"parsed\"")));
  const size_t program = from + std::string("  again    tileproof").size();
  const std::string command = build_path("bin/tileproof") +
                              text.substr(program, text.find('\n', from) - program) +
                              " > /dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1) << command;
}

TEST(ConformReport, RepeatsAFailureInAnyShell) {
  ConformOptions options = options_for("parsed-wrong");
  options.count = 20'000;  // more than --case searches
  options.go_on = [](Verdict verdict) { return !fails(verdict); };
  const Report report = report_of(options);
  const std::string text = to_text(report);
  const size_t from = text.find("  again    ");
  ASSERT_NE(from, std::string::npos) << text;
  const std::string command = text.substr(from + 11, text.find('\n', from) - from - 11);
  EXPECT_THAT(command, HasSubstr("printf '%s\\n' "));
  EXPECT_THAT(command, HasSubstr("\"parsed\":{"));
  EXPECT_EQ(std::system((command + " > /dev/null").c_str()), 0) << command;
  const Json json = to_json(report);
  const Json& failure = find(json, "failures")->as<Json::Array>()->front();
  ASSERT_NE(find(failure, "sent"), nullptr);
  EXPECT_NE(find(*find(failure, "sent"), "parsed"), nullptr);
}

// SARIF 2.1.0 requires:
//     log         version and runs
//     run         a tool
//     driver      a name
//     result      a message with a text; ruleIndex and ruleId name the same rule
//     invocation  whether it was successful
TEST(ConformReport, WritesTheKeysThatSarifRequires) {
  const Report report = report_of(options_for("wrong"));
  const Json log = read_json(to_sarif(report))->value;
  EXPECT_EQ(*find(log, "version"), Json("2.1.0"));
  EXPECT_THAT(*find(log, "$schema")->as<std::string>(), HasSubstr("sarif-schema-2.1.0.json"));
  const auto& runs = *find(log, "runs")->as<Json::Array>();
  ASSERT_THAT(runs, SizeIs(1));
  const Json& driver = *find(*find(runs[0], "tool"), "driver");
  EXPECT_EQ(*find(driver, "name"), Json("tileproof"));
  const auto& rules = *find(driver, "rules")->as<Json::Array>();
  for (const Json& rule : rules) EXPECT_NE(find(rule, "id"), nullptr);
  const auto& invocations = *find(runs[0], "invocations")->as<Json::Array>();
  EXPECT_EQ(*find(invocations[0], "executionSuccessful"), Json(true));
  const auto& results = *find(runs[0], "results")->as<Json::Array>();
  EXPECT_EQ(results.size(), report.failures.size());
  for (const Json& result : results) {
    EXPECT_FALSE(find(*find(result, "message"), "text")->as<std::string>()->empty());
    const int64_t rule = *find(result, "ruleIndex")->as<int64_t>();
    ASSERT_LT(rule, std::ssize(rules));
    EXPECT_EQ(*find(result, "ruleId"), *find(rules[rule], "id"));
    EXPECT_EQ(*find(result, "level"), Json("error"));
  }
}

}  // namespace
}  // namespace tileproof::conform
