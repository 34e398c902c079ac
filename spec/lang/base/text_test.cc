// SPDX-License-Identifier: Apache-2.0
// Tokens of a text. corpus/readers/hlo.txt has words and integers of literals, and nearest words.
#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/nearest.h"

namespace tileproof {
namespace {

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

TEST(NearestTest, EndOfMessage) {
  EXPECT_EQ(did_you_mean("f23", {"f16", "f32"}), "; did you mean 'f32'?");
  EXPECT_EQ(did_you_mean("token", {"f16", "f32"}), "");
}

}  // namespace
}  // namespace tileproof
