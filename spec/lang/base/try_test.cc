// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/base/try.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tileproof {
namespace {

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
