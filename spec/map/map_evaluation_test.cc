// SPDX-License-Identifier: Apache-2.0
#include "spec/map/map_evaluation.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "corpus/answers_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/base/exact_int.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::spec {
namespace {

using ::testing::HasSubstr;

IndexingMap map_of(absl::string_view text) {
  absl::StatusOr<IndexingMap> map = parse_map(text);
  EXPECT_TRUE(map.ok()) << text << ": " << map.status();
  return *std::move(map);
}

// Returns "[7, 1]", "null" outside the domain, or the error.
std::string shown(const absl::StatusOr<std::optional<std::vector<int64_t>>>& answer) {
  if (!answer.ok()) return std::string(answer.status().message());
  return *answer ? absl::StrCat("[", absl::StrJoin(**answer, ", "), "]") : "null";
}

// `MAP`, then `at DIMENSIONS; RANGES; RUNTIME VARIABLES`
std::string evaluated(absl::string_view text) {
  const auto [map, point] = parts_of<2>(text, "\nat ");
  const auto [dims, ranges, runtime] = parts_of<3>(point, "; ");
  return shown(evaluate(map_of(map), {numbers_of(dims), numbers_of(ranges), numbers_of(runtime)}));
}

TEST(Evaluate, Answers) { expect_answers("answers/evaluations.txt", {{"evaluate", evaluated}}); }

int64_t value(const Exact& x) { return to_int64(x).value(); }

TEST(Exact, FloordivIsTheLargestIntegerNotAboveTheQuotient) {
  int cases = 0;
  for (int64_t x = -60; x <= 60; ++x) {
    for (int64_t c = -12; c <= 12; ++c) {
      if (c == 0) continue;
      // The largest q with q <= x / c, found by search instead of division.
      int64_t q = -1000;
      while (c > 0 ? (q + 1) * c <= x : (q + 1) * c >= x) ++q;
      EXPECT_EQ(value(floordiv(exact(x), exact(c))), q) << x << " floordiv " << c;
      const int64_t remainder = value(mod(exact(x), exact(c)));
      EXPECT_EQ(remainder, x - c * q) << x << " mod " << c;
      EXPECT_TRUE(c > 0 ? 0 <= remainder && remainder < c : c < remainder && remainder <= 0);
      ++cases;
    }
  }
  EXPECT_EQ(cases, 121 * 24);
}

TEST(Exact, NothingWraps) {
  const Exact most = exact((Wide{1} << 126) - 1 + (Wide{1} << 126));
  const Exact least = -most - exact(1);
  EXPECT_TRUE(least.value);
  EXPECT_FALSE((most + exact(1)).value);
  EXPECT_FALSE((least - exact(1)).value);
  EXPECT_FALSE((most * exact(2)).value);
  EXPECT_FALSE((-least).value);
  EXPECT_FALSE(floordiv(least, exact(-1)).value);
  EXPECT_FALSE(floordiv(exact(1), exact(0)).value);
  EXPECT_FALSE((Exact{} * exact(0)).value);
  EXPECT_EQ(to_int64(exact(INT64_MAX)), INT64_MAX);
  EXPECT_EQ(to_int64(exact(INT64_MAX) + exact(1)), std::nullopt);
  EXPECT_EQ(to_int64(exact(INT64_MIN) - exact(1)), std::nullopt);
}

TEST(Evaluate, AMapWithoutPointsHasNoResults) {
  EXPECT_EQ(shown(evaluate(no_points(map_of("(d0) -> (d0), domain: d0 in [0, 9]")), {{2}, {}, {}})),
            "null");
}

TEST(Evaluate, OnlyNodesUnderTheRootsAreNeeded) {
  ExprTable table;
  const NodeId d0 = add_variable(table, Op::kDimension, 0), two = add_constant(table, 2);
  const NodeId sum = add_operation(table, Op::kAdd, d0, two);
  const NodeId product = add_operation(table, Op::kMul, d0, d0);
  EXPECT_EQ(nodes_under(table, {product}), (std::vector<NodeId>{d0, product}));
  EXPECT_EQ(nodes_under(table, {sum}), (std::vector<NodeId>{d0, two, sum}));
}

// Returns the number of points of the domain and the sum of all results.
std::pair<int64_t, int64_t> counted(const IndexingMap& map) {
  std::pair<int64_t, int64_t> result;
  const absl::Status status =
      for_each_point(map, 1 << 20, [&](const Point&, const std::vector<int64_t>& values) {
        ++result.first;
        for (int64_t value : values) result.second += value;
        return true;
      });
  EXPECT_TRUE(status.ok()) << status;
  return result;
}

TEST(Enumeration, VisitsEveryPointOnceInOrder) {
  const IndexingMap map = map_of(
      "(d0)[s0]{rt0} -> (d0), domain: d0 in [-1, 1], s0 in [2, 3], rt0 in [7, 8], "
      "d0 + s0 in [2, 3]");
  std::string points;
  EXPECT_TRUE(for_each_point(map, 12, [&](const Point& point, const std::vector<int64_t>&) {
                absl::StrAppend(&points, to_text(map, point), "; ");
                return true;
              }).ok());
  EXPECT_EQ(points,
            "d0 = -1, s0 = 3, rt0 = 7; d0 = -1, s0 = 3, rt0 = 8; "
            "d0 = 0, s0 = 2, rt0 = 7; d0 = 0, s0 = 2, rt0 = 8; "
            "d0 = 0, s0 = 3, rt0 = 7; d0 = 0, s0 = 3, rt0 = 8; "
            "d0 = 1, s0 = 2, rt0 = 7; d0 = 1, s0 = 2, rt0 = 8; ");
  int visited = 0;
  EXPECT_TRUE(for_each_box_point(map, 12, [&](const Point&) { return ++visited < 5; }).ok());
  EXPECT_EQ(visited, 5);
}

TEST(Enumeration, CountsThePointsOfTheDomain) {
  using Counts = std::pair<int64_t, int64_t>;
  EXPECT_EQ(counted(map_of("() -> (5)")), Counts(1, 5));
  EXPECT_EQ(counted(map_of("() -> (5), domain: 3 in [4, 5]")), Counts(0, 0));
  EXPECT_EQ(counted(map_of("(d0) -> (d0), domain: d0 in [0, 99]")), Counts(100, 4950));
  EXPECT_EQ(counted(map_of("(d0) -> (d0), domain: d0 in [1, 0]")), Counts(0, 0));
  EXPECT_EQ(counted(map_of("(d0, d1) -> (1), domain: d0 in [0, 10], d1 in [0, 10], "
                           "d0 + d1 in [0, 10]")),
            Counts(66, 66));
  // d0 = 11 and d0 = 26 satisfy both congruences.
  EXPECT_EQ(counted(map_of("(d0) -> (d0), domain: d0 in [0, 29], d0 mod 3 in [2, 2], "
                           "d0 mod 5 in [1, 1]")),
            Counts(2, 37));
}

TEST(Enumeration, StaysWithinTheBudget) {
  EXPECT_EQ(box_size(map_of("() -> ()")), 1);
  EXPECT_EQ(box_size(no_points(map_of("() -> ()"))), 0);
  EXPECT_EQ(box_size(map_of("affine_map<(d0) -> (d0)>")), std::nullopt);
  EXPECT_EQ(box_size(map_of("(d0)[s0, s1] -> (), domain: d0 in [0, 9223372036854775807], "
                            "s0 in [0, 9], s1 in [5, 4]")),
            0);
  const IndexingMap map = map_of("(d0, d1) -> (), domain: d0 in [0, 9], d1 in [0, 9]");
  const auto never = [](const Point&) { return ADD_FAILURE(), false; };
  EXPECT_EQ(for_each_box_point(map, 99, never).message(),
            "expected at most 99 points within the bounds, found 100");
  const IndexingMap empty = map_of("(d0) -> (), domain: d0 in [1, 0]");
  EXPECT_TRUE(for_each_box_point(empty, 99, never).ok());
  EXPECT_THAT(
      std::string(for_each_box_point(map_of("affine_map<(d0) -> ()>"), 99, never).message()),
      HasSubstr("more than fit in an int64"));
  const IndexingMap too_large = map_of("(d0) -> (d0 * 9223372036854775807), domain: d0 in [0, 9]");
  EXPECT_EQ(for_each_point(
                too_large, 99,
                [](const Point& point, const std::vector<int64_t>&) { return point.dims[0] < 2; })
                .message(),
            "result 0 leaves the integers at d0 = 2");
}

TEST(Documents, TheirSimplificationsHoldAtEveryPoint) {
  // The fourth has the parentheses that its document meant; see corpus/maps/documents.txt.
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"d0 + d1 floordiv 16, d1 mod 16", "d0, d1", "d0 in [0, 6], d1 in [0, 14]"},
      {"(d0 * 10 + d1) floordiv 10, d1 mod 10", "d0, d1", "d0 in [0, 9], d1 in [0, 9]"},
      {"(d0 * 16 + d1 * 4) floordiv 8, (d0 * 16 + d1 * 4) mod 8",
       "d0 * 2 + (d1 * 4) floordiv 8, (d1 * 4) mod 8", "d0 in [0, 9], d1 in [0, 9]"},
      {"-((d0 * -11 - d1 + 109) floordiv 11) + 9", "d0", "d0 in [0, 9], d1 in [0, 10]"},
  };
  for (const auto& [given, simple, domain] : cases) {
    const IndexingMap left = map_of(absl::StrCat("(d0, d1) -> (", given, "), domain: ", domain));
    const IndexingMap right = map_of(absl::StrCat("(d0, d1) -> (", simple, "), domain: ", domain));
    int points = 0;
    EXPECT_TRUE(for_each_point(left, 200, [&](const Point& point, const std::vector<int64_t>&) {
                  EXPECT_EQ(shown(evaluate(left, point)), shown(evaluate(right, point)))
                      << to_text(left);
                  return ++points > 0;
                }).ok());
    EXPECT_GE(points, 100);
  }
}

// A number type that records the formula of its own value.
struct Formula {
  std::string text;
};
Formula operator+(const Formula& a, const Formula& b) {
  return {"(" + a.text + "+" + b.text + ")"};
}
Formula operator*(const Formula& a, const Formula& b) {
  return {"(" + a.text + "*" + b.text + ")"};
}
Formula operator-(const Formula& a) { return {"-" + a.text}; }
Formula floordiv(const Formula& a, const Formula& b) {
  return {"div(" + a.text + "," + b.text + ")"};
}
Formula mod(const Formula& a, const Formula& b) { return {"mod(" + a.text + "," + b.text + ")"}; }

struct Symbols {
  Formula constant(int64_t value) const { return {absl::StrCat(value)}; }
  Formula variable(Op kind, int64_t number) const { return {default_name(kind, number)}; }
};

TEST(Evaluate, WorksForAnyKindOfNumber) {
  const IndexingMap map =
      map_of("(d0)[s0] -> (d0 - s0 * 2, (d0 mod 8) ceildiv 3), domain: d0 in [0, 1], s0 in [0, 1]");
  EXPECT_EQ(evaluate_expression<Formula>(map.nodes, map.results[0], Symbols()).text,
            "(d0+(s0*-2))");
  EXPECT_EQ(evaluate_expression<Formula>(map.nodes, map.results[1], Symbols()).text,
            "-div(-mod(d0,8),3)");
}

// (d0, d1, ..) -> (d0, d1, ..) with d<i> in [low, high].
IndexingMap identity(int rank, int64_t low, int64_t high) {
  std::vector<std::string> names, bounds;
  for (int d = 0; d < rank; ++d) {
    names.push_back(absl::StrCat("d", d));
    bounds.push_back(absl::StrCat("d", d, " in [", low, ", ", high, "]"));
  }
  const std::string list = absl::StrJoin(names, ", ");
  return *parse_map(
      absl::StrCat("(", list, ") -> (", list, "), domain: ", absl::StrJoin(bounds, ", ")));
}

TEST(Compose, EveryDimensionOfTheSecondMapBoundsTheComposition) {
  for (int rank = 1; rank <= 8; ++rank) {
    const IndexingMap both = *compose(identity(rank, 0, 9), identity(rank, 3, 5));
    for (int d = 0; d < rank; ++d) {
      for (int64_t value = 0; value < 10; ++value) {
        Point at{std::vector<int64_t>(rank, 4), {}, {}};
        at.dims[d] = value;
        EXPECT_EQ(evaluate(both, at)->has_value(), value >= 3 && value <= 5)
            << rank << " dimensions, d" << d << " = " << value;
      }
    }
  }
}

TEST(Compose, VariablesOfTheSecondMapComeFirst) {
  const IndexingMap first = *parse_map(
      "(d0)[s0, s1]{rt0} -> (d0 + s0 * 10, s1 + rt0 * 100), "
      "domain: d0 in [0, 9], s0 in [0, 9], s1 in [0, 9], rt0 in [0, 9]");
  const IndexingMap second = *parse_map(
      "(d0, d1)[s0, s1]{rt0} -> (d0 + d1 * 1000 + s0 * 10000000 + s1 * 1000000 + "
      "rt0 * 100000000), domain: d0 in [0, 99], d1 in [0, 999], s0 in [0, 9], s1 in [0, 9], "
      "rt0 in [0, 9]");
  // s0, s1 and rt0 of the second map; then s0, s1 and rt0 of the first
  const auto value = evaluate(*compose(first, second), {{1}, {4, 7, 2, 3}, {6, 5}});
  EXPECT_EQ((**value)[0], 21 + 503 * 1000 + 7 * 1000000 + 4 * 10000000 + 6 * 100000000);
}

TEST(Compose, ConstraintsOfBothMapsHold) {
  const IndexingMap first =
      *parse_map("(d0) -> (d0 * 2), domain: d0 in [0, 20], d0 mod 3 in [0, 0]");
  const IndexingMap second = *parse_map("(d0) -> (d0), domain: d0 in [0, 30], d0 mod 4 in [0, 0]");
  const IndexingMap both = *compose(first, second);
  for (int64_t d0 = 0; d0 <= 20; ++d0) {
    EXPECT_EQ(evaluate(both, {{d0}, {}, {}})->has_value(), d0 % 6 == 0 && d0 <= 15) << d0;
  }
}

}  // namespace
}  // namespace tileproof::spec
