// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/map/interval.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tileproof {
namespace {

// The interval of `d0 op d1`; "none" if there is none.
std::string interval_text(Op op, Interval a, Interval b) {
  IndexingMap map;
  map.dimensions = {{a, ""}, {b, ""}};
  const NodeId left = add_variable(map.nodes, Op::kDimension, 0);
  const NodeId right = add_variable(map.nodes, Op::kDimension, 1);
  const auto interval = interval_of(map, add_operation(map.nodes, op, left, right));
  return interval ? absl::StrCat("[", interval->low, ", ", interval->high, "]") : "none";
}

TEST(Interval, SumsAndProducts) {
  EXPECT_EQ(interval_text(Op::kAdd, {-3, 4}, {1, 2}), "[-2, 6]");
  EXPECT_EQ(interval_text(Op::kAdd, {0, INT64_MAX}, {0, 1}), "none");
  EXPECT_EQ(interval_text(Op::kMul, {-3, 4}, {-5, 2}), "[-20, 15]");
  EXPECT_EQ(interval_text(Op::kMul, {-3, 1}, {-1, 5}), "[-15, 5]");
  EXPECT_EQ(interval_text(Op::kMul, {INT64_MIN, 0}, {-1, 1}), "none");
}

TEST(Interval, Quotients) {
  EXPECT_EQ(interval_text(Op::kFloorDiv, {-5, 9}, {4, 4}), "[-2, 2]");
  EXPECT_EQ(interval_text(Op::kCeilDiv, {-5, 9}, {4, 4}), "[-1, 3]");
  EXPECT_EQ(interval_text(Op::kFloorDiv, {-5, 9}, {2, 4}), "[-3, 4]");
  EXPECT_EQ(interval_text(Op::kFloorDiv, {-5, 9}, {-4, -4}), "[-3, 1]");
  EXPECT_EQ(interval_text(Op::kFloorDiv, {INT64_MIN, 0}, {-1, -1}), "none");
  EXPECT_EQ(interval_text(Op::kFloorDiv, {-5, 9}, {-1, -1}), "[-9, 5]");
  EXPECT_EQ(interval_text(Op::kFloorDiv, {-5, 9}, {1, 4}), "[-5, 9]");
  EXPECT_EQ(interval_text(Op::kFloorDiv, {0, 9}, {0, 0}), "none");
  EXPECT_EQ(interval_text(Op::kFloorDiv, {0, 9}, {0, 4}), "none");
}

// An operand without an interval leaves the operation without one.
TEST(Interval, OfOperationsOnSumsThatDoNotFit) {
  IndexingMap map;
  map.dimensions = {{{0, INT64_MAX}, ""}};
  const NodeId d0 = add_variable(map.nodes, Op::kDimension, 0);
  const NodeId sum = add_operation(map.nodes, Op::kAdd, d0, d0);
  EXPECT_EQ(interval_of(map, add_operation(map.nodes, Op::kMul, sum, d0)), std::nullopt);
  EXPECT_EQ(interval_of(map, add_operation(map.nodes, Op::kMul, d0, sum)), std::nullopt);
}

TEST(Interval, RemaindersByNegativeNumbers) {
  EXPECT_EQ(interval_text(Op::kMod, {-5, 9}, {-1, -1}), "[0, 0]");
  EXPECT_EQ(interval_text(Op::kMod, {-5, 9}, {-4, -4}), "[-3, 0]");
  EXPECT_EQ(interval_text(Op::kMod, {-5, 9}, {0, 0}), "none");
  EXPECT_EQ(interval_text(Op::kMod, {-5, 9}, {-4, -3}), "none");
  EXPECT_EQ(interval_text(Op::kMod, {-5, 9}, {INT64_MIN, INT64_MIN}), "none");
}

// A number is its own remainder only if the least divisor exceeds it: 4 mod 4 is 0.
TEST(Interval, Remainders) {
  EXPECT_EQ(interval_text(Op::kMod, {1, 3}, {4, 4}), "[1, 3]");
  EXPECT_EQ(interval_text(Op::kMod, {1, 4}, {4, 4}), "[0, 3]");
  EXPECT_EQ(interval_text(Op::kMod, {-1, 2}, {4, 4}), "[0, 3]");
  EXPECT_EQ(interval_text(Op::kMod, {4, 5}, {6, 9}), "[4, 5]");
  EXPECT_EQ(interval_text(Op::kMod, {4, 5}, {3, 9}), "[0, 8]");
  EXPECT_EQ(interval_text(Op::kMod, {0, 2}, {4, 4}), "[0, 2]");
  EXPECT_EQ(interval_text(Op::kMod, {0, 9}, {1, 4}), "[0, 3]");
  EXPECT_EQ(interval_text(Op::kMod, {7, 7}, {0, 0}), "none");
  EXPECT_EQ(interval_text(Op::kMod, {7, 7}, {-1, -1}), "[0, 0]");
  EXPECT_EQ(interval_text(Op::kMod, {-5, -5}, {4, 4}), "[3, 3]");
  EXPECT_EQ(interval_text(Op::kMod, {7, 7}, {4, 4}), "[3, 3]");
  EXPECT_EQ(interval_text(Op::kMod, {-7, -7}, {4, 4}), "[1, 1]");
  EXPECT_EQ(interval_text(Op::kMod, {-7, -7}, {-4, -4}), "[-3, -3]");
  EXPECT_EQ(interval_text(Op::kMod, {8, 8}, {-4, -4}), "[0, 0]");
  EXPECT_EQ(interval_text(Op::kMod, {7, 7}, {-4, -4}), "[-1, -1]");
  EXPECT_EQ(interval_text(Op::kMod, {0, 7}, {-4, -4}), "[-3, 0]");
  EXPECT_EQ(interval_text(Op::kMod, {0, 7}, {0, 4}), "none");
}

}  // namespace
}  // namespace tileproof
