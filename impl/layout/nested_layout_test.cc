// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/nested_layout.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "corpus/answers_testing.h"
#include "spec/lang/layout/nested_text.h"

namespace tileproof::impl {
namespace {

NestedLayout layout_of(absl::string_view text) {
  const auto layout = parse_nested_layout(text);
  EXPECT_TRUE(layout.ok()) << layout.status();
  return *NestedLayout::create(*layout);
}

std::string coordinate_in(absl::string_view text) {
  const auto [layout, offset] = parts_of<2>(text);
  return answer_text(layout_of(layout).coordinate_at(numbers_of(offset)[0]));
}

std::string offset_in(absl::string_view text) {
  const auto [layout, coordinate] = parts_of<2>(text);
  return answer_text(layout_of(layout).offset(*parse_coordinate(coordinate)));
}

// The integer of a coordinate of a mode.
std::string index_in(absl::string_view text) {
  const auto [coordinate, mode] = parts_of<2>(text);
  return answer_text(mode_index(*parse_int_tuple(coordinate), *parse_int_tuple(mode)));
}

std::string tile_of(absl::string_view text) {
  const auto [layout, tile] = parts_of<2>(text);
  return answer_text(make_layout_tile(*parse_nested_layout(layout), numbers_of(tile)));
}

std::string row_major(absl::string_view text) {
  const std::vector<int64_t> sizes = numbers_of(text);
  return answer_text(make_layout(Tag::kRowMajor, 8, sizes.at(0), sizes.at(1)));
}

TEST(NestedClosedForm, Answers) {
  expect_answers(
      "answers/nested_closed_forms.txt",
      {{"coordinate_at", coordinate_in},
       {"offset", offset_in},
       {"mode_index", index_in},
       {"tile", tile_of},
       {"row_major", row_major},
       {"layout", [](auto text) { return to_text(layout_of(text).layout()); }},
       {"size", [](auto text) { return answer_text(layout_of(text).size()); }},
       {"formula", [](auto text) { return layout_of(text).formula(); }},
       {"make", [](auto text) { return answer_text(make_layout(*parse_tagged_shape(text))); }}});
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
  EXPECT_EQ(coordinate_in(absl::StrCat("(3,(", twos, "),(", twos, ")):(1,(", threes, "),(", threes,
                                       ")) 360")),
            absl::StrCat("(0,(", ones, "),(", ones, "))"));
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
  EXPECT_EQ(coordinate_in(absl::StrCat("(", shape, "):(", stride, ") ", sum + 1)),
            "too many coordinates overlap for the search");
}

TEST(NestedClosedForm, ATaggedShapeHasTwoSizes) {
  EXPECT_FALSE(make_layout(TaggedShape{Tag::kzN, ElementType::kF16, {64}}).ok());
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
