// SPDX-License-Identifier: Apache-2.0
// The reference of the operations on maps. corpus/protocol/judged.jsonl has answers and judgments.

#include <string>

#include "conform/judge/judge.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/parsed.h"
#include "conform/suites/makers.h"
#include "conform/suites/suites.h"
#include "corpus/files.h"
#include "generate/map/generate_map.h"
#include "gtest/gtest.h"
#include "impl/map/evaluate.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/compose.h"

namespace tileproof::conform {
namespace {

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

}  // namespace
}  // namespace tileproof::conform
