// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "impl/map/normal_form/floors.h"

namespace tileproof::impl {
namespace {

NormalFormContext box(const std::vector<Range>& bounds) {
  NormalFormContext context;
  for (const Range& range : bounds) add_variable(context, range, true);
  return context;
}

// Expects a rendering as one mod by `modulus` and a constant, with the form as its meaning.
void expect_mod(NormalFormContext& context, const Linear& form, int64_t modulus) {
  const auto rendering = recognize_mod(context, without_constant(form));
  ASSERT_TRUE(rendering);
  ASSERT_EQ(rendering->count, 1);
  const Atom& atom = context.atoms[rendering->terms[0].atom];
  EXPECT_EQ(atom.kind, AtomKind::kMod);
  EXPECT_EQ(atom.divisor, modulus);
  EXPECT_EQ(meaning_of(context, *rendering), without_constant(form));
}

TEST(WholeMod, RecognizesAModOfAMod) {
  NormalFormContext context = box({{0, 100}});
  const Linear inner = remainder_of(context, variable_form(context, 0), 7);
  const Linear form = remainder_of(context, inner, 3);
  expect_mod(context, form, 3);
  EXPECT_EQ(range_of(context, form), (Range{0, 2}));
}

// (d0 mod 4 + d1 + 3) mod 5 = d0 mod 4 + d1 + 3 - 5 * f lies in [0, 4]. Without its 3 it lies in
// [-3, 1].
TEST(WholeMod, AConstantInsideTheModIsNotVisible) {
  NormalFormContext context = box({{0, 8}, {0, 1}});
  const Linear part = remainder_of(context, variable_form(context, 0), 4);
  const Linear sum = plus(context, plus(context, part, variable_form(context, 1)), constant(3));
  const Linear form = remainder_of(context, sum, 5);
  expect_mod(context, form, 5);
  EXPECT_EQ(range_of(context, form), (Range{0, 4}));
  EXPECT_EQ(range_of(context, without_constant(form)), (Range{-form.constant, 4 - form.constant}));
}

TEST(WholeMod, RecognizesMultiplesAndNegatedMods) {
  NormalFormContext context = box({{0, 100}});
  const Linear inner = remainder_of(context, variable_form(context, 0), 7);
  const Linear mod = remainder_of(context, inner, 3);
  for (const int64_t factor : {5, -1, -4}) {
    const Linear form = times(context, mod, factor);
    expect_mod(context, form, 3);
    EXPECT_EQ(range_of(context, form), scaled({0, 2}, factor));
  }
}

TEST(WholeMod, RejectsOtherForms) {
  NormalFormContext context = box({{0, 100}, {0, 100}});
  const Linear d0 = variable_form(context, 0), d1 = variable_form(context, 1);
  const Linear mod = remainder_of(context, remainder_of(context, d0, 7), 3);
  EXPECT_FALSE(recognize_mod(context, d0));
  EXPECT_FALSE(recognize_mod(context, plus(context, d0, d1)));
  EXPECT_FALSE(recognize_mod(context, floor_of(context, d0, 7)));
  EXPECT_FALSE(recognize_mod(context, plus(context, mod, d1)));
  // Neither x - 3 * floor(x / 4) nor d0 - 7 * floor(d1 / 7) is a mod.
  EXPECT_FALSE(recognize_mod(context, plus(context, d0, floor_of(context, d0, 4), -3)));
  EXPECT_FALSE(recognize_mod(context, plus(context, d0, floor_of(context, d1, 7), -7)));
}

TEST(WholeMod, RecognizesModsWithLargeBounds) {
  NormalFormContext context = box({{INT64_MIN / 4, INT64_MAX / 4}});
  const Linear inner = remainder_of(context, variable_form(context, 0), 7);
  const Linear form = remainder_of(context, inner, 3);
  expect_mod(context, form, 3);
  EXPECT_EQ(range_of(context, form), (Range{0, 2}));
}

TEST(WholeMod, IgnoresLargeFactors) {
  for (const int64_t c : {kSmallFactor - 1, kSmallFactor}) {
    NormalFormContext context = box({{0, INT64_MAX}});
    const Linear form = remainder_of(context, variable_form(context, 0), c);
    EXPECT_EQ(recognize_mod(context, form).has_value(), c < kSmallFactor) << c;
    EXPECT_FALSE(context.gave_up);
  }
}

TEST(WholeMod, SamplesProducts) {
  NormalFormContext context = box({{-3, 9}, {2, 8}});
  const Linear d0 = variable_form(context, 0), d1 = variable_form(context, 1);
  const Linear square = product(context, product(context, d0, d0), d1);
  expect_mod(context, remainder_of(context, remainder_of(context, square, 9), 5), 5);
}

// ((a * d0 + b * d1 + k) mod m + e * d1) mod n. In a few cases these floors add up to other floors,
// whose form no longer shows x.
TEST(WholeMod, RecognizesMostSumsModuloANumber) {
  std::mt19937 random(1);
  const auto any = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  int asked = 0, tight = 0;
  for (int i = 0; i < 2000; ++i) {
    NormalFormContext context = box({{0, any(20, 200)}, {0, 99}});
    const int64_t a = any(1, 9), b = any(0, 9), k = any(0, 9), m = any(2, 12), e = any(0, 3);
    const int64_t n = any(2, 6);
    const Linear d0 = variable_form(context, 0), d1 = variable_form(context, 1);
    const Linear sum = plus(context, plus(context, times(context, d0, a), d1, b), constant(k));
    const Linear inner = remainder_of(context, sum, m);
    const Linear form = remainder_of(context, plus(context, inner, d1, e), n);
    if (form.is_constant()) continue;
    const Range range = range_of(context, form);
    ++asked;
    tight += range.low >= 0 && range.high < n ? 1 : 0;
  }
  EXPECT_GE(tight * 100, asked * 99);
  EXPECT_GT(asked, 1500);
}

}  // namespace
}  // namespace tileproof::impl
