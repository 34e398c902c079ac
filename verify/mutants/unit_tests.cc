// SPDX-License-Identifier: Apache-2.0
// Runs the unit tests of the implementation, one case each; rows of text (corpus/answers) are cases in parts.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "corpus/answers_testing.h"
#include "verify/mutants/checks.h"

namespace tileproof::mutants {
namespace {

// Skips random tests (the other checks, or fewer cases, cover them), large ones, and tests of running
// time.
bool is_quick(absl::string_view name) {
  for (absl::string_view part : {"Random", "EndInTime", "KeepTheirMeaning", "EverySize",
                                 "OfTheCorpus", "DependsOnOffsets", "PastTheCache"}) {
    if (absl::StrContains(name, part)) return false;
  }
  return true;
}

// Of `only`, if it is not empty, the name must contain one.
bool is_wanted(absl::string_view name, const std::vector<std::string>& only) {
  return only.empty() || std::ranges::any_of(only, [name](const std::string& part) {
           return absl::StrContains(name, part);
         });
}

struct Named {
  std::string name;
  std::optional<size_t> part;  // of its questions (corpus/answers_testing.h)
};

std::vector<Named> named_tests(const std::vector<std::string>& only) {
  std::vector<Named> names;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const std::string name = absl::StrCat(suite.name(), ".", suite.GetTestInfo(t)->name());
      if (!is_quick(suite.GetTestInfo(t)->name()) || !is_wanted(name, only)) continue;
      const bool has_parts = absl::EndsWith(name, ".Answers");
      if (!has_parts) names.push_back({name, std::nullopt});
      for (size_t part = 0; has_parts && part < kAnswerParts; ++part) names.push_back({name, part});
    }
  }
  return names;
}

}  // namespace

Check unit_tests(const std::vector<std::string>& only) {
  testing::InitGoogleTest();
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  const std::vector<Named> names = named_tests(only);
  return {"tests", verify::always(std::ssize(names)), false,
          [names](int64_t i, Choose&, verify::CaseCounts&) {
            const Named& test = names[static_cast<size_t>(i)];
            testing::GTEST_FLAG(filter) = test.name;
            asked_part = test.part;
            return RUN_ALL_TESTS() == 0 ? std::string() : test.name;
          }};
}

}  // namespace tileproof::mutants
