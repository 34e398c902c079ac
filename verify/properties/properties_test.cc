// SPDX-License-Identifier: Apache-2.0
// Each property holds for its cases. If a random input breaks one, RapidCheck finds a small one: it
// shrinks the list of choices, and a shorter list of smaller choices is a simpler input.
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <vector>

#include "fuzz/raw/raw_properties.h"
#include "spec/lang/base/cases_testing.h"
#include "verify/properties/property.h"

// Last, because it needs GoogleTest declared first:
#include "rapidcheck/gtest.h"

namespace tileproof::verify {

void PrintTo(const Property& property, std::ostream* out) { *out << property.name; }

namespace {

class Properties : public testing::TestWithParam<Property> {};

TEST_P(Properties, Hold) {
  const Property& property = GetParam();
  const int64_t all = property.times * property.cases();
  const int64_t tried = property.endless ? cases(all) : all;
  ASSERT_GT(tried, 0);
  CaseCounts tally;
  int64_t findings = 0;
  for (int64_t number = 0; number < tried; ++number) {
    const std::string found = check_case(property, number, tally);
    if (found.empty()) continue;
    ++findings;
    ASSERT_FALSE(property.holds) << "case " << number << ": " << found;
  }
  EXPECT_LT(findings * 50, tried);
  std::cout << to_text(tally) << "\n";
  tally["cases"] = tried;
  for (const auto& [often, times, rare] : property.ratios) {
    EXPECT_GE(static_cast<double>(tally[often]), times * static_cast<double>(tally[rare]))
        << often << ", " << rare;
  }
}

TEST_P(Properties, HoldForChoicesThatShrink) {
  const Property& property = GetParam();
  if (!property.endless || !property.holds) GTEST_SKIP() << "its inputs are not made by choices";
  EXPECT_TRUE(rc::check([&property](const std::vector<uint16_t>& list) {
    Choose choose(Choose::Replay{{list.begin(), list.end()}});
    CaseCounts tally;
    const std::string found = property.check(kNoNumber, choose, tally);
    if (!found.empty()) RC_FAIL(found);
  }));
}

INSTANTIATE_TEST_SUITE_P(All, Properties, testing::ValuesIn(joined({TILEPROOF_PROPERTIES})),
                         [](const auto& one) {
                           std::string name = one.param.name;
                           for (char& letter : name)
                             if (letter == '-') letter = '_';
                           return name;
                         });

}  // namespace
}  // namespace tileproof::verify
