// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "conform/judge/judge.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/operations.h"
#include "conform/oracle/parsed.h"
#include "conform/shrink/shrink.h"
#include "conform/suites/makers.h"
#include "conform/suites/suites.h"
#include "spec/lang/layout/nested_text.h"

namespace tileproof::conform {
namespace {

using ::testing::HasSubstr;

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
