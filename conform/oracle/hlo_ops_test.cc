// SPDX-License-Identifier: Apache-2.0
// Answers and judgments of hlo.index.
#include "conform/oracle/hlo_ops.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conform/judge/judge.h"
#include "conform/oracle/hlo_claim.h"
#include "conform/oracle/parsed.h"
#include "conform/suites/hlo_suites.h"
#include "conform/suites/suites.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::conform {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

Json json(const std::string& text) { return read_json(text)->value; }

// A request of hlo.index. The lines of `hlo` are separated by `; `.
std::string request_line(const std::string& hlo, const std::string& more = "") {
  return absl::StrCat(R"x({"id":1,"op":"hlo.index","direction":"output_to_input","hlo":")x",
                      absl::StrReplaceAll(hlo, {{"; ", "\\n"}}), "\"", more, "}");
}

std::string inverse(const std::string& hlo, const std::string& more = "") {
  return absl::StrReplaceAll(request_line(hlo, more), {{"output_to_input", "input_to_output"}});
}

std::string answered(const std::string& hlo, const std::string& more = "",
                     Engine engine = Engine::kImpl) {
  return answer_line(request_line(hlo, more), engine);
}

Judgment judged(const std::string& request, const std::string& answer) {
  return judge(json(request), *read_answer(R"x({"id":1,)x" + answer + "}"));
}

std::string verdict(const std::string& hlo, const std::string& answer,
                    const std::string& more = "") {
  return std::string(to_text(judged(request_line(hlo, more), answer).verdict));
}

std::string reason(const std::string& hlo, const std::string& answer,
                   const std::string& more = "") {
  const Judgment judgment = judged(request_line(hlo, more), answer);
  return judgment.verdict == Verdict::kWrong ? judgment.right : judgment.reason;
}

constexpr char kReverse[] = "r = f32[4] reverse(f32[4] p), dimensions={0}";
constexpr char kSlice[] =
    "d = f32[2,3] dynamic-slice(f32[5,3] p, s32[] a, s32[] b), dynamic_slice_sizes={2,3}";
constexpr char kGather[] =
    "g = f32[3,2] gather(f32[9,2] t, s32[3] i), offset_dims={1}, collapsed_slice_dims={0}, "
    "start_index_map={0}, index_vector_dim=1, slice_sizes={1,2}";
constexpr char kTwoSlices[] =
    "p = f32[9] parameter(0); a = s32[] parameter(1); b = s32[] parameter(2); "
    "s = f32[5] dynamic-slice(p, a), dynamic_slice_sizes={5}; "
    "r = f32[2] dynamic-slice(s, b), dynamic_slice_sizes={2}";
constexpr char kWhole[] = R"x(,"scope":"computation")x";

// ---- Answers ----

TEST(HloOps, AnswersOneListForEachOperandPosition) {
  EXPECT_EQ(answered(kReverse),
            R"x({"id":1,"result":[["(d0) -> (-d0 + 3), domain: d0 in [0, 3]"]]})x");
  EXPECT_EQ(answered("r = f32[2] add(f32[2] p, f32[2] p)"),
            R"x({"id":1,"result":[["(d0) -> (d0), domain: d0 in [0, 1]"],)x"
            R"x(["(d0) -> (d0), domain: d0 in [0, 1]"]]})x");
  EXPECT_EQ(answered("r = f32[2] add(f32[2] p, f32[2] p)", kWhole),
            R"x({"id":1,"result":[["(d0) -> (d0), domain: d0 in [0, 1]"]]})x");
  EXPECT_EQ(answered("r = s32[2] iota(), iota_dimension=0"), R"x({"id":1,"result":[]})x");
  EXPECT_EQ(answered("t = (f32[2], f32[]) tuple(f32[2] p, f32[] q)", R"x(,"output":1)x"),
            R"x({"id":1,"result":[[],["() -> ()"]]})x");
  EXPECT_EQ(answered(kReverse, R"x(,"instruction":"%p")x"), R"x({"id":1,"result":[]})x");
}

TEST(HloOps, AnswersOneListForEachLeafOfTheResultInputToOutput) {
  const auto answered = [](const std::string& hlo, const std::string& more = "") {
    return answer_line(inverse(hlo, more), Engine::kImpl);
  };
  EXPECT_EQ(answered(kReverse),
            R"x({"id":1,"result":[["(d0) -> (-d0 + 3), domain: d0 in [0, 3]"]]})x");
  const std::string tuple = "t = (f32[2], f32[]) tuple(f32[2] p, f32[] q)";
  EXPECT_EQ(answered(tuple), R"x({"id":1,"result":[["(d0) -> (d0), domain: d0 in [0, 1]"],[]]})x");
  EXPECT_EQ(answered(tuple, R"x(,"input":1)x"), R"x({"id":1,"result":[[],["() -> ()"]]})x");
  // A repeated operand counts at each position; a repeated parameter counts once.
  const std::string twice = "r = f32[2] add(f32[2] p, f32[2] p)";
  EXPECT_THAT(answered(twice, R"x(,"input":1)x"), HasSubstr("result"));
  EXPECT_THAT(answered(twice, absl::StrCat(R"x(,"input":1)x", kWhole)),
              HasSubstr("expected an input below 1"));
  // With scope instruction, runtime variables are in order; otherwise they have sources.
  EXPECT_EQ(answered("d = f32[2] dynamic-slice(f32[5] p, s32[] a), dynamic_slice_sizes={2}"),
            R"x({"id":1,"result":[["(d0){rt0} -> (d0 - rt0), domain: d0 in [0, 4], rt0 in )x"
            R"x([0, 3], d0 - rt0 in [0, 1]"]]})x");
  EXPECT_THAT(answered(kGather, kWhole),
              HasSubstr(R"x("runtime":[{"instruction":"i","map":"(d0, d1)[s0] -> (s0), )x"));
}

TEST(HloOps, DeclaresSupersetsInexact) {
  EXPECT_EQ(answered("f = c64[2] fft(c64[2] p), fft_type=FFT, fft_length={2}"),
            R"x({"id":1,"result":[["(d0)[s0] -> (s0), domain: d0 in [0, 1], s0 in [0, 1]"]],)x"
            R"x("inexact":[0]})x");
}

TEST(HloOps, GivesRuntimeVariablesInOrderOrWithSources) {
  EXPECT_THAT(answered(kSlice), HasSubstr(R"x("(d0, d1){rt0, rt1} -> (d0 + rt0, d1 + rt1), )x"));
  EXPECT_THAT(answered(kTwoSlices, kWhole),
              HasSubstr(R"x("runtime":[{"instruction":"b","map":"(d0) -> (), domain: )x"));
  // One scalar is both offsets; the map declares a variable for each.
  EXPECT_THAT(answered("p = f32[5,5] parameter(0); a = s32[] parameter(1); "
                       "d = f32[2,2] dynamic-slice(p, a, a), dynamic_slice_sizes={2,2}"),
              HasSubstr("(d0, d1){rt0, rt1} -> "));
}

TEST(HloOps, BothEnginesRejectInvalidRequests) {
  for (Engine engine : {Engine::kSpec, Engine::kImpl}) {
    const auto expect_error = [&](const std::string& line, const std::string& why) {
      EXPECT_THAT(answer_line(line, engine), HasSubstr("\"error\":\"" + why)) << line;
    };
    expect_error(R"x({"id":1,"op":"hlo.index","direction":"output_to_input"})x",
                 "expected the key");
    expect_error(R"x({"id":1,"op":"hlo.index","hlo":"p = f32[] parameter(0)"})x",
                 "expected the key");
    expect_error(request_line("p = "), "hlo: column 5");
    expect_error(request_line(kReverse, R"x(,"instruction":"q")x"), "instruction: expected");
    expect_error(request_line(kReverse, R"x(,"output":1)x"), "r: expected a leaf below 1");
    expect_error(request_line(kReverse, R"x(,"output":-1)x"), "output: expected");
    expect_error(request_line(kReverse, R"x(,"scope":"module")x"), "scope: expected");
    expect_error(inverse(kReverse, R"x(,"input":1)x"), "r: expected an input below 1, found 1");
    expect_error(inverse(kReverse, R"x(,"input":-1)x"), "input: expected");
    expect_error(inverse(kReverse, R"x(,"instruction":"p")x"), "p: expected an input below 0");
    expect_error(inverse("r = f32[7] reshape(f32[4] p)"), "r: expected");
    expect_error(request_line("r = f32[7] reshape(f32[4] p)"), "r: expected");
  }
  EXPECT_THAT(answered(kReverse, "", Engine::kSpec), HasSubstr("\"unsupported\""));
}

TEST(HloOps, RequestsTooLargeForTheReferenceAreUnsupported) {
  for (const char* rest : {"", R"x(,"scope":"computation")x"}) {
    const std::string answer =
        answered("r = u1[33896,2] reverse(u1[33896,2] p), dimensions={0}", rest, Engine::kSpec);
    EXPECT_THAT(answer, HasSubstr("\"unsupported\""));
    EXPECT_THAT(answer, HasSubstr("too large to enumerate")) << rest;
  }
}

TEST(HloOps, RejectsInvalidRequestsEvenIfTheyAreTooLarge) {
  const std::string huge = "r = u1[1000000000,2] reverse(u1[1000000000,2] p), dimensions={2}";
  for (const Engine engine : {Engine::kImpl, Engine::kSpec}) {
    EXPECT_THAT(answer_line(request_line(huge), engine), HasSubstr("below"));
    EXPECT_THAT(answer_line(inverse(huge), engine), HasSubstr("below"));
  }
}

// ---- Verdicts ----

TEST(HloJudge, AcceptsAnyMapsWithTheSameUnion) {
  EXPECT_EQ(verdict(kReverse, R"x("result":[["(d0) -> (3 - d0), domain: d0 in [0, 3]"]])x"),
            "pass");
  // Points outside of the result's shape count: INTERFACE asks for exactly the relation.
  EXPECT_EQ(verdict(kReverse, R"x("result":[["(d0) -> (3 - d0), domain: d0 in [-5, 9]"]])x"),
            "wrong");
  EXPECT_EQ(verdict(kReverse, R"x("result":[["(i) -> (3), domain: i in [0, 0]", "KNOWN EMPTY",)x"
                              R"x("(d0)[s0] -> (3 - d0), domain: d0 in [1, 3], s0 in [0, 5]"]])x"),
            "pass");
}

TEST(HloJudge, RejectsMissingAndSurplusElements) {
  EXPECT_EQ(verdict(kReverse, R"x("result":[["(d0) -> (3 - d0), domain: d0 in [0, 2]"]])x"),
            "wrong");
  EXPECT_EQ(verdict(kReverse, R"x("result":[[]])x"), "wrong");
  EXPECT_EQ(verdict(kReverse, R"x("result":[["(d0) -> (4 - d0), domain: d0 in [0, 3]"]])x"),
            "wrong");
  EXPECT_THAT(reason(kReverse, R"x("result":[["(d0) -> (d0), domain: d0 in [0, 3]"]])x"),
              HasSubstr("operand 0, result element (0): expected {3}, found {0}"));
}

TEST(HloJudge, AcceptsSupersetsThatAreDeclaredInexactAndInsideTheOperand) {
  const std::string all =
      R"x("result":[["(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 3]"]])x";
  EXPECT_EQ(verdict(kReverse, all), "wrong");
  EXPECT_EQ(verdict(kReverse, all + R"x(,"inexact":[0])x"), "inexact");
  EXPECT_EQ(
      verdict(kReverse, R"x("result":[["(d0) -> (3 - d0), domain: d0 in [0, 3]"]],"inexact":[0])x"),
      "pass");  // it has no pair too many
  EXPECT_EQ(verdict(kReverse, R"x("result":[[]],"inexact":[0])x"), "wrong");
  const std::string beyond =
      R"x("result":[["(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 4]"]],"inexact":[0])x";
  EXPECT_THAT(reason(kReverse, beyond), HasSubstr("inside the array"));
  EXPECT_EQ(verdict(kReverse, all + R"x(,"inexact":[1])x"), "wrong");
  EXPECT_EQ(verdict(kReverse, all + R"x(,"inexact":0)x"), "wrong");
}

TEST(HloJudge, RejectsMalformedLists) {
  for (const char* result :
       {"[]", "[[],[]]", "7", "[7]", "[[7]]", R"x(["(d0) -> (d0)"])x", R"x([["no map"]])x",
        R"x([["(d0, d1) -> (d0), domain: d0 in [0, 3], d1 in [0, 3]"]])x",
        R"x([["(d0) -> (d0, d0), domain: d0 in [0, 3]"]])x",
        R"x([["(d0) -> (3 - d0 + 18446744073709551616), domain: d0 in [0, 3]"]])x"}) {
    EXPECT_EQ(verdict(kReverse, absl::StrCat("\"result\":", result)), "wrong") << result;
  }
  EXPECT_EQ(verdict(kReverse, R"x("error":"no")x"), "error");
  EXPECT_EQ(verdict("r = f32[7] reshape(f32[4] p)", R"x("result":[[]])x"), "error");
  EXPECT_EQ(verdict("r = f32[7] reshape(f32[4] p)", R"x("error":"sizes")x"), "pass");
}

TEST(HloJudge, RejectsNumbersThatAreRightOnlyModulo2To64) {
  const std::string wrapping =
      R"x("result":[["(d0) -> (3 - d0 + (d0 + 1) * 4611686018427387904 * 4), domain: d0 in [0, 3]"]])x";
  EXPECT_EQ(verdict(kReverse, wrapping), "wrong");
  const std::string returning =
      R"x("result":[["(d0) -> (3 - d0 + ((d0 + 1) * 4611686018427387904 * 4) floordiv )x"
      R"x(4611686018427387904 - d0 * 4 - 4), domain: d0 in [0, 3]"]])x";
  EXPECT_EQ(verdict(kReverse, returning), "pass");
}

TEST(HloJudge, CountsUnknownListsAsUnsupportedUnlessAnotherListIsWrong) {
  const std::string add = "r = f32[2] add(f32[2] p, f32[2] q)";
  const std::string right = R"x(["(d0) -> (d0), domain: d0 in [0, 1]"])x";
  EXPECT_EQ(verdict(add, R"x("result":["unknown",)x" + right + "]"), "unsupported");
  EXPECT_EQ(verdict(add, R"x("result":["unknown",[]])x"), "wrong");
}

// An fft mixes one dimension, but the reference relates all elements to all elements.
TEST(HloJudge, CannotDecideAboutAnswersFinerThanTheReference) {
  const std::string fft = "f = c64[2,2] fft(c64[2,2] p), fft_type=FFT, fft_length={2}";
  const std::string line =
      R"x("(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 1], d1 in [0, 1], s0 in [0, 1]")x";
  EXPECT_EQ(verdict(fft, R"x("result":[[)x" + line + "]]"), "undecided");
  EXPECT_THAT(reason(fft, R"x("result":[[)x" + line + "]]"), HasSubstr("a superset: f: "));
}

TEST(HloJudge, AcceptsTheExactAnswerOfAMaskOfAnySize) {
  std::string list = "1, 1";
  for (int64_t k = 2; k < 65; ++k) absl::StrAppend(&list, ", 0");
  const std::string select =
      absl::StrCat("x = f32[65] parameter(0); y = f32[65] parameter(1); m = pred[65] constant({",
                   list, "}); s = f32[65] select(m, x, y)");
  const auto until = [](int64_t first, int64_t last) {
    return absl::StrCat("[\"(d0) -> (d0), domain: d0 in [", first, ", ", last, "]\"]");
  };
  const auto answer = [&](const std::string& x, const std::string& y) {
    return absl::StrCat("\"result\":[", x, ",", y, "]");
  };
  EXPECT_EQ(verdict(select, answer(until(0, 1), until(2, 64)), kWhole), "pass");
  const std::string both = answer(until(0, 64), until(0, 64));
  EXPECT_EQ(verdict(select, both + R"x(,"inexact":[0,1])x", kWhole), "inexact");
  EXPECT_EQ(verdict(select, both, kWhole), "wrong");
  EXPECT_EQ(verdict(select, answer(until(0, 1), until(3, 64)), kWhole), "wrong");
}

TEST(HloJudge, RejectsPointsOutsideOfTheResult) {
  constexpr char kPad[] = "r = f32[1] pad(f32[2] a, f32[] v), padding=-1_0";
  const auto answer = [](const std::string& bounds, const std::string& more = "") {
    return absl::StrCat(R"x("result":[["(d0) -> (d0 + 1), domain: d0 in )x", bounds, R"x("],[]])x",
                        more);
  };
  EXPECT_EQ(verdict(kPad, answer("[0, 0]")), "pass");
  EXPECT_EQ(verdict(kPad, answer("[-1, 0]")), "wrong");
  EXPECT_EQ(verdict(kPad, answer("[0, 1]")), "wrong");
  EXPECT_EQ(verdict(kPad, answer("[-1, 0]", R"x(,"inexact":[0])x")), "wrong");
  EXPECT_THAT(reason(kPad, answer("[-1, 0]")), HasSubstr("the point (-1), which is outside"));
  // A constraint may remove the points outside.
  EXPECT_EQ(verdict(kPad, answer("[-9, 9], d0 * 2 in [0, 0]")), "pass");
}

TEST(HloJudge, TakesRuntimeVariablesInOrder) {
  const std::string domain = ", domain: d0 in [0, 1], d1 in [0, 2], ";
  const auto lists = [&](const std::string& variables, const std::string& first,
                         const std::string& bounds) {
    const std::string none =
        absl::StrCat("[\"(d0, d1){", variables, "} -> ()", domain, bounds, "\"]");
    return absl::StrCat("\"result\":[[\"(d0, d1){", variables, "} -> (", first, ")", domain, bounds,
                        "\"],", none, ",", none, "]");
  };
  const std::string both = "rt0 in [0, 3], rt1 in [0, 0]";
  EXPECT_EQ(verdict(kSlice, lists("rt0, rt1", "d0 + rt0, d1 + rt1", both)), "pass");
  EXPECT_EQ(verdict(kSlice, lists("rt0, rt1", "d0 + rt0, d1", both)), "pass");
  // The second variable may be left out because it has one feasible value.
  EXPECT_EQ(verdict(kSlice, lists("rt0", "d0 + rt0, d1", "rt0 in [0, 3]")), "pass");
  EXPECT_EQ(verdict(kSlice, lists("rt0, rt1", "d0 + rt1, d1", both)), "wrong");
  EXPECT_EQ(verdict(kSlice, lists("rt0, rt1, rt2", "d0 + rt0, d1", both + ", rt2 in [0, 0]")),
            "wrong");
  // Some feasible values are outside of the domain.
  EXPECT_EQ(verdict(kSlice, lists("rt0", "d0 + rt0, d1", "rt0 in [0, 2]")), "wrong");
  EXPECT_THAT(reason(kSlice, lists("rt0", "d0 + rt0, d1", "rt0 in [1, 3]")),
              HasSubstr("; a() = 0"));
}

std::string inverse_reason(const std::string& hlo, const std::string& answer,
                           const std::string& more = "") {
  const Judgment judgment = judged(inverse(hlo, more), answer);
  return absl::StrCat(to_text(judgment.verdict), ": ",
                      judgment.verdict == Verdict::kWrong ? judgment.right : judgment.reason);
}

TEST(HloJudge, ComparesTheSameRelationInputToOutput) {
  const std::string broadcast = "b = f32[2,3] broadcast(f32[3] p), dimensions={1}";
  EXPECT_EQ(inverse_reason(broadcast, R"x("result":[["(d0)[s0] -> (s0, d0), domain: )x"
                                      R"x(d0 in [0, 2], s0 in [0, 1]"]])x"),
            "pass: ");
  EXPECT_THAT(
      inverse_reason(broadcast, R"x("result":[["(d0) -> (0, d0), domain: d0 in [0, 2]"]])x"),
      HasSubstr("result 0, input element (0): expected {0,3}, found {0}"));
  EXPECT_THAT(inverse_reason(broadcast, R"x("result":[["(d0)[s0] -> (s0, d0), domain: )x"
                                        R"x(d0 in [0, 2], s0 in [0, 2]"]],"inexact":[0])x"),
              HasSubstr("inside the array"));
  EXPECT_THAT(inverse_reason(broadcast, R"x("result":[["(d0, d1) -> (d1), domain: d0 in [0, 1], )x"
                                        R"x(d1 in [0, 2]"]])x"),
              HasSubstr("list 0: expected a map of 1 dimensions and 2 results"));
}

// Input to output, the results of a map are the index of the result, which says which element a
// runtime variable is.
TEST(HloJudge, TakesRuntimeVariablesInOrderInputToOutput) {
  const auto from_table = [](const std::string& results) {
    return absl::StrCat(R"x("result":[["(d0, d1)[s0]{rt0} -> ()x", results,
                        R"x(), domain: d0 in [0, 8], d1 in [0, 1], s0 in [0, 2], rt0 in [0, 8], )x"
                        R"x(rt0 - d0 in [0, 0]"]])x");
  };
  EXPECT_EQ(inverse_reason(kGather, from_table("s0, d1")), "pass: ");
  EXPECT_THAT(inverse_reason(kGather, from_table("2 - s0, d1")), HasSubstr("pass"));
  EXPECT_THAT(inverse_reason(kGather, from_table("0, d1")), HasSubstr("wrong"));
  EXPECT_THAT(inverse_reason(kGather, from_table("s0 + rt0 - d0, d1")),
              HasSubstr("list 0: expected the source of runtime variable 0 to use only earlier"));
  const auto from_slice = [](const std::string& results) {
    return absl::StrCat(R"x("result":[["(d0, d1){rt0, rt1} -> ()x", results,
                        R"x(), domain: d0 in [0, 4], d1 in [0, 2], rt0 in [0, 3], rt1 in [0, 0], )x"
                        R"x(d0 - rt0 in [0, 1]"]])x");
  };
  EXPECT_EQ(inverse_reason(kSlice, from_slice("d0 - rt0, d1")), "pass: ");
  EXPECT_THAT(inverse_reason(kSlice, from_slice("d0 - rt1, d1")), HasSubstr("wrong"));
}

TEST(HloJudge, AcceptsOneScalarAsSeveralOffsetsInputToOutput) {
  const std::string slice =
      "r = f32[1,1,1] dynamic-slice(f32[1,1,2] p, s32[] a, s32[] a, s32[] a), "
      "dynamic_slice_sizes={1,1,1}";
  const std::string update =
      "r = f32[2,1,2] dynamic-update-slice(f32[2,1,2] p, f32[1,1,1] u, s32[] a, s32[] a, s32[] a)";
  for (const std::string& hlo : {slice, update}) {
    for (const char* input : {"0", "1"}) {
      const std::string request = inverse(hlo, absl::StrCat(R"x(,"input":)x", input));
      const absl::StatusOr<Answer> answer = read_answer(answer_line(request, Engine::kImpl));
      ASSERT_TRUE(answer.ok());
      EXPECT_EQ(to_text(judge(read_json(request)->value, *answer).verdict), "pass") << request;
    }
  }
}

TEST(HloJudge, ExpectsAllMapsToDeclareTheSameRuntimeVariables) {
  EXPECT_THAT(
      reason(kGather,
             R"x("result":[["(d0, d1){rt0} -> (rt0, d1), domain: d0 in [0, 2], d1 in [0, 1],)x"
             R"x( rt0 in [0, 8]"],["(d0, d1) -> (d0), domain: d0 in [0, 2], d1 in [0, 1]"]])x"),
      HasSubstr("to declare the same runtime variables, found 1 and 0"));
}

TEST(HloJudge, ReadsTheSourcesOfRuntimeVariables) {
  const auto answer = [](const std::string& source) {
    const std::string domain = "domain: d0 in [0, 2], d1 in [0, 1]";
    const auto item = [&](const std::string& results) {
      return absl::StrCat(R"x({"map":"(d0, d1){rt0} -> ()x", results, "), ", domain,
                          R"x(, rt0 in [0, 8]","runtime":[)x", source, "]}");
    };
    return absl::StrCat(R"x("result":[[)x", item("rt0, d1"), "],[", item("d0"), "]]");
  };
  const auto source = [](const std::string& name, const std::string& index) {
    return absl::StrCat(R"x({"instruction":")x", name, R"x(","map":"(d0, d1) -> ()x", index,
                        R"x(), domain: d0 in [0, 2], d1 in [0, 1]"})x");
  };
  for (const char* scope : {"", kWhole}) {
    EXPECT_EQ(verdict(kGather, answer(source("i", "d0")), scope), "pass");
    EXPECT_EQ(verdict(kGather, answer(source("%i", "d0")), scope), "pass");
    EXPECT_EQ(verdict(kGather, answer(source("i", "d1")), scope), "wrong");
    EXPECT_EQ(verdict(kGather, answer(source("j", "d0")), scope), "wrong");
    EXPECT_EQ(verdict(kGather, answer(source("i", "d0, d1")), scope), "wrong");
    EXPECT_EQ(verdict(kGather, answer(""), scope), "wrong");
    EXPECT_EQ(verdict(kGather, answer("7"), scope), "wrong");
  }
}

// In a computation, the order is enough only for the scalar offsets of a single operation.
TEST(HloJudge, ExpectsSourcesIfTheOrderIsAmbiguous) {
  const std::string gather =
      R"x("result":[["(d0, d1){rt0} -> (rt0, d1), domain: d0 in [0, 2], d1 in [0, 1], rt0 in [0, 8]"],)x"
      R"x(["(d0, d1){rt0} -> (d0), domain: d0 in [0, 2], d1 in [0, 1], rt0 in [0, 8]"]])x";
  EXPECT_EQ(verdict(kGather, gather), "pass");
  EXPECT_EQ(verdict(kGather, gather, kWhole), "undecided");
  const std::string bounds = ", domain: d0 in [0, 1], rt0 in [0, 4], rt1 in [0, 3]";
  const std::string none = "[\"(d0){rt0, rt1} -> ()" + bounds + "\"]";
  const std::string two = "\"result\":[[\"(d0){rt0, rt1} -> (d0 + rt0 + rt1)" + bounds + "\"]," +
                          none + "," + none + "]";
  EXPECT_EQ(verdict(kTwoSlices, two, kWhole), "wrong");
  EXPECT_THAT(reason(kTwoSlices, two, kWhole), HasSubstr("several operations have offsets"));
  const std::string one =
      "\"result\":[[\"(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 4], rt0 in [0, 4]\"],"
      "[\"(d0){rt0} -> (), domain: d0 in [0, 4], rt0 in [0, 4]\"],[]]";
  EXPECT_EQ(verdict(kTwoSlices, one, absl::StrCat(kWhole, R"x(,"instruction":"s")x")), "pass");
}

TEST(HloOrder, FindsPositionsByName) {
  const std::string fused =
      "f { a = f32[2] parameter(0)\\n ROOT b = f32[2] negate(a) } "
      "ENTRY e { p = f32[2] parameter(0)\\n ROOT x = f32[2] fusion(p), kind=kLoop, calls=f }";
  const absl::StatusOr<HloQuestion> question = read_hlo_question(json(request_line(fused)));
  ASSERT_TRUE(question.ok()) << question.status();
  for (const char* name : {"x/b", "%x/%b", "b"}) {
    const absl::StatusOr<HloPosition> position = position_named(*question, name);
    ASSERT_TRUE(position.ok()) << position.status();
    EXPECT_EQ(impl::name_of(question->module, question->computation, *position), "x/b");
  }
  EXPECT_EQ(position_named(*question, "p#3")->leaf, 3);
  for (const char* name : {"", "c", "x/c", "p/b", "x/b/b", "p#", "p#-1", "/b"}) {
    EXPECT_FALSE(position_named(*question, name).ok()) << name;
  }
}

// ---- The suite ----

Answer own_answer(const Json& request) {
  return answer({Json(1), "hlo.index", request}, Engine::kImpl);
}

TEST(HloSuite, OurAnswersPassAndEmptyListsFail) {
  int64_t emptied = 0;
  int64_t large = 0;  // their answers are proven, which hlo_proof_test tests
  Cases cases(*suite_named("hlo"), 1, {});
  for (int64_t i = 0; i < 1500; ++i) {
    const Json request = cases.next()->request;
    Answer given = own_answer(request);
    EXPECT_EQ(to_text(judge(request, given).verdict), "pass") << to_text(request);
    if (given.kind != Answer::Kind::kResult) continue;
    const absl::StatusOr<spec::Provenance> enumerated =
        provenance_of(*read_hlo_question(request), {0, 1, 0});
    if (!enumerated.ok()) {
      EXPECT_EQ(enumerated.status().code(), absl::StatusCode::kResourceExhausted);
      ++large;
      continue;
    }
    const spec::Provenance& truth = *enumerated;
    int64_t list = 0;
    for (int32_t k = 0; k < std::ssize(truth.sources); ++k) {
      for (int32_t leaf = 0; leaf < std::ssize(truth.sources[k]); ++leaf, ++list) {
        const bool any = std::ranges::any_of(truth.elements, [&](const auto& sources) {
          return std::ranges::any_of(*sources, [&](const spec::Source& source) {
            return source.operand == k && source.leaf == leaf;
          });
        });
        if (!any) continue;
        Answer less = given;
        (*less.result.as<Json::Array>())[static_cast<size_t>(list)] = Json::Array();
        ++emptied;
        EXPECT_NE(to_text(judge(request, less).verdict), "pass") << to_text(request) << list;
      }
    }
  }
  EXPECT_GT(emptied, 1500);
  EXPECT_LT(large, 300);
}

TEST(HloSuite, HasEveryKindOfRequest) {
  int64_t errors = 0, sources = 0, whole = 0, inputs = 0;
  Cases cases(*suite_named("hlo"), 1, {});
  for (int64_t i = 0; i < 1000; ++i) {
    const Json request = cases.next()->request;
    const Answer given = own_answer(request);
    errors += given.kind == Answer::Kind::kError ? 1 : 0;
    sources += to_text(given).find("\"runtime\":[{") != std::string::npos ? 1 : 0;
    const Json* direction = find(request, "direction");
    inputs += direction != nullptr && *direction == Json("input_to_output") ? 1 : 0;
    const Json* scope = find(request, "scope");
    whole += scope != nullptr && *scope == Json("computation") ? 1 : 0;
  }
  EXPECT_GT(errors, 10);
  EXPECT_GT(sources, 10);
  EXPECT_GT(whole, 300);
  EXPECT_GT(inputs, 300);
}

TEST(HloSuite, KeepsTheLimitOfRankForEveryShape) {
  Limits limits;
  limits.rank = 2;
  limits.tiles = 0;
  Cases cases(*suite_named("hlo"), 1, limits);
  for (int64_t i = 0; i < 200; ++i) {
    const Json request = cases.next()->request;
    const auto* text =
        find(request, "hlo") == nullptr ? nullptr : find(request, "hlo")->as<std::string>();
    const absl::StatusOr<HloModule> module = parse_hlo_module(text == nullptr ? "" : *text);
    if (!module.ok()) continue;
    for (const HloComputation& computation : module->computations) {
      for (const HloInstruction& at : computation.instructions) {
        EXPECT_LE(at.shape ? at.shape->rank() : 0, 2) << *text;
      }
    }
  }
}

TEST(HloParsed, WritesAModuleAsPlainJson) {
  EXPECT_EQ(
      to_text(*find(*find(with_parsed(json(request_line(kReverse))), "parsed"), "hlo")),
      R"x({"computations":[{"name":"","instructions":[{"name":"p","opcode":"parameter",)x"
      R"x("shape":{"type":"f32","bits":32,"dims":[4],"bounded":[false],"minor_to_major":[0],)x"
      R"x("tiles":[],"tail":1,"memory_space":0,"splits":[],"metadata_bytes":0},"operands":[],)x"
      R"x("attributes":{},"parameter":0},{"name":"r","opcode":"reverse","shape":{"type":"f32",)x"
      R"x("bits":32,"dims":[4],"bounded":[false],"minor_to_major":[0],"tiles":[],"tail":1,)x"
      R"x("memory_space":0,"splits":[],"metadata_bytes":0},"operands":[0],)x"
      R"x("attributes":{"dimensions":"{0}"}}],"root":1}],"entry":0})x");
  EXPECT_EQ(to_text(*find(*find(with_parsed(json(request_line("no hlo"))), "parsed"), "hlo")),
            "null");
}

}  // namespace
}  // namespace tileproof::conform
