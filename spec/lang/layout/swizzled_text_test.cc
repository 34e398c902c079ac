// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/swizzled_text.h"

#include <string>

#include "gtest/gtest.h"
#include "spec/lang/base/cursor.h"

namespace tileproof {
namespace {

std::string read(absl::string_view text) {
  const absl::StatusOr<SwizzledLayout> layout = parse_swizzled_layout(text);
  if (!layout.ok()) return std::string(layout.status().message());
  const std::string printed = to_text(*layout);
  const absl::StatusOr<SwizzledLayout> again = parse_swizzled_layout(printed);
  EXPECT_TRUE(again.ok() && *again == *layout) << printed;
  return printed;
}

TEST(SwizzledText, AsPeopleAndCuteWriteIt) {
  EXPECT_EQ(read("Sw<3,3,3> o 0 o (8,64):(64,1)"), "Sw<3,3,3> o 0 o (8,64):(64,1)");
  EXPECT_EQ(read("Sw<3,3,3> o _0 o (_8,_64):(_64,_1)"), "Sw<3,3,3> o 0 o (_8,_64):(_64,_1)");
  EXPECT_EQ(read("Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"),
            "Sw<3,4,3> o 0 o (8,64):(64,1)");
  EXPECT_EQ(read("Swizzle<2,0,3> o ((4,2),8):((8,64),1)"), "Sw<2,0,3> o 0 o ((4,2),8):((8,64),1)");
  EXPECT_EQ(read("Sw<2,0,3> o 32:1"), "Sw<2,0,3> o 0 o 32:1");
  EXPECT_EQ(read("Sw<2,0,3> o _32:_1"), "Sw<2,0,3> o 0 o _32:_1");
  EXPECT_EQ(read("Sw<2,0,3> o 5 o 32:1"), "Sw<2,0,3> o 5 o 32:1");
}

TEST(SwizzledText, ErrorsNameThePlace) {
  EXPECT_EQ(read("Sw<3,3,2> o 0 o 8:1").substr(0, 10), "column 1: ");
  EXPECT_EQ(read("Sw<3,3,3> 0 o 8:1"), "column 11: expected 'o' after the swizzle, found '0'");
  EXPECT_EQ(read("Sw<3,3,3> o -1 o 8:1"), "column 13: expected an extent of at least 0, found -1");
  EXPECT_EQ(read("Sw<3,3,3> o x o 8:1"), "column 13: expected an offset, found 'x'");
  EXPECT_EQ(
      read("Sw<3,3,3> o smem_ptr[16b](0x7f00) o 8:1"),
      "column 27: expected 'unset': a pointer of unknown value has no offset, found '0x7f00'");
  EXPECT_EQ(read("Sw<3,3,3> o 0 o 8"),
            "column 18: expected ':' between shape and stride, found end of input");
  EXPECT_EQ(read("Sw<3,3,3> o 0 o 8:1 x"), "column 21: expected the end, found 'x'");
  const std::string spaces(kMaxTextBytes - 16, ' ');
  EXPECT_EQ(read(spaces + "Sw<2,0,3> o  4:1"), "Sw<2,0,3> o 0 o 4:1");
  EXPECT_EQ(read(spaces + "Sw<2,0,3> o   4:1"), "column 1: expected a text of at most 16 MiB");
  EXPECT_TRUE(looks_like_swizzled_layout("Swizzle<1"));
  EXPECT_TRUE(looks_like_swizzled_layout(" Sw<1"));
  EXPECT_FALSE(looks_like_swizzled_layout("Sw"));
  EXPECT_FALSE(looks_like_swizzled_layout("zN:f16[64,96]"));
}

}  // namespace
}  // namespace tileproof
