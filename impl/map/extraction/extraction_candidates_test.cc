// SPDX-License-Identifier: Apache-2.0
#include "impl/map/extraction/extraction_candidates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "impl/map/normal_form/normal_form.h"

namespace tileproof::impl {
namespace {

// The moduli for C * floor(I / c) plus variables with these factors.
Numbers moduli(const std::vector<int64_t>& factors, int64_t C, int64_t c) {
  std::vector<Term> terms;
  for (const int64_t factor : factors) {
    const auto number = static_cast<int32_t>(terms.size());
    terms.push_back({AtomId(static_cast<uint32_t>(number), number), factor});
  }
  return moduli_for({terms.data(), static_cast<int32_t>(terms.size()), 0}, C, c);
}

TEST(ModuliFor, AreTheDivisorItsQuotientsByOtherFactorsAndTheFactor) {
  EXPECT_EQ(moduli({2, -3}, -12, 4), Numbers({4, 6, 12}));
  EXPECT_EQ(moduli({5, 12}, 12, 8), Numbers({12})) << "5 and 8 are no divisors of 12, 1 is none";
  EXPECT_EQ(moduli({1}, -1, 2), Numbers());
  EXPECT_EQ(moduli({INT64_MIN}, 2, 2), Numbers({2}));
}

TEST(ModuliFor, HaveNoDuplicates) {
  EXPECT_EQ(moduli({3, 3, -3, 1, 4}, 12, 4), Numbers({4, 12, 3}));
}

TEST(ModuliFor, AreAtMostTwelve) {
  std::vector<int64_t> factors;
  for (int64_t i = 1; i <= 20; ++i) factors.push_back(int64_t{1} << i);
  const Numbers some = moduli(factors, int64_t{1} << 40, 3);
  ASSERT_EQ(some.size(), 12u);
  for (size_t i = 0; i < some.size(); ++i) EXPECT_EQ(some[i], int64_t{1} << (39 - i));
}

TEST(DivisorsOfMod, AreInversesIfTheFloorHasTheSameDivisor) {
  for (int64_t b = 2; b < 40; ++b) {
    for (int64_t p = -b; p <= b; ++p) {
      Numbers divisors = divisors_of_mod(p, b, b);
      std::ranges::sort(divisors);
      Numbers expected;
      for (int64_t e = 2; e < b; ++e) {
        if ((e * p - 1) % b == 0 || (e * p + 1) % b == 0) expected.push_back(e);
      }
      EXPECT_EQ(divisors, expected) << p << " modulo " << b;
    }
  }
}

TEST(DivisorsOfMod, AreTheQuotientOfALargerDivisorByTheModulus) {
  EXPECT_EQ(divisors_of_mod(1, 8, 32), Numbers({4}));
  EXPECT_EQ(divisors_of_mod(1, 8, 64), Numbers()) << "8 is not below the modulus";
  EXPECT_EQ(divisors_of_mod(1, 8, 33), Numbers());
  EXPECT_EQ(divisors_of_mod(1, 8, 4), Numbers());
}

}  // namespace
}  // namespace tileproof::impl
