// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "spec/lang/stablehlo/op_text.h"

namespace tileproof::stablehlo {
namespace {

// The literal, with " for every element" if it stands for all, or the error.
std::string literal(ElementType type, const std::vector<int64_t>& dims, const std::string& dense) {
  const absl::StatusOr<Literal> read = literal_text(dense, {"", type, dims});
  if (!read.ok()) return std::string(read.status().message());
  return absl::StrCat(read->text, read->is_splat ? " for every element" : "");
}

TEST(StableHloLiteral, ListsHaveBraces) {
  EXPECT_EQ(literal(ElementType::kS32, {3}, "dense<[0, 2, -1]>"), "{0, 2, -1}");
  EXPECT_EQ(literal(ElementType::kS32, {2, 2}, "dense<[[0, 2], [3, 4]]>"), "{{0, 2}, {3, 4}}");
  EXPECT_EQ(literal(ElementType::kPred, {2}, "dense<[true, false]>"), "{true, false}");
  EXPECT_EQ(literal(ElementType::kF32, {}, "dense<2.0>"), "2.0");
  EXPECT_EQ(literal(ElementType::kF32, {3}, "dense<2.0>"), "2.0 for every element");
  EXPECT_EQ(literal(ElementType::kS32, {0}, "dense<>"), "{}");
  EXPECT_EQ(literal(ElementType::kS32, {2, 0}, "dense<>"), "{...}");
  EXPECT_EQ(literal(ElementType::kS32, {2}, "dense_resource<a> "), "{...}");
  EXPECT_EQ(literal(ElementType::kS32, {2}, "sparse<0, 1>"), "{...}");
}

TEST(StableHloLiteral, NumbersMayBeGivenByTheirBits) {
  EXPECT_EQ(literal(ElementType::kF64, {}, "dense<0xBFF8000000000000>"), "-1.5");
  EXPECT_EQ(literal(ElementType::kF64, {}, "dense<0xFFF0000000000000>"), "-inf");
  EXPECT_EQ(literal(ElementType::kF32, {2}, "dense<[0x7FC00000, 0x3FC00000]>"), "{nan, 1.5}");
  EXPECT_EQ(literal(ElementType::kF32, {2}, "dense<[0x7F800000, 0xFF800000]>"), "{inf, -inf}");
  EXPECT_EQ(literal(ElementType::kBF16, {2}, "dense<[0x3FC0, 0x7F80]>"), "{1.5, inf}");
  // The value of a number that is neither is not needed.
  EXPECT_EQ(literal(ElementType::kF16, {}, "dense<0x7C00>"), "nan");
  EXPECT_EQ(literal(ElementType::kS32, {}, "dense<0xFF>"), "255");
  EXPECT_EQ(literal(ElementType::kS64, {}, "dense<0xFFFFFFFFFFFFFFFF>"), "-1");
  EXPECT_EQ(literal(ElementType::kF32, {}, "dense<0x>"), "expected a number of 64 bits after '0x'");
  EXPECT_EQ(literal(ElementType::kS64, {}, "dense<0x10000000000000000>"),
            "expected a number of 64 bits after '0x'");
}

TEST(StableHloLiteral, BytesAreLittleEndianIntegers) {
  EXPECT_EQ(literal(ElementType::kS8, {2}, "dense<\"0xFF01\">"), "{-1, 1}");
  EXPECT_EQ(literal(ElementType::kS4, {3}, "dense<\"0x0F0708\">"), "{-1, 7, -8}");
  EXPECT_EQ(literal(ElementType::kU4, {2}, "dense<\"0x0F07\">"), "{15, 7}");
  EXPECT_EQ(literal(ElementType::kU8, {2}, "dense<\"0xFF01\">"), "{255, 1}");
  EXPECT_EQ(literal(ElementType::kS16, {3}, "dense<\"0x0100FFFF0080\">"), "{1, -1, -32768}");
  EXPECT_EQ(literal(ElementType::kU32, {1, 2}, "dense<\"0x01020304FFFFFFFF\">"),
            "{ {67305985, 4294967295} }");
  EXPECT_EQ(literal(ElementType::kS64, {1}, "dense<\"0x0100000000000080\">"),
            "{-9223372036854775807}");
  EXPECT_EQ(literal(ElementType::kU64, {1}, "dense<\"0xFFFFFFFFFFFFFFFF\">"),
            "{18446744073709551615}");
  for (const ElementType no_integer :
       {ElementType::kF32, ElementType::kBF16, ElementType::kPred, ElementType::kC64}) {
    EXPECT_EQ(literal(no_integer, {1}, "dense<\"0x00\">"), "{...}");
  }
  const std::string s16 = "expected 2 elements of 2 bytes";
  EXPECT_EQ(literal(ElementType::kS16, {2}, "dense<\"0x0100FF\">"), s16);
  EXPECT_EQ(literal(ElementType::kS16, {2}, "dense<\"0x010002000\">"), s16);
  EXPECT_EQ(literal(ElementType::kS16, {2}, "dense<\"0x\">"), s16);
  EXPECT_EQ(literal(ElementType::kS16, {2}, "dense<\"0x0100020g\">"),
            "expected hexadecimal digits");
}

TEST(StableHloLiteral, WhatIsNoLiteral) {
  EXPECT_EQ(literal(ElementType::kS32, {}, "[1]"), "expected 'dense<..>'");
  EXPECT_EQ(literal(ElementType::kS32, {}, "dense<1"), "expected '>' to close 'dense<'");
  EXPECT_EQ(literal(ElementType::kS32, {int64_t{1} << 62, 4}, "dense<1>"),
            "expected a constant of fewer elements");
}

}  // namespace
}  // namespace tileproof::stablehlo
