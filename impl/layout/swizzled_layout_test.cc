// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/swizzled_layout.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

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

// Of every swizzle of a few bits and every element: the byte that holds the beginning of the element
// moves, the place in the byte stays. If an element would be torn apart, the layout is invalid.
TEST(SwizzledLayout, BehindAPointerBytesMove) {
  int64_t valid = 0, invalid = 0;
  for (int64_t bits = 1; bits <= 256; bits *= 2) {
    for (int64_t base = 0; base <= 5; ++base) {
      for (int64_t shift = -4; shift <= 4; ++shift) {
        for (int64_t count = 0; count <= std::abs(shift); ++count) {
          const tileproof::SwizzledLayout layout{.swizzle = {count, base, shift},
                                                 .layout = parse_nested_layout("512:1").value(),
                                                 .pointer_bits = bits};
          bool is_whole = true;
          std::vector<int64_t> expected;
          for (int64_t x = 0; x < 512; ++x) {
            const int64_t byte = spec::swizzled(layout.swizzle, x * bits / 8).value();
            const int64_t bit = byte * 8 + x * bits % 8;
            is_whole = is_whole && bit % bits == 0;
            expected.push_back(bit / bits);
          }
          ASSERT_EQ(validate(layout).ok(), is_whole) << to_text(layout);
          ++(is_whole ? valid : invalid);
          if (!is_whole) continue;
          const SwizzledLayout closed = SwizzledLayout::create(layout).value();
          for (int64_t x = 0; x < 512; ++x) {
            ASSERT_EQ(closed.offset(make_integer(x)).value(), expected[x]) << to_text(layout);
            ASSERT_EQ(spec::swizzled_element(layout, x), expected[x]) << to_text(layout);
            ASSERT_EQ(closed.coordinate_at(expected[x]).value()->value, x) << to_text(layout);
          }
        }
      }
    }
  }
  EXPECT_GT(valid, 1000);
  EXPECT_GT(invalid, 50);
}

// The layout of a wgmma operand: in elements of 16 bits Sw<3,4,3> is Sw<3,3,3>, of 32 bits Sw<3,2,3>
// (as_position_independent_swizzle_layout in CuTe's pointer_flagged.hpp).
TEST(SwizzledLayout, SharedMemoryOfHopper) {
  const auto at = [](const char* text, const char* coordinate) {
    return layout_of(text).offset(parse_coordinate(coordinate).value()).value();
  };
  EXPECT_EQ(at("Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)", "(1,0)"), 72);
  EXPECT_EQ(at("Sw<3,4,3> o smem_ptr[32b](unset) o (_8,_32):(_32,_1)", "(1,0)"), 36);
  EXPECT_EQ(at("Sw<3,4,3> o smem_ptr[8b](unset) o (_8,_128):(_128,_1)", "(1,0)"), 144);
  EXPECT_EQ(at("Sw<3,4,3> o smem_ptr[4b](unset) o (_8,_256):(_256,_1)", "(1,1)"), 289);
  EXPECT_EQ(layout_of("Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)").formula(),
            layout_of("Sw<3,3,3> o 0 o (8,64):(64,1)").formula());
  const SwizzledLayout far = layout_of("Sw<3,4,3> o smem_ptr[16b](unset) o 3:2305843009213693952");
  EXPECT_TRUE(far.offset(parse_coordinate("1").value()).ok());
  EXPECT_EQ(far.offset(parse_coordinate("2").value()).status().message(),
            "the offset does not fit 64 signed bits");
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
  EXPECT_EQ(refused(layout), "expected a start of at least 0");
  layout = valid;
  layout.start = 1;
  layout.pointer_bits = 16;
  EXPECT_EQ(refused(layout), "expected a pointer or a start");
  layout = valid;
  layout.layout = parse_nested_layout("(8,8):(8,-1)").value();
  EXPECT_EQ(refused(layout), "expected strides of at least 0");
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
