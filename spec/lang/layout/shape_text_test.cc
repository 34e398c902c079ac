// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/shape_text.h"

#include <fstream>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/base/element_type_text.h"
#include "spec/lang/layout/xla_differences.h"

namespace tileproof {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string error_of(absl::string_view text) {
  const absl::StatusOr<Shape> shape = parse_shape(text);
  return shape.ok() ? absl::StrCat("was read as ", to_text(*shape))
                    : std::string(shape.status().message());
}

std::string repeated(absl::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) absl::StrAppend(&result, std::string(text));
  return result;
}

TEST(ShapeText, PrintsTextOfXlaUnchanged) {
  for (const char* text : {
           "f32[]",
           "f32[3,5]",
           "f32[3,5]{1,0}",
           "f32[3,5]{0,1:T(2,2)}",
           "bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)S(1)}",
           "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}",
           "s4[3,5]{1,0:E(4)}",
           "f32[200001,128]{1,0:T(8)L(1024)}",
           "pred[123,456]{1,0:T(2,128)S(3)SC(1:200)}",
           "pred[4,4]{1,0:SC(0:)(1:2,3)}",
           "s32[<=8]{0:T(128)M(1024)}",
           "f32[?,784]{1,0}",
           "f32[]{:T(128)S(6)}",
           "token[]",
           "opaque[]",
           "()",
           "(f32[], (s32[3]{0}, u8[0]{0}))",
           "b(f32[4]{0})",
           "(f32[], f32[], f32[], f32[], f32[], /*index=5*/pred[2]{0})",
           "(s8[], s8[], s8[], s8[], s8[], /*index=5*/s8[], s8[])",
           "f8e4m3b11fnuz[1]{0}",
           "c128[2]{0:T(8)L(3)E(64)S(5)SC(0:1)M(7)}",
       }) {
    const absl::StatusOr<Shape> shape = parse_shape(text);
    ASSERT_TRUE(shape.ok()) << text << ": " << shape.status();
    EXPECT_EQ(to_text(*shape), text);
  }
}

TEST(ShapeText, ParsesOtherNotations) {
  const std::pair<const char*, const char*> cases[] = {
      {" f32 [ 3 , 5 ] { 1 , 0 : T ( 2 , 2 ) } ", "f32[3,5]{1,0:T(2,2)}"},
      {"f32[3]/* three */{0} // done", "f32[3]{0}"},
      {"f32[3,5]{1,0:}", "f32[3,5]{1,0}"},
      {"f32[]{:}", "f32[]"},
      {"f32[3,5]{1,0:D(D,C+~)T(2,2)}", "f32[3,5]{1,0:T(2,2)}"},
      {"f32[3,5]{1,0:D(S,H+)}", "f32[3,5]{1,0}"},
      {"f32[3]{0:S(127)}", "f32[3]{0:S(127)}"},
      {"f32[3]{0:L(1)E(0)S(0)M(0)}", "f32[3]{0}"},
      {"f32[6]{0:T(2, * , 128)}", "f32[6]{0:T(2,*,128)}"},
      {"(f32[],s32[])", "(f32[], s32[])"},
  };
  for (const auto& [text, canonical] : cases) {
    const absl::StatusOr<Shape> shape = parse_shape(text);
    ASSERT_TRUE(shape.ok()) << text << ": " << shape.status();
    EXPECT_EQ(to_text(*shape), canonical);
  }
}

TEST(ShapeText, EveryElementTypeHasItsName) {
  for (const ElementTypeInfo& entry : element_types()) {
    EXPECT_EQ(element_type_named(entry.name), entry.type);
    const absl::StatusOr<Shape> shape = parse_shape(absl::StrCat(entry.name, "[]"));
    ASSERT_TRUE(shape.ok()) << shape.status();
    EXPECT_EQ(shape->element_type, entry.type);
  }
  EXPECT_EQ(byte_width(ElementType::kPred), 1);
  EXPECT_EQ(byte_width(ElementType::kS4), 1);
  EXPECT_EQ(byte_width(ElementType::kBF16), 2);
  EXPECT_EQ(byte_width(ElementType::kC128), 16);
  EXPECT_EQ(byte_width(ElementType::kF6E3M2FN), 1);
}

TEST(ShapeText, ErrorsNameTheColumnAndTheExpectedToken) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "column 1: expected an element type, found end of input"},
      {"g32[3]", "column 1: expected an element type, found 'g32'; did you mean 'f32'?"},
      {"float32[3]", "column 1: expected an element type, found 'float32'; did you mean 'f32'?"},
      {"f32", "column 4: expected '[' after the element type, found end of input"},
      {"f32[3", "column 6: expected ']' to close the dimensions, found end of input"},
      {"f32[-1]", "column 5: expected a dimension size of at least 0, found -1"},
      {"f32[2x3]", "column 5: expected a dimension size, found '2x3'"},
      {"f32[1_2]", "column 5: expected a dimension size, found '1_2'"},
      {"f32[3]{1.0}", "column 8: expected a dimension number, found '1.0'"},
      {"f32[3]{0,}", "column 10: expected a dimension number, found '}'"},
      {"f32[3,5]{0}", "column 10: expected 2 dimension numbers for rank 2, found 1"},
      {"f32[3]{0,1}", "column 10: expected 1 dimension numbers for rank 1, found more"},
      {"f32[3]{0:S(1)T(8)}",
       "column 14: expected '}', as T(..) is once and further left: the order of properties is T, "
       "L, E, S, SC, M, found 'T'"},
      {"f32[3]{0:T(8)x}",
       "column 14: expected '}' or a property: T(..), L(..), E(..), S(..), M(..), found 'x'"},
      {"f32[3]{0:P(f32[3])}",
       "column 10: expected no physical shape P(..): the array is not sparse"},
      {"f32[3]{0:S(128)}",
       "column 12: expected S to be at least 0 and at most 127, found 128 [memory-space-narrowed]"},
      {"f32[3]{0:T(0)}",
       "column 12: expected a tile size of at least 1, found 0 [validated-later]"},
      {"f32[3]{0:T(-1)}",
       "column 12: expected a tile size of at least 1, found -1 [tile-size-below-one]"},
      {"f32[3]{0:T(2L(2)}",
       "column 12: expected a tile size or '*', found '2L' [malformed-property]"},
      {"f32[?,9223372036854775807]",
       "column 1: expected an array whose elements and bytes fit 64 signed bits [too-large]"},
      {"f32[3]{0:D(X)}", "column 12: expected a level type: D, C, S or H"},
      {"f32[3]{0:L}", "column 11: expected '(' after L [empty-property]"},
      {"f32[3]{0:T(2S(1)}",
       "column 12: expected a tile size or '*', found '2S' [malformed-property]"},
      {"f32[3]{0:T(2)*(s32)}",
       "column 14: expected no index or pointer type: the array is not sparse [sparse-fields]"},
      {"f32[3]{1}", "column 8: expected a dimension number below 1, found 1 [validated-later]"},
      {"f32[3]{0:SC}", "column 12: expected '(' after SC [empty-property]"},
      {"f32[3]{}", "column 7: expected the end, found '{'"},
      {"f32[4,6]{T(2,4)}",
       "column 10: expected the order of dimensions before the tiles, as in {1,0:T(8,128)}, found "
       "'T'"},
      {"f32[3]{0} x", "column 11: expected the end, found 'x'"},
      {"f32[3]\n{0:T(8}",
       "line 2, column 7: expected ')' to close the tile, found '}' [malformed-property]"},
      {"f32[3]{0:L(2*(s32)}", "column 13: expected ')', found '*' [malformed-property]"},
      {"f32[3]{0:L(2#(s32)}", "column 13: expected ')', found '#' [malformed-property]"},
      {"f32[3]{0:L(2;}", "column 13: expected ')', found ';'"},
      {"(f32[3]", "column 8: expected ')' to close the tuple, found end of input"},
      {"b((f32[3]))", "column 3: expected an element type, found '('"},
      {"f32[3]{0:T(99999999999999999999)}",
       "column 12: expected a tile size or '*' within 64 signed bits, found "
       "'99999999999999999999'"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(error_of(text), message) << text;
}

TEST(ShapeText, PropertiesAreInOrder) {
  for (const char* name : {"D", "T", "L", "E", "S", "SC", "M"}) {
    EXPECT_THAT(
        error_of(absl::StrCat("f32[3]{0:M(1)", name, "(1)}")),
        HasSubstr(absl::StrCat("expected '}', as ", name, "(..) is once and further left")));
  }
}

// `5` and `<=5` are one size, and `?` is any.
TEST(ShapeText, CompatibleShapesMayBeOneAnother) {
  const auto are = [](const char* a, const char* b) {
    const bool one = compatible(*parse_shape(a), *parse_shape(b));
    EXPECT_EQ(one, compatible(*parse_shape(b), *parse_shape(a))) << a << " " << b;
    return one;
  };
  EXPECT_TRUE(are("f32[3,5]{1,0}", "f32[3,5]{0,1}"));
  EXPECT_TRUE(are("f32[3,5]", "f32[<=3,5]"));
  EXPECT_TRUE(are("f32[3,5]", "f32[?,5]"));
  EXPECT_FALSE(are("f32[3,5]", "f32[?,4]"));
  EXPECT_FALSE(are("f32[3,5]", "f32[3]"));
  EXPECT_FALSE(are("f32[3,5]", "s32[3,5]"));
  EXPECT_TRUE(are("(f32[3], s32[])", "(f32[<=3], s32[])"));
  EXPECT_FALSE(are("(f32[3], s32[])", "(f32[3], u32[])"));
  EXPECT_FALSE(are("(f32[3])", "(f32[3], f32[3])"));
  EXPECT_FALSE(are("(f32[3])", "b(f32[3])"));
  EXPECT_FALSE(are("()", "f32[]"));
}

// The names of C++, NumPy, MLIR and PyTorch.
TEST(ShapeText, TypesOfOtherSystemsAreMeant) {
  const std::pair<const char*, const char*> cases[] = {
      {"bool", "pred"},    {"i1", "pred"},    {"boolean", "pred"}, {"int", "s32"},
      {"int8", "s8"},      {"i16", "s16"},    {"int64", "s64"},    {"uint8", "u8"},
      {"ui16", "u16"},     {"uint32", "u32"}, {"ui64", "u64"},     {"int4", "s4"},
      {"uint4", "u4"},     {"half", "f16"},   {"float16", "f16"},  {"float", "f32"},
      {"float32", "f32"},  {"double", "f64"}, {"float64", "f64"},  {"bfloat16", "bf16"},
      {"fp8", "f8e4m3fn"},
  };
  for (const auto& [other, hlo] : cases) {
    EXPECT_EQ(error_of(absl::StrCat(other, "[3]")),
              absl::StrCat("column 1: expected an element type, found '", other,
                           "'; did you mean '", hlo, "'?"));
  }
}

TEST(ShapeText, TypesHaveNamesInMlir) {
  const std::pair<ElementType, const char*> names[] = {
      {ElementType::kPred, "i1"},
      {ElementType::kS8, "i8"},
      {ElementType::kU8, "ui8"},
      {ElementType::kU64, "ui64"},
      {ElementType::kF32, "f32"},
      {ElementType::kBF16, "bf16"},
      {ElementType::kF8E5M2, "f8E5M2"},
      {ElementType::kF4E2M1FN, "f4E2M1FN"},
      {ElementType::kC64, "complex<f32>"},
      {ElementType::kC128, "complex<f64>"},
      {ElementType::kF6E2M3FN, "f6E2M3FN"},
  };
  for (const auto& [type, name] : names) {
    EXPECT_EQ(mlir_element_type(type), name);
    EXPECT_EQ(element_type_of_mlir(name), type) << name;
  }
  EXPECT_EQ(element_type_of_mlir("si8"), ElementType::kS8);
}

TEST(ShapeTextDeathTest, AMisspelledDifferenceAborts) {
  EXPECT_EQ(difference("malformed-property").name, "malformed-property");
  EXPECT_DEATH(difference("malformed-properties"), "");
}

TEST(ShapeText, EveryRejectedExampleOfTheTableFailsWithItsName) {
  int rejected = 0;
  std::set<absl::string_view> names;
  for (const Difference& entry : differences()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    if (entry.kind == Difference::Kind::kRejected) {
      EXPECT_THAT(error_of(entry.example), StartsWith("column ")) << entry.name;
      // Every parser of integers rejects a number that does not fit, so this error has no name.
      if (entry.name != "integer-wraps") {
        EXPECT_THAT(error_of(entry.example), HasSubstr(absl::StrCat(" [", entry.name, "]")));
      }
      ++rejected;
    } else {
      EXPECT_TRUE(parse_shape(entry.example).ok()) << entry.name;
    }
  }
  EXPECT_EQ(rejected, 12);
}

TEST(ShapeText, DeepNestingIsParsedOrRejectedButNeverCrashes) {
  const auto nested = [](int depth) {
    return std::string(depth, '(') + "f32[]" + std::string(depth, ')');
  };
  EXPECT_TRUE(parse_shape(nested(kMaxNesting)).ok());
  EXPECT_THAT(error_of(nested(kMaxNesting + 1)), HasSubstr("[limits]"));
  EXPECT_THAT(error_of(nested(1'000'000)), HasSubstr("[limits]"));
  EXPECT_EQ(error_of(std::string(kMaxTextBytes + 1, ' ')),
            "column 1: expected a text of at most 16 MiB [limits]");
  EXPECT_TRUE(parse_shape(std::string(kMaxTextBytes - 5, ' ') + "f32[]").ok());
}

TEST(ShapeText, LimitsTheNumberOfTilesAndOfTheirSizes) {
  EXPECT_TRUE(parse_shape(absl::StrCat("s8[", repeated("1,", 63), "1]")).ok());
  EXPECT_EQ(error_of(absl::StrCat("s8[", repeated("1,", 64), "1]")),
            "column 132: expected at most 64 dimensions [limits]");
  const auto tile = [](int sizes) { return absl::StrCat("(", repeated("2,", sizes - 1), "2)"); };
  const auto tiled = [](absl::string_view tiles) { return absl::StrCat("f32[3]{0:T", tiles, "}"); };
  EXPECT_TRUE(parse_shape(tiled(tile(kMaxRank))).ok());
  EXPECT_EQ(error_of(tiled(tile(kMaxRank + 1))),
            "column 140: expected at most 64 sizes in a tile [limits]");
  EXPECT_TRUE(parse_shape(tiled(repeated("(2)", kMaxTiles))).ok());
  EXPECT_EQ(error_of(tiled(repeated("(2)", kMaxTiles + 1))),
            "column 203: expected at most 64 tiles [limits]");
}

TEST(ShapeText, ALayoutBelongsToTheShapeOnlyIfAnIntegerOrColonFollowsTheBrace) {
  Cursor cursor("f32[123] { body");
  ASSERT_TRUE(parse_shape(cursor).ok());
  EXPECT_EQ(cursor.rest(), " { body");
  Cursor named("f32[123] {T = body");
  ASSERT_TRUE(parse_shape(named).ok());
  EXPECT_EQ(named.rest(), " {T = body");
}

TEST(ShapeText, ValidatesShapesThatWereNotParsedLikeText) {
  Shape shape = make_array(ElementType::kF32, {3, 5}, default_layout(2));
  EXPECT_TRUE(validate(shape).ok());
  EXPECT_EQ(make_array(ElementType::kS8, {3}).element_type, ElementType::kS8);
  EXPECT_EQ(parse_shape("f32[?]")->dimensions[0].size, 0);
  shape.layout->tiles.push_back(Tile{{0}});
  EXPECT_FALSE(validate(shape).ok());
  shape.layout = default_layout(3);
  EXPECT_FALSE(validate(shape).ok());
}

}  // namespace
}  // namespace tileproof
