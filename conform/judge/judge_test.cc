// SPDX-License-Identifier: Apache-2.0
// The judge accepts the reference's answer, and beyond 64 bits both the exact answer and an error.

#include "conform/judge/judge.h"

#include <signal.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "conform/oracle/exact_layout.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/subprocess.h"
#include "conform/report/report.h"
#include "conform/run/conform.h"
#include "conform/suites/suites.h"
#include "corpus/files.h"
#include "generate/choose/choose.h"
#include "generate/layout/generate_shape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::conform {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Judge, NamesBothRightAnswersIfTheExactOneIsRightToo) {
  const char* text =
      R"({"op":"layout.linearize","shape":"s8[9223372036854775807]{0:T(128,1)}","index":[5]})";
  const Json request = read_json(text)->value;
  const Judgment judgment = judge(request, result_answer(1, 113));
  EXPECT_EQ(to_text(judgment.verdict), "wrong");
  const Json right = read_json(judgment.right)->value;
  ASSERT_NE(find(right, "or"), nullptr) << judgment.right;
  EXPECT_NE(find(*find(right, "or"), "error"), nullptr) << judgment.right;
  const Json* result = find(right, "result");
  ASSERT_NE(result, nullptr) << judgment.right;
  EXPECT_EQ(to_text(judge(request, result_answer(1, *result)).verdict), "pass");
  EXPECT_EQ(to_text(judge(request, failed_answer(1, absl::OutOfRangeError(""))).verdict), "pass");
}

int64_t exact_answers = 0;

TEST(Judge, ComputesTheExactAnswerOnceForAWrongOne) {
  Operation counted = *operation_named("layout.physical");
  counted.exact = [](const Json& request) {
    ++exact_answers;
    return operation_named("layout.physical")->exact(request);
  };
  const Json request =
      json_object({{"op", "layout.physical"}, {"shape", "s8[4294967296,4294967296]{1,0}"}});
  const Judgment judgment = judge(counted, request, result_answer(Json(1), Json(7)));
  EXPECT_EQ(judgment.verdict, Verdict::kWrong);
  EXPECT_THAT(judgment.right, HasSubstr("18446744073709551616"));
  EXPECT_EQ(exact_answers, 1);
}

TEST(Judge, VisitsNoMoreElementsOfAllTilesTogetherThanItsLimit) {
  const Json request =
      read_json(
          R"({"op":"tile.propagate","hlo":"c = s8[30000] concatenate(s8[9999] p, s8[20001] q), dimensions={0}","direction":"output_to_input","tile":"(t) -> offsets [t] sizes [9000] strides [1] upper bounds [30000], domain: t in [0, 29999]"})")
          ->value;
  // `q` is read, which only a tile after many others shows.
  const Json answer =
      read_json(
          R"(["(t) -> offsets [t] sizes [9000] strides [1] upper bounds [9999], domain: t in [0, 29999]",)"
          R"(null])")
          ->value;
  const Judgment judgment = judge(request, result_answer(1, answer));
  EXPECT_EQ(to_text(judgment.verdict), "undecided") << judgment.right;
  EXPECT_THAT(judgment.reason, HasSubstr("too many elements"));
}

// ---- Examples of right answers ----

// An operation whose closed form answers like this.
Operation with_closed_form(absl::string_view name,
                           absl::StatusOr<Result> (*answer)(const Json&, Engine)) {
  Operation planted = *operation_named(name);
  planted.answer = answer;
  return planted;
}

absl::StatusOr<Result> by_reference(const Json& request) {
  return operation_named(*find(request, "op")->as<std::string>())->answer(request, Engine::kSpec);
}

absl::StatusOr<Result> answer_nonsense(const Json& request, Engine engine) {
  return engine == Engine::kSpec ? by_reference(request) : Result("nonsense");
}

absl::StatusOr<Result> refuse(const Json& request, Engine engine) {
  if (engine == Engine::kSpec) return by_reference(request);
  return absl::InvalidArgumentError("I do not like it");
}

absl::StatusOr<Result> add_one(const Json& request, Engine engine) {
  if (engine == Engine::kSpec) return by_reference(request);
  return Result("(d0) -> (d0 + 1), domain: d0 in [0, 9]");
}

// A valid request of each operation with many right answers, which the closed forms answer.
std::vector<Json> valid_requests() {
  std::vector<Json> requests;
  std::set<std::string> found;
  for (const Suite& suite : suites()) {
    Cases cases(suite, 1, {});
    for (int i = 0; i < 300; ++i) {
      const Json request = cases.next()->request;
      const auto& op = *find(request, "op")->as<std::string>();
      const Operation* operation = operation_named(op);
      if (operation == nullptr || operation->judge == nullptr || found.contains(op)) continue;
      if (find(right_answer(request), "result") == nullptr) continue;
      found.insert(op);
      requests.push_back(request);
    }
  }
  return requests;
}

TEST(Judge, NeverShowsAnExampleThatItCallsWrong) {
  std::set<std::string> judged, asked;
  for (const Operation& operation : operations()) {
    if (operation.judge != nullptr) judged.insert(std::string(operation.name));
  }
  for (const Json& request : valid_requests()) {
    const auto& op = *find(request, "op")->as<std::string>();
    asked.insert(op);
    for (const auto& answer : {answer_nonsense, refuse}) {
      const Json right = right_answer(with_closed_form(op, answer), request);
      EXPECT_EQ(find(right, "result"), nullptr) << op << to_text(right);
      EXPECT_EQ(find(right, "error"), nullptr) << op << to_text(right);
      EXPECT_THAT(to_text(right), HasSubstr(R"({"no_example":"the example of Tileproof failed)"))
          << to_text(request);
    }
  }
  EXPECT_EQ(asked, judged);
}

TEST(Judge, ShowsNoExampleForAnInvalidRequest) {
  const Json request = read_json(R"x({"op":"map.simplify","map":"(d0) -> (d1)"})x")->value;
  const Operation planted = with_closed_form("map.simplify", add_one);
  EXPECT_THAT(to_text(right_answer(planted, request)),
              HasSubstr("a result for an invalid request"));
  EXPECT_NE(find(right_answer(request), "error"), nullptr);
}

// The program makes the same mistake as the closed form.
TEST(Judge, SaysInEachReportThatItsExampleFailed) {
  const Json request =
      read_json(R"x({"op":"map.simplify","map":"(d0) -> (d0 + 0), domain: d0 in [0, 9]"})x")->value;
  const std::string wrong = "(d0) -> (d0 + 1), domain: d0 in [0, 9]";
  const Judgment judgment =
      judge(with_closed_form("map.simplify", add_one), request, result_answer(1, wrong));
  EXPECT_EQ(to_text(judgment.verdict), "wrong");
  Report report;
  report.records.push_back(
      {1, number_of(report, "simplify"), number_of(report, "map.simplify"), judgment.verdict});
  Failure& failure = report.failures[0];
  failure.request = request;
  failure.what = R"({"result":"x"})";
  failure.right = judgment.right;
  for (const std::string& text :
       {to_text(report), to_text(to_json(report)), to_junit(report), to_sarif(report)}) {
    EXPECT_THAT(text,
                HasSubstr("the example of Tileproof failed, which is a bug of Tileproof: at "));
    EXPECT_THAT(text, Not(HasSubstr(wrong)));
  }
  EXPECT_THAT(judge(request, result_answer(1, wrong)).right,
              HasSubstr(R"x({"result":"(d0) -> (d0))x"));
}

TEST(Judge, CallsNothingUnsimplifiedForAWrongExample) {
  const Json request = read_json(R"x({"op":"map.simplify",)x"
                                 R"x("map":"(d0) -> (d0 + 1 - 1 + 1 - 1), domain: d0 in [0, 9]"})x")
                           ->value;
  const Answer echo = result_answer(1, *find(request, "map"));
  EXPECT_EQ(to_text(judge(request, echo).verdict), "unsimplified");
  EXPECT_EQ(to_text(judge(with_closed_form("map.simplify", add_one), request, echo).verdict),
            "pass");
}

// The same steps with integers of any size.
TEST(Judge, TheExactCountAgreesWithTheReferenceWhereThatAnswers) {
  int64_t indices = 0, beyond = 0;
  for (uint64_t seed = 0; seed < cases<uint64_t>(20'000); ++seed) {
    Choose choose(Choose::Random{seed});
    const Shape shape = random_shape(choose, int64_t{1} << choose.pick<int64_t>({8, 20, 62}));
    const absl::StatusOr<spec::TiledLayout> reference = spec::tiled_layout(shape);
    const absl::StatusOr<ExactLayout> exact = exact_layout(shape);
    ASSERT_TRUE(exact.ok()) << to_text(shape);
    if (!reference.ok()) {
      EXPECT_TRUE(exact->may_overflow) << to_text(shape);
      ++beyond;
      continue;
    }
    EXPECT_EQ(to_int64(exact->elements()), reference->elements()) << to_text(shape);
    EXPECT_EQ(to_int64(exact->bytes), reference->bytes) << to_text(shape);
    std::vector<int64_t> physical;
    for (const BigUint& d : exact->physical()) physical.push_back(to_int64(d).value_or(-1));
    EXPECT_EQ(physical, reference->physical()) << to_text(shape);
    if (reference->elements() == 0) continue;
    const std::vector<int64_t>& dims = reference->logical();
    if (std::find(dims.begin(), dims.end(), 0) == dims.end()) {
      const std::vector<int64_t> index = random_index(choose, dims);
      EXPECT_EQ(to_int64(linearize(*exact, index)), *spec::linearize(*reference, index))
          << to_text(shape);
    }
    const int64_t offset = random_index(choose, {reference->elements()})[0];
    EXPECT_EQ(delinearize(*exact, offset), *spec::delinearize(*reference, offset))
        << to_text(shape) << " " << offset;
    ++indices;
  }
  EXPECT_GT(indices, tileproof::cases(10'000));
  EXPECT_GE(beyond, tileproof::cases(10));
}

TEST(BigUint, AgreesWithTheMachineOn128Bits) {
  const auto wide = [](const BigUint& n) {
    absl::uint128 value = 0;
    for (size_t i = n.digits.size(); i-- > 0;) value = value << 32 | n.digits[i];
    return value;
  };
  for (uint64_t seed = 0; seed < 5'000; ++seed) {
    Choose choose(Choose::Random{seed});
    const int64_t a = choose(INT64_MAX) >> choose(63), b = choose(INT64_MAX) >> choose(63);
    const BigUint product = BigUint(a) * BigUint(b);
    EXPECT_EQ(wide(product), absl::uint128(a) * absl::uint128(b));
    EXPECT_EQ(wide(product + BigUint(a)), absl::uint128(a) * absl::uint128(b) + absl::uint128(a));
    EXPECT_EQ(wide((product + BigUint(a)) - BigUint(a)), wide(product));
    const BigUint divisor(1 + (b >> 3));
    const auto [quotient, rest] = divide(product + BigUint(7), divisor);
    EXPECT_EQ(quotient * divisor + rest, product + BigUint(7));
    EXPECT_TRUE(rest < divisor);
    EXPECT_EQ(to_text(BigUint(a)), absl::StrCat(a));
  }
  EXPECT_EQ(to_text(BigUint(INT64_MAX) * BigUint(INT64_MAX)),
            "85070591730234615847396907784232501249");
}

TEST(Suites, OneSeedGivesTheSameCasesWithStableIds) {
  for (const Suite& suite : suites()) {
    Cases a(suite, 7, {}), b(suite, 7, {}), c(suite, 8, {});
    std::set<uint64_t> different;
    int64_t same_in_c = 0;
    // The first hundreds of requests are the same for all seeds.
    const auto count = std::clamp<uint64_t>(tileproof::cases<uint64_t>(4000), 600, 1000);
    for (uint64_t i = 0; i < count; ++i) {
      const Case one = *a.next();
      EXPECT_EQ(to_text(one.request), to_text(b.next()->request));
      same_in_c += to_text(one.request) == to_text(c.next()->request) ? 1 : 0;
      different.insert(case_hash(one.request));
    }
    EXPECT_GT(different.size(), count * 9 / 10) << suite.name;
    EXPECT_LT(same_in_c, 500) << suite.name;
  }
  EXPECT_EQ(
      case_id(case_hash(
          read_json(
              R"({"index":[2,3],"id":9,"shape":"f32[3,5]{1,0:T(2,2)}","op":"layout.linearize"})")
              ->value)),
      "15e8dd9403184cca");
}

TEST(Suites, EachHasValidAndInvalidRequests) {
  for (const Suite& suite : suites()) {
    Cases cases(suite, 1, {});
    int64_t results = 0, errors = 0;
    for (int i = 0; i < 2000 && (results < 200 || errors < 20); ++i) {
      const Json right = right_answer(cases.next()->request);
      results += find(right, "result") != nullptr ? 1 : 0;
      errors += find(right, "error") != nullptr ? 1 : 0;
      EXPECT_EQ(results + errors, i + 1) << suite.name;
    }
    EXPECT_GE(results, 200) << suite.name;
    EXPECT_GE(errors, 20) << suite.name;
  }
}

TEST(Recorded, MatchesAnswersByIdAndCountsMissingOnes) {
  const std::string requests =
      R"({"id":"a","op":"layout.linearize","shape":"f32[3,5]{1,0:T(2,2)}","index":[2,3]})"
      "\n"
      R"({"id":2,"op":"layout.linearize","shape":"f32[3]","index":[3]})"
      "\n";
  const auto status = [&requests](const std::string& answers) {
    const absl::StatusOr<Report> report = judge_files(requests, answers);
    EXPECT_TRUE(report.ok());
    return exit_status(*report);
  };
  const std::string both = R"({"id":2,"error":"outside"})"
                           "\n"
                           R"({"id":"a","result":17})";
  EXPECT_EQ(status(both), 0);
  EXPECT_EQ(status(R"({"id":"a","result":17})"), 1);
  EXPECT_EQ(status(both + "\n" + both), 1);
  EXPECT_EQ(status(both + "\n{}"), 1);
  EXPECT_EQ(status(both + "\n" + R"({"id":3,"result":1})"), 1);
  EXPECT_EQ(exit_status(*judge_files("", "")), 2);
  EXPECT_THAT(judge_files(requests + requests, both).status().message(),
              HasSubstr("requests, line 3: id \"a\" was already used on line 1"));
  EXPECT_THAT(judge_files("{", both).status().message(), HasSubstr("requests, line 1: column 2"));
}

TEST(Recorded, ASignalEndsItWithAReport) {
  const std::string request = R"({"id":1,"op":"layout.linearize","shape":"f32[3]","index":[2]})";
  const std::string answer = R"({"id":1,"result":2})";
  const Signals signals;
  ::raise(SIGTERM);
  const absl::StatusOr<Report> report = judge_files(request, answer);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->interrupted, "signal 15 (Terminated)");
  EXPECT_THAT(report->records, IsEmpty());
  EXPECT_EQ(exit_status(*report), 2);  // nothing was checked
  EXPECT_THAT(conclusion(*report), HasSubstr("Interrupted by signal 15 (Terminated)"));
}

TEST(Recorded, ReadsTheFormOfIntegersFromAHello) {
  const std::string requests = R"({"id":0,"op":"hello","protocol":1})"
                               "\n"
                               R"({"id":1,"op":"layout.linearize","shape":"f32[3]","index":["2"]})";
  const std::string answers = R"({"id":0,"result":{"integers":"string"}})"
                              "\n"
                              R"({"id":1,"result":"2"})";
  EXPECT_EQ(exit_status(*judge_files(requests, answers)), 0);
}

// Requests of corpus/protocol/judged.jsonl: what we answer, and what the judge says of other answers.
//
//     {"request":..,"answer":{"result":17}}         both engines answer this; "by":"impl": this one
//     {"request":..,"says":"column 5"}              the answer has this text
//     {"request":..,"given":{"result":13},"verdict":"wrong","says":"17"}
//                                                   the judgment of an answer, and a text in it

std::string says(const Json& row) {
  const auto* text = find_as<std::string>(row, "says");
  return text == nullptr ? "" : *text;
}

void expect_answer(const Json& row, Engine engine) {
  const Json request = with_id(Json(1), *find(row, "request"));
  Json answer = read_json(answer_line(to_text(request), engine))->value;
  EXPECT_EQ(*find(answer, "id"), Json(1));
  remove(answer, "id");
  EXPECT_THAT(to_text(answer), HasSubstr(says(row)));
  const Json* expected = find(row, "answer");
  EXPECT_EQ(to_text(answer), to_text(expected == nullptr ? answer : *expected));
}

void expect_judgment(const Json& row) {
  const absl::StatusOr<Answer> given = read_answer(to_text(with_id(Json(1), *find(row, "given"))));
  ASSERT_TRUE(given.ok()) << given.status();
  const Judgment judgment = judge(*find(row, "request"), *given);
  EXPECT_EQ(to_text(judgment.verdict), *find_as<std::string>(row, "verdict"));
  const bool is_counted =
      judgment.verdict == Verdict::kUnsupported || judgment.verdict == Verdict::kUndecided;
  EXPECT_THAT(is_counted ? judgment.reason : judgment.right, HasSubstr(says(row)));
}

TEST(Judged, EachRowHolds) {
  int64_t answers = 0, judgments = 0;
  for (const std::string& line : project_lines("corpus/protocol/judged.jsonl")) {
    SCOPED_TRACE(line);
    const Json row = read_json(line)->value;
    if (find(row, "given") != nullptr) {
      ++judgments;
      expect_judgment(row);
      continue;
    }
    ++answers;
    const auto* by = find_as<std::string>(row, "by");
    if (by == nullptr || *by == "spec") expect_answer(row, Engine::kSpec);
    if (by == nullptr || *by == "impl") expect_answer(row, Engine::kImpl);
  }
  EXPECT_GT(answers, 100);
  EXPECT_GT(judgments, 200);
}

}  // namespace
}  // namespace tileproof::conform
