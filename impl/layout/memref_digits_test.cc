// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "corpus/answers_testing.h"
#include "impl/layout/digit_layout.h"
#include "spec/lang/base/odometer.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::impl {
namespace {

// "d0/8%2*64 d1%8*8 ..", or the error. Compares the offset of every index with the map.
std::string digits_of_text(absl::string_view question) {
  const auto [sizes, layout] = parts_of<2>(question);
  const absl::StatusOr<MemRef> memref =
      parse_memref(absl::StrCat("memref<", sizes, "xf32, ", layout, ">"));
  EXPECT_TRUE(memref.ok()) << memref.status();
  if (!memref.ok()) return "";
  const absl::StatusOr<DigitsFrom> digits = digits_from(*memref);
  if (!digits.ok()) return std::string(digits.status().message());
  std::vector<int64_t> index(memref->dims.size(), 0);
  do {
    const auto expected = spec::evaluate(memref->map, {index, {}, {}});
    EXPECT_EQ(std::vector{digits->start + offset_of(digits->layout, index.data())}, **expected)
        << absl::StrJoin(index, ",");
  } while (next_index(memref->dims, index));
  return absl::StrJoin(digits->layout.digits, " ", [](std::string* text, const LayoutDigit& digit) {
    absl::StrAppend(text, "d", digit.dimension, "/", digit.divisor, "%", digit.size, "*",
                    digit.stride);
  });
}

TEST(MemrefDigits, Answers) {
  expect_answers("answers/memref_digits.txt", {{"memref", digits_of_text}});
}

TEST(MemrefDigits, AnEmptyArrayHasNoDigits) {
  const DigitLayout layout = digits_from(parse_memref("memref<4x0xf32>").value()).value().layout;
  EXPECT_EQ(layout.dims, (std::vector<int64_t>{4, 0}));
  EXPECT_TRUE(layout.digits.empty());
}

}  // namespace
}  // namespace tileproof::impl
