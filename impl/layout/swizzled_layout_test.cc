// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/swizzled_layout.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/layout/swizzled_layout.h"

namespace tileproof::impl {
namespace {

SwizzledLayout layout_of(const std::string& text) {
  return SwizzledLayout::create(parse_swizzled_layout(text).value()).value();
}

// Every swizzle of a few bits, at offsets below 2^9 and one beyond.
TEST(SwizzledLayout, TheSwizzleIsThatOfTheDefinition) {
  for (int64_t bits = 0; bits <= 3; ++bits) {
    for (int64_t base = 0; base <= 3; ++base) {
      for (int64_t shift = -4; shift <= 4; ++shift) {
        const Swizzle swizzle{bits, base, shift};
        for (int64_t x = -1; x <= 512; ++x) {
          const auto ours = swizzled(swizzle, x), theirs = spec::swizzled(swizzle, x);
          ASSERT_EQ(ours.ok(), theirs.ok()) << bits << " " << base << " " << shift << " " << x;
          if (!ours.ok()) continue;
          ASSERT_EQ(*ours, *theirs) << bits << " " << base << " " << shift << " " << x;
        }
      }
    }
  }
  EXPECT_EQ(swizzled({3, 3, 3}, -1).status().message(), "expected an offset of at least 0");
}

TEST(SwizzledLayout, OffsetsGoThereAndBack) {
  for (const char* text : {"Sw<2,0,3> o 0 o (8,8):(8,1)", "Sw<1,1,-2> o 5 o (4,6):(12,2)",
                           "Sw<0,0,1> o 0 o (3,5):(5,1)"}) {
    const tileproof::SwizzledLayout parsed = parse_swizzled_layout(text).value();
    const SwizzledLayout layout = layout_of(text);
    int64_t found = 0;
    for (int64_t offset = -1; offset < 128; ++offset) {
      const auto coordinate = layout.coordinate_at(offset).value();
      if (!coordinate) continue;
      ++found;
      EXPECT_EQ(layout.offset(*coordinate).value(), offset) << text;
      const int64_t plain = layout.nested().offset(*coordinate).value();
      EXPECT_EQ(spec::swizzled(parsed.swizzle, plain + parsed.start).value(), offset) << text;
    }
    EXPECT_EQ(found, layout.nested().size().value()) << text;
  }
}

TEST(SwizzledLayout, TheFormulaNamesTheWords) {
  EXPECT_EQ(layout_of("Sw<3,3,3> o 0 o (8,64):(64,1)").formula(),
            "x ^ ((x >> 3) & 56), x = d0 * 64 + d1");
  EXPECT_EQ(layout_of("Sw<2,0,-3> o 7 o (8,8):(8,1)").formula(),
            "x ^ ((x & 3) << 3), x = d0 * 8 + d1 + 7");
  EXPECT_EQ(layout_of("Sw<0,4,3> o 0 o (8,8):(8,1)").formula(), "d0 * 8 + d1");
}

TEST(SwizzledLayout, WhatIsNoSwizzledLayout) {
  const auto refused = [](tileproof::SwizzledLayout layout) {
    return std::string(SwizzledLayout::create(layout).status().message());
  };
  const tileproof::SwizzledLayout valid =
      parse_swizzled_layout("Sw<2,0,3> o 0 o (8,8):(8,1)").value();
  tileproof::SwizzledLayout layout = valid;
  layout.start = -1;
  EXPECT_EQ(refused(layout), "expected a start and strides of at least 0");
  layout = valid;
  layout.layout = parse_nested_layout("(8,8):(8,-1)").value();
  EXPECT_EQ(refused(layout), "expected a start and strides of at least 0");
  layout.layout = parse_nested_layout("(8,8):(8,0)").value();
  EXPECT_EQ(refused(layout), "");
  layout = valid;
  layout.swizzle = {4, 0, 3};
  EXPECT_NE(refused(layout), "");
  layout = valid;
  layout.start = INT64_MAX;
  const SwizzledLayout far = SwizzledLayout::create(layout).value();
  EXPECT_TRUE(far.offset(parse_coordinate("(0,0)").value()).ok());
  EXPECT_EQ(far.offset(parse_coordinate("(0,1)").value()).status().message(),
            "the offset does not fit 64 signed bits");
}

}  // namespace
}  // namespace tileproof::impl
