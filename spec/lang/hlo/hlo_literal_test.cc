// SPDX-License-Identifier: Apache-2.0
// Literals against shapes. XLA's parser (jaxlib 0.10.2) was asked about each pair of these tables
// and gave the same answer, unless the entry says otherwise.
#include "spec/lang/hlo/hlo_literal.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof {
namespace {

std::string error_of(const std::string& shape, const std::string& literal) {
  const auto module = parse_hlo_module(absl::StrCat("c = ", shape, " constant(", literal, ")"));
  return std::string(module.status().message());
}

TEST(HloLiteral, WhatFits) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"s32[2,3]", "{{1, 2, 3}, {4, 5, 6}}"},
      {"s32[2,3]", "{{1, 2, 3} {4, 5, 6}}"},
      {"s32[3]", "{,1,,2,3,}"},
      {"s32[2]", "/*i0=0*/ {1, /*c*/ 2}"},
      {"f32[2]", "1"},
      {"f32[0]", "{}"},
      {"f32[2,0]", "{{}, {}}"},
      {"f32[0,2]", "{}"},
      {"f32[4]", "{...}"},
      {"f32[4,4]", "{...}"},
      {"f32[4]", "{1, ...}"},
      {"s32[<=3]", "{1, 2, 3}"},
      {"pred[]", "true"},
      {"pred[]", "7"},
      {"pred[2]", "{0, true}"},
      {"f32[]", "inf"},
      {"f32[]", "-inf"},
      {"f32[]", "-nan"},
      {"f32[]", "nan(0x7)"},
      {"f32[]", "1.e5"},
      {"f32[]", "5."},
      {"f32[]", "-1e-06"},
      {"f8e4m3fn[2]", "{1, 2}"},
      {"s1[2]", "{0, -1}"},
      {"s64[]", "9223372036854775808"},
      {"u64[]", "18446744073709551615"},
      {"u64[]", "-1"},
      {"c64[]", "(1, 2)"},
      {"c64[2]", "{(1, 2), (3, -inf)}"},
      {"()", "()"},
      {"(f32[], s32[])", "( 1.5, 2 )"},
      {"(f32[], s32[])", "(1 2)"},
      {"(f32[2], (s32[]))", "({1,2}, (3))"},
      {"b(s32[2])", "{1, 2}"},
      {"token[]", ""},  // XLA ends the process
      {"f32[?]", "{1, 2}"},
  };
  for (const auto& [shape, literal] : cases) {
    EXPECT_EQ(error_of(shape, literal), "") << shape << " " << literal;
  }
}

TEST(HloLiteral, WhatDoesNotFit) {
  struct Case {
    std::string shape, literal, message;
  };
  const std::vector<Case> cases = {
      {"f32[]", "{{LOOP_BOUND}}", "column 20: expected a number of f32"},
      {"s32[]", "_offset_", "column 20: expected integers of s32"},
      {"s32[2,3]", "}{1, 2, 3}, {4, 5, 6}}", "column 23: expected a number before '}'"},
      {"s32[]", "", "expected integers of s32"},
      {"s32[]", ",5", "expected integers of s32"},
      {"s32[]", "5,", "column 21: expected the end of the literal"},
      {"s32[]", "{5}", "expected integers of s32"},
      {"s32[]", "true", "expected integers of s32"},  // XLA ends the process
      {"s32[]", "1.5", "expected integers of s32"},
      {"s32[]", "nan", "expected integers of s32"},
      {"u8[]", "300", "column 19: expected integers that fit u8"},
      {"u64[]", "18446744073709551616", "expected integers of u64"},
      {"s64[]", "-9223372036854775809", "expected integers of s64"},
      {"f32[2,0]", "{}", "expected 2 parts, found 0"},
      {"f32[0,2]", "{{}}", "expected 2 parts, found 0"},
      {"f32[4,4]", "{{...},{...}}", "expected a number of f32"},
      {"f32[4]", "...", "expected a number of f32"},
      {"s32[2,2]", "{1,2,3,4}", "expected 2 parts, found 0"},
      {"s32[2]", "{{1},{2}}", "expected integers of s32"},
      {"s32[3]", "{1,2}", "expected 3 parts, found 2"},
      {"s32[2]", "{1,2,3}", "expected 2 parts, found 3"},
      {"s32[2]", "{1,2", "expected integers of s32"},
      {"s32[2]", "{1,2}}", "expected the end of the literal"},
      {"s32[<=3]", "{1,2}", "expected 3 parts, found 2"},
      {"f32[2]", "1, 2", "expected the end of the literal"},
      {"pred[3]", "{101}", "expected 3 parts, found 1"},
      {"f32[]", ".5", "expected a number of f32"},
      {"f32[]", "+5", "expected a number of f32"},
      {"f32[]", "0x10", "expected a number of f32"},
      {"f32[]", "1e400", "expected a number of f32"},
      {"f32[]", "1f", "expected a number of f32"},
      {"f32[]", "NaN", "expected a number of f32"},
      {"f32[]", "infinity", "expected a number of f32"},
      {"f32[]", "\"1\"", "expected a number of f32"},
      {"f32[]", "(1,2)", "expected a number of f32"},
      {"f32[2]", "f32[2] {1,2}", "expected a number of f32"},
      {"c64[]", "1", "expected '(' to open a complex number"},
      {"c64[]", "(1)", "expected ',' after the real part"},
      {"c64[]", "(1 2)", "expected ',' after the real part"},
      {"(f32[], s32[])", "{1, 2}", "expected '(' to open a tuple"},
      {"(f32[], s32[])", "(1, 2, 3)", "expected ')' to close the tuple"},
      {"()", "", "expected '(' to open a tuple"},
  };
  for (const auto& [shape, literal, message] : cases) {
    EXPECT_THAT(error_of(shape, literal), testing::HasSubstr(message)) << shape << " " << literal;
  }
}

TEST(HloLiteral, BracesNestLikeTheDimensions) {
  EXPECT_EQ(braced_literal({"7"}, {}), "7");
  EXPECT_EQ(braced_literal({"1", "2"}, {2}), "{1, 2}");
  EXPECT_EQ(braced_literal({"1", "2", "3", "4"}, {2, 2}), "{ {1, 2}, {3, 4} }");
  EXPECT_EQ(braced_literal({"1", "2"}, {1, 2, 1}), "{ { {1}, {2} } }");
}

}  // namespace
}  // namespace tileproof
