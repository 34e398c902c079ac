// SPDX-License-Identifier: Apache-2.0
// Tokens of a text. corpus/readers/hlo.txt has words and integers of literals, and nearest words.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/indexing_map.h"

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

TEST(Odometer, WalksAnArrayInRowMajorOrder) {
  Dims index = {0, 0};
  std::string walked;
  do {
    walked += dims_text(index);
  } while (next_index({2, 3}, index));
  EXPECT_EQ(walked, "[0,0][0,1][0,2][1,0][1,1][1,2]");
  EXPECT_EQ(index, Dims({0, 0}));
}

TEST(Odometer, VisitsTheOneIndexOfAScalar) {
  Dims index;
  EXPECT_FALSE(next_index({}, index));
}

TEST(Odometer, WalksABox) {
  const std::vector<Interval> box = {{-1, 0}, {5, 6}};
  Dims point = {-1, 5};
  std::string walked;
  do {
    walked += dims_text(point);
  } while (next_point(box, point));
  EXPECT_EQ(walked, "[-1,5][-1,6][0,5][0,6]");
  EXPECT_EQ(point, Dims({-1, 5}));
}

TEST(Odometer, EndsAtTheLargestInteger) {
  const std::vector<Interval> box = {{INT64_MAX - 1, INT64_MAX}};
  Dims point = {INT64_MAX - 1};
  EXPECT_TRUE(next_point(box, point));
  EXPECT_EQ(point, Dims({INT64_MAX}));
  EXPECT_FALSE(next_point(box, point));
  EXPECT_EQ(point, Dims({INT64_MAX - 1}));
}

absl::StatusOr<int64_t> half(int64_t n) {
  if (n % 2 != 0) return absl::InvalidArgumentError("odd");
  return n / 2;
}

absl::Status expect_small(int64_t n) {
  return n < 100 ? absl::OkStatus() : absl::OutOfRangeError("large");
}

absl::StatusOr<std::string> eighth(int64_t n) {
  TRY(expect_small(n));
  const int64_t quarter = TRY(half(TRY(half(n))));
  return std::to_string(TRY(half(quarter)));
}

TEST(Try, GivesTheValueOrReturnsTheError) {
  EXPECT_EQ(*eighth(40), "5");
  EXPECT_EQ(eighth(7).status(), absl::InvalidArgumentError("odd"));
  EXPECT_EQ(eighth(4).status(), absl::InvalidArgumentError("odd"));
  EXPECT_EQ(eighth(200).status(), absl::OutOfRangeError("large"));
}

absl::Status check_eighth(int64_t n) {
  TRY(eighth(n));
  return absl::OkStatus();
}

TEST(Try, IgnoresTheValueOfAStatement) {
  EXPECT_EQ(check_eighth(8), absl::OkStatus());
  EXPECT_EQ(check_eighth(9), absl::InvalidArgumentError("odd"));
}

absl::StatusOr<std::unique_ptr<int64_t>> boxed(int64_t n) {
  return std::make_unique<int64_t>(TRY(half(n)));
}

absl::StatusOr<int64_t> unboxed(int64_t n) {
  absl::StatusOr<std::unique_ptr<int64_t>> box = boxed(n);
  const std::unique_ptr<int64_t> value = TRY(std::move(box));
  return *value;
}

TEST(Try, MovesAValueThatCannotBeCopied) {
  EXPECT_EQ(*unboxed(6), 3);
  EXPECT_EQ(unboxed(5).status(), absl::InvalidArgumentError("odd"));
}

absl::StatusOr<size_t> copied_size(const absl::StatusOr<std::vector<int64_t>>& values) {
  const std::vector<int64_t> copy = TRY(values);
  return copy.size() + values->size();
}

TEST(Try, CopiesAVariable) {
  EXPECT_EQ(*copied_size(std::vector<int64_t>{1, 2, 3}), 6u);
  EXPECT_EQ(copied_size(absl::NotFoundError("none")).status(), absl::NotFoundError("none"));
}

size_t length_of(const std::string& text, int64_t n) { return text.size() + n; }

absl::StatusOr<size_t> length_with_half(int64_t n) {
  return length_of(std::string(100, 'a'),
                   TRY(half(n)));  // LeakSanitizer reports the text if it is not destroyed
}

TEST(Try, DestroysTheOtherArguments) {
  EXPECT_EQ(*length_with_half(4), 102u);
  EXPECT_FALSE(length_with_half(3).ok());
}

}  // namespace
}  // namespace tileproof
