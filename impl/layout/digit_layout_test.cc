// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/digit_layout.h"

#include <string>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/layout/blocked_text.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::impl {
namespace {

using ::testing::HasSubstr;

std::string nested_of(absl::string_view shape) {
  const absl::StatusOr<DigitLayout> digits = digits_of(*parse_shape(shape));
  return digits.ok() ? to_text(to_nested(simplest(*digits)))
                     : std::string(digits.status().message());
}

std::vector<int64_t> sizes(const tileproof::NestedLayout& layout) {
  std::vector<int64_t> result;
  for (int64_t d = 0; d < rank(layout.shape); ++d) {
    result.push_back(1);
    for (int64_t extent : leaves(mode(layout, d).shape)) result.back() *= extent;
  }
  return result;
}

std::string text_of(const DigitLayout& digits) {
  const absl::StatusOr<Layout> layout = to_tiled(digits);
  if (!layout.ok()) return std::string(layout.status().message());
  const std::string text = to_text(make_array(ElementType::kF32, digits.dims, *layout));
  return text.substr(text.find('{'));
}

std::string tiled_of(absl::string_view nested) {
  const tileproof::NestedLayout layout = *parse_nested_layout(nested);
  return text_of(simplest(*digits_of(layout, sizes(layout))));
}

std::string tiled_of_blocked(absl::string_view text) {
  return text_of(*digits_of(*parse_blocked_shape(text)));
}

std::string nested_again(absl::string_view nested) {
  const tileproof::NestedLayout layout = *parse_nested_layout(nested);
  return to_text(to_nested(*digits_of(layout, sizes(layout))));
}

std::string blocked_text(const DigitLayout& digits) {
  const absl::StatusOr<BlockedFormat> format = to_blocked(digits);
  return format.ok() ? to_text(*format) : std::string(format.status().message());
}

std::string blocked_of(absl::string_view shape) {
  const absl::StatusOr<DigitLayout> digits = digits_of(*parse_shape(shape));
  if (!digits.ok()) return std::string(digits.status().message());
  return blocked_text(simplest(*digits));
}

TEST(DigitLayout, TiledToNested) {
  EXPECT_EQ(nested_of("f32[3,5]{1,0:T(2,2)}"), "((2,2),(2,3)):((2,12),(1,4))");
  EXPECT_EQ(nested_of("f16[64,96]{0,1:T(16,16)(16,1)}"), "(64,(16,6)):(16,(1,1024))");
  EXPECT_EQ(nested_of("f32[4,1,6]{0,2,1}"), "(4,1,6):(1,0,4)");
  EXPECT_EQ(nested_of("f32[5]{0:T(8)(4)}"), "(5):(1)");
  EXPECT_EQ(nested_of("f32[]"), "():()");
  EXPECT_EQ(nested_of("f32[0,4]"), "(0,4):(0,0)");
  EXPECT_EQ(nested_of("bf16[16,256]{1,0:T(8,128)(2,1)}"),
            "((2,4,2),(128,2)):((1,256,2048),(2,1024))");
}

TEST(DigitLayout, AdjacentDigitsMerge) {
  // 8 is padded to 9 and cut by 3, and both parts are adjacent again.
  EXPECT_EQ(nested_of("f32[64]{0:T(8)(3)}"), "((8,8)):((1,9))");
}

// Consecutive blocks are one digit, which ends with the dimension.
TEST(DigitLayout, ADigitEndsWithItsDimension) {
  const auto digits = digits_of(*parse_blocked_shape("dnnl:A4a:f32[5]"));
  ASSERT_TRUE(digits.ok()) << digits.status();
  EXPECT_EQ(to_text(to_nested(*digits)), "((4,2)):((1,4))");
  EXPECT_EQ(to_text(to_nested(simplest(*digits))), "(5):(1)");
}

TEST(DigitLayout, RejectsATileThatCutsADigit) {
  EXPECT_THAT(nested_of("f32[64,2]{0,1:T(2,8)(2,3)}"), HasSubstr("cuts through digits"));
  EXPECT_THAT(nested_of("f32[2,3]{1,0:T(*,2)(2,1)}"), HasSubstr("cuts through digits"));
}

TEST(DigitLayout, NestedToTiled) {
  EXPECT_EQ(tiled_of("(3,5):(5,1)"), "{1,0}");
  EXPECT_EQ(tiled_of("(3,5):(1,3)"), "{0,1}");
  EXPECT_EQ(tiled_of("((16,4),(16,6)):((16,256),(1,1024))"), "{0,1:T(16,1)}");
  EXPECT_EQ(tiled_of("((4,2),(4,3)):((4,16),(1,32))"), "{0,1:T(4,1)}");
  EXPECT_EQ(tiled_of("((2,4,2),(128,2)):((1,256,2048),(2,1024))"), "{1,0:T(8,128)(2,1)}");
}

TEST(DigitLayout, AmongEqualStridesTheDigitOfOneElementIsLast) {
  const auto digits = digits_of(*parse_nested_layout("(1,2):(1,1)"), {1, 2});
  ASSERT_TRUE(digits.ok()) << digits.status();
  EXPECT_EQ(digits->digits[0].dimension, 1);
  EXPECT_EQ(digits->digits[1].dimension, 0);
}

TEST(DigitLayout, EqualStridesAndSizesKeepTheOrderOfDimensions) {
  for (const int64_t size : {1, 2}) {
    const auto nested = parse_nested_layout(absl::StrCat("(", size, ",", size, "):(1,1)"));
    const auto digits = digits_of(*nested, {size, size});
    ASSERT_TRUE(digits.ok()) << digits.status();
    EXPECT_EQ(digits->digits[0].dimension, 0);
    EXPECT_EQ(digits->digits[1].dimension, 1);
  }
}

TEST(DigitLayout, AnArrayWithoutElementsHasNoDigits) {
  EXPECT_TRUE(digits_of(*parse_nested_layout("(0,4):(4,1)"), {0, 4})->digits.empty());
}

TEST(DigitLayout, TheSimplestFormHasNoZeroDigitsAndNoContinuedDigits) {
  const auto simple = [](absl::string_view nested, int64_t size) {
    return to_text(to_nested(simplest(*digits_of(*parse_nested_layout(nested), {size}))));
  };
  EXPECT_EQ(simple("((4,3)):((1,7))", 4), "(4):(1)");
  EXPECT_EQ(simple("((1,4)):((7,1))", 4), "(4):(1)");
  EXPECT_EQ(simple("((2,2,3)):((1,2,7))", 12), "((4,3)):((1,7))");
}

// If they have at least one element, both are the lowest digit.
TEST(DigitLayout, DigitsWithEqualDivisorsStayInMemoryOrder) {
  EXPECT_EQ(nested_again("((1,4)):((0,1))"), "((4,1)):((1,0))");
  EXPECT_EQ(nested_again("((4,1)):((1,0))"), "((4,1)):((1,0))");
  EXPECT_EQ(nested_again("((1,4)):((2,1))"), "((1,4)):((2,1))");
}

TEST(DigitLayout, TilesRemoveDigitsWithEqualDivisorsInMemoryOrder) {
  const DigitLayout digits = *digits_of(*parse_nested_layout("((1,4),2):((8,1),4)"), {4, 2});
  EXPECT_EQ(text_of(digits), "{1,0:T(4,1)}");
}

TEST(DigitLayout, AnArrayOf64DimensionsMayHaveATile) {
  std::string shape = "(4,2),(4,3)", stride = "(4,16),(1,32)";
  for (int i = 2; i < kMaxRank; ++i) {
    absl::StrAppend(&shape, ",1");
    absl::StrAppend(&stride, ",0");
  }
  EXPECT_EQ(tiled_of(absl::StrCat("(", shape, "):(", stride, ")")).find("this takes"),
            std::string::npos);
}

TEST(DigitLayout, DigitsOutOfOrderInOneDimensionNeedMoreTiles) {
  EXPECT_EQ(tiled_of("((2,2)):((2,1))"), "{0:T(2)(2,1)}");
  EXPECT_EQ(tiled_of("((2,2,2)):((4,2,1))"), "{0:T(2)(4,1)(2,1)(2,1,1,1)}");
}

// Digits inside a dimension that is not the first, and inside the rest of one.
TEST(DigitLayout, ADigitInsideADimensionSplitsTheOuterPartOff) {
  for (const auto& [nested, dims, tiled] :
       {std::tuple("((2,2),(2,2)):((1,8),(4,2))", "[4,4]", "{1,0:T(2,4)(2)(2,2,1)(2,1,1)}"),
        {"((2,2,2,2)):((4,1,8,2))", "[16]", "{0:T(8)(2,4)(2)(2,2,1)}"},
        {"((2,2),2,(2,2)):((1,16),8,(4,2))", "[4,2,4]", "{2,1,0:T(2,1,4)(2)(2,1,2,1)(2,1,1,1)}"}}) {
    EXPECT_EQ(tiled_of(nested), tiled);
    EXPECT_EQ(nested_of(absl::StrCat("f32", dims, tiled)), nested);
  }
}

// Positions of a mode beyond the end of its dimension.
TEST(DigitLayout, PadsAModeThatIsLongerThanItsDimension) {
  const auto tiled = [](absl::string_view nested, int64_t size) {
    return text_of(*digits_of(*parse_nested_layout(nested), {size}));
  };
  EXPECT_EQ(tiled("5:1", 5), "{0}");
  EXPECT_EQ(tiled("5:1", 4), "{0:T(5)}");
  EXPECT_EQ(tiled("((4,3)):((1,4))", 5), "{0:T(12)(4)}");
}

TEST(DigitLayout, ADimensionHasUpTo63Bits) { EXPECT_EQ(tiled_of("4611686018427387905:1"), "{0}"); }

TEST(DigitLayout, ADigitOfOneValueNeedsNoRoomWhateverItsStride) {
  const DigitLayout digits = *digits_of(*parse_nested_layout("(1,4):(7,1)"), {1, 4});
  ASSERT_EQ(digits.digits.size(), 2u);
  EXPECT_EQ(text_of(digits), "{0,1}");
  EXPECT_EQ(blocked_text(digits), "ba");
}

// Each tile removes one of the digits of one value, except for the last.
TEST(DigitLayout, ATiledLayoutHasUpTo64Tiles) {
  const auto tiles = [](int digits) {
    std::string shape, stride;
    for (int i = 0; i < digits; ++i) {
      absl::StrAppend(&shape, i == 0 ? "" : ",", 1);
      absl::StrAppend(&stride, i == 0 ? "" : ",", 1);
    }
    const auto nested = parse_nested_layout(
        absl::StrCat("((", shape, "),(", shape, ")):((", stride, "),(", stride, "))"));
    const absl::StatusOr<Layout> layout = to_tiled(*digits_of(*nested, {1, 1}));
    return layout.ok() ? absl::StrCat(layout->tiles.size())
                       : std::string(layout.status().message());
  };
  EXPECT_EQ(tiles(33), "64");
  EXPECT_THAT(tiles(34), HasSubstr("this takes more than 64 tiles"));
}

TEST(DigitLayout, ADigitOfOneValueIsABlockOfOne) {
  EXPECT_EQ(blocked_text(*digits_of(*parse_nested_layout("((1,4,2)):((4,1,4))"), {8})), "A1a4a");
}

// The gaps between the digits of the first dimension are padding of the second.
TEST(DigitLayout, AGapBetweenBlocksIsABlockOfALowerDimension) {
  EXPECT_EQ(blocked_text(*digits_of(*parse_nested_layout("((2,2),2):((2,8),1)"), {4, 2})),
            "AB2b2a2b");
}

TEST(DigitLayout, RejectsAGapBetweenBlocks) {
  EXPECT_EQ(blocked_text(*digits_of(*parse_nested_layout("((2,2),2):((2,1),8)"), {4, 2})),
            "the digit of 2 of dimension 0 has places left above it that no block takes");
  EXPECT_EQ(blocked_text(*digits_of(*parse_nested_layout("((3,2),2):((2,7),1)"), {6, 2})),
            "the stride 7 is no multiple of the next smaller one");
}

TEST(DigitLayout, GapsArePadding) {
  EXPECT_EQ(tiled_of("(3,5):(8,1)"), "{1,0:T(8)}");
  EXPECT_EQ(tiled_of("(60,(16,6)):(16,(1,1024))"), "{0,1:T(16,64)(16,1)}");
  EXPECT_EQ(tiled_of("3:2"), "{0:T(2,1)}");
  EXPECT_THAT(tiled_of("(2,2):(3,2)"), HasSubstr("less than the 4 places"));
  EXPECT_EQ(tiled_of("(2,3,2):(17,2,1)"), "{2,1,0:T(*,17)}");
  EXPECT_THAT(tiled_of("(2,2):(0,1)"), HasSubstr("stride 0, less than"));
  EXPECT_THAT(tiled_of("(2,2):(-2,1)"), HasSubstr("stride -2, less than"));
}

TEST(DigitLayout, RejectsPaddingBeyond64BitsAndTooManySizes) {
  EXPECT_THAT(tiled_of("((2,2,2)):((1,2147483648,4611686018427387904))"),
              HasSubstr("a padded dimension does not fit 64 signed bits"));
  std::string shape = "2", stride = "2";
  for (int i = 2; i < kMaxRank; ++i) {
    absl::StrAppend(&shape, ",1");
    absl::StrAppend(&stride, ",0");
  }
  EXPECT_EQ(tiled_of(absl::StrCat("(", shape, "):(", stride, ")")).find("this takes"),
            std::string::npos);
  EXPECT_THAT(tiled_of(absl::StrCat("(", shape, ",2):(", stride, ",4)")),
              HasSubstr("this takes more than 64 tiles, or tiles of more than 64 sizes"));
}

TEST(DigitLayout, SizesBeyond64BitsAreErrors) {
  const auto nested = *parse_nested_layout("((4294967296,4294967296,2),2):((1,1,1),1)");
  EXPECT_EQ(digits_of(nested, {4, 2}).status(),
            absl::OutOfRangeError("the size of mode 0 does not fit 64 signed bits"));
}

TEST(DigitLayout, OuterDimensionsOfABlockedFormatCountItsBlocks) {
  const auto digits = digits_of(*parse_blocked_shape("dnnl:aB16b:f32[3,40]"));
  ASSERT_TRUE(digits.ok()) << digits.status();
  EXPECT_EQ(to_text(to_nested(*digits)), "(3,(16,3)):(48,(1,16))");
}

TEST(DigitLayout, RejectsHandMadeSizesBeyond64Bits) {
  BlockedShape shape = *parse_blocked_shape("dnnl:ab:f32[2,2]");
  shape.dims = {int64_t{1} << 32, int64_t{1} << 32};
  EXPECT_EQ(digits_of(shape).status().message(),
            "the padded number of elements does not fit 64 signed bits");
  shape = *parse_blocked_shape("dnnl:abc:f32[2,2,2]");
  shape.dims = {1, int64_t{1} << 32, int64_t{1} << 32};
  EXPECT_EQ(digits_of(shape).status().message(),
            "the padded number of elements does not fit 64 signed bits");
}

TEST(DigitLayout, BlockedToTiled) {
  EXPECT_EQ(tiled_of_blocked("dnnl:nChw16c:f32[2,32,5,5]"), "{3,2,1,0:T(16,1,1)}");
  EXPECT_EQ(tiled_of_blocked("dnnl:OIhw4i16o4i:f32[31,9,3,3]"), "{3,2,1,0:T(16,16,1,1)(16,4,1,1)}");
  EXPECT_EQ(tiled_of_blocked("dnnl:OIhw8o16i2o:f32[1,1,1,1]"), "{3,2,1,0:T(16,16,1,1)(2,1,1,1)}");
  EXPECT_EQ(tiled_of_blocked("dnnl:acdb:f32[1,1,1,1]"), "{1,3,2,0}");
}

TEST(DigitLayout, TiledToBlocked) {
  EXPECT_EQ(blocked_of("f32[2,32,5,5]{3,2,1,0:T(16,1,1)}"), "aBcd16b");
  EXPECT_EQ(blocked_of("f32[32,36]{1,0:T(64,32)(64,2)}"), "BA64a2b");
  EXPECT_EQ(blocked_of("f32[3,5]{1,0:T(8)}"), "aB8b");
  EXPECT_EQ(blocked_of("f32[6,2]{0,1}"), "ba");
  EXPECT_THAT(blocked_of("f32[4]{0:T(2)(2,1)}"), HasSubstr("blocks are written outermost first"));
  EXPECT_THAT(blocked_of("f32[]"), HasSubstr("1 to 12 dimensions"));
  EXPECT_EQ(blocked_of("f32[2,1,1,1,1,1,1,1,1,1,1,3]"), "albcdefghijk");
  EXPECT_THAT(blocked_of("f32[2,1,1,1,1,1,1,1,1,1,1,1,3]"), HasSubstr("this array has 13"));
  EXPECT_EQ(blocked_of("f32[3,1]{1,0:T(2)}"), "aB2b");
  EXPECT_EQ(blocked_of("f32[1,32,3,1]{3,2,1,0:T(16,16,1)(16,4,1)}"), "BCAd4a16b4c");
  EXPECT_THAT(blocked_of("f32[3]{0:T(1)(2)}"), HasSubstr("no block takes"));
  EXPECT_THAT(blocked_of("f32[1,6]{1,0:T(3)(4)}"), HasSubstr("no block takes"));  // 4 places for 3
}

}  // namespace
}  // namespace tileproof::impl
