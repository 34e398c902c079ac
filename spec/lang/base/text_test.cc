// SPDX-License-Identifier: Apache-2.0
// Tokens of a text, words and integers of literals, the nearest word.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/literal_words.h"
#include "spec/lang/base/nearest.h"

namespace tileproof {
namespace {

using testing::ElementsAre;
using testing::Optional;

TEST(Cursor, AnIntegerIsADigitOrAMinusBeforeOne) {
  for (const char* integer : {"0", "-0", "7x", "  -12", "9223372036854775808"}) {
    EXPECT_TRUE(Cursor(integer).at_integer()) << integer;
  }
  for (const char* other : {"", " ", "-", "- 1", "--1", "+1", "x7", ".5"}) {
    EXPECT_FALSE(Cursor(other).at_integer()) << other;
  }
  // What is behind the text does not count.
  EXPECT_FALSE(Cursor(absl::string_view("-5").substr(0, 1)).at_integer());
}

TEST(Cursor, TakesIntegersOf64Bits) {
  const auto taken = [](absl::string_view text) {
    Cursor cursor(text);
    const absl::StatusOr<int64_t> integer = cursor.take_integer("a size");
    return integer.ok() ? std::to_string(*integer) + "|" + std::string(cursor.rest())
                        : std::string(integer.status().message());
  };
  EXPECT_EQ(taken("012]"), "12|]");
  EXPECT_EQ(taken("-9223372036854775808,"), "-9223372036854775808|,");
  EXPECT_EQ(taken("9223372036854775807"), "9223372036854775807|");
  EXPECT_EQ(taken("x"), "column 1: expected a size, found 'x'");
  EXPECT_EQ(taken(""), "column 1: expected a size, found end of input");
  EXPECT_EQ(taken("\n\n 9223372036854775808").find("line 3, column 2: "), 0u);
}

TEST(Cursor, SkipsSpaceAndComments) {
  Cursor cursor(" /* a */ ab // c\n  'd'");
  EXPECT_EQ(cursor.peek(), 'a');
  EXPECT_EQ(cursor.take_identifier(), "ab");
  EXPECT_FALSE(cursor.take("a"));
  EXPECT_TRUE(cursor.take("'d"));
  EXPECT_EQ(cursor.rest(), "'");
  EXPECT_FALSE(cursor.expect_end().ok());
  EXPECT_TRUE(cursor.take("'"));
  EXPECT_TRUE(cursor.expect_end().ok());
  EXPECT_EQ(cursor.peek(), '\0');
}

TEST(IntegerLiteralTest, ReadsNestedBracesCommentsAndTruthValues) {
  EXPECT_THAT(integers_of_literal("7"), Optional(ElementsAre(7)));
  EXPECT_THAT(integers_of_literal("{ /*i0=0*/ {1, -2},{3,4}\n}"),
              Optional(ElementsAre(1, -2, 3, 4)));
  EXPECT_THAT(integers_of_literal("{true, false}"), Optional(ElementsAre(1, 0)));
  EXPECT_THAT(integers_of_literal("{1/* one */,2/**/}"), Optional(ElementsAre(1, 2)));
  EXPECT_THAT(integers_of_literal("{}"), Optional(ElementsAre()));
}

TEST(IntegerLiteralTest, KeepsUnsignedNumbersAndBoundsLargerOnes) {
  const absl::int128 two_to_64 = absl::int128(1) << 64;
  EXPECT_THAT(integers_of_literal("18446744073709551615"), Optional(ElementsAre(two_to_64 - 1)));
  EXPECT_THAT(integers_of_literal("-9223372036854775809"),
              Optional(ElementsAre(absl::int128(INT64_MIN) - 1)));
  const std::string long_number(200, '9');
  EXPECT_THAT(integers_of_literal(long_number), Optional(ElementsAre(two_to_64)));
  EXPECT_THAT(integers_of_literal(absl::StrCat("-", long_number)),
              Optional(ElementsAre(-two_to_64)));
}

TEST(IntegerLiteralTest, GivesNothingForOtherText) {
  for (const char* text : {"1.5", "1e6", "nan", "-inf", "{...}", "{1, ...}", "+1", "-", "- 1",
                           "{1 /* open", "1/2", "truth", "(1, 2)", "0x10", "\"\\001\""}) {
    EXPECT_EQ(integers_of_literal(text), std::nullopt) << text;
  }
}

TEST(LiteralWordsTest, EndAtCommentsAndBraces) {
  EXPECT_THAT(words_of_literal("{ /*i0=0*/ {1,-2.5/* two */}, {nan/**/inf} }"),
              Optional(ElementsAre("1", "-2.5", "nan", "inf")));
  EXPECT_THAT(words_of_literal("1/2"), Optional(ElementsAre("1/2")));
  EXPECT_EQ(words_of_literal("1 /*/"), std::nullopt);
}

TEST(NearestTest, CountsTypingErrors) {
  const std::vector<absl::string_view> words = {"copy", "reduce", "transpose", "reduce-window"};
  EXPECT_EQ(nearest_word("transpse", words), "transpose");    // left out
  EXPECT_EQ(nearest_word("transposse", words), "transpose");  // inserted
  EXPECT_EQ(nearest_word("transbose", words), "transpose");   // replaced
  EXPECT_EQ(nearest_word("rtanspose", words), "transpose");   // swapped
  EXPECT_EQ(nearest_word("reduce_window", words), "reduce-window");
  EXPECT_EQ(nearest_word("cpoy", words), "copy");
}

// One error in words of up to five letters; one more for each three letters.
TEST(NearestTest, LongerWordsMayHaveMoreErrors) {
  EXPECT_EQ(nearest_word("fi", {"if"}), "if");
  EXPECT_EQ(nearest_word("rebuze", {"reduce"}), "reduce");
  EXPECT_EQ(nearest_word("rebuzo", {"reduce"}), std::nullopt);
  EXPECT_EQ(nearest_word("recze", {"reduce"}), std::nullopt);
}

TEST(NearestTest, FewestErrorsThenFirst) {
  EXPECT_EQ(nearest_word("f33", {"f16", "f32", "f31"}), "f32");
  EXPECT_EQ(nearest_word("s32", {"u32", "s32"}), "s32");
}

TEST(NearestTest, FarWordsAreNotMeant) {
  EXPECT_EQ(nearest_word("frobnicate", {"copy", "transpose"}), std::nullopt);
  EXPECT_EQ(nearest_word("x", {"y"}), std::nullopt);  // all letters are wrong
  EXPECT_EQ(nearest_word("", {"a"}), std::nullopt);
  EXPECT_EQ(nearest_word("copy", {}), std::nullopt);
  EXPECT_EQ(nearest_word(std::string(41, 'a'), {absl::string_view("a")}), std::nullopt);
}

TEST(NearestTest, EndOfMessage) {
  EXPECT_EQ(did_you_mean("f23", {"f16", "f32"}), "; did you mean 'f32'?");
  EXPECT_EQ(did_you_mean("token", {"f16", "f32"}), "");
}

}  // namespace
}  // namespace tileproof
