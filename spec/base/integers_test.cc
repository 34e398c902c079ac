// SPDX-License-Identifier: Apache-2.0
// Floor division and its remainder beside their definition, on small and extreme numbers.
#include "spec/base/integers.h"

#include <gtest/gtest.h>

#include <vector>

#include "spec/base/exact_int.h"

namespace tileproof::spec {
namespace {

const std::vector<int64_t>& numbers() {
  static const std::vector<int64_t> all = [] {
    std::vector<int64_t> some;
    for (int64_t x = -20; x <= 20; ++x) some.push_back(x);
    for (int bits = 5; bits < 63; ++bits) {
      for (int64_t near = -1; near <= 1; ++near) {
        some.push_back((int64_t{1} << bits) + near);
        some.push_back(-(int64_t{1} << bits) + near);
      }
    }
    for (int64_t near = 0; near < 3; ++near) {
      some.push_back(INT64_MAX - near);
      some.push_back(INT64_MIN + near);
    }
    return some;
  }();
  return all;
}

// Whether q is the largest integer with q <= x / c.
bool is_floor(Wide x, Wide c, Wide q) {
  return c > 0 ? q * c <= x && (q + 1) * c > x : q * c >= x && (q + 1) * c < x;
}

TEST(IntegersTest, AFloorIsTheLargestMultipleThatIsNotGreater) {
  for (const int64_t x : numbers()) {
    for (const int64_t c : numbers()) {
      if (c <= 0) continue;
      EXPECT_TRUE(is_floor(x, c, floordiv(x, c))) << x << " floordiv " << c;
      EXPECT_TRUE(mod(x, c) >= 0 && mod(x, c) < c) << x << " mod " << c;
      EXPECT_EQ(mod(x, c) + Wide{c} * floordiv(x, c), x) << x << " mod " << c;
    }
  }
}

TEST(IntegersTest, ExactFloorsHoldForDivisorsOfEitherSign) {
  for (const int64_t x : numbers()) {
    for (const int64_t c : numbers()) {
      const Exact quotient = floordiv(exact(x), exact(c)), rest = mod(exact(x), exact(c));
      ASSERT_EQ(quotient.value.has_value(), c != 0) << x << " floordiv " << c;
      if (c == 0) continue;
      EXPECT_TRUE(is_floor(x, c, *quotient.value)) << x << " floordiv " << c;
      EXPECT_EQ(*rest.value + Wide{c} * *quotient.value, x) << x << " mod " << c;
    }
  }
}

TEST(IntegersTest, WhatDoesNotFitIsTooLargeAndStaysSo) {
  const Exact large = exact(INT64_MAX) * exact(INT64_MAX);  // below 2^126
  EXPECT_TRUE(large.value.has_value());
  EXPECT_EQ(to_int64(large), std::nullopt);
  const Exact beyond = large * exact(4);
  EXPECT_FALSE(beyond.value.has_value());
  EXPECT_FALSE((beyond - beyond).value.has_value());
  EXPECT_FALSE(floordiv(beyond, exact(2)).value.has_value());
  EXPECT_FALSE((-beyond).value.has_value());
  EXPECT_EQ(to_int64(floordiv(large, exact(INT64_MAX))), INT64_MAX);
  const Exact one = exact(1);
  for (const Exact& result :
       {beyond + one, one + beyond, beyond - one, one - beyond, beyond * one, one * beyond,
        floordiv(beyond, one), floordiv(one, beyond), mod(beyond, one), mod(one, beyond),
        beyond * int64_t{1}, floordiv(beyond, int64_t{1})}) {
    EXPECT_FALSE(result.value.has_value());
  }
  EXPECT_EQ(to_int64(beyond), std::nullopt);
  EXPECT_EQ(to_int64(exact(INT64_MAX) + one), std::nullopt);
  EXPECT_EQ(to_int64(exact(INT64_MIN) - one), std::nullopt);
  EXPECT_EQ(to_int64(exact(INT64_MIN)), INT64_MIN);
  EXPECT_EQ(to_int64(-exact(7)), -7);
  const Exact least = exact(-(Wide{1} << 126)) - exact(Wide{1} << 126);
  EXPECT_TRUE(least.value.has_value());
  EXPECT_FALSE(floordiv(least, exact(-1)).value.has_value());
  EXPECT_EQ(to_int64(floordiv(exact(-7), int64_t{2})), -4);
  EXPECT_EQ(to_int64(exact(-7) * int64_t{2}), -14);
}

}  // namespace
}  // namespace tileproof::spec
