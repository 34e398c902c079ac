#include "impl/map/normal_form/ranges.h"

#include <gtest/gtest.h>

#include "impl/map/normal_form/floors.h"

namespace tileproof::impl {
namespace {

// d0 + floor(d0 / 3) + d1 + floor(d1 / 3) + ..
Linear sum_of_floors(Forms& forms, int32_t floors) {
  clear(forms);
  for (int32_t i = 0; i < floors; ++i) add_variable(forms, {0, 9}, true);
  Linear sum;
  for (int32_t i = 0; i < floors; ++i) {
    const Linear x = variable_form(forms, i);
    sum = plus(forms, sum, plus(forms, x, floor_of(forms, x, 3)));
  }
  return sum;
}

TEST(Ranges, DigitsAreLookedForInSumsOfUpToSixteenFloors) {
  Forms forms;
  const Linear some = sum_of_floors(forms, 16);
  EXPECT_NE(in_digits(forms, some), some);
  const Linear many = sum_of_floors(forms, 17);
  EXPECT_EQ(in_digits(forms, many), many);
}

}  // namespace
}  // namespace tileproof::impl
