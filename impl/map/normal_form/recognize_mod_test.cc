#include "impl/map/normal_form/recognize_mod.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "impl/map/normal_form/floors.h"
#include "impl/map/normal_form/ranges.h"

namespace tileproof::impl {
namespace {

Forms box(const std::vector<Range>& bounds) {
  Forms forms;
  for (const Range& range : bounds) add_variable(forms, range, true);
  return forms;
}

// One mod by `modulus` and a constant, which mean the form.
void expect_mod(Forms& forms, const Linear& form, int64_t modulus) {
  const auto words = as_whole_mod(forms, without_constant(form));
  ASSERT_TRUE(words);
  ASSERT_EQ(words->count, 1);
  const Atom& atom = forms.atoms[words->terms[0].atom];
  EXPECT_EQ(atom.kind, AtomKind::kMod);
  EXPECT_EQ(atom.divisor, modulus);
  EXPECT_EQ(meaning_of(forms, *words), without_constant(form));
}

TEST(WholeMod, AModOfAModIsOne) {
  Forms forms = box({{0, 100}});
  const Linear inner = remainder_of(forms, variable_form(forms, 0), 7);
  const Linear form = remainder_of(forms, inner, 3);
  expect_mod(forms, form, 3);
  EXPECT_EQ(range_of(forms, form), (Range{0, 2}));
}

// (d0 mod 4 + d1 + 3) mod 5 = d0 mod 4 + d1 + 3 - 5 * f lies in [0, 4], so without its 3 in [-3,
// 1].
TEST(WholeMod, OfAConstantInsideTheFormShowsNothing) {
  Forms forms = box({{0, 8}, {0, 1}});
  const Linear part = remainder_of(forms, variable_form(forms, 0), 4);
  const Linear sum = plus(forms, plus(forms, part, variable_form(forms, 1)), constant(3));
  const Linear form = remainder_of(forms, sum, 5);
  expect_mod(forms, form, 5);
  EXPECT_EQ(range_of(forms, form), (Range{0, 4}));
  EXPECT_EQ(range_of(forms, without_constant(form)), (Range{-form.constant, 4 - form.constant}));
}

TEST(WholeMod, TimesANumberOrMinusOneItIsOne) {
  Forms forms = box({{0, 100}});
  const Linear inner = remainder_of(forms, variable_form(forms, 0), 7);
  const Linear mod = remainder_of(forms, inner, 3);
  for (const int64_t factor : {5, -1, -4}) {
    const Linear form = times(forms, mod, factor);
    expect_mod(forms, form, 3);
    EXPECT_EQ(range_of(forms, form), scaled({0, 2}, factor));
  }
}

TEST(WholeMod, OtherFormsAreNone) {
  Forms forms = box({{0, 100}, {0, 100}});
  const Linear d0 = variable_form(forms, 0), d1 = variable_form(forms, 1);
  const Linear mod = remainder_of(forms, remainder_of(forms, d0, 7), 3);
  EXPECT_FALSE(as_whole_mod(forms, d0));
  EXPECT_FALSE(as_whole_mod(forms, plus(forms, d0, d1)));
  EXPECT_FALSE(as_whole_mod(forms, floor_of(forms, d0, 7)));
  EXPECT_FALSE(as_whole_mod(forms, plus(forms, mod, d1)));
  // x - 3 * floor(x / 4), as little a mod as d0 - 7 * floor(d1 / 7).
  EXPECT_FALSE(as_whole_mod(forms, plus(forms, d0, floor_of(forms, d0, 4), -3)));
  EXPECT_FALSE(as_whole_mod(forms, plus(forms, d0, floor_of(forms, d1, 7), -7)));
}

TEST(WholeMod, LargeBoundsAreNothingSpecial) {
  Forms forms = box({{INT64_MIN / 4, INT64_MAX / 4}});
  const Linear inner = remainder_of(forms, variable_form(forms, 0), 7);
  const Linear form = remainder_of(forms, inner, 3);
  expect_mod(forms, form, 3);
  EXPECT_EQ(range_of(forms, form), (Range{0, 2}));
}

TEST(WholeMod, LargeFactorsAreNotLookedAt) {
  for (const int64_t c : {kSmallFactor - 1, kSmallFactor}) {
    Forms forms = box({{0, INT64_MAX}});
    const Linear form = remainder_of(forms, variable_form(forms, 0), c);
    EXPECT_EQ(as_whole_mod(forms, form).has_value(), c < kSmallFactor) << c;
    EXPECT_FALSE(forms.refused);
  }
}

TEST(WholeMod, ProductsHaveValuesToo) {
  Forms forms = box({{-3, 9}, {2, 8}});
  const Linear d0 = variable_form(forms, 0), d1 = variable_form(forms, 1);
  const Linear square = product(forms, product(forms, d0, d0), d1);
  expect_mod(forms, remainder_of(forms, remainder_of(forms, square, 9), 5), 5);
}

// ((a * d0 + b * d1 + k) mod m + e * d1) mod n. A few of these floors add up to other floors, in
// whose words x is not seen any more.
TEST(WholeMod, SumsModuloANumberAreNearlyAlwaysSeen) {
  std::mt19937 random(1);
  const auto any = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  int asked = 0, tight = 0;
  for (int i = 0; i < 2000; ++i) {
    Forms forms = box({{0, any(20, 200)}, {0, 99}});
    const int64_t a = any(1, 9), b = any(0, 9), k = any(0, 9), m = any(2, 12), e = any(0, 3);
    const int64_t n = any(2, 6);
    const Linear d0 = variable_form(forms, 0), d1 = variable_form(forms, 1);
    const Linear sum = plus(forms, plus(forms, times(forms, d0, a), d1, b), constant(k));
    const Linear inner = remainder_of(forms, sum, m);
    const Linear form = remainder_of(forms, plus(forms, inner, d1, e), n);
    if (form.is_constant()) continue;
    const Range range = range_of(forms, form);
    ++asked;
    tight += range.low >= 0 && range.high < n ? 1 : 0;
  }
  EXPECT_GE(tight * 100, asked * 99);
  EXPECT_GT(asked, 1500);
}

}  // namespace
}  // namespace tileproof::impl
