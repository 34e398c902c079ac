// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/shape_text.h"

#include <gtest/gtest.h>

#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "corpus/files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/layout/blocked_text.h"
#include "spec/lang/layout/layout_algebra.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/xla_differences.h"

namespace tileproof {
namespace {

using ::testing::ElementsAre;
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

TEST(BlockedText, ReadsFormatsAsOneDnnNamesThem) {
  const BlockedFormat format = *parse_blocked_format("OIhw8i16o2i");
  EXPECT_EQ(format.letters, "oihw");
  EXPECT_THAT(format.outer, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(format.blocks, ElementsAre(BlockedFormat::Block{1, 8}, BlockedFormat::Block{0, 16},
                                         BlockedFormat::Block{1, 2}));
  EXPECT_THAT(parse_blocked_format("acdb")->outer, ElementsAre(0, 2, 3, 1));
  EXPECT_THAT(parse_blocked_format("ldigo")->outer, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(parse_blocked_format("ldgoi")->outer, ElementsAre(0, 1, 3, 4, 2));
}

TEST(BlockedText, EveryNameOfOneDnnHasOneDnnsFormat) {
  int names = 0;
  int misnamed = 0;  // wrong in oneDNN: OhwI32o has no blocks of i, gIOhw2i8o16i2o has O outside I
  for (const std::string& line : project_lines("corpus/layouts/onednn_names.tsv")) {
    const std::vector<std::string> fields = absl::StrSplit(line, '\t');
    ASSERT_GE(fields.size(), 2) << line;
    const absl::StatusOr<BlockedFormat> named = parse_blocked_format(fields[0]);
    const absl::StatusOr<BlockedFormat> plain = parse_blocked_format(fields[1]);
    ASSERT_TRUE(plain.ok()) << fields[1] << ": " << plain.status();
    EXPECT_EQ(to_text(*plain), fields[1]);
    const bool same = named.ok() && plain_format(named->outer, named->blocks) == *plain;
    EXPECT_EQ(same, fields.size() == 2) << line << ": " << named.status();
    if (same) {
      EXPECT_EQ(to_text(*named), fields[0]);
    }
    (same ? names : misnamed) += 1;
  }
  std::cout << names << " names, " << misnamed << " misnamed\n";
  EXPECT_EQ(names, 471);
  EXPECT_EQ(misnamed, 4);
}

TEST(BlockedText, FormatsWithoutATextAreInvalid) {
  for (const int64_t outside : {-1, 2}) {
    EXPECT_FALSE(validate(BlockedFormat{"ab", {0, outside}, {}}).ok());
    EXPECT_FALSE(validate(BlockedFormat{"ab", {0, 1}, {{outside, 4}}}).ok());
  }
  EXPECT_TRUE(validate(plain_format({1, 0}, {{0, 4}})).ok());
  EXPECT_FALSE(validate(plain_format({1, 1}, {})).ok());
  EXPECT_FALSE(validate(plain_format({0, 2}, {})).ok());
  EXPECT_FALSE(validate(plain_format({0}, {{-1, 4}})).ok());
  EXPECT_FALSE(validate(plain_format({0}, {{0, 0}})).ok());
  EXPECT_FALSE(validate(plain_format({}, {})).ok());
  // Its text is cba, which parses as dimensions 2, 1, 0 of a, b, c.
  EXPECT_EQ(validate(BlockedFormat{"cba", {0, 1, 2}, {}}).message(),
            "expected a format whose text parses as the same format");
  EXPECT_FALSE(validate(BlockedShape{plain_format({0}, {}), ElementType::kToken, {1}}).ok());
}

std::string nested_error_of(const std::string& text) {
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
  EXPECT_EQ(nested_error_of(nested(1001)), "column 1001: expected nesting of at most 1000");
  EXPECT_EQ(nested_error_of(repeated("(", 1 << 20)),
            "column 1001: expected nesting of at most 1000");

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

TEST(TilerText, ATupleIsShortForALayoutOfEachMode) {
  EXPECT_EQ(parse_tiler("<4:1,8:1>").value(), parse_tiler("(4,8)").value());
  EXPECT_EQ(parse_tiler("4").value(), parse_tiler("4:1").value());
  EXPECT_NE(parse_tiler("<4:1>").value(), parse_tiler("4:1").value());
}

TEST(SlicerText, NestingAndRankHaveLimits) {
  EXPECT_EQ(parse_slicer(std::string(size_t{1} << 20, '(')).status().message(),
            "column 1001: expected nesting of at most 1000");
  std::string wide = "(_";
  for (int i = 0; i < 64; ++i) wide += ",_";
  EXPECT_EQ(parse_slicer(wide + ")").status().message(),
            "column 130: expected at most 64 elements in a tuple");
  for (const char* text : {"_", "7", "-3", "()", "(_,3)", "((_,1),_,())"})
    EXPECT_EQ(parse_slicer(text).value(), parse_slicer(absl::StrCat(" ", text, " ")).value());
}

}  // namespace
}  // namespace tileproof
