// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/base/odometer.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof {
namespace {

TEST(Odometer, WalksAnArrayInRowMajorOrder) {
  Dims index = {0, 0};
  std::string walked;
  do {
    walked += dims_text(index);
  } while (next_index({2, 3}, index));
  EXPECT_EQ(walked, "[0,0][0,1][0,2][1,0][1,1][1,2]");
  EXPECT_EQ(index, Dims({0, 0}));
}

TEST(Odometer, VisitsTheOneIndexOfAScalar) {
  Dims index;
  EXPECT_FALSE(next_index({}, index));
}

TEST(Odometer, WalksABox) {
  const std::vector<Interval> box = {{-1, 0}, {5, 6}};
  Dims point = {-1, 5};
  std::string walked;
  do {
    walked += dims_text(point);
  } while (next_point(box, point));
  EXPECT_EQ(walked, "[-1,5][-1,6][0,5][0,6]");
  EXPECT_EQ(point, Dims({-1, 5}));
}

TEST(Odometer, EndsAtTheLargestInteger) {
  const std::vector<Interval> box = {{INT64_MAX - 1, INT64_MAX}};
  Dims point = {INT64_MAX - 1};
  EXPECT_TRUE(next_point(box, point));
  EXPECT_EQ(point, Dims({INT64_MAX}));
  EXPECT_FALSE(next_point(box, point));
  EXPECT_EQ(point, Dims({INT64_MAX - 1}));
}

}  // namespace
}  // namespace tileproof
