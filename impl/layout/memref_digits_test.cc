// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "impl/layout/digit_layout.h"
#include "spec/lang/base/odometer.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::impl {
namespace {

// "d0/8%2*64 d1%8*8 ..", or the error. Compares the offset of every index with the map.
std::string digits_of_text(const std::string& sizes, const std::string& layout) {
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

std::string digits_of_map(const std::string& sizes, const std::string& map) {
  return digits_of_text(sizes, absl::StrCat("affine_map<", map, ">"));
}

TEST(MemrefDigits, TheExampleOfTheSource) {
  EXPECT_EQ(digits_of_map("16x8", "(d0, d1) -> (d0 floordiv 8, d1, d0 mod 8)"),
            "d0/8%2*64 d1/1%8*8 d0/1%8*1");
}

TEST(MemrefDigits, Strides) {
  EXPECT_EQ(digits_of_text("4x8", "strided<[16, 2]>"), "d0/1%4*16 d1/1%8*2");
  EXPECT_EQ(digits_of_text("4x8", "strided<[1, 5]>"), "d1/1%8*5 d0/1%4*1");
  EXPECT_EQ(digits_of_text("4x8", "strided<[3, 3]>"), "d0/1%4*3 d1/1%8*3");
  EXPECT_EQ(digits_of_text("1x8", "strided<[7, 1]>"), "d0/1%1*7 d1/1%8*1");
  EXPECT_EQ(digits_of_text("4x8", "strided<[16, 2], offset: 3>"), "d0/1%4*16 d1/1%8*2");
  EXPECT_EQ(digits_of_text("2", "strided<[1], offset: -1>"), "d0/1%2*1");
}

TEST(MemrefDigits, QuotientsAndRemaindersOfOneTerm) {
  EXPECT_EQ(digits_of_map("24", "(d0) -> ((d0 floordiv 2) floordiv 3, d0 mod 6)"),
            "d0/6%4*6 d0/1%6*1");
  EXPECT_EQ(digits_of_map("24", "(d0) -> (d0 floordiv 12, (d0 mod 12) floordiv 4, d0 mod 4)"),
            "d0/12%2*12 d0/4%3*4 d0/1%4*1");
  EXPECT_EQ(digits_of_map("24", "(d0) -> (d0 floordiv 4, (d0 mod 12) mod 4)"), "d0/4%6*4 d0/1%4*1");
  EXPECT_EQ(digits_of_map("24", "(d0) -> (d0 * 1 + (d0 mod 4) * 2 + (d0 floordiv 1) * 3)"),
            "d0/4%6*16 d0/1%4*6");
  EXPECT_EQ(digits_of_map("24", "(d0) -> (d0 floordiv 4 + d0 mod 1)"), "d0/4%6*1 d0/1%4*0");
  EXPECT_EQ(digits_of_map("24", "(d0) -> ((d0 mod 4) floordiv 4 + d0)"), "d0/1%24*1");
  EXPECT_EQ(digits_of_map("4x6", "(d0, d1) -> (2 * d1 + d0 * 20)"), "d0/1%4*20 d1/1%6*2");
  EXPECT_EQ(digits_of_map("24", "(d0) -> (d0 mod 100)"), "d0/1%24*1");
  EXPECT_EQ(digits_of_map("8", "(d0) -> (d0 floordiv 8 + d0)"), "d0/1%8*1");
  EXPECT_EQ(digits_of_map("24", "(d0) -> ((d0 floordiv 4) mod 4611686018427387904)"),
            "d0/4%6*1 d0/1%4*0");  // the term ends beyond int64
  EXPECT_EQ(digits_of_map("20", "(d0) -> (d0 mod 8 + d0)"), "d0/8%3*8 d0/1%8*2");
}

TEST(MemrefDigits, QuotientsAndRemaindersOfSums) {
  const std::string sum = "(d0 * 64 + d1)", padded = "(d0, d1) -> (" + sum + " + ";
  EXPECT_EQ(digits_of_map("4x64", padded + sum + " floordiv 64 * 8)"), "d0/1%4*72 d1/1%64*1");
  EXPECT_EQ(digits_of_map("4x64", padded + sum + " floordiv 16 * 4)"),
            "d0/1%4*80 d1/16%4*20 d1/1%16*1");
  EXPECT_EQ(digits_of_map("4x64", padded + sum + " floordiv 128 * 8)"),
            "d0/2%2*136 d0/1%2*64 d1/1%64*1");
  EXPECT_EQ(digits_of_map("4x64", padded + "(" + sum + " + 3) mod 4)"),
            "the offset is not a sum of digits");
  EXPECT_EQ(digits_of_map("24", "(d0) -> ((d0 * 2) floordiv 4 * 7 + (d0 * 2) mod 4)"),
            "d0/2%12*7 d0/1%2*2");
  EXPECT_EQ(digits_of_map("4x8", "(d0, d1) -> ((d0 * 8 + d1) mod 16)"),
            "d0/1%2*8 d1/1%8*1 d0/2%2*0");
}

TEST(MemrefDigits, WhatIsNoSumOfDigits) {
  for (const char* map :
       {"(d0, d1) -> ((d0 + d1) mod 4)", "(d0, d1) -> ((d0 + d1) floordiv 4)",
        "(d0, d1) -> ((d0 + 1) mod 4 + d1)", "(d0, d1) -> ((d0 + 1) floordiv 4 + d1)",
        "(d0, d1) -> ((d0 mod 6) mod 4 + d1)", "(d0, d1) -> ((d0 mod 6) floordiv 4 + d1)"}) {
    EXPECT_EQ(digits_of_map("24x5", map), "the offset is not a sum of digits") << map;
  }
  for (const char* map :
       {"(d0) -> (d0 mod 4 + d0 mod 6)", "(d0) -> (d0 floordiv 4 + d0 floordiv 6)",
        "(d0) -> (d0 floordiv 4 + (d0 mod 6) * 10)"}) {
    EXPECT_EQ(digits_of_map("24", map), "the terms of dimension 0 cut through each other") << map;
  }
  EXPECT_EQ(digits_of_map("5x24", "(d0, d1) -> (d0 + d1 mod 4 + d1 mod 6)"),
            "the terms of dimension 1 cut through each other");
}

TEST(MemrefDigits, AnEmptyArrayHasNoDigits) {
  const DigitLayout layout = digits_from(parse_memref("memref<4x0xf32>").value()).value().layout;
  EXPECT_EQ(layout.dims, (std::vector<int64_t>{4, 0}));
  EXPECT_TRUE(layout.digits.empty());
}

}  // namespace
}  // namespace tileproof::impl
