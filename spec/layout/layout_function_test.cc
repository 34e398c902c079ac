// SPDX-License-Identifier: Apache-2.0
#include "spec/layout/layout_function.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/layout/any_layout.h"

namespace tileproof::spec {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

absl::StatusOr<LayoutFunction> function_in(const std::string& text) {
  const absl::StatusOr<AnyLayout> layout = parse_any_layout(text);
  if (!layout.ok()) return layout.status();
  return layout_function(*layout);
}

LayoutFunction function_of(const std::string& text) {
  absl::StatusOr<LayoutFunction> function = function_in(text);
  EXPECT_TRUE(function.ok()) << text << ": " << function.status();
  return function.ok() ? *std::move(function) : LayoutFunction();
}

// The offset, or the error.
std::string offset(const std::string& text, const std::vector<int64_t>& index) {
  const absl::StatusOr<int64_t> found = offset_at(function_of(text), index);
  return found.ok() ? absl::StrCat(*found) : std::string(found.status().message());
}

TEST(LayoutFunction, OneArrayInEverySystem) {
  for (const char* text :
       {"f16[64,96]{0,1:T(16,16)(16,1)}", "zN:f16[64,96]", "((16,4),(16,6)):((16,256),(1,1024))",
        "dnnl:BA16a16b:f16[64,96]", "Sw<0,3,3> o 0 o ((16,4),(16,6)):((16,256),(1,1024))"}) {
    EXPECT_THAT(function_of(text).dims, ElementsAre(64, 96)) << text;
    EXPECT_EQ(offset(text, {17, 33}), "2321") << text;
    EXPECT_EQ(offset(text, {63, 95}), "6143") << text;
    EXPECT_EQ(offset(text, {0, 0}), "0") << text;
  }
}

TEST(LayoutFunction, SwizzlesAndMemrefs) {
  EXPECT_EQ(offset("Sw<3,3,3> o 0 o (8,64):(64,1)", {7, 56}), "448");
  EXPECT_EQ(offset("Sw<3,3,3> o 1 o (8,64):(64,1)", {1, 0}), "73");
  EXPECT_EQ(offset("memref<4x8xf32, strided<[1, 4], offset: 3>>", {2, 5}), "25");
  EXPECT_EQ(offset("3:-2", {2}), "-4");
}

TEST(LayoutFunction, HasTheBitsAndTheAllocationOfItsElements) {
  const LayoutFunction tiled = function_of("f32[3,5]{1,0:T(2,2)S(2)}");
  EXPECT_EQ(tiled.element_bits, 32);
  EXPECT_EQ(tiled.elements, 24);
  EXPECT_EQ(tiled.memory_space, 2);
  EXPECT_EQ(function_of("s4[8]{0:E(4)}").element_bits, 4);
  EXPECT_EQ(function_of("s4[8]{0}").element_bits, 8);
  EXPECT_EQ(function_of("dnnl:aBc16b:f16[2,20,5]").element_bits, 16);
  EXPECT_EQ(function_of("dnnl:aBc16b:f16[2,20,5]").elements, 320);
  EXPECT_EQ(function_of("zN:f16[60,90]").elements, 64 * 96);
  EXPECT_EQ(function_of("zN:f16[60,90]").element_bits, 16);
  EXPECT_THAT(function_of("zN:f16[60,90]").dims, ElementsAre(60, 90));
  EXPECT_TRUE(std::holds_alternative<TaggedShape>(function_of("zN:f16[60,90]").layout));
  EXPECT_EQ(function_of("zN:f16[1,1]").elements, 256);
  EXPECT_EQ(function_of("zN:f16[0,1]").elements, 0);
  EXPECT_EQ(function_of("VectorLayout:f32[253]").elements, 253);
  EXPECT_EQ(function_of("(4,2):(2,1)").elements, std::nullopt);
  EXPECT_EQ(function_of("(4,2):(2,1)").element_bits, std::nullopt);
  EXPECT_EQ(function_of("memref<4xbf16>").element_bits, 16);
  EXPECT_EQ(function_of("Sw<3,4,3> o smem_ptr[4b](unset) o (8,64):(64,1)").element_bits, 4);
}

TEST(LayoutFunction, AnIndexMustBeInTheArray) {
  EXPECT_EQ(offset("(4,2):(2,1)", {4, 0}), "index 4 is outside dimension 0 of size 4");
  EXPECT_EQ(offset("(4,2):(2,1)", {3, 2}), "index 2 is outside dimension 1 of size 2");
  EXPECT_EQ(offset("(4,2):(2,1)", {0, -1}), "index -1 is outside dimension 1 of size 2");
  EXPECT_EQ(offset("(4,2):(2,1)", {0}), "expected an index of 2 numbers, found 1");
  EXPECT_EQ(offset("(4,2):(2,1)", {3, 1}), "7");
  EXPECT_EQ(offset("4:2", {3}), "6");
}

TEST(LayoutFunction, WhatHasNoOffsets) {
  const auto error = [](const std::string& text) {
    return std::string(function_in(text).status().message());
  };
  EXPECT_EQ(error("Sw<1,0,1> o 0 o 3:-2"), "expected strides of at least 0 in a swizzled layout");
  EXPECT_EQ(error("Sw<1,0,1> o 9223372036854775806 o 3:2"), "expected offsets that fit 64 bits");
  EXPECT_EQ(error("Sw<1,0,1> o 0 o 3:-1"), "expected strides of at least 0 in a swizzled layout");
  EXPECT_EQ(error("Sw<1,0,1> o 0 o (3,2):(0,1)"), "");
  EXPECT_EQ(error("(2,2):(9223372036854775807,1)"), "the cosize does not fit 64 signed bits");
  // Layouts that were not parsed.
  const NestedLayout nested{make_flat({2, -1}), make_flat({1, 2})},
      plain{make_integer(4), make_integer(1)};
  EXPECT_EQ(layout_function(nested).status().message(),
            "expected an extent of at least 0, found -1");
  EXPECT_FALSE(layout_function(SwizzledLayout{.swizzle = {-1, 0, 0}, .layout = plain}).ok());
  EXPECT_EQ(
      layout_function(SwizzledLayout{.swizzle = {0, 0, 0}, .start = -1, .layout = plain}).status(),
      absl::InvalidArgumentError("expected a start of at least 0"));
  // Offsets that fit, at addresses that do not.
  EXPECT_EQ(error("Sw<1,0,-1> o 0 o 3:2305843009213693952"), "");
  EXPECT_EQ(error("Sw<1,0,-1> o smem_ptr[16b](unset) o 3:2305843009213693952"),
            "expected offsets that fit 64 bits");
  EXPECT_EQ(error("Sw<1,0,-1> o smem_ptr[4b](unset) o 3:2305843009213693952"), "");
  EXPECT_NE(error("f32[?]"), "");
  EXPECT_NE(error("(2,(4611686018427387904,2)):(1,(0,0))"), "");
}

// ---- Two functions of one array ----

std::string shared(const std::string& left, const std::string& right) {
  LayoutFunction a = function_of(left), b = function_of(right);
  const absl::Status status = share_shape(a, b);
  if (!status.ok()) return std::string(status.message());
  EXPECT_EQ(a.dims, b.dims);
  return absl::StrJoin(a.dims, ",");
}

TEST(LayoutFunction, ANestedLayoutStandsForPaddedArrays) {
  const std::string nested = "((16,4),(16,6)):((16,256),(1,1024))";
  EXPECT_EQ(shared(nested, "f16[64,96]"), "64,96");
  EXPECT_EQ(shared("f16[60,90]", nested), "60,90");
  EXPECT_EQ(shared(nested, "f16[49,81]"), "49,81");
  const std::string differ = "the logical shapes differ: [64,96] and [48,96]";
  EXPECT_EQ(shared(nested, "f16[48,96]"), differ);
  EXPECT_EQ(shared(nested, "f16[65,96]"), "the logical shapes differ: [64,96] and [65,96]");
  EXPECT_EQ(shared(nested, "f16[64,80]"), "the logical shapes differ: [64,96] and [64,80]");
  EXPECT_EQ(shared(nested, "f16[64,96,1]"), "the logical shapes differ: [64,96] and [64,96,1]");
  EXPECT_EQ(shared("(64,96):(96,1)", "f16[60,96]"),
            "the logical shapes differ: [64,96] and [60,96]");
  // A nested layout takes the shape of a swizzled one, which takes that of arrays; no array takes any.
  EXPECT_EQ(shared("Sw<1,0,1> o 0 o ((4,2),3):((1,4),8)", "f32[7,3]"), "7,3");
  EXPECT_EQ(shared("((4,2),3):((1,4),8)", "Sw<1,0,1> o 0 o (7,3):(3,1)"), "7,3");
  EXPECT_EQ(shared("Sw<1,0,1> o 0 o ((4,2),3):((1,4),8)", "(7,3):(3,1)"),
            "the logical shapes differ: [8,3] and [7,3]");
  EXPECT_EQ(shared("((4,2),3):((1,4),8)", "((4,1),3):((1,4),8)"),
            "the logical shapes differ: [8,3] and [4,3]");
  EXPECT_EQ(shared("((4,2),3):((1,4),8)", "(7,3):(1,7)"),
            "the logical shapes differ: [8,3] and [7,3]");
  EXPECT_EQ(shared("Sw<1,0,1> o 0 o ((4,2),3):((1,4),8)", "Sw<1,0,1> o 0 o (7,3):(3,1)"),
            "the logical shapes differ: [8,3] and [7,3]");
  // Modes without elements, or with one.
  EXPECT_EQ(shared("((),(4,2)):((),(1,4))", "f32[1,7]"), "1,7");
  for (const char* other : {"0", "2"}) {
    EXPECT_EQ(shared("((),(4,2)):((),(1,4))", absl::StrCat("f32[", other, ",7]")),
              absl::StrCat("the logical shapes differ: [1,8] and [", other, ",7]"));
  }
  EXPECT_EQ(shared("((0,4),(4,2)):((1,1),(1,4))", "f32[0,7]"), "0,7");
  for (const char* other : {"1", "5"}) {
    EXPECT_EQ(shared("((0,4),(4,2)):((1,1),(1,4))", absl::StrCat("f32[", other, ",7]")),
              absl::StrCat("the logical shapes differ: [0,8] and [", other, ",7]"));
  }
  EXPECT_EQ(shared("((4294967296,4294967296,0),3):((0,0,1),1)", "f32[5,3]"),
            "the logical shapes differ: [0,3] and [5,3]");
  EXPECT_EQ(shared("f32[8,3]", "f32[7,3]"), "the logical shapes differ: [8,3] and [7,3]");
  EXPECT_EQ(shared("((4,0),3):((1,4),8)", "f32[0,3]"), "0,3");
}

TEST(LayoutFunction, NotesSayWhatMovesNoElement) {
  const auto noted = [](const std::string& left, const std::string& right) {
    return notes(function_of(left), function_of(right));
  };
  EXPECT_THAT(noted("f32[3,5]{1,0:T(2,2)}", "f32[3,5]"),
              ElementsAre("the allocations differ: 24 and 15 elements"));
  EXPECT_THAT(noted("f32[4]{0:S(1)}", "f32[4]{0:S(2)}"),
              ElementsAre("the memory spaces differ: 1 and 2"));
  EXPECT_THAT(noted("f32[4]", "f32[4]"), IsEmpty());
  EXPECT_THAT(noted("f32[3,5]{1,0:T(2,2)S(1)}", "(3,5):(5,1)"), IsEmpty());
  EXPECT_THAT(noted("(3,5):(5,1)", "f32[3,5]{1,0:T(2,2)S(1)}"), IsEmpty());
}

}  // namespace
}  // namespace tileproof::spec
