// SPDX-License-Identifier: Apache-2.0
// Compares layouts of the reference and the closed form: documented examples, bounded families, and
// random layouts that shrink.
#include "verify/compare/layout_compare.h"

#include <iostream>
#include <string>
#include <vector>

#include "generate/layout/generate_shape.h"
#include "gtest/gtest.h"
#include "impl/layout/tiled_layout.h"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/layout/shape_text.h"

// Last, because it needs GoogleTest declared first:
#include "rapidcheck/gtest.h"

namespace tileproof::verify {
namespace {

// Returns "" or the difference, one line that can be pasted after `tileproof layout`.
std::string difference(const absl::StatusOr<LayoutComparison>& compared) {
  return compared.ok() ? "" : std::string(compared.status().message());
}

TEST(LayoutCompare, EveryLayoutOfTheBoundedFamilies) {
  LayoutComparison total;
  int64_t number = 0;
  for (const ShapeFamily& family : small_families()) {
    LayoutComparison compared;
    for (Odometer odometer; !odometer.done(); odometer.advance()) {
      Choose choose(&odometer);
      const Shape shape = bounded_shape(choose, family);
      if (!is_tried(number++)) continue;
      Choose none(Choose::Replay{});
      const absl::StatusOr<LayoutComparison> one = compare_whole(shape, 1 << 20, 0, none);
      ASSERT_EQ(difference(one), "");
      compared += *one;
    }
    EXPECT_GT(compared.indices, 0);
    std::cout << to_text(family) << ": " << to_text(compared) << "\n";
    total += compared;
  }
  std::cout << "total: " << to_text(total) << "\n";
}

TEST(LayoutCompare, AMillionRandomIndicesOfRandomLayouts) {
  LayoutComparison total;
  for (uint64_t seed = 0; total.indices + total.padding < cases(1'000'000); ++seed) {
    Choose choose(Choose::Random{seed});
    const int64_t magnitude = int64_t{1} << choose.pick<int64_t>({8, 14, 30, 62});
    const Shape shape = random_shape(choose, magnitude);
    const absl::StatusOr<LayoutComparison> one = compare_whole(shape, 1 << 10, 20, choose);
    ASSERT_EQ(difference(one), "") << "seed " << seed;
    total += *one;
  }
  std::cout << to_text(total) << "\n";
}

// RapidCheck generates and shrinks a list of choices. A shorter list of smaller choices is a
// simpler layout.
RC_GTEST_PROP(LayoutCompare, RandomLayoutsShrinkToOneThatAPersonCanRead,
              (std::vector<uint16_t> list)) {
  Choose choose(Choose::Replay{{list.begin(), list.end()}});
  const Shape shape = random_shape(choose, 1 << 12);
  const std::string found = difference(compare_whole(shape, 1 << 16, 50, choose));
  if (!found.empty()) RC_FAIL(found);
}

}  // namespace
}  // namespace tileproof::verify
