// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/swizzled_text.h"

#include <string>

#include "absl/strings/str_cat.h"
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
  EXPECT_EQ(read("Swizzle<2,0,3> o ((4,2),8):((8,64),1)"), "Sw<2,0,3> o 0 o ((4,2),8):((8,64),1)");
  EXPECT_EQ(read("Sw<2,0,3> o 32:1"), "Sw<2,0,3> o 0 o 32:1");
  EXPECT_EQ(read("Sw<2,0,3> o _32:_1"), "Sw<2,0,3> o 0 o _32:_1");
  EXPECT_EQ(read("Sw<2,0,3> o 5 o 32:1"), "Sw<2,0,3> o 5 o 32:1");
  EXPECT_EQ(read("S<3,4,3> o 0 o (8,64):(64,1)"), "Sw<3,4,3> o 0 o (8,64):(64,1)");
  EXPECT_EQ(read("Sw<3,4,3>_smem_ptr[16b](unset) o (_8,_64):(_64,_1)"),
            "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)");
  EXPECT_EQ(read("cute::ComposedLayout<cute::Swizzle<3, 4, 3>, cute::C<0>, "
                 "cute::Layout<cute::tuple<cute::C<8>, cute::C<64> >, cute::tuple<cute::C<64>, "
                 "cute::C<1> > > >"),
            "Sw<3,4,3> o 0 o (_8,_64):(_64,_1)");
  EXPECT_EQ(read("ComposedLayout<Swizzle<3,4,3>,smem_ptr_flag_bits<16>,Layout<_8,_1>>"),
            "Sw<3,4,3> o smem_ptr[16b](unset) o _8:_1");
  EXPECT_EQ(read("ComposedLayout<Swizzle<3,4,3>,smem_ptr_flag_bits<6>,Layout<_8,_1>>"),
            "column 31: expected elements whose bits divide 256, found 6");
  EXPECT_EQ(read("ComposedLayout<Swizzle<3,4,3>,Layout<_8,_1>>"),
            "column 40: expected '>' after an offset, found ','");
}

TEST(SwizzledText, APointerHasTheBitsOfItsElements) {
  EXPECT_EQ(read("Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)"),
            "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)");
  for (const char* valid : {
           "Sw<3,4,3> o smem_ptr[1b](unset) o (8,1024):(1024,1)",  // of any type, as CuTe has it
           "Sw<3,4,3> o smem_ptr[4b](unset) o 8:1",
           "Sw<3,4,3> o smem_ptr[128b](unset) o 8:1",
           "Sw<2,0,-3> o smem_ptr[32b](unset) o 8:1",  // bytes 1, 2 and 3 begin no element
           "Sw<1,1,1> o smem_ptr[64b](unset) o 8:1",   // and addresses have no bit 1 or 2
           "Sw<1,59,1> o smem_ptr[4b](unset) o 8:1",
       }) {
    EXPECT_EQ(read(valid), valid);
  }
  EXPECT_EQ(read("Sw<1,1,1> o smem_ptr[32b](unset) o 8:1"),
            "column 13: expected a swizzle that moves whole elements of 32 bits, found Sw<1,1,1>");
  EXPECT_EQ(read("Sw<3,4,3> o smem_ptr[256b](unset) o 8:1"),
            "column 13: expected a swizzle that moves whole elements of 256 bits, found Sw<3,4,3>");
  EXPECT_EQ(read("Sw<1,60,1> o smem_ptr[4b](unset) o 8:1"),
            "column 14: expected bits + base + |shift| <= 61 for elements of 4 bits, found "
            "Sw<1,60,1>");
  for (const char* bits : {"6", "0", "-8", "24", "512"}) {
    EXPECT_EQ(read(absl::StrCat("Sw<1,4,1> o smem_ptr[", bits, "b](unset) o 8:1")),
              absl::StrCat("column 13: expected elements whose bits divide 256, found ", bits));
  }
  EXPECT_EQ(read("Sw<1,4,1> o smem_ptr[16](unset) o 8:1"),
            "column 22: expected the bits of an element and ']', such as 16b], found '16'");
  EXPECT_EQ(read("Sw<1,4,1> o smem_ptr(unset) o 8:1"),
            "column 21: expected '[' and the bits of an element after the pointer, found '('");
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
