// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/shape_text.h"

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
