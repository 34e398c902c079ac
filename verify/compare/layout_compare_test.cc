// SPDX-License-Identifier: Apache-2.0
// Compares layouts of the reference and the closed form on bounded families. Random ones are a
// property (verify/properties).
#include "verify/compare/layout_compare.h"

#include <iostream>

#include "generate/layout/generate_shape.h"
#include "gtest/gtest.h"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::verify {
namespace {

TEST(LayoutCompare, EveryLayoutOfTheBoundedFamilies) {
  int64_t number = 0;
  for (const ShapeFamily& family : small_families()) {
    CaseCounts compared;
    for (Odometer odometer; !odometer.done(); odometer.advance()) {
      Choose choose(&odometer);
      const Shape shape = bounded_shape(choose, family);
      if (!is_tried(number++)) continue;
      Choose none(Choose::Replay{});
      ASSERT_EQ(compare_whole(shape, 1 << 20, 0, none, compared).message(), "");
    }
    EXPECT_GT(compared["indices"], 0);
    std::cout << to_text(family) << ": " << to_text(compared) << "\n";
  }
}

}  // namespace
}  // namespace tileproof::verify
