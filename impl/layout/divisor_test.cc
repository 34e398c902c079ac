// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/divisor.h"

#include <cstdint>
#include <random>

#include "gtest/gtest.h"

namespace tileproof::impl {
namespace {

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

}  // namespace
}  // namespace tileproof::impl
