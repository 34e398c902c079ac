// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/digits.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "corpus/answers_testing.h"
#include "gtest/gtest.h"
#include "impl/layout/closed_form.h"
#include "impl/layout/digit_layout.h"
#include "impl/layout/divisor.h"
#include "spec/lang/base/odometer.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::impl {
namespace {

const std::vector<std::string> kNames = {"a", "b", "c"};

// x as digits of inputs: `weight * name` for whole inputs.
std::string of_inputs(const Digits& digits, const Numeral& x) {
  const auto terms = digits.of_inputs(x);
  if (!terms) return "nothing";
  std::string text;
  for (const auto& [weight, digit] : *terms) {
    EXPECT_EQ(digit.divisor, 1);
    EXPECT_EQ(digit.modulus, Digit::kWhole);
    absl::StrAppend(&text, text.empty() ? "" : " + ", weight, " * ", kNames[digit.source]);
  }
  return text;
}

// Tiles of 3 cut the number a * 2 + b, which becomes a new source. Combining both parts restores
// that number, whatever digits follow it.
TEST(DigitsTest, AdjacentPartsAreDigitsOfInputs) {
  Digits digits;
  const Numeral a = digits.input(5), b = digits.input(2), c = digits.input(7);
  Numeral x = Digits::combine(a, b);
  x.size = 12;  // padded
  const auto [tiles, inside] = digits.split(x, 3);
  EXPECT_EQ(digits.to_text(tiles, kNames), "(a * 2 + b) floordiv 3");
  EXPECT_EQ(digits.to_text(inside, kNames), "(a * 2 + b) mod 3");
  EXPECT_EQ(of_inputs(digits, tiles), "nothing");
  EXPECT_EQ(of_inputs(digits, inside), "nothing");
  const Numeral again = Digits::combine(tiles, inside);
  EXPECT_EQ(of_inputs(digits, again), "2 * a + 1 * b");
  EXPECT_EQ(of_inputs(digits, Digits::combine(again, c)), "14 * a + 7 * b + 1 * c");
}

void expect_quotient(uint64_t x, int64_t c) {
  ASSERT_EQ(Divisor(c).quotient(x), x / static_cast<uint64_t>(c)) << x << " floordiv " << c;
}

TEST(Divisor, EverySmallQuotient) {
  for (int64_t c = 1; c <= 300; ++c) {
    for (uint64_t x = 0; x <= 2000; ++x) expect_quotient(x, c);
  }
}

// A rounded reciprocal fails first just below and at multiples, and at the ends of the range.
TEST(Divisor, AroundMultiplesOfDivisorsOfEverySize) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200'000; ++i) {
    const int64_t c = static_cast<int64_t>(random() >> (1 + random() % 63)) | 1;
    const uint64_t most = INT64_MAX;
    const uint64_t multiple =
        (random() >> (1 + random() % 63)) / static_cast<uint64_t>(c) * static_cast<uint64_t>(c);
    for (uint64_t x :
         {multiple, multiple - 1, multiple + 1, most, most - most % static_cast<uint64_t>(c)}) {
      if (x <= most) expect_quotient(x, c);
    }
  }
  for (int bit = 0; bit < 63; ++bit) {
    for (int64_t c : {int64_t{1} << bit, (int64_t{1} << bit) + 1, INT64_MAX - bit}) {
      for (uint64_t x : {uint64_t{0}, uint64_t{1}, static_cast<uint64_t>(c) - 1,
                         static_cast<uint64_t>(c), uint64_t{INT64_MAX}}) {
        expect_quotient(x, c);
      }
    }
  }
}

// At these numbers, a multiplier that is too large by one gives a quotient that is too large by
// one.
TEST(Divisor, JustBelowTheLastMultipleOfPowersLessOne) {
  for (int bit = 2; bit < 63; ++bit) {
    const int64_t c = (int64_t{1} << bit) - 1;
    expect_quotient(static_cast<uint64_t>(INT64_MAX / c * c - 1), c);
  }
}

// Forms that no layout has. That the forms of layouts are right is tested against the definition
// (verify/compare/layout_compare_test.cc).

// Repeated values, weights that wrap, several outputs and checks. `expected` has every value.
TEST(ClosedForm, ExecutesWhatTheSumsSay) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 2000; ++trial) {
    ClosedForm form;
    form.inputs = 1 + static_cast<int32_t>(random() % 4);
    std::vector<int64_t> expected;
    std::vector<ValueId> readable;  // values of less than 2^63
    const auto append_value = [&](uint64_t value) {
      if (value >> 63 == 0) readable.push_back(static_cast<ValueId>(expected.size()));
      expected.push_back(static_cast<int64_t>(value));
    };
    for (int32_t i = 0; i < form.inputs; ++i) append_value(random() >> (1 + random() % 63));
    const std::vector<int64_t> inputs = expected;
    bool holds = true;
    for (int i = 0; i < 4; ++i) {
      Sum& sum = form.sums.emplace_back();
      uint64_t total = 0;
      for (uint64_t terms = random() % 6; terms > 0; --terms) {
        const ValueId value = readable[random() % readable.size()];
        const auto weight = static_cast<int64_t>(random() >> (random() % 64));
        const int64_t by = random() % 2 == 0 ? int64_t{1} << (random() % 62)
                                             : 1 + static_cast<int64_t>(random() % 1000);
        sum.terms.push_back({value, weight, Divisor(by)});
        total += static_cast<uint64_t>(weight) * static_cast<uint64_t>(expected[value] / by);
      }
      append_value(total);
      if (random() % 4 != 0) continue;
      const auto bound = static_cast<int64_t>(random() >> 1);
      form.checks.push_back({static_cast<ValueId>(expected.size() - 1), bound});
      holds = holds && total < static_cast<uint64_t>(bound);
    }
    for (size_t i = 0; i < expected.size(); ++i) form.outputs.push_back(static_cast<ValueId>(i));
    std::vector<int64_t> found(expected.size());
    ASSERT_EQ(evaluate(form, inputs, absl::MakeSpan(found)), holds);
    if (!holds) continue;
    ASSERT_EQ(found, expected) << absl::StrJoin(inputs, ",");
  }
}

TEST(ClosedForm, AnEarlierValueIsNotAppended) {
  ClosedForm form;
  form.inputs = 2;
  EXPECT_EQ(append(form, Sum{{{1, 1}}}), 1);
  const Sum sum = {{{0, 1}, {1, 3, Divisor(2)}}};
  EXPECT_EQ(append(form, sum), 2);
  EXPECT_EQ(append(form, Sum{{{0, 1, Divisor(4)}}}), 3);
  EXPECT_EQ(append(form, sum), 2);
  EXPECT_EQ(form.sums.size(), 2);
}

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
