// SPDX-License-Identifier: Apache-2.0
// Which requests have the same cause.
#include "conform/report/cause.h"

#include <string>
#include <vector>

#include "conform/report/report.h"
#include "conform/shrink/text_form.h"
#include "corpus/answers_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tileproof::conform {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::StartsWith;

Json simplify(const std::string& map) {
  return json_object({{"op", "map.simplify"}, {"map", map}});
}
Json linearize(const std::string& shape, const std::vector<int64_t>& index) {
  return json_object({{"op", "layout.linearize"}, {"shape", shape}, {"index", Json(index)}});
}

// Of two requests, one on each line.
template <class Answer>
std::string about_both(absl::string_view text, const Answer& answer) {
  const auto [one, other] = parts_of<2>(text, "\n");
  return answer(read_json(one)->value, read_json(other)->value) ? "yes" : "no";
}

TEST(Cause, Answers) {
  const auto same = [](const Json& a, const Json& b) { return structure_of(a) == structure_of(b); };
  const auto has = [](const Json& a, const Json& b) {
    return contains(features_of(a), features_of(b));
  };
  expect_answers("answers/causes.txt",
                 {{"contains", [&](auto text) { return about_both(text, has); }},
                  {"same", [&](auto text) { return about_both(text, same); }}});
}

TEST(Cause, FeaturesHaveNames) {
  EXPECT_THAT(features_of(simplify("(d0) -> (), domain: d0 in [0, 9], d0 mod 2 in [2, 2]")),
              Contains("impossible remainder"));
}

TEST(Cause, AnOperationAloneIsNotContained) {
  const auto larger = features_of(
      simplify("(d0) -> (d0 floordiv 2 + d0 mod -7), domain: d0 in [0, 5], d0 mod 2 in [0, 0]"));
  EXPECT_FALSE(contains(larger, {"map.simplify"})) << "every request of the operation would be";
}

TEST(Symptom, TellsExceptionsAndBrokenLinesApart) {
  const std::string head = "Traceback (most recent call last):\n  File \"a.py\", line 3\n";
  EXPECT_EQ(exception_of(head + "KeyError: 's4'\n"), exception_of(head + "KeyError: 'f8'\n"));
  EXPECT_NE(exception_of(head + "KeyError: 's4'\n"), exception_of(head + "TypeError: 's4'\n"));
  EXPECT_EQ(exception_of(head + "IndexError: 17 of 12"), "IndexError: n of n");
  EXPECT_EQ(exception_of("asked 17\n"), "");
  const std::string placed =
      head + "  File \"a.py\", line 7, in f\n    a()\n  File \"b.py\", line 9\n";
  EXPECT_EQ(place_of_exception(placed + "KeyError: 's4'\n"), "  File \"b.py\", line 9");
  EXPECT_EQ(place_of_exception("Traceback (most recent call last):\nKeyError: 's4'\n"), "");
  EXPECT_EQ(other_line_in("not an answer: DEBUG here 17  (column 1: expected a value)"),
            "DEBUG here 17");
  EXPECT_EQ(other_line_in("not an answer: {\"id\": 1  (column 9: expected ',')"), "");
  EXPECT_EQ(other_line_in("unknown id: {\"id\": 1}"), "");
  EXPECT_EQ(broken_protocol("not an answer: {\"id\": 1  (column 9: expected ',')"),
            "not an answer, column n: expected ''");
  EXPECT_EQ(broken_protocol("unknown id: {\"id\": 1}"), "unknown id");
}

TEST(Cause, HasNoLimitOnTheText) {
  for (const char* text : {"", "(d0", "KNOWN EMPTY", "f32[", "{\"a\": 1}"}) {
    EXPECT_FALSE(structure_of(simplify(text)).empty());
    EXPECT_THAT(features_of(simplify(text)), Contains("invalid map"));
    EXPECT_FALSE(structure_of(linearize(text, {})).empty());
  }
  EXPECT_EQ(structure_of(Json(7)), "");
  EXPECT_EQ(largest_number("a 12 b-9223372036854775808, 99999999999999999999"), uint64_t{1} << 63);
}

// Adds a failure at its smallest. The suite is named like the operation.
void add_failure(Report& report, const Json& request, const std::string& right = "",
                 Verdict verdict = Verdict::kWrong) {
  const uint32_t op = number_of(report, *find_as<std::string>(request, "op"));
  Failure failure;
  failure.record = report.records.size();
  failure.request = request;
  failure.smallest = Failing{request, R"({"result":"x"})", right};
  report.failures.emplace(failure.record, failure);
  report.records.push_back({failure.record, op, op, verdict});
}

TEST(Clusters, PutOrdinarySizesFirst) {
  Report report;
  const auto fail = [&](const std::string& map) { add_failure(report, simplify(map)); };
  fail("(d0) -> (d0), domain: d0 in [0, 9223372036854775807]");
  fail("(d0) -> (d0 mod 3 + d0 mod -4), domain: d0 in [0, 5]");
  fail("(d0) -> (d0 mod 3 + d0 mod -7), domain: d0 in [0, 9]");
  const std::vector<Cluster> clusters = clusters_of(report);
  ASSERT_EQ(clusters.size(), 2u);
  EXPECT_EQ(clusters[0].example, 1u);
  EXPECT_EQ(clusters[0].failures.size(), 2u);
  EXPECT_EQ(clusters[1].example, 0u);
  EXPECT_NE(cause_id(clusters[0].cause), cause_id(clusters[1].cause));
}

TEST(Clusters, PutElementsBeforeEmptyArraysAndSizes) {
  EXPECT_TRUE(has_empty_array(R"({"shape":"f32[2,0]{0,1:T(2)}"})"));
  EXPECT_TRUE(has_empty_array(R"x({"hlo":"r = f32[0] negate(f32[0] p)"})x"));
  EXPECT_FALSE(has_empty_array(R"({"shape":"f32[2,10]{1,0}","index":[0,0]})"));
  EXPECT_FALSE(
      has_empty_array(R"({"map":"(d0)[s0] -> (d0), domain: d0 in [0, 0], s0 in [0, 0]"})"));
  Report report;
  for (const char* shape : {"f32[0]{0:T(2)}", "f32[3]{0:T(2)}"}) {
    add_failure(report, json_object({{"op", "layout.physical"}, {"shape", shape}}));
  }
  add_failure(report, linearize("f32[300,200]{1,0:T(2)(2,1)}", {299, 3}));
  std::vector<size_t> examples;
  for (const Cluster& cluster : clusters_of(report)) examples.push_back(cluster.example);
  EXPECT_THAT(examples, ElementsAre(2, 1, 0));
}

TEST(Clusters, ShowAnExampleOfF32AndOneCauseBeyond64Bits) {
  Report report;
  const auto fail = [&](Verdict verdict, const std::string& shape, const std::string& right) {
    add_failure(report, linearize(shape, {1}), right, verdict);
  };
  const std::string beyond = R"({"error":"the bytes of 9 elements do not fit 64 signed bits"})";
  fail(Verdict::kError, "f32[2,428139521568]{0,1:T(268,157)}", beyond);
  fail(Verdict::kError, "f32[67108864]{0:T(1)E(1099511627776)}", beyond);
  fail(Verdict::kWrong, "f16[2]{0:T(1)}", R"({"result":1})");
  fail(Verdict::kWrong, "f32[2]{0:T(1)}", R"({"result":1})");
  fail(Verdict::kError, "f32[9223372036854775808]", R"({"error":"a size within 64 signed bits"})");
  const std::vector<Cluster> clusters = clusters_of(report);
  ASSERT_EQ(clusters.size(), 3u);
  EXPECT_EQ(clusters[0].example, 3u);
  EXPECT_EQ(clusters[0].failures.size(), 2u);
  EXPECT_EQ(clusters[1].cause, "error, beyond 64 bits: layout.linearize");
  EXPECT_EQ(clusters[1].failures.size(), 2u);
  EXPECT_EQ(clusters[2].example, 4u);
}

// A report of failures of layout.linearize with this outcome, which were not shrunk.
Report report_of_outcomes(Verdict verdict, const std::vector<std::string>& outcomes) {
  Report report;
  report.command = {"./program"};
  for (const std::string& what : outcomes) {
    const size_t number = report.records.size();
    add_failure(report, linearize("f32[2,2]{1,0}", {0, static_cast<int64_t>(number)}), "", verdict);
    report.failures.at(number).what = what;
    report.failures.at(number).smallest.reset();
  }
  return report;
}

TEST(Clusters, LinesThatAreNoObjectAreOneCause) {
  const Report report = report_of_outcomes(
      Verdict::kProtocol,
      {R"(not an answer: {"id": 1, "result":  (column 23: expected a JSON value, found the end))",
       R"(not an answer: {"id": 2, "unsuppor  (column 20: expected '"' to close the string))",
       "not an answer: DEBUG here  (column 1: expected a JSON value, found 'D')"});
  EXPECT_EQ(clusters_of(report).size(), 1u);
  const Report other = report_of_outcomes(
      Verdict::kProtocol, {R"(not an answer: {"id": 1, "result":  (column 23: expected a value))",
                           R"(not an answer: {"id": 2}  (expected exactly one of result, error))"});
  EXPECT_EQ(clusters_of(other).size(), 2u);
}

TEST(Clusters, FailuresForWhichTimeWasLackingAreOneCause) {
  Report report = report_of_outcomes(Verdict::kWrong, {"{\"result\":1}", "{\"result\":2}"});
  for (auto& [key, failure] : report.failures) failure.not_shrunk = "no time";
  report.failures.at(1).right =
      R"({"result":9,"or":{"error":"9 elements do not fit 64 signed bits"}})";
  EXPECT_EQ(clusters_of(report).size(), 1u);
}

TEST(Conclusion, SaysWhichCasesAreNotMinimal) {
  Report report = report_of_outcomes(Verdict::kTimeout, {"no answer in 2 s", "no answer in 2 s"});
  EXPECT_THAT(conclusion(report), StartsWith("FAILED: the failing cases are above. "));
  Failure& wrong = report.failures.at(1);
  report.records[1].verdict = Verdict::kWrong;
  wrong.smallest = Failing{wrong.request, R"({"result":1})", R"({"result":2})"};
  EXPECT_THAT(conclusion(report),
              StartsWith("FAILED: the failing cases are above; not minimal: timeout. "));
  report.records[0].verdict = Verdict::kWrong;
  report.failures.at(0).not_shrunk = "no time";
  EXPECT_THAT(conclusion(report),
              StartsWith("FAILED: the failing cases are above; not minimal: not shrunk. "));
  report.failures.erase(0);
  EXPECT_THAT(conclusion(report), StartsWith("FAILED: the minimal failing cases are above. "));
}

}  // namespace
}  // namespace tileproof::conform
