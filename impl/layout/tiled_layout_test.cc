// SPDX-License-Identifier: Apache-2.0
// Tests of what only the closed form has: its formula, programs and errors. Its correctness is
// tested against the definition in verify/compare/layout_compare_test.cc and
// verify/prove/layout/layout_proof_test.cc.

#include "impl/layout/tiled_layout.h"

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "corpus/answers_testing.h"
#include "corpus/files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "impl/layout/bit_form.h"
#include "impl/layout/offset_array.h"
#include "impl/layout/tiled_layout_testing.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::impl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The answer about the layout behind some numbers.
template <class Answer>
std::string with_numbers(absl::string_view text, const Answer& answer) {
  const auto [numbers, layout] = parts_of<2>(text);
  return answer_text(answer(compiled(layout), numbers_of(numbers)));
}

TEST(ClosedForm, Answers) {
  const auto bytes = [](absl::string_view text) {
    const auto layout = TiledLayout::create(*parse_shape(text));
    return layout.ok() ? absl::StrCat(layout->bytes()) : std::string(layout.status().message());
  };
  const auto offset = [](const TiledLayout& layout, const std::vector<int64_t>& index) {
    return layout.linearize(index);
  };
  const auto index = [](const TiledLayout& layout, const std::vector<int64_t>& offsets) {
    return layout.delinearize(offsets[0]);
  };
  expect_answers("answers/formulas.txt",
                 {{"bytes", bytes},
                  {"formula", [](auto text) { return compiled(text).formula(); }},
                  {"index", [&](auto text) { return with_numbers(text, index); }},
                  {"offset", [&](auto text) { return with_numbers(text, offset); }}});
}

size_t terms_in(const ClosedForm& form) {
  size_t count = 0;
  for (const Sum& sum : form.sums) count += sum.terms.size();
  return count;
}

TEST(ClosedForm, TheCostOfAnOffsetDoesNotDependOnTheSize) {
  const TiledLayout small = compiled("bf16[16,256]{1,0:T(8,128)(2,1)}");
  const TiledLayout large = compiled("bf16[16777216,1048576]{1,0:T(8,128)(2,1)}");
  EXPECT_EQ(terms_in(small.to_offset()), terms_in(large.to_offset()));
  EXPECT_LE(terms_in(large.to_offset()), 8);
  EXPECT_EQ(*large.linearize({16777215, 1048575}), 17592186044415);
  EXPECT_THAT(**large.delinearize(17592186044415), ElementsAre(16777215, 1048575));
}

// The formula; terms of the sums to the offset and back; checks of padding; terms of those to the
// physical index.
std::string described(absl::string_view text) {
  const TiledLayout layout = compiled(text);
  const absl::StatusOr<ClosedForm> positions = physical_index(*parse_shape(text));
  return absl::StrCat(text, "  ", layout.formula(), "  ", terms_in(layout.to_offset()), " ",
                      terms_in(layout.to_index()), " ", layout.to_index().checks.size(), " ",
                      positions.ok() ? terms_in(*positions) : 0);
}

// A form that is right but longer than before would pass every comparison with the definition.
TEST(ClosedForm, FormsAreNoLongerThanBefore) {
  const std::vector<std::string> lines = project_lines("corpus/layouts/forms.txt");
  for (const std::string& line : lines) EXPECT_EQ(described(line.substr(0, line.find("  "))), line);
  EXPECT_GT(lines.size(), 100);
}

TEST(ClosedForm, OnlyAnEmptyArrayHasEmptyPrograms) {
  EXPECT_EQ(physical_index(*parse_shape("f32[1,1]"))->outputs.size(), 2);
  EXPECT_TRUE(compiled("f32[0,5]{1,0:T(2,2)}").to_offset().outputs.empty());
  EXPECT_TRUE(physical_index(*parse_shape("f32[0,5]{1,0:T(2,2)}"))->outputs.empty());
}

TEST(ClosedForm, DistinguishesPadding) {
  const TiledLayout layout = compiled("f32[3,5]{1,0:T(2,2)L(7)}");
  EXPECT_EQ(layout.elements(), 28);
  EXPECT_EQ(layout.padding(), 13);
  int64_t padding = 0;
  for (int64_t offset = 0; offset < layout.elements(); ++offset)
    padding += layout.delinearize(offset)->has_value() ? 0 : 1;
  EXPECT_EQ(padding, 13);
}

TEST(ClosedForm, RejectsAHandMadeTileOfSizeZero) {
  Shape broken = *parse_shape("f32[3,5]{1,0:T(2,2)}");
  broken.layout->tiles[0].dims[0] = 0;
  EXPECT_FALSE(TiledLayout::create(broken).ok());
}

// Moves of bits beside closed forms.

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

TEST(OffsetArray, OffsetsAreSumsOfPartsUnlessTilesCutDigits) {
  for (const char* shape :
       {"f32[7]{0}", "f32[3,5]{1,0:T(2,2)}", "f32[512,1024]{1,0:T(8,128)}",
        "bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}", "f32[100,200]{1,0:T(3,7)}",
        "f32[10,20,30]{0,2,1:T(6,5)L(1024)}", "s8[4000000000,1000000000]{1,0:T(8,128)}", "f32[]"}) {
    EXPECT_TRUE(compiled(shape).is_sum_of_parts()) << shape;
  }
  EXPECT_FALSE(compiled("f32[2,16]{1,0:T(2,4)(*,3,2)}").is_sum_of_parts());
}

// The box in the middle of an array: each offset by itself.
void expect_box(const TiledLayout& layout, std::vector<int64_t> begin, std::vector<int64_t> sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  std::vector<int64_t> wide(count), expected;
  std::vector<int32_t> narrow(count);
  ASSERT_TRUE(offsets(layout, begin, sizes, absl::MakeSpan(wide)).ok());
  std::vector<int64_t> step(sizes.size(), 0);
  do {
    std::vector<int64_t> index = begin;
    for (size_t d = 0; d < index.size(); ++d) index[d] += step[d];
    expected.push_back(*layout.linearize(index));
  } while (next_index(sizes, step));
  EXPECT_EQ(wide, expected);
  if (layout.elements() > INT32_MAX) return;
  ASSERT_TRUE(offsets(layout, begin, sizes, absl::MakeSpan(narrow)).ok());
  EXPECT_EQ(std::vector<int64_t>(narrow.begin(), narrow.end()), expected);
}

TEST(OffsetArray, AreThoseOfEachIndex) {
  expect_box(compiled("f32[]"), {}, {});
  expect_box(compiled("f32[3,5]{1,0:T(2,2)}"), {1, 1}, {2, 2});
  expect_box(compiled("f32[512,1024]{1,0:T(8,128)}"), {5, 100}, {20, 300});
  expect_box(compiled("f32[100,200]{1,0:T(3,7)}"), {0, 0}, {100, 200});
  expect_box(compiled("f32[10,20,30]{0,2,1:T(6,5)}"), {3, 4, 5}, {4, 5, 6});
  expect_box(compiled("f32[2,16]{1,0:T(2,4)(*,3,2)}"), {0, 3}, {2, 13});
  expect_box(compiled("s8[4000000000,1000000000]{1,0:T(8,128)}"), {3999999990, 999999000}, {10, 9});
}

TEST(OffsetArray, WrongBoxesAndRoomsAreErrors) {
  const TiledLayout layout = compiled("f32[3,5]{1,0:T(2,2)}");
  std::vector<int64_t> out(4);
  const auto failed = [&](std::vector<int64_t> begin, std::vector<int64_t> sizes) {
    return std::string(offsets(layout, begin, sizes, absl::MakeSpan(out)).message());
  };
  EXPECT_EQ(failed({1, 1}, {2, 2}), "");
  EXPECT_THAT(out, ElementsAre(3, 6, 13, 16));
  EXPECT_THAT(failed({1}, {2}), HasSubstr("rank 2"));
  EXPECT_THAT(failed({1, 1}, {4}), HasSubstr("rank 2"));
  EXPECT_THAT(failed({2, 1}, {2, 2}), HasSubstr("2 elements from 2 on"));
  EXPECT_THAT(failed({-1, 1}, {2, 2}), HasSubstr("dimension 0"));
  EXPECT_THAT(failed({INT64_MAX, 0}, {2, 2}), HasSubstr("dimension 0"));
  EXPECT_THAT(failed({0, 0}, {1, 3}), HasSubstr("4 places"));
  std::vector<int32_t> narrow(1);
  EXPECT_THAT(offsets(compiled("f32[4000000000]"), {0}, {1}, absl::MakeSpan(narrow)).message(),
              HasSubstr("do not fit 32 bits"));
}

// The largest offset counts, not the number of offsets.
TEST(OffsetArray, AnArrayOf2To31ElementsHasOffsetsOf32Bits) {
  std::vector<int32_t> last(1);
  EXPECT_TRUE(offsets(compiled("s8[2147483648]"), {INT32_MAX}, {1}, absl::MakeSpan(last)).ok());
  EXPECT_THAT(last, ElementsAre(INT32_MAX));
  EXPECT_FALSE(offsets(compiled("s8[2147483649]"), {0}, {1}, absl::MakeSpan(last)).ok());
}

}  // namespace
}  // namespace tileproof::impl
