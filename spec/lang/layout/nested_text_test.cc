// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/nested_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace tileproof {
namespace {

std::string repeated(absl::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) absl::StrAppend(&result, std::string(text));
  return result;
}

std::string error_of(const std::string& text) {
  const auto layout = parse_nested_layout(text);
  return layout.ok() ? absl::StrCat("no error: ", to_text(*layout))
                     : std::string(layout.status().message());
}

TEST(NestedText, LimitsNestingAndRank) {
  const auto nested = [](int levels) {
    const std::string tuple = repeated("(", levels) + "4" + repeated(")", levels);
    return absl::StrCat(tuple, ":", tuple);
  };
  const auto deepest = parse_nested_layout(nested(1000));
  ASSERT_TRUE(deepest.ok()) << deepest.status();
  EXPECT_EQ(to_text(*deepest), nested(1000));
  EXPECT_EQ(depth(deepest->shape), 1000);
  EXPECT_TRUE(validate(*deepest).ok());
  EXPECT_EQ(error_of(nested(1001)), "column 1001: expected nesting of at most 1000");
  EXPECT_EQ(error_of(repeated("(", 1 << 20)), "column 1001: expected nesting of at most 1000");

  const std::string tuple = repeated("(", 1000) + "4" + repeated(")", 1000);
  EXPECT_TRUE(parse_int_tuple(tuple).ok());
  EXPECT_FALSE(parse_int_tuple("(" + tuple + ")").ok());
  const auto wide = [](int elements) { return "(1" + repeated(",1", elements - 1) + ")"; };
  EXPECT_TRUE(parse_int_tuple(wide(64)).ok());
  EXPECT_EQ(parse_int_tuple(wide(65)).status().message(),
            "column 130: expected at most 64 elements in a tuple");

  IntTuple made = make_integer(4);
  for (int i = 0; i < 1001; ++i) made = make_tuple({made});
  EXPECT_EQ(validate(made).message(), "expected nesting of at most 1000, found more");
  EXPECT_FALSE(validate(NestedLayout{made, made}).ok());
  const IntTuple most = make_flat(std::vector<int64_t>(65, 1));
  EXPECT_EQ(validate(most).message(), "expected at most 64 elements in a tuple, found 65");
  EXPECT_FALSE(validate(NestedLayout{most, most}).ok());
  const auto in_layout = [](const std::string& shape) {
    return parse_nested_layout("Layout(" + shape + "," + shape + ")").ok();
  };
  EXPECT_TRUE(in_layout(tuple));
  EXPECT_FALSE(in_layout("(" + tuple + ")"));
}

TEST(NestedText, ValidatesLayoutsThatWereNotParsed) {
  const auto tuple = [](absl::string_view text) { return *parse_int_tuple(text); };
  EXPECT_TRUE(validate(NestedLayout{tuple("(2,(3))"), tuple("(1,(-2))")}).ok());
  EXPECT_FALSE(validate(NestedLayout{tuple("(2,(3))"), tuple("(1,2)")}).ok());
  EXPECT_FALSE(validate(NestedLayout{tuple("(2,-3)"), tuple("(1,2)")}).ok());
  EXPECT_EQ(validate(NestedLayout{tuple("(2,-1)"), tuple("(1,2)")}).message(),
            "expected an extent of at least 0, found -1");
}

TEST(NestedText, RankDepthAndElementsOfTuples) {
  const IntTuple tuple = *parse_int_tuple("(3,(4,(5,6)))");
  EXPECT_EQ(rank(tuple), 2);
  EXPECT_EQ(depth(tuple), 3);
  EXPECT_EQ(rank(*get(tuple, {1, 1})), 2);
  EXPECT_EQ(get(tuple, {1, 1, 0})->value, 5);
  EXPECT_EQ(get(tuple, {0, 0})->value, 3);
  EXPECT_EQ(get(tuple, {2}), nullptr);
  EXPECT_EQ(get(tuple, {-1}), nullptr);
  EXPECT_EQ(get(tuple, {0, 1}), nullptr);
  EXPECT_EQ(leaves(tuple), (std::vector<int64_t>{3, 4, 5, 6}));
  EXPECT_EQ(to_text(with_leaves(tuple, {1, 2, 3, 4})), "(1,(2,(3,4)))");
  EXPECT_FALSE(make_integer(7) == make_integer(8));
  EXPECT_FALSE(make_flat({7}) == make_flat({8}));
  EXPECT_FALSE(make_integer(0) == make_tuple({}));
  EXPECT_EQ(tla_bits(ElementType::kPred), 8);
  EXPECT_EQ(rank(make_integer(7)), 1);
  EXPECT_EQ(depth(make_integer(7)), 0);
  EXPECT_EQ(depth(make_tuple({})), 1);
  EXPECT_FALSE(congruent(tuple, *parse_int_tuple("(3,(4,5,6))")));
  EXPECT_FALSE(congruent(make_integer(3), make_tuple({})));
  EXPECT_FALSE(congruent(make_tuple({}), make_integer(3)));
}

TEST(TaggedText, PrintsWhatItReads) {
  for (const TagInfo& tag : tags()) {
    const std::string text = absl::StrCat(std::string(tag.name), tag.bits == 4 ? ":s4" : ":f16",
                                          "[64", tag.rank == 2 ? ",96]" : "]");
    const auto tagged = parse_tagged_shape(text);
    ASSERT_TRUE(tagged.ok()) << tagged.status();
    EXPECT_EQ(tagged->tag, tag.tag);
    EXPECT_EQ(to_text(*tagged), text);
  }
  EXPECT_TRUE(parse_tagged_shape(" zN : s4 [ 0, 3 ]").ok());
  EXPECT_EQ(parse_tagged_shape("Q4_0_4_4:f16[4,32]").status().message(),
            "column 10: expected an element type of 4 bits for Q4_0_4_4, found f16");
}

TEST(TaggedText, ValidatesShapesThatWereNotParsedLikeText) {
  EXPECT_TRUE(validate(TaggedShape{Tag::kzN, ElementType::kF16, {64, 96}}).ok());
  EXPECT_EQ(validate(TaggedShape{Tag::kzN, ElementType::kF16, {64, -96}}).message(),
            "expected a dimension of at least 0, found -96");
}

}  // namespace
}  // namespace tileproof
