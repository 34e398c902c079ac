// SPDX-License-Identifier: Apache-2.0
#include "conform/report/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conform/report/report.h"
#include "conform/run/conform.h"
#include "corpus/paths.h"

namespace tileproof::conform {
namespace {

using ::testing::HasSubstr;

ConformOptions options(const std::vector<std::string>& command, int64_t shard, int64_t shards) {
  ConformOptions options;
  options.command = command;
  options.suites = {suite_named("layout"), suite_named("parse")};
  options.count = 90;
  options.shard = shard;
  options.shards = shards;
  options.timeout = Milliseconds(60'000);
  return options;
}

std::vector<NamedReport> shards(const std::vector<std::string>& command, int64_t count,
                                const std::vector<Expectation>& expectations = {}) {
  std::vector<NamedReport> reports;
  for (int64_t shard = 0; shard < count; ++shard) {
    ConformOptions one = options(command, shard, count);
    one.expectations = expectations;
    const absl::StatusOr<Report> report = conform(one);
    EXPECT_TRUE(report.ok()) << report.status();
    reports.push_back({absl::StrCat("shard-", shard), to_text(to_json(*report))});
  }
  return reports;
}

const std::vector<std::string> kRight = {build_path("bin/tileproof"), "respond", "--engine",
                                         "spec"};
const std::vector<std::string> kWrong = {build_path("bin/misbehave"), "wrong"};

Json report_of(int64_t shard, int64_t of) {
  return json_object({{"command", Json::Array{"x"}},
                      {"name", "n"},
                      {"version", "1"},
                      {"seed", 1},
                      {"shard", shard},
                      {"shards", of},
                      {"ops", json_object({{"map.simplify", json_object({{"pass", 2}})}})},
                      {"unsupported", Json::Object{}},
                      {"undecided", Json::Object{}},
                      {"not_asked", Json::Object{}},
                      {"failures", Json::Array{}},
                      {"stray", Json::Array{}},
                      {"passing_expectations", Json::Array{}},
                      {"scope", Json::Array{}},
                      {"notes", Json::Array{}}});
}

std::string merge_error(const std::vector<Json>& reports) {
  std::vector<NamedReport> named;
  for (const Json& report : reports)
    named.push_back({absl::StrCat("file-", named.size()), to_text(report)});
  return std::string(merge_reports(named).status().message());
}

// A damaged text found this: a number in place of the counts of an operation crashed merged_text().
TEST(Merge, RejectsMalformedCounts) {
  Json bare = report_of(0, 1), deep = report_of(0, 1);
  set(bare, "ops", json_object({{"map.simplify", 2}}));
  set(deep, "unsupported", json_object({{"rank", json_object({{"pass", 1}})}}));
  EXPECT_EQ(merge_error({bare}), "file-0: expected an object of counts");
  EXPECT_EQ(merge_error({deep}), "file-0: expected a count at 'rank'");
  EXPECT_EQ(merge_error({report_of(0, 1)}), "");
}

// An operation that is expected to fail may have failed in a case that was not asked.
TEST(Merge, KnowsThatAShardWasInterrupted) {
  Json interrupted = report_of(0, 2), whole = report_of(1, 2);
  set(interrupted, "interrupted", true);
  set(whole, "passing_expectations", Json::Array{"map.simplify"});
  const absl::StatusOr<Json> merged =
      merge_reports({{"a", to_text(interrupted)}, {"b", to_text(whole)}});
  ASSERT_TRUE(merged.ok()) << merged.status();
  EXPECT_EQ(*find(*merged, "interrupted"), Json(true));
  EXPECT_EQ(*find(*merged, "status"), Json(3));
  set(interrupted, "interrupted", false);
  EXPECT_EQ(*find(*merge_reports({{"a", to_text(interrupted)}, {"b", to_text(whole)}}), "status"),
            Json(1));
}

TEST(Merge, AddsUpToTheReportOfTheWholeRun) {
  const absl::StatusOr<Report> whole = conform(options(kRight, 0, 1));
  ASSERT_TRUE(whole.ok());
  const Json expected = to_json(*whole);
  const absl::StatusOr<Json> merged = merge_reports(shards(kRight, 3));
  ASSERT_TRUE(merged.ok()) << merged.status();
  for (const char* key : {"command", "name", "version", "seed", "cases", "ops", "unsupported",
                          "failures", "status"}) {
    EXPECT_EQ(to_text(*find(*merged, key)), to_text(*find(expected, key))) << key;
  }
  EXPECT_THAT(merged_text(*merged), HasSubstr("180 cases in 3 shards\n"));
}

TEST(Merge, KeepsTheFailuresOfAllShards) {
  const absl::StatusOr<Report> whole = conform(options(kWrong, 0, 1));
  ASSERT_TRUE(whole.ok());
  ASSERT_GT(whole->failures.size(), 2u);
  const absl::StatusOr<Json> merged = merge_reports(shards(kWrong, 2));
  ASSERT_TRUE(merged.ok()) << merged.status();
  EXPECT_EQ(find(*merged, "failures")->as<Json::Array>()->size(), whole->failures.size());
  EXPECT_EQ(*find(*merged, "status")->as<int64_t>(), 1);
  EXPECT_THAT(merged_text(*merged), HasSubstr("  request  {"));
  int64_t in_clusters = 0;
  for (const Json& cluster : *find(*merged, "clusters")->as<Json::Array>()) {
    in_clusters += *find(cluster, "count")->as<int64_t>();
  }
  EXPECT_EQ(in_clusters, std::ssize(whole->failures));
}

TEST(Merge, RequiresOfTheWholeRunWhatItRequiresOfAShard) {
  Json one = report_of(0, 2), other = report_of(1, 2);
  for (Json* report : {&one, &other}) set(*report, "require_coverage", Json::Number{"0.6"});
  set(one, "ops", json_object({{"map.simplify", json_object({{"unsupported", 4}, {"pass", 2}})}}));
  set(one, "unasked_expectations", Json::Array{"map.equal", "map.compose"});
  set(other, "unasked_expectations", Json::Array{"map.equal"});
  const absl::StatusOr<Json> merged = merge_reports({{"a", to_text(one)}, {"b", to_text(other)}});
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(*find(*merged, "status"), Json(1));
  EXPECT_EQ(to_text(*find(*merged, "unmet_requirements")),
            R"(["--require-coverage 0.6: only 4 of 8 requests were answered"])");
  EXPECT_EQ(to_text(*find(*merged, "unasked_expectations")), R"(["map.equal"])");
}

TEST(Merge, AllowsAnExpectationToPassInOneShardAndFailInAnother) {
  const Json failure = json_object({{"op", "map.simplify"}, {"case", "00"}, {"expected", true}});
  Json passes = report_of(0, 2), fails = report_of(1, 2);
  set(passes, "passing_expectations", Json::Array{"map.simplify"});
  set(fails, "failures", Json::Array{failure});
  const absl::StatusOr<Json> merged =
      merge_reports({{"a", to_text(passes)}, {"b", to_text(fails)}});
  ASSERT_TRUE(merged.ok()) << merged.status();
  EXPECT_EQ(*find(*merged, "status")->as<int64_t>(), 0);
  set(fails, "failures", Json::Array{});
  EXPECT_EQ(*find(*merge_reports({{"a", to_text(passes)}, {"b", to_text(fails)}}), "status")
                 ->as<int64_t>(),
            1);
}

TEST(Merge, ComputesTheStatusOfTheWholeRun) {
  const Json nothing = json_object({{"map.simplify", json_object({{"unsupported", 2}})}});
  Json one = report_of(0, 2), other = report_of(1, 2);
  set(one, "ops", nothing);
  const auto status = [&] {
    return *find(*merge_reports({{"a", to_text(one)}, {"b", to_text(other)}}), "status")
                ->as<int64_t>();
  };
  EXPECT_EQ(status(), 0);
  set(other, "ops", nothing);
  EXPECT_EQ(status(), 2);
  set(other, "ops", json_object({{"map.equal", json_object({{"undecided", 1}, {"pass", 3}})}}));
  EXPECT_EQ(status(), 3);
  set(other, "stray", Json::Array{"a line"});
  EXPECT_EQ(status(), 1);
}

TEST(Merge, RejectsReportsThatDoNotFitByName) {
  EXPECT_THAT(merge_error({report_of(0, 2)}), HasSubstr("shard 1 of 2 is missing"));
  EXPECT_THAT(merge_error({report_of(0, 2), report_of(0, 2)}),
              HasSubstr("file-1: shard 0 is there twice"));
  EXPECT_THAT(merge_error({report_of(0, 2), report_of(1, 3)}),
              HasSubstr("file-1 and file-0 differ in 'shards'"));
  Json seed = report_of(1, 2);
  set(seed, "seed", 7);
  EXPECT_THAT(merge_error({report_of(0, 2), seed}), HasSubstr("differ in 'seed'"));
  EXPECT_THAT(merge_error({report_of(5, 2)}), HasSubstr("expected shard I of N"));
  EXPECT_THAT(merge_error({Json(7)}), HasSubstr("file-0: expected a report"));
  for (const Json& count : {Json(-1), Json("x"), Json(Json::Number{"9223372036854775808"})}) {
    Json bad = report_of(0, 1);
    set(bad, "ops", json_object({{"map.simplify", json_object({{"pass", count}})}}));
    EXPECT_THAT(merge_error({bad}), HasSubstr("expected a count at 'pass'"));
  }
  Json most = report_of(0, 2);
  set(most, "ops", json_object({{"map.simplify", json_object({{"pass", INT64_MAX}})}}));
  EXPECT_THAT(merge_error({most, report_of(1, 2)}), HasSubstr("expected a count"));
  EXPECT_FALSE(merge_reports({}).ok());
  EXPECT_FALSE(merge_reports({{"empty", ""}}).ok());
}

}  // namespace
}  // namespace tileproof::conform
