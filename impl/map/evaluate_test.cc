// SPDX-License-Identifier: Apache-2.0
#include "impl/map/evaluate.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "impl/map/evaluate_nodes.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

TEST(Apply, RoundsQuotientsAndGivesRemaindersTheSignOfTheDivisor) {
  for (int64_t x = -9; x <= 9; ++x) {
    for (int64_t c : {-4, -3, -1, 1, 3, 4}) {
      const int64_t rest = *apply(Op::kMod, x, c);
      EXPECT_TRUE(c < 0 ? c < rest && rest <= 0 : 0 <= rest && rest < c) << x << " by " << c;
      EXPECT_EQ(*apply(Op::kFloorDiv, x, c) * c + rest, x) << x << " by " << c;
      EXPECT_EQ(*apply(Op::kCeilDiv, x, c), -*apply(Op::kFloorDiv, -x, c)) << x << " by " << c;
    }
  }
}

TEST(Apply, AcceptsBothEndsOf64BitsAndNothingBeyond) {
  for (Op op : {Op::kFloorDiv, Op::kCeilDiv}) {
    EXPECT_EQ(apply(op, INT64_MIN, 1), INT64_MIN);
    EXPECT_EQ(apply(op, INT64_MAX, 1), INT64_MAX);
    EXPECT_EQ(apply(op, INT64_MAX, -1), -INT64_MAX);
    EXPECT_EQ(apply(op, INT64_MIN, -1), std::nullopt);
  }
  EXPECT_EQ(apply(Op::kMod, INT64_MIN, -1), 0);
  EXPECT_EQ(apply(Op::kMod, -1, INT64_MIN), -1);
  EXPECT_EQ(apply(Op::kAdd, INT64_MAX, 1), std::nullopt);
  EXPECT_EQ(apply(Op::kMul, INT64_MIN, -1), std::nullopt);
}

TEST(Apply, RejectsDivisionByZero) {
  for (Op op : {Op::kFloorDiv, Op::kCeilDiv, Op::kMod}) EXPECT_EQ(apply(op, 5, 0), std::nullopt);
}

// One variable of each kind is outside its bounds by one.
TEST(Evaluate, APointBeyondTheBoundsIsOutsideTheDomain) {
  const IndexingMap map = *parse_map(
      "(d0, d1)[s0, s1]{rt0, rt1} -> (d0), domain: d0 in [-3, 3], d1 in [-3, 3], s0 in [-3, 3], "
      "s1 in [-3, 3], rt0 in [-3, 3], rt1 in [-3, 3]");
  for (size_t variable = 0; variable < 6; ++variable) {
    for (int64_t value = -4; value <= 4; ++value) {
      std::vector<int64_t> values(6, 0);
      values[variable] = value;
      const absl::Span<const int64_t> all = values;
      const auto results = evaluate(map, {all.subspan(0, 2), all.subspan(2, 2), all.subspan(4)});
      ASSERT_TRUE(results.ok()) << results.status();
      EXPECT_EQ(results->has_value(), -3 <= value && value <= 3) << variable << ": " << value;
    }
  }
}

// Dimensions are checked first, then ranges, then runtime variables.
TEST(Evaluate, NamesTheFirstVariablesWithoutValues) {
  const IndexingMap map = *parse_map(
      "(d0)[s0, s1]{rt0} -> (d0), domain: d0 in [0, 1], s0 in [0, 1], s1 in [0, 1], rt0 in [0, 1]");
  const std::vector<int64_t> values(2, 0);
  const absl::Span<const int64_t> all = values;
  const auto message = [&](const PointValues& point) {
    return std::string(evaluate(map, point).status().message());
  };
  EXPECT_EQ(message({{}, {}, {}}), "expected 1 values of d0.., found 0");
  EXPECT_EQ(message({all.first(1), {}, {}}), "expected 2 values of s0.., found 0");
  EXPECT_EQ(message({all.first(1), all, {}}), "expected 1 values of rt0.., found 0");
  EXPECT_EQ(message({all.first(1), all, all.first(1)}), "");
}

// x op y for x = 7 as the only dimension.
std::optional<int64_t> seven(Op op, int64_t y) {
  ExprTable nodes;
  const NodeId x = add_variable(nodes, Op::kDimension, 0);
  const NodeId node = add_operation(nodes, op, x, add_constant(nodes, y));
  std::vector<int64_t> values(nodes.size());
  if (!evaluate_nodes(nodes, {7}, values)) return std::nullopt;
  return values[node];
}

TEST(EvaluateNodes, DividesByPositiveNumbersOnly) {
  EXPECT_EQ(seven(Op::kFloorDiv, 2), 3);
  EXPECT_EQ(seven(Op::kMod, 2), 1);
  EXPECT_EQ(seven(Op::kFloorDiv, 1), 7);
  EXPECT_EQ(seven(Op::kMod, 1), 0);
  for (Op op : {Op::kFloorDiv, Op::kMod}) {
    EXPECT_EQ(seven(op, 0), std::nullopt);
    EXPECT_EQ(seven(op, -1), std::nullopt);
  }
  EXPECT_EQ(seven(Op::kCeilDiv, 2), std::nullopt);
}

}  // namespace
}  // namespace tileproof::impl
