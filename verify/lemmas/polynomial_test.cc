// SPDX-License-Identifier: Apache-2.0
#include "verify/lemmas/polynomial.h"

#include <gtest/gtest.h>

#include <limits>

namespace tileproof::lemmas {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

Polynomial x() { return Polynomial::variable("x"); }
Polynomial y() { return Polynomial::variable("y"); }
Polynomial number(int64_t value) { return Polynomial::constant(value); }

TEST(Polynomial, ProductsCollectAndCancelTerms) {
  EXPECT_EQ(to_text((x() + y()) * (x() - y())), "x*x - y*y");
  EXPECT_EQ(x() * y() * x(), Polynomial::term(1, {"y", "x", "x"}));
  EXPECT_EQ(to_text((x() - number(2)) * (x() - number(2))), "-4*x + x*x + 4");
  EXPECT_EQ(to_text(x() - x()), "0");
}

TEST(Polynomial, AnOverflowingCoefficientMakesItInvalidForever) {
  const Polynomial big = number(kMost) * x();
  EXPECT_TRUE(big.valid());
  const Polynomial sum = big + x();
  EXPECT_FALSE(sum.valid());
  EXPECT_FALSE((sum - x()).valid());
  EXPECT_FALSE((sum * number(0)).valid());
  EXPECT_FALSE(sum == sum);
  EXPECT_FALSE((big * number(2)).valid());
  EXPECT_FALSE((-number(std::numeric_limits<int64_t>::min())).valid());
}

TEST(Fraction, IsKeptInLowestTerms) {
  EXPECT_EQ(make_fraction(6, -4), (Fraction{-3, 2}));
  EXPECT_EQ(make_fraction(1, 3) + make_fraction(1, 6), (Fraction{1, 2}));
  EXPECT_EQ(make_fraction(2, 3) * make_fraction(-3, 2), (Fraction{-1, 1}));
  EXPECT_EQ(make_fraction(0, 7), (Fraction{0, 1}));
}

TEST(Fraction, OverflowIsInvalid) {
  EXPECT_FALSE(make_fraction(1, 0).valid());
  EXPECT_FALSE(make_fraction(std::numeric_limits<int64_t>::min(), 1).valid());
  EXPECT_FALSE((make_fraction(kMost, 1) + make_fraction(1, 1)).valid());
  EXPECT_FALSE((make_fraction(1, kMost) * make_fraction(1, 2)).valid());
  EXPECT_FALSE((make_fraction(1, 0) * make_fraction(0, 1)).valid());
}

TEST(Fraction, ParsesOnlyItsOwnText) {
  EXPECT_EQ(parse_fraction("-3/2"), (Fraction{-3, 2}));
  EXPECT_EQ(parse_fraction("7"), (Fraction{7, 1}));
  for (const char* text :
       {"", "x", "2/4", "1/-2", "+1", "1/1", "1/2/3", " 1", "99999999999999999999", "1/0", "-0"}) {
    EXPECT_FALSE(parse_fraction(text).valid()) << '"' << text << '"';
  }
}

}  // namespace
}  // namespace tileproof::lemmas
