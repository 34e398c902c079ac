// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/nested_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace tileproof {
namespace {

using ::testing::HasSubstr;

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

TEST(NestedText, PrintsWhatItReads) {
  for (const std::string text :
       {"((4,2),(4,3)):((4,16),(1,32))", "(_2,4):(_12,_1)", "4:1", "(4):(1)", "():()",
        "(0,3):(-1,0)", "(((_2,3),4),5):(((_-1,0),7),9223372036854775807)"}) {
    const auto layout = parse_nested_layout(text);
    ASSERT_TRUE(layout.ok()) << text << ": " << layout.status();
    EXPECT_EQ(to_text(*layout), text);
  }
}

TEST(NestedText, ReadsTheReprOfPycute) {
  const auto layout = parse_nested_layout("Layout((2, (3, 4)),(1, (2, 6)))");
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_EQ(to_text(*layout), "(2,(3,4)):(1,(2,6))");
  EXPECT_EQ(to_text(*parse_nested_layout("Layout(8,1)")), "8:1");
  EXPECT_EQ(to_text(*parse_nested_layout("(8,):(1,)")), "(8):(1)");
  EXPECT_FALSE(parse_nested_layout("(8,4,):(1,8)").ok());
  EXPECT_EQ(layout_form("Layout(8,1)"), LayoutForm::kNested);
  EXPECT_EQ(parse_nested_layout("Layout(8)").status().message(),
            "column 9: expected ',' between shape and stride, found ')'");
  EXPECT_FALSE(parse_nested_layout("Layout((2,3),1)").ok());
}

TEST(NestedText, StaticIntegersEqualTheirNumber) {
  const auto plain = parse_nested_layout("(2,4):(12,1)");
  const auto underscore = parse_nested_layout("(_2,4):(_12,_1)");
  const auto spelled = parse_nested_layout(" ( Int<2> , 4 ) : ( Int< 12 >,/* one */ Int<1>) ");
  ASSERT_TRUE(plain.ok() && underscore.ok() && spelled.ok());
  EXPECT_EQ(*plain, *underscore);
  EXPECT_EQ(*plain, *spelled);
  EXPECT_EQ(to_text(*spelled), "(_2,4):(_12,_1)");
}

// As compilers print the types of CUTLASS.
TEST(NestedText, ReadsTypesOfCxx) {
  for (const auto& [text, right] :
       {std::pair("Layout<Shape<_4,_8>,Stride<_8,_1>>", "(_4,_8):(_8,_1)"),
        {"cute::Layout<cute::tuple<cute::C<4>, cute::C<8> >, cute::tuple<cute::C<8>, cute::C<1> > "
         ">",
         "(_4,_8):(_8,_1)"},
        {"Layout<Shape<_4,Shape<_2,int>>,Stride<_1,Stride<_4,_8>>>", ""},
        {"Layout<Shape<_4,Shape<_2,3>>,Stride<_1,Stride<_4,_8>>>", "(_4,(_2,3)):(_1,(_4,_8))"},
        {"Layout<_8, Int<1>>", "_8:_1"},
        {"Shape<constant<int, 4>>:Stride<integral_constant<long, 2>>", "(_4):(_2)"},
        {"Layout<Shape<>,Stride<>>", "():()"}}) {
    const auto layout = parse_nested_layout(text);
    EXPECT_EQ(layout_form(text), LayoutForm::kNested) << text;
    EXPECT_EQ(layout.ok() ? to_text(*layout) : "", right) << layout.status();
  }
  EXPECT_EQ(error_of("Layout<Shape<_4,_8>>"),
            "column 20: expected ',' between shape and stride, found '>'");
  EXPECT_EQ(error_of("Layout<Shape<_4,_8),Stride<_8,_1>>"),
            "column 19: expected '>' to close the tuple, found ')'");
  EXPECT_EQ(error_of("Layout<_4,_1)"), "column 13: expected '>' to close the layout, found ')'");
  EXPECT_EQ(error_of("C<4:1"), "column 4: expected '>' to close C<, found ':'");
}

TEST(NestedText, WhatHasNoOffsetIsNamed) {
  EXPECT_EQ(error_of("(?,8):(8,1)"),
            "column 2: expected an extent that is known when the program is compiled, found '?'");
  EXPECT_EQ(error_of("(4,8):(?,1)"),
            "column 8: expected a stride that is known when the program is compiled, found '?'");
  EXPECT_THAT(error_of("(4,8):(1@0,1@1)"), HasSubstr("column 8: expected a stride in elements: one "
                                                     "with '@' gives coordinates"));
  EXPECT_EQ(layout_form("(?,8):(8,1)"), LayoutForm::kNested);
}

TEST(NestedText, ErrorsNameThePosition) {
  EXPECT_EQ(error_of(""), "column 1: expected an extent or '(', found end of input");
  EXPECT_EQ(error_of("(2,3)"),
            "column 6: expected ':' between shape and stride, found end of input");
  EXPECT_EQ(error_of("(2,-3):(1,2)"), "column 4: expected an extent of at least 0, found -3");
  EXPECT_EQ(error_of("(2,x):(1,2)"), "column 4: expected an extent or '(', found 'x'");
  EXPECT_EQ(error_of("(2,_ 3):(1,2)"), "column 4: expected an extent or '(', found '_'");
  EXPECT_EQ(error_of("(2,3):1"),
            "column 7: expected a tuple of 2 strides, as the shape has, found '1'");
  EXPECT_EQ(error_of("(2,3):(1)"),
            "column 9: expected ',' and 2 strides, as the shape has, found ')'");
  EXPECT_EQ(error_of("(2,3):(1,2,3)"),
            "column 12: expected 2 strides, as the shape has, found more");
  EXPECT_EQ(error_of("(2,3):(1,(2))"),
            "column 10: expected a stride, one integer as in the shape, found '('");
  EXPECT_EQ(error_of("(2,3:(1,2)"), "column 5: expected ')' to close the tuple, found ':'");
  EXPECT_EQ(error_of("(2,3):(1 x)"), "column 10: expected ')' to close the tuple, found 'x'");
  EXPECT_EQ(error_of("4:1 x"), "column 5: expected the end, found 'x'");
  EXPECT_EQ(error_of("Int<4:1"), "column 6: expected '>' to close Int<, found ':'");
  EXPECT_THAT(error_of("9223372036854775808:1"), HasSubstr("within 64 signed bits"));
  EXPECT_THAT(error_of("(2,3):\n(1,-)"), HasSubstr("line 2, column 4: "));
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

TEST(NestedText, CoordinatesNeedNoOutermostParentheses) {
  for (const auto& [text, right] : {std::pair("37", "37"),
                                    {"1,5", "(1,5)"},
                                    {" (1,5) ", "(1,5)"},
                                    {"(1,0),5", "((1,0),5)"},
                                    {"(4)", "(4)"},
                                    {"[1,5]", "(1,5)"},
                                    {"[7]", "7"},
                                    {"[]", "()"},
                                    {"", "()"},
                                    {"()", "()"}}) {
    const auto coordinate = parse_coordinate(text);
    ASSERT_TRUE(coordinate.ok()) << text << ": " << coordinate.status();
    EXPECT_EQ(to_text(*coordinate), right);
  }
  EXPECT_EQ(parse_coordinate("1,").status().message(),
            "column 3: expected an integer or '(', found end of input");
  EXPECT_EQ(parse_coordinate("[] 1").status().message(), "column 4: expected the end, found '1'");
  EXPECT_EQ(parse_coordinate("[1").status().message(),
            "column 3: expected ']' or ',' after a number, found end of input");
  EXPECT_EQ(parse_coordinate("1;5").status().message(), "column 2: expected the end, found ';'");
}

TEST(TaggedText, PrintsWhatItReads) {
  for (const TagInfo& tag : tags()) {
    const std::string text =
        absl::StrCat(std::string(tag.name), ":f16[64", tag.rank == 2 ? ",96]" : "]");
    const auto tagged = parse_tagged_shape(text);
    ASSERT_TRUE(tagged.ok()) << tagged.status();
    EXPECT_EQ(tagged->tag, tag.tag);
    EXPECT_EQ(to_text(*tagged), text);
  }
  EXPECT_TRUE(parse_tagged_shape(" zN : s4 [ 0, 3 ]").ok());
}

TEST(TaggedText, ValidatesShapesThatWereNotParsedLikeText) {
  EXPECT_TRUE(validate(TaggedShape{Tag::kzN, ElementType::kF16, {64, 96}}).ok());
  EXPECT_EQ(validate(TaggedShape{Tag::kzN, ElementType::kF16, {64, -96}}).message(),
            "expected a dimension of at least 0, found -96");
}

TEST(TaggedText, ErrorsNameThePosition) {
  const auto error = [](absl::string_view text) {
    return std::string(parse_tagged_shape(text).status().message());
  };
  EXPECT_EQ(error("zn:f16[2,3]"),
            "column 1: expected a tag: RowMajor, ColumnMajor, zN, nZ, zZ, nN, L0C, Weight4BitnZ, "
            "VectorLayout, found 'zn'; did you mean 'zN'?");
  EXPECT_EQ(error("zN:f16[-1,3]"), "column 8: expected a dimension of at least 0, found -1");
  EXPECT_EQ(error("zN f16[2,3]"), "column 4: expected ':' after the tag, found 'f16'");
  EXPECT_EQ(error("zN:f17[2,3]"),
            "column 4: expected an element type, found 'f17'; did you mean 'f16'?");
  EXPECT_EQ(error("zN:f16[2,-3]"), "column 10: expected a dimension of at least 0, found -3");
  EXPECT_EQ(error("zN:f16[2]"), "column 4: expected 2 dimensions for zN, found 1");
  EXPECT_EQ(error("VectorLayout:f16[2,3]"),
            "column 14: expected 1 dimension for VectorLayout, found 2");
  EXPECT_EQ(error("zN:token[2,3]"),
            "column 4: expected an element type whose bits divide 256, found token");
  EXPECT_EQ(error("zN:f16[2,3]{1,0}"), "column 12: expected the end, found '{'");
}

TEST(LayoutForm, IsIdentifiedByItsBeginning) {
  for (const char* text : {"4:1", "(_2,4):(_12,_1)", "((Int<4>,2),3)", " ( ( -1", "():()",
                           "((),1):((),1)", "(((), ()), 2)"}) {
    EXPECT_EQ(layout_form(text), LayoutForm::kNested) << text;
  }
  for (const char* text : {"zN:f16[64,96]", "nonsense :", "VectorLayout:f32[3]"}) {
    EXPECT_EQ(layout_form(text), LayoutForm::kTagged) << text;
  }
  for (const char* text :
       {"f32[3,5]{1,0}", "(f32[3], s32[])", "((), f32[3])", "()", "", "b(f32[4])"}) {
    EXPECT_EQ(layout_form(text), LayoutForm::kShape) << text;
  }
}

}  // namespace
}  // namespace tileproof
