// SPDX-License-Identifier: Apache-2.0
// Answers and judgments of hlo.utilization, hlo.tile and map.transactions.
#include "conform/oracle/hlo_access.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conform/judge/judge.h"
#include "conform/suites/hlo_suites.h"
#include "conform/suites/suites.h"
#include "generate/choose/choose.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tileproof::conform {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kGather[] =
    R"x("hlo":"g = f32[2,8] gather(f32[9,8] t, s32[2] i), offset_dims={1}, )x"
    R"x(collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,8}")x";
constexpr char kSlice[] =
    R"x("hlo":"d = f32[4] dynamic-slice(f32[9] p, s32[] o), dynamic_slice_sizes={4}")x";
constexpr char kReshape[] = R"x("hlo":"r = f32[128] reshape(f32[16,8] p)")x";

std::string request_line(const std::string& op, const std::string& rest) {
  return absl::StrCat(R"x({"id":1,"op":"hlo.)x", op, "\",", rest, "}");
}

std::string answered(const std::string& request, Engine engine = Engine::kImpl) {
  return answer_line(request, engine);
}

std::string verdict(const std::string& request, const std::string& result) {
  const auto answer = read_answer(absl::StrCat(R"x({"id":1,"result":)x", result, "}"));
  return std::string(to_text(judge(read_json(request)->value, *answer).verdict));
}

TEST(HloAccess, UtilizationHasANumberOrARangeForEachArray) {
  EXPECT_EQ(answered(request_line("utilization", kGather)), R"x({"id":1,"result":[[8,16],2]})x");
  EXPECT_EQ(answered(request_line("utilization", kGather), Engine::kSpec),
            R"x({"id":1,"result":[[8,16],2]})x");
  EXPECT_THAT(answered(request_line("utilization", R"x("hlo":"f = c64[2] fft(c64[2] p), )x"
                                                   R"x(fft_type=FFT, fft_length={2}")x")),
              HasSubstr(R"x("result":["unknown"])x"));
}

TEST(HloAccess, JudgesUtilizationByEnumeration) {
  const std::string request = request_line("utilization", kGather);
  EXPECT_EQ(verdict(request, "[[8,16],2]"), "pass");
  EXPECT_EQ(verdict(request, R"x(["unknown",2])x"), "unsupported");
  EXPECT_EQ(verdict(request, R"x(["unknown",3])x"), "wrong");
  EXPECT_EQ(verdict(request, "[16,2]"), "wrong");
  EXPECT_EQ(verdict(request, "[[8,72],2]"), "wrong");
  EXPECT_EQ(verdict(request, "[[8,16]]"), "wrong");
  EXPECT_EQ(verdict(request, "7"), "wrong");
}

// The fuzz target of the protocol found this: the reference supports numbers up to 2^56 only.
TEST(HloAccess, AcceptsAnErrorIfNumbersAreTooLargeForTheReference) {
  const std::string pad = R"x("hlo":"%p0 = u8[2] parameter(0)\n%p1 = u8[] parameter(1)\n)x"
                          R"x(ROOT %v2 = u8[2] pad(%p0, %p1), padding=)x";
  const Answer error = failed_answer({}, absl::InvalidArgumentError("no such size"));
  const auto judged = [&](const std::string& padding, const std::string& rest) {
    std::vector<std::string> verdicts;
    for (const std::string op : {"index", "utilization", "tile"}) {
      const std::string request = request_line(op, absl::StrCat(pad, padding, "\"", rest));
      verdicts.emplace_back(to_text(judge(read_json(request)->value, error).verdict));
    }
    return verdicts;
  };
  const std::string tile = R"x(,"direction":"output_to_input","tile":[[0,1,1]])x";
  EXPECT_THAT(judged("9223372036854775807_-9223372036854775807_4611686018427387904", tile),
              ElementsAre("pass", "pass", "pass"));
  EXPECT_THAT(judged("1_-1_0", tile), ElementsAre("error", "error", "error"));
}

TEST(HloAccess, TileHasATileOrNullOrNoneForEachArray) {
  EXPECT_EQ(answered(request_line("tile", absl::StrCat(kReshape, R"x(,"tile":[[8,16,1]])x"))),
            R"x({"id":1,"result":[[[1,2,1],[0,8,1]]]})x");
  EXPECT_EQ(answered(request_line("tile", absl::StrCat(kReshape, R"x(,"tile":[[0,12,1]])x"))),
            R"x({"id":1,"result":["none"]})x");
  EXPECT_EQ(answered(request_line("tile", absl::StrCat(kReshape, R"x(,"tile":[[0,0,1]])x"))),
            R"x({"id":1,"result":[null]})x");
  EXPECT_EQ(answered(request_line("tile", absl::StrCat(kSlice, R"x(,"tile":[[1,2,1]])x"))),
            R"x({"id":1,"result":[{"tile":[[1,2,1]],"moved":[[{"factor":1,"instruction":"o",)x"
            R"x("index":[],"feasible":[0,5]}]]},[]]})x");
}

TEST(HloAccess, JudgesTilesForSeveralValuesOfOffsets) {
  const std::string request = request_line("tile", absl::StrCat(kSlice, R"x(,"tile":[[1,2,1]])x"));
  const auto moved = [](const std::string& term) {
    return absl::StrCat(R"x([{"tile":[[1,2,1]],"moved":[[)x", term, "]]},[]]");
  };
  EXPECT_EQ(verdict(request, moved(R"x({"factor":1,"feasible":[0,5]})x")), "pass");
  EXPECT_EQ(verdict(request, moved(R"x({"factor":1,"feasible":[0,6]})x")), "wrong");
  EXPECT_EQ(verdict(request, moved(R"x({"factor":2,"feasible":[0,5]})x")), "wrong");
  EXPECT_EQ(verdict(request, moved(R"x({"factor":1})x")), "wrong");
  EXPECT_EQ(verdict(request, "[[[1,2,1]],[]]"), "wrong");
  EXPECT_EQ(verdict(request, R"x(["none",[]])x"), "wrong");
  EXPECT_EQ(verdict(request, R"x(["unknown",[]])x"), "unsupported");
}

TEST(HloAccess, BothEnginesRejectTheSameRequests) {
  for (Engine engine : {Engine::kSpec, Engine::kImpl}) {
    for (const char* tile : {"[[120,9,1]]", "[[-1,1,1]]", "[[0,1,0]]", "[[0,1]]", "[]", "7"}) {
      const std::string request = request_line("tile", absl::StrCat(kReshape, ",\"tile\":", tile));
      EXPECT_THAT(answered(request, engine), HasSubstr("\"error\":\"tile: ")) << request;
    }
    EXPECT_THAT(answered(request_line("tile", kReshape), engine), HasSubstr("\"error\":\"tile: "));
    EXPECT_THAT(
        answered(request_line("utilization", R"x("hlo":"r = f32[7] reshape(f32[4] p)")x"), engine),
        HasSubstr("\"error\":\"r: expected"));
  }
}

TEST(HloAccess, CountsTheTransactionsOfWarps) {
  const std::string request =
      R"x({"id":1,"op":"map.transactions","threads":"(th_x) -> (th_x), domain: th_x in [0, 63]",)x"
      R"x("access":"(d0) -> (d0 * 2), domain: d0 in [0, 63]","shape":"f32[128]","warp":32})x";
  const std::string result = R"x({"accesses":2,"transactions":16,"most":8,"elements":64})x";
  for (Engine engine : {Engine::kSpec, Engine::kImpl}) {
    EXPECT_EQ(answered(request, engine), absl::StrCat(R"x({"id":1,"result":)x", result, "}"));
  }
  EXPECT_EQ(verdict(request, result), "pass");
  EXPECT_EQ(verdict(request, R"x({"accesses":2,"transactions":8,"most":4,"elements":64})x"),
            "wrong");
  EXPECT_EQ(verdict(request, "16"), "wrong");
}

// The closed forms pass the judge, and the reference can answer every request of the suite.
TEST(HloAccess, OurAnswersPass) {
  std::vector<Json> requests = suite_named("uses")->fixed();
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Choose choose(Choose::Random{seed});
    requests.push_back(make_access_request(choose, {}));
  }
  int64_t passed = 0;
  for (const Json& request : requests) {
    const std::string line = to_text(with_id(1, request));
    const Judgment judgment = judge(request, *read_answer(answer_line(line, Engine::kImpl)));
    EXPECT_TRUE(judgment.verdict == Verdict::kPass || judgment.verdict == Verdict::kUnsupported)
        << line << "\n"
        << judgment.right;
    passed += judgment.verdict == Verdict::kPass;
  }
  EXPECT_GT(passed * 10, std::ssize(requests) * 8);
}

}  // namespace
}  // namespace tileproof::conform
