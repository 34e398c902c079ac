// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/digit_layout.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "corpus/answers_testing.h"
#include "gtest/gtest.h"
#include "spec/lang/layout/blocked_text.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::impl {
namespace {

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

// Of a nested layout and the sizes of its array.
DigitLayout digits_in(absl::string_view text) {
  const auto [nested, dims] = parts_of<2>(text);
  return *digits_of(*parse_nested_layout(nested), numbers_of(dims));
}

TEST(DigitLayout, Answers) {
  expect_answers(
      "answers/digit_layouts.txt",
      {{"nested", nested_of},
       {"tiled", tiled_of},
       {"tiled_of_blocked", tiled_of_blocked},
       {"again", nested_again},
       {"blocked", blocked_of},
       {"simplest", [](auto text) { return to_text(to_nested(simplest(digits_in(text)))); }},
       {"of_array", [](auto text) { return text_of(digits_in(text)); }},
       {"blocked_of_array", [](auto text) { return blocked_text(digits_in(text)); }},
       {"digits_of_blocked",
        [](auto text) { return to_text(to_nested(*digits_of(*parse_blocked_shape(text)))); }}});
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

TEST(DigitLayout, AnArrayOf64DimensionsMayHaveATile) {
  std::string shape = "(4,2),(4,3)", stride = "(4,16),(1,32)";
  for (int i = 2; i < kMaxRank; ++i) {
    absl::StrAppend(&shape, ",1");
    absl::StrAppend(&stride, ",0");
  }
  EXPECT_EQ(tiled_of(absl::StrCat("(", shape, "):(", stride, ")")).find("this takes"),
            std::string::npos);
}

TEST(DigitLayout, ADigitOfOneValueNeedsNoRoomWhateverItsStride) {
  EXPECT_EQ(digits_in("(1,4):(7,1) 1,4").digits.size(), 2u);
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
  EXPECT_NE(tiles(34).find("this takes more than 64 tiles"), std::string::npos);
}

TEST(DigitLayout, RejectsPaddingBeyond64BitsAndTooManySizes) {
  std::string shape = "2", stride = "2";
  for (int i = 2; i < kMaxRank; ++i) {
    absl::StrAppend(&shape, ",1");
    absl::StrAppend(&stride, ",0");
  }
  EXPECT_EQ(tiled_of(absl::StrCat("(", shape, "):(", stride, ")")).find("this takes"),
            std::string::npos);
  EXPECT_NE(tiled_of(absl::StrCat("(", shape, ",2):(", stride, ",4)"))
                .find("this takes more than 64 tiles, or tiles of more than 64 sizes"),
            std::string::npos);
}

TEST(DigitLayout, SizesBeyond64BitsAreErrors) {
  const auto nested = *parse_nested_layout("((4294967296,4294967296,2),2):((1,1,1),1)");
  EXPECT_EQ(digits_of(nested, {4, 2}).status(),
            absl::OutOfRangeError("the size of mode 0 does not fit 64 signed bits"));
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

}  // namespace
}  // namespace tileproof::impl
