// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/any_layout.h"

#include <string>

#include "gtest/gtest.h"

namespace tileproof {
namespace {

std::string read(absl::string_view text) {
  const absl::StatusOr<AnyLayout> layout = parse_any_layout(text);
  return layout.ok() ? to_text(*layout) : std::string(layout.status().message());
}

TEST(AnyLayout, EachSystemIsRecognized) {
  for (const char* text :
       {"f32[3,5]{1,0:T(2,2)}", "((4,2),3):((1,4),8)", "zN:f16[64,96]", "dnnl:aBc16b:f32[2,20,5]",
        "Sw<3,3,3> o 0 o (8,64):(64,1)", "memref<4x8xf32>"}) {
    EXPECT_EQ(read(text), text);
  }
}

TEST(AnyLayout, ATypeOfTheCuteDialectHoldsALayout) {
  EXPECT_EQ(read("!cute.layout<\"(4,8):(8,1)\">"), "(4,8):(8,1)");
  EXPECT_EQ(read("!cute.composed_layout<\"S<3,4,3> o 0 o (8,64):(64,1)\">"),
            "Sw<3,4,3> o 0 o (8,64):(64,1)");
  EXPECT_EQ(read("!cute.layout<\"(4,8):(8,x)\">"),
            "column 24: expected a stride, one integer as in the shape, found 'x'");
  EXPECT_EQ(read("!cute.layout<\"(4,8):(8,1)\"> x").substr(0, 10), "column 1: ");
}

TEST(AnyLayout, AnArrayOfNumpyHasStridesInBytes) {
  EXPECT_EQ(read("f32[3,5] strides=(20,4)"), "memref<3x5xf32, strided<[5, 1]>>");
  EXPECT_EQ(read("bf16[4] strides=(-2,)"), "memref<4xbf16, strided<[-1]>>");
  EXPECT_EQ(read("f64[2,3,4] strides = (8, 64, 16)"), "memref<2x3x4xf64, strided<[1, 8, 2]>>");
  EXPECT_EQ(read("f32[3,5] strides=(20,2)"),
            "column 22: expected a stride of whole elements of 4 bytes, found 2");
  EXPECT_EQ(read("f32[3,5] strides=(20)"), "column 1: expected 2 strides, found 1");
  EXPECT_EQ(read("f32[<=3] strides=(4)"),
            "column 1: expected an array of known sizes without a layout before strides");
  EXPECT_EQ(read("f32[3] strides=4"), "column 16: expected '(' to open the strides, found '4'");
}

TEST(AnyLayout, ErrorsNameWhatWasMeant) {
  EXPECT_EQ(read("memrif<4xf32>"),
            "column 1: expected a layout, found 'memrif'; did you mean 'memref'?");
  EXPECT_EQ(read("Swizle<3,3,3> o 8:1"),
            "column 1: expected a layout, found 'Swizle'; did you mean 'Swizzle'?");
  EXPECT_EQ(read("tensor<4xf32>"), "column 1: expected an element type, found 'tensor'");
  EXPECT_EQ(read("g32[3]"), "column 1: expected an element type, found 'g32'; did you mean 'f32'?");
  EXPECT_EQ(read("memrif[3]"), "column 1: expected an element type, found 'memrif'");
  EXPECT_EQ(read("dnml:ab:f32[2,3]").substr(0, 27), "column 1: expected a tag: R");
}

}  // namespace
}  // namespace tileproof
