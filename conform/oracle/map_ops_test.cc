// SPDX-License-Identifier: Apache-2.0
// The reference of the operations on maps. corpus/protocol/judged.jsonl has answers and judgments.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "conform/judge/judge.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/grid_json.h"
#include "conform/oracle/operations.h"
#include "conform/shrink/shrink.h"
#include "conform/suites/makers.h"
#include "conform/suites/suites.h"
#include "corpus/files.h"
#include "generate/map/generate_map.h"
#include "gtest/gtest.h"
#include "impl/map/evaluate.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"

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
  int requests = 0;
  for (const std::string& line : project_lines("corpus/maps/composed.txt")) {
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

absl::StatusOr<spec::Grid> read(const std::string& text) {
  const auto json = read_json(text);
  EXPECT_TRUE(json.ok()) << text;
  return json.ok() ? grid_in(json->value) : json.status();
}

// A grid of 4 steps with one operand that has this block and index map.
absl::StatusOr<spec::Grid> with(const std::string& block, const std::string& map,
                                const std::string& more = "") {
  return read(absl::StrCat(
      R"({"grid": [4], "operands": [{"name": "x", "kind": "in", "shape": [9], "block": [)", block,
      R"(], "index_map": ")", map, R"("}])", more, "}"));
}

std::string error(const absl::StatusOr<spec::Grid>& grid) {
  return std::string(grid.status().message());
}

constexpr char kMap[] = "(i) -> (i), domain: i in [0, 3]";

TEST(GridJson, BlocksOfEveryKind) {
  using Block = spec::BlockDimension;
  EXPECT_EQ(with("3", kMap)->operands[0].block[0], (Block{.size = 3}));
  EXPECT_EQ(with("null", kMap)->operands[0].block[0], Block());
  EXPECT_EQ(with(R"({"squeezed": true})", kMap)->operands[0].block[0], Block());
  EXPECT_EQ(with(R"({"element": 3, "padding": [1, 2]})", kMap)->operands[0].block[0],
            (Block{.size = 3, .is_element = true, .before = 1, .after = 2}));
}

TEST(GridJson, WithoutSemanticsStepsFollowEachOther) {
  EXPECT_FALSE(with("3", kMap)->is_parallel[0]);
  EXPECT_TRUE(with("3", kMap, R"(, "semantics": ["parallel"])")->is_parallel[0]);
}

TEST(GridJson, ScalarsBoundRuntimeVariables) {
  const auto grid = with("3", "(i){page} -> (page), domain: i in [0, 3], page in [0, 99]",
                         R"(, "scalars": [{"name": "page", "bounds": [0, 2]}])");
  EXPECT_EQ(grid->operands[0].index_map.runtime[0].bounds.high, 2);
}

TEST(GridJson, ErrorsNameTheOperandAndTheKey) {
  EXPECT_EQ(error(with("0", kMap)), "operand x: expected blocks of at least 1 element");
  EXPECT_EQ(error(with("true", kMap)),
            "operands[0]: block: expected a size, null, {\"squeezed\": true} or {\"element\": n}");
  EXPECT_EQ(error(with("3", "(i) -> (i), domain: i in [0, 2]")),
            "operands[0]: index_map: expected dimension 0 to be in [0, 3], as in the grid");
  EXPECT_EQ(error(with("3", "(i) -> i")).substr(0, 32), "operands[0]: index_map: column 8");
  EXPECT_EQ(error(with("3", kMap, R"(, "semantics": ["sequential"])")),
            "semantics: expected an array of \"parallel\" and \"arbitrary\"");
  EXPECT_EQ(error(with("3", kMap, R"(, "scalars": [{"name": "n"}])")),
            "scalars: expected objects with \"name\" and \"bounds\": [low, high]");
  EXPECT_EQ(error(read(R"({"grid": [4]})")), "operands: expected an array");
  EXPECT_EQ(error(read(R"({"operands": []})")), "grid: expected an array of integers");
  EXPECT_EQ(error(read("[]")), "expected an object");
}

TEST(TlaSuite, EnginesAgreeOnEveryRequest) {
  int64_t valid = 0, refused = 0;
  std::set<std::string> ops;
  const auto check = [&](const Json& request) {
    const absl::StatusOr<Result> by_reference =
        operation_named(*find(request, "op")->as<std::string>())->answer(request, Engine::kSpec);
    const absl::StatusOr<Result> by_closed =
        operation_named(*find(request, "op")->as<std::string>())->answer(request, Engine::kImpl);
    ASSERT_EQ(by_reference.ok(), by_closed.ok())
        << to_text(request) << by_reference.status() << by_closed.status();
    if (by_reference.ok()) {
      ASSERT_EQ(by_reference->value, by_closed->value) << to_text(request);
    }
    ++(by_reference.ok() ? valid : refused);
    ops.insert(*find(request, "op")->as<std::string>());
  };
  for (const Json& request : suite_named("tla")->fixed()) check(request);
  for (uint64_t seed = 0; seed < 5'000; ++seed) {
    Choose choose(Choose::Random{seed});
    check(make_tla_request(choose, {}));
  }
  EXPECT_GT(valid, 4'000);
  EXPECT_GT(refused, 200);
  EXPECT_EQ(ops.size(), 3u);
}

TEST(TlaSuite, KeepsTheLimits) {
  const Suite& suite = *suite_named("tla");
  Cases cases(suite, 3, {.rank = 2, .tiles = {}, .bits = 32, .ops = {}});
  for (int i = 0; i < 300; ++i) {
    const std::optional<Case> next = cases.next();
    ASSERT_TRUE(next.has_value());
    const absl::StatusOr<NestedLayout> layout = nested_under(next->request);
    if (layout.ok()) {
      EXPECT_LE(rank(layout->shape), 2) << to_text(next->request);
    }
    EXPECT_FALSE(tla_may_leave(next->request, 32)) << to_text(next->request);
  }
}

TEST(TlaSuite, ShrinksAFailureToTheSmallestRequest) {
  // The program is wrong: it treats a slice that starts inside of a fractal as affine.
  const NestedLayout layout =
      *parse_nested_layout("(7,((16,4),(16,6),9)):(3,((16,256),(1,1024),6))");
  const Json request = json_object({{"op", "tla.offset"},
                                    {"layout", to_text(layout)},
                                    {"coord", arrays(*parse_int_tuple("(5,((3,1),20,2))"))}});
  const auto fails = [](const Json& json) -> std::optional<bool> {
    const absl::StatusOr<Result> right = tla_offset(json, Engine::kSpec);
    if (!right.ok()) return false;
    const absl::StatusOr<NestedLayout> asked = nested_under(json);
    const absl::StatusOr<Coordinate> at = int_tuple_in(*find(json, "coord"), "coord");
    int64_t affine = 0;  // the sum of each coordinate times the first stride of its mode
    const auto walk = [&affine](auto& self, const IntTuple& c, const IntTuple& d) -> void {
      if (!c.is_tuple) {
        affine += c.value * leaves(d)[0];
        return;
      }
      for (size_t i = 0; i < c.elements.size(); ++i) self(self, c.elements[i], d.elements[i]);
    };
    walk(walk, *at, asked->stride);
    return !(right->value == Json(affine));
  };
  ASSERT_TRUE(*fails(request));
  const Json least = smallest(*suite_named("tla"), {}, {request, {}}, fails);
  EXPECT_EQ(to_text(least), R"x({"op":"tla.offset","layout":"(1,0):(0,1)","coord":1})x");
}

TEST(TlaSuite, HasALargeFamily) {
  const auto next = tla_family();
  std::set<uint64_t> seen;
  int64_t count = 0;
  while (const std::optional<Json> request = next()) {
    ++count;
    seen.insert(case_hash(*request));
  }
  EXPECT_GT(count, 10'000);
  EXPECT_GT(std::ssize(seen) * 2, count);
}

TEST(TlaParsed, WritesALayoutAsNestedArrays) {
  const Json request = json_object(
      {{"op", "tla.offset"}, {"layout", "((4,_2),3):((1,4),8)"}, {"coord", Json::Array{1, 2}}});
  EXPECT_THAT(to_text(with_parsed(request)),
              HasSubstr(R"x("parsed":{"layout":{"shape":[[4,2],3],"stride":[[1,4],8]}})x"));
}

}  // namespace
}  // namespace tileproof::conform
