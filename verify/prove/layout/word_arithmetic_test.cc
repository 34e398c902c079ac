// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/layout/word_arithmetic.h"

#include <iostream>

#include "generate/choose/choose.h"
#include "generate/layout/generate_shape.h"
#include "gtest/gtest.h"
#include "impl/layout/tiled_layout.h"
#include "spec/base/exact_int.h"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::verify {
namespace {

using impl::ClosedForm;
using impl::Divisor;
using impl::Sum;

constexpr int64_t kLargest = INT64_MAX;

ClosedForm quotient_by(const Divisor& divisor) { return {1, {Sum{{{0, 1, divisor}}}}, {}, {1}}; }

bool divides(int64_t c, uint64_t multiplier, int shift) {
  return !word_fault(quotient_by(Divisor(c, multiplier, shift)), {kLargest});
}

TEST(WordArithmetic, ADivisorNeedsItsMultiplierAndItsShift) {
  for (int64_t c : {int64_t{3}, int64_t{7}, int64_t{10}, int64_t{641}, int64_t{3000000001},
                    (int64_t{1} << 62) - 1, (int64_t{1} << 62) + 1, kLargest}) {
    const Divisor right(c);
    const uint64_t m = right.multiplier();
    const int l = right.shift();
    EXPECT_TRUE(divides(c, m, l)) << c;
    EXPECT_FALSE(divides(c, m - 1, l)) << c;
    EXPECT_FALSE(divides(c, m + (uint64_t{1} << l) / static_cast<uint64_t>(c) + 2, l)) << c;
    EXPECT_FALSE(divides(c, m, l - 1)) << c;
    EXPECT_FALSE(divides(c, m, l + 1)) << c;
    EXPECT_FALSE(divides(c, 0, l)) << c;
    EXPECT_FALSE(divides(c - 1, m, l)) << c;
  }
  for (int l = 0; l <= 62; ++l) {
    EXPECT_TRUE(divides(int64_t{1} << l, 0, l));
    EXPECT_FALSE(divides(int64_t{1} << l, 0, l + 1));
  }
}

// The lemma's bound is exact enough: the smallest multiplier that it refuses divides wrongly.
TEST(WordArithmetic, SuspectsAreInputsOfAWrongQuotient) {
  for (int64_t c : {3, 7, 10, 641, 1000003}) {
    const Divisor right(c);
    for (const Divisor& wrong :
         {Divisor(c, right.multiplier() - 1, right.shift()),
          Divisor(c, right.multiplier() + (uint64_t{1} << right.shift()), right.shift()),
          Divisor(c, right.multiplier(), right.shift() + 1)}) {
      const auto fault = word_fault(quotient_by(wrong), {kLargest});
      ASSERT_TRUE(fault.has_value());
      ASSERT_FALSE(fault->suspects.empty()) << fault->what;
      for (const std::vector<int64_t>& input : fault->suspects) {
        EXPECT_NE(wrong.quotient(static_cast<uint64_t>(input[0])),
                  static_cast<uint64_t>(input[0] / c));
      }
    }
  }
}

TEST(WordArithmetic, ASumMustStayInAWord) {
  const auto fault = [](int64_t size, std::vector<Sum::Term> terms) {
    return word_fault({1, {Sum{std::move(terms)}}, {}, {1}}, {size});
  };
  const int64_t quarter = int64_t{1} << 61;
  EXPECT_FALSE(fault(4, {{0, quarter}}));
  EXPECT_TRUE(fault(5, {{0, quarter}}));
  EXPECT_TRUE(fault(2, {{0, -1}}));
  // v0 - 2 * (v0 floordiv 2) is the last digit, whatever the size, and also if a product wraps.
  EXPECT_FALSE(fault(kLargest, {{0, 1}, {0, -2, Divisor(2)}}));
  EXPECT_FALSE(fault(kLargest, {{0, quarter}, {0, -2 * quarter, Divisor(2)}}));
  EXPECT_TRUE(fault(kLargest, {{0, 4 * (quarter - 1)}, {0, -3, Divisor(2)}}));
  EXPECT_TRUE(fault(3, {{0, 1}, {0, -3, Divisor(2)}}));
}

TEST(WordArithmetic, AFormThatReadsLaterValuesIsRefused) {
  const auto is_refused = [](const ClosedForm& form) {
    const auto fault = word_fault(form, {10});
    return fault && fault->suspects.empty();
  };
  EXPECT_TRUE(is_refused({1, {Sum{{{1, 1, Divisor(3)}}}}, {}, {1}}));
  EXPECT_TRUE(is_refused({1, {Sum{{{2, 1}}}}, {}, {1}}));
  EXPECT_TRUE(is_refused({1, {}, {}, {1}}));
  EXPECT_TRUE(is_refused({1, {}, {{1, 5}}, {0}}));
  EXPECT_TRUE(is_refused({1, {}, {{0, -5}}, {0}}));
  EXPECT_TRUE(is_refused({2, {}, {}, {0}}));
  EXPECT_TRUE(is_refused({1, {Sum{{{0, 1, Divisor(3, 5, 64)}}}}, {}, {1}}));
  EXPECT_FALSE(word_fault({1, {}, {{0, 5}}, {0}}, {10}));
}

// Over integers that do not wrap. Every value is an output.
std::vector<spec::Exact> over_integers(const ClosedForm& form, const std::vector<int64_t>& inputs) {
  std::vector<spec::Exact> values;
  for (int64_t input : inputs) values.push_back(spec::exact(input));
  for (const Sum& sum : form.sums) {
    spec::Exact total = spec::exact(0);
    for (const auto& [value, weight, divisor] : sum.terms)
      total = total + floordiv(values[value], divisor.value()) * weight;
    values.push_back(total);
  }
  return values;
}

ClosedForm random_form(Choose& choose, std::vector<int64_t>& sizes) {
  const auto number = [&] {
    const int64_t most = int64_t{1} << choose.pick<int64_t>({1, 3, 6, 20, 40, 61});
    return 1 + choose(most);
  };
  ClosedForm form;
  form.inputs = static_cast<int32_t>(1 + choose(2));
  for (int32_t i = 0; i < form.inputs; ++i) sizes.push_back(number());
  const int64_t sums = 1 + choose(4);
  for (int64_t i = 0; i < sums; ++i) {
    Sum& sum = form.sums.emplace_back();
    for (int64_t terms = 1 + choose(3); terms > 0; --terms) {
      const auto value = static_cast<impl::ValueId>(choose(form.inputs + i));
      const int64_t weight = choose(3) == 0 ? -number() : number();
      sum.terms.push_back({value, weight, Divisor(choose(2) == 0 ? 1 : number())});
    }
  }
  for (int64_t i = 0; i < form.inputs + sums; ++i)
    form.outputs.push_back(static_cast<impl::ValueId>(i));
  return form;
}

TEST(WordArithmetic, RandomFormsWithoutAFaultComputeWhatIntegersDo) {
  int64_t right = 0, faulty = 0;
  for (uint64_t seed = 0; seed < cases<uint64_t>(20'000); ++seed) {
    Choose choose(Choose::Random{seed});
    std::vector<int64_t> sizes;
    const ClosedForm form = random_form(choose, sizes);
    if (word_fault(form, sizes)) {
      ++faulty;
      continue;
    }
    ++right;
    for (int point = 0; point < 20; ++point) {
      const std::vector<int64_t> inputs = random_index(choose, sizes);
      std::vector<int64_t> by_words(form.outputs.size());
      ASSERT_TRUE(impl::evaluate(form, inputs, absl::MakeSpan(by_words)));
      const std::vector<spec::Exact> exactly = over_integers(form, inputs);
      for (size_t i = 0; i < by_words.size(); ++i)
        ASSERT_EQ(by_words[i], to_int64(exactly[i]).value_or(-1)) << "seed " << seed;
    }
  }
  std::cout << right << " forms without a fault, " << faulty << " with one\n";
  EXPECT_GT(right, cases(2'000));
  EXPECT_GT(faulty, cases(2'000));
}

void expect_words(const Shape& shape, int64_t& forms) {
  const absl::StatusOr<impl::TiledLayout> closed = impl::TiledLayout::create(shape);
  if (!closed.ok() || closed->elements() == 0) return;
  const auto to_offset = word_fault(closed->to_offset(), closed->logical());
  EXPECT_FALSE(to_offset) << to_text(shape) << ": " << to_offset->what;
  const auto to_index = word_fault(closed->to_index(), {closed->elements()});
  EXPECT_FALSE(to_index) << to_text(shape) << ": " << to_index->what;
  forms += 2;
}

TEST(WordArithmetic, HoldsForEveryLayoutOfTheFamilies) {
  int64_t forms = 0, number = 0;
  for (const ShapeFamily& family : small_families()) {
    for (Odometer odometer; !odometer.done(); odometer.advance()) {
      Choose choose(&odometer);
      const Shape shape = bounded_shape(choose, family);
      if (is_tried(number++)) expect_words(shape, forms);
    }
  }
  std::cout << forms << " closed forms\n";
  EXPECT_GT(forms, number / 10);
}

TEST(WordArithmetic, HoldsForRandomLayouts) {
  int64_t forms = 0;
  for (uint64_t seed = 0; seed < cases<uint64_t>(20'000); ++seed) {
    Choose choose(Choose::Random{seed});
    expect_words(random_shape(choose, int64_t{1} << choose.pick<int64_t>({8, 30, 50, 62})), forms);
  }
  std::cout << forms << " closed forms\n";
  EXPECT_GT(forms, cases(10'000));
}

}  // namespace
}  // namespace tileproof::verify
