// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/layout/swizzled_map.h"

#include <iostream>

#include "absl/strings/str_cat.h"
#include "generate/choose/choose.h"
#include "gtest/gtest.h"
#include "spec/layout/layout_algebra.h"
#include "spec/layout/layout_function.h"
#include "spec/layout/nested_layout.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::verify {
namespace {

// Compares the map with the definition at every coordinate. Returns their number.
int64_t compare(const SwizzledLayout& layout) {
  const absl::StatusOr<IndexingMap> map = swizzled_map(layout);
  EXPECT_TRUE(map.ok()) << to_text(layout) << map.status();
  const absl::StatusOr<spec::LayoutFunction> function =
      spec::layout_function(AnyLayout{layout.layout});
  EXPECT_TRUE(function.ok());
  if (!map.ok() || !function.ok()) return 0;
  int64_t compared = 0;
  const absl::Status status = spec::for_each_point(
      *map, 1 << 16, [&](const spec::Point& point, const std::vector<int64_t>& results) {
        const int64_t offset = layout.start + *spec::offset_at(*function, point.dims);
        EXPECT_EQ(results[0], *spec::swizzled(layout.swizzle, offset)) << to_text(layout);
        ++compared;
        return true;
      });
  EXPECT_TRUE(status.ok()) << status;
  return compared;
}

SwizzledLayout layout_of(absl::string_view text) { return *parse_swizzled_layout(text); }

TEST(SwizzledMap, TheUsualSwizzlesOfSharedMemory) {
  for (const char* text :
       {"Sw<3,3,3> o 0 o (8,64):(64,1)", "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)",
        "Sw<2,3,3> o 0 o (8,32):(32,1)", "Sw<1,3,3> o 0 o (8,16):(16,1)",
        "Sw<2,0,-3> o 5 o ((4,2),8):((8,64),1)", "Sw<0,0,0> o 0 o (3,5):(5,1)"}) {
    EXPECT_GT(compare(layout_of(text)), 10) << text;
  }
}

TEST(SwizzledMap, EverySmallSwizzleAndRandomLayouts) {
  Choose choose(Choose::Random{7});
  int64_t layouts = 0, compared = 0;
  for (int64_t bits = 0; bits <= 3; ++bits) {
    for (int64_t base = 0; base <= 3; ++base) {
      for (int64_t shift = -4; shift <= 4; ++shift) {
        const SwizzledLayout layout{{bits, base, shift},
                                    choose(9),
                                    {make_flat({choose.between(1, 9), choose.between(1, 9)}),
                                     make_flat({choose(40), choose(9)})}};
        if (!validate(layout.swizzle).ok()) continue;
        ++layouts;
        compared += compare(layout);
      }
    }
  }
  std::cout << layouts << " layouts, " << compared << " coordinates\n";
  EXPECT_GT(layouts, 80);
  EXPECT_GT(compared, 1000);
}

TEST(SwizzledMap, OffsetsBelowZeroAreErrors) {
  EXPECT_FALSE(swizzled_map(layout_of("Sw<1,0,1> o 0 o (4,2):(-1,4)")).ok());
  EXPECT_FALSE(swizzled_map(layout_of("Sw<1,0,1> o 9223372036854775807 o 4:1")).ok());
}

}  // namespace
}  // namespace tileproof::verify
