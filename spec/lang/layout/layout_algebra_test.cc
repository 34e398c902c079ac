// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/layout_algebra.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace tileproof {
namespace {

using testing::HasSubstr;

template <class T>
std::string read(const absl::StatusOr<T>& parsed) {
  return parsed.ok() ? to_text(*parsed) : std::string(parsed.status().message());
}

TEST(TilerText, IsALayoutOrOneForEachOfTheFirstModes) {
  EXPECT_EQ(read(parse_tiler("(2,2):(1,4)")), "(2,2):(1,4)");
  EXPECT_EQ(read(parse_tiler("< 4:1, (2,3):(8,16) >")), "<4:1,(2,3):(8,16)>");
  EXPECT_EQ(read(parse_tiler("<>")), "<>");
  EXPECT_EQ(read(parse_tiler("(4,8)")), "<4:1,8:1>");
  EXPECT_EQ(parse_tiler("<4:1,8:1>").value(), parse_tiler("(4,8)").value());
  EXPECT_EQ(read(parse_tiler("(32,)")), "<32:1>");  // as Python writes a tuple of one
  EXPECT_EQ(read(parse_tiler("4")), "4:1");
  EXPECT_EQ(parse_tiler("4").value(), parse_tiler("4:1").value());
  EXPECT_NE(parse_tiler("<4:1>").value(), parse_tiler("4:1").value());
}

TEST(TilerText, LeavesAModeAsItIs) {
  EXPECT_EQ(read(parse_tiler("(32,_,40)")), "<32:1,_,40:1>");
  EXPECT_EQ(read(parse_tiler("<_,(2,2):(1,4)>")), "<_,(2,2):(1,4)>");
  EXPECT_EQ(read(parse_tiler("(_)")), "<_>");
}

TEST(TilerText, ErrorsNameTheirPosition) {
  EXPECT_THAT(read(parse_tiler("<4:1")), HasSubstr("column 5: expected '>' to close the tiler"));
  EXPECT_THAT(read(parse_tiler("<4:1,>")), HasSubstr("column 6: expected"));
  EXPECT_THAT(read(parse_tiler("<4:1> 5")), HasSubstr("column 7: expected"));
  EXPECT_EQ(read(parse_tiler("(4,0)")), "column 1: expected a tiler of extents above 0");
  EXPECT_EQ(read(parse_tiler("(4,1,-1)")), "column 1: expected a tiler of extents above 0");
  for (const char* wrong : {"", "<", "0", "(4,8,)", "((4),2)", "<4:1>x", "(_,0)", "((_),4)", "_"}) {
    EXPECT_THAT(read(parse_tiler(wrong)), HasSubstr("column ")) << wrong;
  }
}

TEST(SlicerText, HasFreeAndFixedParts) {
  for (const char* text : {"_", "7", "-3", "()", "(_,3)", "((_,1),_,())"}) {
    EXPECT_EQ(read(parse_slicer(text)), text);
    EXPECT_EQ(parse_slicer(text).value(), parse_slicer(absl::StrCat(" ", text, " ")).value());
  }
  EXPECT_THAT(read(parse_slicer("(_,3")), HasSubstr("column 5: expected ')' to close the tuple"));
  EXPECT_THAT(read(parse_slicer("(_,x)")), HasSubstr("column 4: expected '_', an integer or '('"));
  const std::string deep(size_t{1} << 20, '(');
  EXPECT_THAT(read(parse_slicer(deep)), HasSubstr("column 1001: expected nesting of at most 1000"));
  std::string wide = "(_";
  for (int i = 0; i < 64; ++i) wide += ",_";
  EXPECT_EQ(read(parse_slicer(wide + ")")), "column 130: expected at most 64 elements in a tuple");
}

TEST(SwizzleText, StaysWithinTheBitsOfAnOffset) {
  EXPECT_EQ(read(parse_swizzle("Swizzle<2, 0, -3>")), "Sw<2,0,-3>");
  for (const char* largest :
       {"Sw<31,0,31>", "Sw<0,62,0>", "Sw<0,0,62>", "Sw<0,0,-62>", "Sw<1,0,-1>"})
    EXPECT_EQ(read(parse_swizzle(largest)), largest);
  for (const char* larger : {"Sw<0,63,0>", "Sw<0,0,63>", "Sw<0,0,-63>", "Sw<-1,0,0>"})
    EXPECT_THAT(read(parse_swizzle(larger)), HasSubstr("expected 0 <= bits")) << larger;
  EXPECT_EQ(read(parse_swizzle("Sw<4,0,3>")),
            "column 1: expected 0 <= bits <= |shift|, base >= 0 and bits + base + |shift| <= 62, "
            "found Sw<4,0,3>");
  EXPECT_THAT(read(parse_swizzle("  Sw<31,1,31>")), HasSubstr("column 3: expected 0 <= bits"));
  EXPECT_THAT(read(parse_swizzle("Sw<0,-1,0>")), HasSubstr("column 1: expected 0 <= bits"));
  EXPECT_THAT(read(parse_swizzle("Sw<0,0,-9223372036854775808>")), HasSubstr("column 1: "));
  EXPECT_THAT(read(parse_swizzle("Sv<3,4,3>")), HasSubstr("column 1: expected a swizzle such as"));
}

}  // namespace
}  // namespace tileproof
