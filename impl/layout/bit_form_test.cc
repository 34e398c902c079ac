// SPDX-License-Identifier: Apache-2.0
// Moves of bits beside closed forms.
#include "impl/layout/bit_form.h"

#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "impl/layout/tiled_layout.h"
#include "impl/layout/tiled_layout_testing.h"

namespace tileproof::impl {
namespace {

const std::vector<std::string>& shapes_of_powers() {
  static const std::vector<std::string> all = {
      "f32[64]{0}",
      "f32[512,1024]{1,0}",
      "f32[512,1024]{0,1}",
      "f32[512,1024]{1,0:T(8,128)}",
      "f32[500,1000]{1,0:T(8,128)}",
      "bf16[8,1,2048,16384]{3,2,0,1:T(8,128)(2,1)}",
      "s8[2147483648,1024]{1,0:T(32,128)(4,1)}",
      "f32[16,16,16,16]{0,2,1,3:T(4,4)}",
  };
  return all;
}

TEST(BitForm, LayoutsOfPowersOfTwoMoveBits) {
  if (!has_bit_moves()) GTEST_SKIP() << "this processor has no pdep";
  for (const std::string& shape : shapes_of_powers()) {
    EXPECT_TRUE(compiled(shape).deposit_to_offset()) << shape;
    EXPECT_TRUE(compiled(shape).extract_to_index()) << shape;
  }
  EXPECT_FALSE(compiled("f32[100,384]{1,0:T(8,128)}").deposit_to_offset());  // 3 tiles in a row
  EXPECT_FALSE(compiled("f32[3,5]{1,0}").extract_to_index());
}

// The closed form is written from the masks alone, and executed without moving bits.
TEST(BitForm, GivesTheOffsetsAndIndicesOfTheClosedForm) {
  if (!has_bit_moves()) GTEST_SKIP() << "this processor has no pdep";
  std::mt19937_64 random(3);
  for (const std::string& shape : shapes_of_powers()) {
    const TiledLayout layout = compiled(shape);
    const size_t rank = layout.logical().size();
    for (int trial = 0; trial < 1000; ++trial) {
      std::vector<int64_t> index;
      for (const int64_t size : layout.logical())
        index.push_back(static_cast<int64_t>(random() % static_cast<uint64_t>(size)));
      int64_t offset;
      evaluate(layout.to_offset(), index, absl::MakeSpan(&offset, 1));
      ASSERT_EQ(layout.deposit_to_offset()->output(index.data()), offset) << shape;
      ASSERT_EQ(layout.linearize_unchecked(index), offset) << shape;
      const auto any = static_cast<int64_t>(random() % static_cast<uint64_t>(layout.elements()));
      std::vector<int64_t> moved(rank), expected(rank);
      const bool inside = layout.extract_to_index()->evaluate(any, absl::MakeSpan(moved));
      ASSERT_EQ(evaluate(layout.to_index(), {any}, absl::MakeSpan(expected)), inside) << shape;
      if (!inside) continue;
      ASSERT_EQ(moved, expected) << shape << " at " << any;
    }
  }
}

// Masks of any runs, and the closed form that says what they do.
TEST(BitForm, ADepositIsTheSumOfItsRuns) {
  if (!has_bit_moves()) GTEST_SKIP() << "this processor has no pdep";
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<Numeral::Term> digits;
    int shift = 0, position = static_cast<int>(random() % 8);
    for (uint64_t runs = 1 + random() % 4; runs > 0; --runs) {
      const int count = 1 + static_cast<int>(random() % 8);
      const int64_t modulus = runs == 1 ? Digit::kWhole : int64_t{1} << count;
      digits.insert(digits.begin(), {int64_t{1} << position, {0, int64_t{1} << shift, modulus}});
      shift += count;
      position += count + static_cast<int>(random() % 4);
    }
    const std::optional<DepositForm> deposit = DepositForm::of(digits, 1);
    ASSERT_TRUE(deposit);
    const auto x = static_cast<int64_t>(random() % (uint64_t{1} << (62 - position + shift)));
    int64_t expected = 0, decoded;
    for (const auto& [weight, digit] : digits) {
      const int64_t quotient = x / digit.divisor;
      expected += weight * (digit.modulus == 0 ? quotient : quotient % digit.modulus);
    }
    evaluate(deposit->closed_form(), {x}, absl::MakeSpan(&decoded, 1));
    ASSERT_EQ(deposit->output(&x), expected) << x;
    ASSERT_EQ(decoded, expected) << x;
  }
}

TEST(BitForm, NumbersThatAreNoPowersOfTwoHaveNone) {
  EXPECT_FALSE(DepositForm::of({{3, {0, 1, Digit::kWhole}}}, 1));
  EXPECT_FALSE(DepositForm::of({{1, {0, 3, Digit::kWhole}}}, 1));
  EXPECT_FALSE(DepositForm::of({{4, {0, 1, Digit::kWhole}}, {1, {0, 1, 3}}}, 1));
  Digits digits;
  const auto [quotient, rest] = digits.split(digits.input(12), 3);
  EXPECT_FALSE(ExtractForm::of(digits, {quotient}, {}));
  EXPECT_FALSE(ExtractForm::of(digits, {rest}, {}));
}

}  // namespace
}  // namespace tileproof::impl
