// SPDX-License-Identifier: Apache-2.0
// Answers and judgments of the operations on maps.
#include "conform/oracle/map_ops.h"

#include <fstream>
#include <string>

#include "conform/judge/judge.h"
#include "conform/oracle/parsed.h"
#include "conform/suites/map_suites.h"
#include "conform/suites/suites.h"
#include "corpus/paths.h"
#include "generate/map/generate_map.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "impl/map/evaluate.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/compose.h"

namespace tileproof::conform {
namespace {

using ::testing::HasSubstr;

Json json(const std::string& text) { return read_json(text)->value; }

std::string answered(const std::string& request, Engine engine = Engine::kImpl) {
  return answer_line(request, engine);
}

Judgment judged(const std::string& request, const std::string& answer) {
  return judge(json(request), *read_answer(answer));
}

std::string verdict(const std::string& request, const std::string& answer) {
  return std::string(to_text(judged(request, answer).verdict));
}

// ---- Answers ----

TEST(MapOps, EvaluateGivesResultsOrNullOutsideTheDomain) {
  const std::string map =
      R"("map":"(d0)[s0] -> (d0 * 4 - s0), domain: d0 in [0, 9], s0 in [0, 3], d0 mod 2 in [0, 0]")";
  for (Engine engine : {Engine::kSpec, Engine::kImpl}) {
    const auto at = [&](const std::string& values) {
      return answered(R"({"id":1,"op":"map.evaluate",)" + map + "," + values + "}", engine);
    };
    EXPECT_EQ(at(R"("dims":[2],"ranges":[1],"runtime":[])"), R"({"id":1,"result":[7]})");
    EXPECT_EQ(at(R"("dims":[1],"ranges":[1],"runtime":[])"), R"({"id":1,"result":null})");
    EXPECT_EQ(at(R"("dims":[10],"ranges":[1])"), R"({"id":1,"result":null})");
    EXPECT_THAT(at(R"("dims":[2],"ranges":[],"runtime":[])"), HasSubstr("\"error\""));
    EXPECT_THAT(at(R"("dims":2,"ranges":[1],"runtime":[])"), HasSubstr("dims to be an array"));
    EXPECT_THAT(at(R"("dims":[1.5],"ranges":[1])"), HasSubstr("expected integers in dims"));
  }
  EXPECT_EQ(answered(R"({"id":1,"op":"map.evaluate","map":"(d0) -> (), domain: d0 in [0, 1]",)"
                     R"("dims":[1]})"),
            R"({"id":1,"result":[]})");
}

// INT64_MIN floordiv 7, multiplied by 7 again, does not fit 64 bits.
TEST(MapOps, EvaluatesDivisionsOfTheLeastInt64) {
  for (Engine engine : {Engine::kSpec, Engine::kImpl}) {
    EXPECT_EQ(
        answered(R"({"id":1,"op":"map.evaluate","map":"(d0) -> (d0 ceildiv 7, d0 floordiv 7), )"
                 R"(domain: d0 in [-9223372036854775808, 0]","dims":[-9223372036854775808]})",
                 engine),
        R"({"id":1,"result":[-1317624576693539401,-1317624576693539402]})");
  }
}

TEST(MapOps, NamesThePositionOfAnErrorInAMap) {
  for (Engine engine : {Engine::kSpec, Engine::kImpl}) {
    for (const char* op : {"map.evaluate", "map.simplify"}) {
      const std::string head = std::string(R"({"id":1,"op":")") + op + R"(","map":)";
      EXPECT_THAT(answered(head + R"("(d0) -> (d1), domain: d0 in [0, 1]"})", engine),
                  HasSubstr(R"("error":"map: column 10)"));
      EXPECT_THAT(answered(head + R"("KNOWN EMPTY"})", engine), HasSubstr("\"error\""));
      EXPECT_THAT(answered(head + "7}", engine), HasSubstr("expected the key"));
    }
  }
  EXPECT_THAT(answered(R"x({"id":1,"op":"map.compose","first":"() -> (1)"})x"),
              HasSubstr(R"x(expected the key \"second\")x"));
}

TEST(MapOps, SimplifyAndComposeGiveAMapOrKnownEmpty) {
  EXPECT_EQ(answered(R"({"id":1,"op":"map.simplify",)"
                     R"("map":"(d0) -> ((-d0) mod 2), domain: d0 in [0, 127]"})"),
            R"({"id":1,"result":"(d0) -> (d0 mod 2), domain: d0 in [0, 127]"})");
  EXPECT_EQ(answered(R"({"id":1,"op":"map.simplify",)"
                     R"("map":"(d0) -> (d0), domain: d0 in [5, 4]"})"),
            R"({"id":1,"result":"KNOWN EMPTY"})");
  const std::string compose =
      R"({"id":1,"op":"map.compose","first":"(d0) -> (d0 * 2), domain: d0 in [0, 9]",)"
      R"("second":"(d0) -> (d0 + 1), domain: d0 in [0, 8]"})";
  EXPECT_EQ(answered(compose), R"({"id":1,"result":"(d0) -> (d0 * 2 + 1), domain: d0 in [0, 4]"})");
  EXPECT_EQ(answered(compose, Engine::kSpec),
            R"({"id":1,"result":"(d0) -> (d0 * 2 + 1), domain: d0 in [0, 9], d0 * 2 in [0, 8]"})");
  EXPECT_THAT(answered(R"x({"id":1,"op":"map.compose","first":"() -> ()",)x"
                       R"("second":"(d0) -> (), domain: d0 in [0, 1]"})"),
              HasSubstr("\"error\""));
}

TEST(MapOps, EqualGivesACounterexampleWithBothResults) {
  const std::string all = "(d0) -> (d0 mod 4), domain: d0 in [0, 7]";
  const auto ask = [&](const std::string& right) {
    return answered(R"({"id":1,"op":"map.equal","left":")" + all + R"(","right":")" + right +
                    "\"}");
  };
  EXPECT_EQ(ask("(d0) -> (d0 - (d0 floordiv 4) * 4), domain: d0 in [0, 7]"),
            R"({"id":1,"result":{"equal":true}})");
  EXPECT_EQ(ask("(d0) -> (d0), domain: d0 in [0, 4]"),
            R"({"id":1,"result":{"equal":false,"at":{"dims":[4],"ranges":[],"runtime":[]},)"
            R"("left":[0],"right":[4]}})");
  EXPECT_EQ(ask("(d0) -> (d0 mod 4), domain: d0 in [0, 6]"),
            R"({"id":1,"result":{"equal":false,"at":{"dims":[7],"ranges":[],"runtime":[]},)"
            R"("left":[3],"right":null}})");
  EXPECT_THAT(ask("(d0) -> (), domain: d0 in [0, 7]"), HasSubstr("as many results"));
  EXPECT_THAT(ask("() -> (1)"), HasSubstr("as many variables"));
}

// ---- Verdicts ----

TEST(MapJudge, AcceptsAnErrorIfAnIntermediateValueLeaves64Bits) {
  const std::string large =
      R"({"op":"map.evaluate","map":"(d0) -> ((d0 * 9223372036854775807 * 4) floordiv 8), )"
      R"(domain: d0 in [0, 2]","dims":[2]})";
  EXPECT_EQ(verdict(large, R"({"id":1,"result":[9223372036854775807]})"), "pass");
  EXPECT_EQ(verdict(large, R"({"id":1,"error":"too large"})"), "pass");
  EXPECT_EQ(verdict(large, R"({"id":1,"result":[-1]})"), "wrong");
  const std::string result =
      R"({"op":"map.evaluate","map":"(d0) -> (d0 * 9223372036854775807), domain: d0 in [0, 2]",)"
      R"("dims":[2]})";
  EXPECT_EQ(verdict(result, R"({"id":1,"result":[-2]})"), "error");
  const std::string beyond = R"({"op":"map.evaluate","map":"(d0) -> (d0), domain: d0 in [0, 2]",)"
                             R"("dims":[18446744073709551616]})";
  EXPECT_EQ(verdict(beyond, R"({"id":1,"result":null})"), "pass");
  EXPECT_EQ(verdict(beyond, R"({"id":1,"error":"too large"})"), "pass");
  EXPECT_EQ(verdict(beyond, R"({"id":1,"result":[0]})"), "wrong");
}

TEST(MapJudge, JudgesSimplifiedMapsByTheirMeaning) {
  const std::string request =
      R"({"op":"map.simplify","map":"(d0, x) -> ((-d0) mod 2), domain: d0 in [0, 9], x in [0, 1]"})";
  const auto of = [&](const std::string& map) {
    return verdict(request, R"({"id":1,"result":")" + map + "\"}");
  };
  EXPECT_EQ(of("(d0, x) -> (d0 mod 2), domain: d0 in [0, 9], x in [0, 1]"), "pass");
  EXPECT_EQ(of("(d0, x) -> (d0 - d0 floordiv 2 * 2), domain: d0 in [-5, 9], x in [0, 1], "
               "d0 in [0, 100]"),
            "pass");
  EXPECT_EQ(of("(d0, x) -> (d0 mod -2), domain: d0 in [0, 9], x in [0, 1]"), "wrong");
  EXPECT_EQ(of("(d0, x) -> (d0 mod 2), domain: d0 in [0, 8], x in [0, 1]"), "wrong");
  EXPECT_EQ(of("(d0, x) -> (d0 mod 2), domain: d0 in [0, 10], x in [0, 1]"), "wrong");
  EXPECT_EQ(of("(d0, d1) -> (d0 mod 2), domain: d0 in [0, 9], d1 in [0, 1]"), "wrong");
  EXPECT_EQ(of("(d0) -> (d0 mod 2), domain: d0 in [0, 9]"), "wrong");
  EXPECT_EQ(of("(d0, x) -> (), domain: d0 in [0, 9], x in [0, 1]"), "wrong");
  EXPECT_EQ(of("KNOWN EMPTY"), "wrong");
  EXPECT_EQ(of("what?"), "wrong");
  EXPECT_EQ(verdict(request, R"({"id":1,"error":"no"})"), "error");
  const Judgment why = judged(
      request, R"({"id":1,"result":"(d0, x) -> (d0 mod -2), domain: d0 in [0, 9], x in [0, 1]"})");
  EXPECT_THAT(why.right, HasSubstr(R"x("why":"at d0 = 1, x = 0: (1) and (-1)")x"));
}

TEST(MapJudge, DecidesLargeDomainsWithoutEnumeration) {
  const std::string domain = ", domain: d0 in [0, 1125899906842623]";
  const std::string request =
      R"({"op":"map.simplify","map":"(d0) -> ((d0 floordiv 4096) * 4096 + d0 mod 4096))" + domain +
      "\"}";
  EXPECT_EQ(verdict(request, R"({"id":1,"result":"(d0) -> (d0))" + domain + "\"}"), "pass");
  EXPECT_EQ(verdict(request, R"({"id":1,"result":"(d0) -> (d0 + d0 floordiv 1125899906842623))" +
                                 domain + "\"}"),
            "wrong");
}

TEST(MapJudge, ExpectsTheRangesOfTheSecondMapBeforeThoseOfTheFirst) {
  const std::string request =
      R"({"op":"map.compose","first":"()[s0] -> (s0 * 3), domain: s0 in [0, 2]",)"
      R"("second":"(d0)[s0] -> (d0 + s0), domain: d0 in [0, 6], s0 in [0, 2]"})";
  EXPECT_EQ(verdict(request, R"({"id":1,"result":"()[s0, s1] -> (s1 * 3 + s0), )"
                             R"(domain: s0 in [0, 2], s1 in [0, 2]"})"),
            "pass");
  EXPECT_EQ(verdict(request, R"({"id":1,"result":"()[s0, s1] -> (s0 * 3 + s1), )"
                             R"(domain: s0 in [0, 2], s1 in [0, 2]"})"),
            "wrong");
}

TEST(MapJudge, EvaluatesClaimedCounterexamples) {
  const std::string request =
      R"({"op":"map.equal","left":"(d0) -> (d0 mod 4), domain: d0 in [0, 7]",)"
      R"("right":"(d0) -> (d0), domain: d0 in [0, 7]"})";
  const auto at = [&](const std::string& rest) {
    return verdict(request, R"({"id":1,"result":{"equal":false,)" + rest + "}}");
  };
  EXPECT_EQ(at(R"("at":{"dims":[6],"ranges":[],"runtime":[]},"left":[2],"right":[6])"), "pass");
  EXPECT_EQ(at(R"("at":{"dims":[3],"ranges":[],"runtime":[]},"left":[3],"right":[3])"), "wrong");
  EXPECT_EQ(at(R"("at":{"dims":[6],"ranges":[],"runtime":[]},"left":[2],"right":[7])"), "wrong");
  EXPECT_EQ(at(R"("at":{"dims":[6],"ranges":[],"runtime":[]},"left":[2])"), "wrong");
  EXPECT_EQ(at(R"("at":{"dims":[6, 1],"ranges":[],"runtime":[]},"left":[2],"right":[6])"), "wrong");
  EXPECT_EQ(at(R"("left":[2],"right":[6])"), "wrong");
  EXPECT_EQ(verdict(request, R"({"id":1,"result":{"equal":true}})"), "wrong");
  EXPECT_EQ(verdict(request, R"({"id":1,"result":true})"), "wrong");
  const Judgment open = judged(request, R"({"id":1,"result":{"equal":null}})");
  EXPECT_EQ(to_text(open.verdict), "unsupported");  // counted, never a pass
  EXPECT_THAT(open.reason, HasSubstr("undecided"));
}

// ---- The reference that the judge trusts ----

TEST(MapCompose, TheReferenceAgreesWithEvaluatingBothMaps) {
  int64_t composed = 0, points = 0, inside = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Choose choose(Choose::Random{seed});
    const Json request = make_compose_request(choose, {});
    const absl::StatusOr<IndexingMap> first = map_under(request, "first");
    const absl::StatusOr<IndexingMap> second = map_under(request, "second");
    if (!first.ok() || !second.ok()) continue;  // an invalid request
    const absl::StatusOr<IndexingMap> both = spec::compose(*first, *second);
    if (!both.ok()) continue;
    ++composed;
    const absl::Status status = spec::for_each_box_point(*both, 5000, [&](const spec::Point& at) {
      const auto split_ranges = at.ranges.begin() + std::ssize(second->ranges);
      const auto split_runtime = at.runtime.begin() + std::ssize(second->runtime);
      const auto middle = spec::evaluate(
          *first, {at.dims, {split_ranges, at.ranges.end()}, {split_runtime, at.runtime.end()}});
      const auto direct = spec::evaluate(*both, at);
      if (!middle.ok() || !direct.ok()) return true;
      std::optional<std::vector<int64_t>> expected;
      if (*middle) {
        const auto last = spec::evaluate(
            *second,
            {**middle, {at.ranges.begin(), split_ranges}, {at.runtime.begin(), split_runtime}});
        if (!last.ok()) return true;
        expected = *last;
      }
      ++points;
      inside += expected.has_value();
      EXPECT_EQ(*direct, expected) << to_text(request) << spec::to_text(*both, at);
      return !testing::Test::HasFailure();
    });
  }
  EXPECT_GT(composed, 300);
  EXPECT_GT(points, 10'000);
  EXPECT_GT(inside, 1'000);
}

TEST(MapEvaluate, TheClosedFormAgreesOrLeaves64Bits) {
  int64_t same = 0, refused = 0;
  for (uint64_t seed = 0; seed < 20'000; ++seed) {
    Choose choose(Choose::Random{seed});
    const Json request = make_map_request(choose, {});
    const absl::StatusOr<IndexingMap> map = map_under(request, "map");
    const absl::StatusOr<spec::Point> at = point_in(request);
    if (!map.ok() || !at.ok()) continue;  // an invalid request
    const auto right = spec::evaluate(*map, *at);
    const auto quick = impl::evaluate(*map, {at->dims, at->ranges, at->runtime});
    if (quick.ok() && right.ok()) {
      ASSERT_EQ(*quick, *right) << to_text(request);
      ++same;
    } else if (!quick.ok()) {
      ++refused;
    } else {
      FAIL() << "impl::evaluate has a result, spec::evaluate an error: " << to_text(request);
    }
  }
  EXPECT_GT(same, 15'000);
  EXPECT_GT(refused, 0);
}

TEST(MapJudge, DecidesQuestionsThatWereOnceUndecided) {
  std::ifstream file(project_path("corpus/maps/composed.txt"));
  ASSERT_TRUE(file.good());
  int requests = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '/') continue;
    const std::string answer = answered(to_text(with_id(1, json(line))));
    const Judgment judgment = judged(line, answer);
    EXPECT_EQ(to_text(judgment.verdict), "pass") << line << "\n" << judgment.reason;
    ++requests;
  }
  EXPECT_EQ(requests, 3);
}

TEST(MapSuites, WriteMapsAsPlainJson) {
  const Json request = json(
      R"({"op":"map.simplify","map":"(d0)[i]{rt0} -> (d0 * 4 + i, rt0), domain: d0 in [0, 9], )"
      R"(i in [0, 3], rt0 in [0, 1], d0 mod 2 in [0, 0]"})");
  EXPECT_EQ(to_text(*find(with_parsed(request), "parsed")),
            R"({"map":{"dims":[{"name":"d0","bounds":[0,9]}],)"
            R"("ranges":[{"name":"i","bounds":[0,3]}],"runtime":[{"name":"rt0","bounds":[0,1]}],)"
            R"("results":[["+",["*","d0",4],"s0"],"rt0"],)"
            R"("constraints":[{"expr":["mod","d0",2],"bounds":[0,0]}]}})");
}

TEST(MapSuites, KeepTheLimitOfBits) {
  Limits limits;
  limits.bits = 16;
  for (const char* name : {"map", "simplify", "compose", "equal"}) {
    Cases cases(*suite_named(name), 1, limits);
    for (int i = 0; i < 200; ++i) {
      const std::optional<Case> made = cases.next();
      ASSERT_TRUE(made.has_value()) << name;
      for (const char* key : {"map", "first", "second", "left", "right"}) {
        const Json* text = find(made->request, key);
        if (text == nullptr) continue;
        const absl::StatusOr<IndexingMap> map = parse_map(*text->as<std::string>());
        if (!map.ok()) continue;
        for (const Variable& d : map->dimensions) {
          EXPECT_LE(std::max(d.bounds.high, -d.bounds.low), 32767) << to_text(made->request);
        }
      }
    }
  }
}

// ---- Facts, and bank conflicts ----

TEST(MapOps, ChecksFactsWithTheSmallestCounterexample) {
  const std::string map = R"("map":"(k) -> (k floordiv 2), domain: k in [0, 7]")";
  for (Engine engine : {Engine::kSpec, Engine::kImpl}) {
    const auto checked = [&](const std::string& fact) {
      return answered(R"({"id":1,"op":"map.check",)" + map + "," + fact + "}", engine);
    };
    EXPECT_EQ(checked(R"("inside":[[0,3]])"), R"({"id":1,"result":{"holds":true}})");
    EXPECT_THAT(checked(R"("inside":[[0,2]])"), HasSubstr(R"("at":{"dims":[6])"));
    EXPECT_THAT(checked(R"("one_to_one":true)"),
                HasSubstr(R"("at":[{"dims":[0],"ranges":[],"runtime":[]},{"dims":[1])"));
    EXPECT_EQ(checked(R"("onto":[4])"), R"({"id":1,"result":{"holds":true}})");
    EXPECT_EQ(checked(R"("onto":[6])"), R"({"id":1,"result":{"holds":false,"at":[4]}})");
    EXPECT_THAT(checked(R"("width":3)"), HasSubstr(R"("at":{"dims":[4])"));
    EXPECT_THAT(checked(R"("width":4,"onto":[4])"), HasSubstr("expected one of the keys"));
    EXPECT_THAT(checked(R"("inside":[[0,3],[0,3]])"), HasSubstr("expected a map of 2 results"));
    EXPECT_THAT(checked(R"("inside":[3])"), HasSubstr("expected an array of [low, high]"));
    EXPECT_THAT(checked(R"("onto":[-1])"), HasSubstr("sizes of at least 0"));
    EXPECT_THAT(checked(R"("width":"8")"), HasSubstr("expected an integer"));
  }
}

TEST(MapOps, AnyCounterexampleOfAFactIsRight) {
  const std::string ask =
      R"({"op":"map.check","map":"(k) -> (k floordiv 2), domain: k in [0, 7]",)";
  const auto said = [&](const std::string& fact, const std::string& result) {
    return verdict(ask + fact + "}", R"({"id":1,"result":)" + result + "}");
  };
  EXPECT_EQ(said(R"("inside":[[0,2]])", R"({"holds":false,"at":{"dims":[7]}})"), "pass");
  EXPECT_EQ(said(R"("inside":[[0,2]])", R"({"holds":false,"at":{"dims":[5]}})"), "wrong");
  EXPECT_EQ(said(R"("inside":[[0,2]])", R"({"holds":false,"at":{"dims":[8]}})"), "wrong");
  EXPECT_EQ(said(R"("inside":[[0,2]])", R"({"holds":false})"), "wrong");
  EXPECT_EQ(said(R"("inside":[[0,2]])", R"({"holds":true})"), "wrong");
  EXPECT_EQ(said(R"("inside":[[0,3]])", R"({"holds":true})"), "pass");
  EXPECT_EQ(said(R"("one_to_one":true)", R"({"holds":false,"at":[{"dims":[7]},{"dims":[6]}]})"),
            "pass");
  EXPECT_EQ(said(R"("one_to_one":true)", R"({"holds":false,"at":[{"dims":[7]},{"dims":[7]}]})"),
            "wrong");
  EXPECT_EQ(said(R"("one_to_one":true)", R"({"holds":false,"at":[{"dims":[1]},{"dims":[2]}]})"),
            "wrong");
  EXPECT_EQ(said(R"("onto":[6])", R"({"holds":false,"at":[5]})"), "pass");
  EXPECT_EQ(said(R"("onto":[6])", R"({"holds":false,"at":[3]})"), "wrong");
  EXPECT_EQ(said(R"("onto":[6])", R"({"holds":false,"at":[6]})"), "wrong");
  EXPECT_EQ(said(R"("width":3)", R"({"holds":false,"at":{"dims":[5]}})"), "pass");
  EXPECT_EQ(said(R"("width":3)", R"({"holds":false,"at":{"dims":[3]}})"), "wrong");
  EXPECT_EQ(said(R"("width":3)", R"({"holds":7})"), "wrong");
}

TEST(MapOps, BankConflictsAreThoseOfTheSimulator) {
  const std::string ask =
      R"({"id":1,"op":"layout.banks","layout":"f16[8,64]{1,0}","access":"(lane, k) -> (lane, k), )"
      R"(domain: lane in [0, 7], k in [0, 1]","vector":16)";
  for (Engine engine : {Engine::kSpec, Engine::kImpl}) {
    EXPECT_EQ(answered(ask + "}", engine), R"({"id":1,"result":{"phases":[8,8]}})");
    EXPECT_EQ(answered(ask + R"(,"banks":64})", engine), R"({"id":1,"result":{"phases":[4,4]}})");
    EXPECT_THAT(answered(ask + R"(,"banks":0})", engine), HasSubstr("expected 1 to 4096 banks"));
    EXPECT_THAT(answered(ask + R"(,"bits":"2"})", engine), HasSubstr("bits"));
  }
  EXPECT_EQ(verdict(ask + "}", R"({"id":1,"result":{"phases":[8,8]}})"), "pass");
  EXPECT_EQ(verdict(ask + "}", R"({"id":1,"result":{"phases":[8,7]}})"), "wrong");
}

}  // namespace
}  // namespace tileproof::conform
