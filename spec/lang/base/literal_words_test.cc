// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/base/literal_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace tileproof {
namespace {

using testing::ElementsAre;
using testing::Optional;

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

}  // namespace
}  // namespace tileproof
