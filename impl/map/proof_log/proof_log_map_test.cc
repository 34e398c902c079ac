// SPDX-License-Identifier: Apache-2.0
#include "impl/map/proof_log/proof_log_map.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tileproof::impl {
namespace {

// By trying all numbers.
std::vector<int64_t> divisors_up_to_1024_and_what_they_leave(int64_t c) {
  std::vector<int64_t> divisors;
  for (int64_t i = 2; i < c; ++i) {
    if (c % i == 0 && (i <= 1024 || c / i <= 1024)) divisors.push_back(i);
  }
  return divisors;
}

TEST(ProperDivisors, AreTheDivisorsUpTo1024AndTheirQuotients) {
  for (const int64_t c : {0, 1, 2, 3, 4, 12, 1023, 1024, 2048, 1024 * 1024, 1025 * 1027, 3 * 1024,
                          1024 * 1025, 720'720, 6'000'000}) {
    std::vector<int64_t> divisors = proper_divisors(c);
    std::ranges::sort(divisors);
    EXPECT_EQ(divisors, divisors_up_to_1024_and_what_they_leave(c)) << c;
  }
}

}  // namespace
}  // namespace tileproof::impl
