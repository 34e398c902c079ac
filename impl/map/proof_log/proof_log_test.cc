// SPDX-License-Identifier: Apache-2.0
#include "impl/map/proof_log/proof_log.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "impl/map/proof_log/proof_log_map.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

TEST(ProofLog, CountsTheBytesOfLoggedCombinations) {
  ProofLog proof_log;
  proof_log.dimensions = 2;
  NormalFormContext context;
  context.proof_log = &proof_log;
  add_variable(context, {0, 9}, true);
  add_variable(context, {0, 9}, true);
  const Linear sum = plus(context, variable_form(context, 0), variable_form(context, 1), 3);
  const std::string text = text_of(context, sum);
  EXPECT_EQ(text, "d0 + d1 * 3");
  EXPECT_EQ(proof_log.logged, std::ssize(text));
}

TEST(ProofLog, HasNoTextIfItBecomesTooLong) {
  const IndexingMap map = *parse_map("(d0) -> (d0), domain: d0 in [0, 9]");
  ProofLog proof_log;
  begin_section(proof_log, map);
  end_section(proof_log, map, map);
  EXPECT_FALSE(proof_log.text.empty());
  begin_section(proof_log, map);
  proof_log.logged = ProofLog::kMaxLogged + 1;
  end_section(proof_log, map, map);
  EXPECT_EQ(proof_log.text, "");
}

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
