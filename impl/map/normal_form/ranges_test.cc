// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "impl/map/normal_form/floors.h"

namespace tileproof::impl {
namespace {

// d0 - floor(d0 / 3) + d1 - floor(d1 / 3) + .. in [-48, 144] as terms, [0, 128] by digits.
Linear sum_of_floors(NormalFormContext& context, int32_t floors) {
  clear(context);
  for (int32_t i = 0; i < floors; ++i) add_variable(context, {0, 9}, true);
  Linear sum;
  for (int32_t i = 0; i < floors; ++i) {
    const Linear x = variable_form(context, i);
    sum = plus(context, sum, plus(context, x, floor_of(context, x, 3), -1));
  }
  return sum;
}

TEST(Ranges, UseDigitsInSumsOfUpToSixteenFloors) {
  NormalFormContext context;
  const Linear some = sum_of_floors(context, 16);
  EXPECT_NE(in_digits(context, some), some);
  const Linear many = sum_of_floors(context, 17);
  EXPECT_EQ(in_digits(context, many), many);
}

}  // namespace
}  // namespace tileproof::impl
