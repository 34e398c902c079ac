// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/nested_layout.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "impl/layout/nested_tags.h"
#include "spec/lang/layout/nested_text.h"

namespace tileproof::impl {
namespace {

NestedLayout layout_of(absl::string_view text) {
  const auto layout = parse_nested_layout(text);
  EXPECT_TRUE(layout.ok()) << layout.status();
  return *NestedLayout::create(*layout);
}

std::string found(absl::string_view layout, int64_t offset) {
  const auto coordinate = layout_of(layout).coordinate_at(offset);
  if (!coordinate.ok()) return std::string(coordinate.status().message());
  return coordinate->has_value() ? to_text(**coordinate) : "nothing";
}

TEST(NestedClosedForm, KeepsItsLayout) {
  EXPECT_EQ(to_text(layout_of("((4,2),(4,3)):((4,16),(1,32))").layout()),
            "((4,2),(4,3)):((4,16),(1,32))");
}

TEST(NestedClosedForm, FormulasMergeContinuedDigits) {
  EXPECT_EQ(layout_of("((4,2),(4,3)):((4,16),(1,32))").formula(),
            "d0 * 4 + d1 mod 4 + (d1 floordiv 4) * 32");
  EXPECT_EQ(layout_of("(2,3):(3,1)").formula(), "d0 * 3 + d1");
  EXPECT_EQ(layout_of("24:1").formula(), "d0");
  EXPECT_EQ(layout_of("((2,(1,3)),4):((5,(0,10)),0)").formula(), "d0 * 5");
  EXPECT_EQ(layout_of("((2,3,4),5):((0,1,-3),7)").formula(),
            "(d0 floordiv 2) mod 3 + (d0 floordiv 6) * -3 + d1 * 7");
  EXPECT_EQ(layout_of("((2,3,4)):((0,1,3))").formula(), "d0 floordiv 2");
  EXPECT_EQ(layout_of("((4,2)):((16,1))").formula(), "(d0 mod 4) * 16 + d0 floordiv 4");
  EXPECT_EQ(layout_of("((4294967296,4294967296,2)):((1,4294967296,5))").formula(), "d0");
  EXPECT_EQ(layout_of("():()").formula(), "0");
  EXPECT_EQ(layout_of("((0,2)):((1,5))").formula(), "0");  // has no integer coordinates
}

TEST(NestedClosedForm, TheInverseOfALayoutOfAnySize) {
  EXPECT_EQ(found("((4,2),(4,3)):((4,16),(1,32))", 37), "((1,0),(1,1))");
  EXPECT_EQ(found("(4294967296,1073741824):(1,4294967296)", 4294967296 * 5 + 7), "(7,5)");
  EXPECT_EQ(found("(4294967296,1073741824):(1073741824,1)", int64_t{1073741824} * 5 + 7), "(5,7)");
  EXPECT_EQ(found("(2305843009213693952,2):(-2,1)", -7), "(4,1)");
  EXPECT_EQ(found("(3,3):(1,1)", 2), "(2,0)");
  EXPECT_EQ(found("(3,3):(2,4)", 3), "nothing");
  EXPECT_EQ(found("(0,3):(2,4)", 0), "nothing");
  EXPECT_EQ(found("(5,7):(0,3)", 6), "(0,2)");
}

// The last digit is odd, and the rest is not a sum of the even digits before it unless the digit is
// larger.
TEST(NestedClosedForm, TheInverseTriesTheValuesOfADigitInTurn) {
  EXPECT_EQ(found("((2,2,100)):((2,20,3))", 9), "((0,0,3))");
  EXPECT_EQ(found("((2,2,100)):((2,20,3))", 7), "nothing");
}

// For each digit but the first, a value smaller by one would leave one too many to the digits
// before.
TEST(NestedClosedForm, TheInverseTriesNoValueThatLeavesTooMuch) {
  std::string twos = "2", threes = "3", ones = "1";
  for (int i = 1; i < 60; ++i) {
    absl::StrAppend(&twos, ",2");
    absl::StrAppend(&threes, ",3");
    absl::StrAppend(&ones, ",1");
  }
  EXPECT_EQ(
      found(absl::StrCat("(3,(", twos, "),(", twos, ")):(1,(", threes, "),(", threes, "))"), 360),
      absl::StrCat("(0,(", ones, "),(", ones, "))"));
}

TEST(NestedClosedForm, OffsetsHaveAll64Bits) {
  EXPECT_EQ(layout_of("2:-9223372036854775808").offset(make_integer(1)).value_or(0), INT64_MIN);
  EXPECT_EQ(layout_of("2:9223372036854775807").offset(make_integer(1)).value_or(0), INT64_MAX);
  EXPECT_EQ(layout_of("9223372036854775807:1").size().value_or(0), INT64_MAX);
  EXPECT_EQ(layout_of("(4294967296,4294967296,0):(0,0,0)").size().value_or(-1), 0);
}

TEST(NestedClosedForm, RejectsCoordinatesOfAnotherNesting) {
  const auto error = [](absl::string_view layout, absl::string_view coordinate) {
    return std::string(layout_of(layout).offset(*parse_coordinate(coordinate)).status().message());
  };
  EXPECT_EQ(error("(4,2):(1,10)", "1,1,1"),
            "expected a coordinate of 2 elements or an integer, found 3");
  EXPECT_EQ(error("(4,2):(1,10)", "(1,(1,1))"),
            "expected a coordinate of 1 integer, found a tuple of 2");
  EXPECT_EQ(error("(4,2):(1,10)", "((1),1)"),
            "expected a coordinate of 1 integer, found a tuple of 1");
}

TEST(NestedClosedForm, TheIntegerOfACoordinateOfAMode) {
  const auto index = [](absl::string_view coordinate, absl::string_view mode) {
    const auto found = mode_index(*parse_int_tuple(coordinate), *parse_int_tuple(mode));
    return found.ok() ? absl::StrCat(*found) : std::string(found.status().message());
  };
  EXPECT_EQ(index("(1,2)", "(4,3)"), "9");
  EXPECT_EQ(index("((1,1),2)", "((2,2),3)"), "11");
  EXPECT_EQ(index("(3,2)", "((2,2),3)"), "11");
  EXPECT_EQ(index("11", "((2,2),3)"), "11");
  EXPECT_EQ(index("12", "((2,2),3)"), "index 12 is not in the mode ((2,2),3)");
  EXPECT_EQ(index("(1,-1)", "(4,3)"), "index -1 is not in the mode 3");
  EXPECT_EQ(index("(4,0)", "(4,3)"), "index 4 is not in the mode 4");
  EXPECT_EQ(index("(1,2,0)", "(4,3)"), "expected a coordinate of the mode (4,3), found (1,2,0)");
  EXPECT_EQ(index("(1)", "4"), "expected a coordinate of the mode 4, found (1)");
  EXPECT_EQ(index("(1,1)", "(9223372036854775807,9223372036854775807)"),
            "the coordinate does not fit 64 bits");
}

TEST(NestedClosedForm, TheInverseGivesUpInsteadOfHanging) {
  // A subset sum: many digits of two values, strides without order or common divisor.
  std::string shape, stride;
  int64_t sum = 0;
  for (int64_t i = 0, x = 1; i < 60; ++i) {
    x = x * 48271 % 2147483647;
    absl::StrAppend(&shape, i == 0 ? "" : ",", 2);
    absl::StrAppend(&stride, i == 0 ? "" : ",", x * 2 + 1);
    if (i % 2 == 0) sum += x * 2 + 1;
  }
  EXPECT_EQ(found(absl::StrCat("(", shape, "):(", stride, ")"), sum + 1),
            "too many coordinates overlap for the search");
}

// The last digit is even, so its value 8192 is the 4097th. Each value takes one step, as does each
// of the two digits before it.
TEST(NestedClosedForm, TheInverseTakes4096StepsAndOneForEachDigit) {
  EXPECT_EQ(found("(2,2,10000):(2,20000,1)", 8194), "(1,0,8192)");
  EXPECT_EQ(found("(2,2,10000):(2,20000,1)", 8196), "too many coordinates overlap for the search");
}

TEST(NestedClosedForm, AModeOfOneElementDoesNotHideACommonDivisor) {
  // All other strides are even. Without that fact the search would try tens of thousands of values.
  EXPECT_EQ(found("(1,100,100,100,100):(1,6,10,14,22)", 1601), "nothing");
  EXPECT_EQ(found("(1,100,100,100):(1,6,10,14)", 602), "(0,97,2,0)");
}

// The stride of the first digit allows one of a million values of the second.
TEST(NestedClosedForm, TheInverseUsesTheStridesOfEarlierDigits) {
  EXPECT_EQ(found("(1048576,1048576):(1048576,1048577)",
                  int64_t{5} * 1048576 + int64_t{700000} * 1048577),
            "(5,700000)");
}

TEST(NestedClosedForm, RejectsTagsWithNegativeSizes) {
  const auto made = [](int64_t rows, int64_t cols) {
    const auto layout = make_layout(Tag::kRowMajor, 8, rows, cols);
    return layout.ok() ? to_text(*layout) : std::string(layout.status().message());
  };
  EXPECT_EQ(made(-1, 3), "expected rows and cols of at least 0, found -1 and 3");
  EXPECT_EQ(made(3, -1), "expected rows and cols of at least 0, found 3 and -1");
  EXPECT_EQ(made(0, 0), "(0,0):(0,1)");
}

TEST(NestedClosedForm, ATaggedShapeHasALayoutIfItIsValid) {
  TaggedShape tagged = *parse_tagged_shape("zN:f16[64,96]");
  EXPECT_EQ(to_text(*make_layout(tagged)), "((16,4),(16,6)):((16,256),(1,1024))");
  tagged.dims.pop_back();
  EXPECT_FALSE(make_layout(tagged).ok());
}

TEST(NestedClosedForm, RejectsTilesWithNegativeSizesOrDeeperModes) {
  const auto tile_of = [](absl::string_view layout, int64_t size) {
    const auto tile = make_layout_tile(*parse_nested_layout(layout), {size});
    return tile.ok() ? to_text(*tile) : std::string(tile.status().message());
  };
  EXPECT_EQ(tile_of("4:1", 0), "0:1");
  EXPECT_EQ(tile_of("4:1", -1), "expected no negative tile size, found -1");
  EXPECT_EQ(tile_of("(((2,2),3)):(((1,2),4))", 6), "expected mode 0 to be flat or (inner,outer)");
}

TEST(NestedClosedForm, ManyDigitsNeedNoDeepRecursion) {
  std::string part = "2";
  std::string ones = "1";
  for (int level = 0; level < 3; ++level) {  // 64^3 digits
    std::string shapes = part, strides = ones;
    for (int i = 1; i < 64; ++i) {
      absl::StrAppend(&shapes, ",", part);
      absl::StrAppend(&strides, ",", ones);
    }
    part = absl::StrCat("(", shapes, ")");
    ones = absl::StrCat("(", strides, ")");
  }
  const NestedLayout layout = layout_of(absl::StrCat(part, ":", ones));
  EXPECT_EQ(*layout.cosize(), 64 * 64 * 64 + 1);
  EXPECT_TRUE((*layout.coordinate_at(64 * 64 * 64)).has_value());
  EXPECT_FALSE((*layout.coordinate_at(64 * 64 * 64 + 1)).has_value());
  EXPECT_FALSE(layout.size().ok());
  EXPECT_EQ(*layout.offset(make_integer(5)), 2);
}

}  // namespace
}  // namespace tileproof::impl
