// SPDX-License-Identifier: Apache-2.0
// The pairs of modules of corpus/pairs, in both directions: which elements they read, and which values
// they compute.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "corpus/paths.h"
#include "impl/hlo/indexing_testing.h"
#include "verify/prove/hlo/modules/module_equal.h"
#include "verify/prove/hlo/modules/module_values.h"

namespace tileproof::verify {
namespace {

using impl::module_of;
using ::testing::StartsWith;

std::string text_of(const std::string& name) {
  std::ifstream file(project_path("corpus/pairs/" + name));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The verdict of `tileproof equiv --reads`: the worst of all results.
std::string verdict_of(const std::string& left, const std::string& right) {
  VerifySession session;
  const auto results = same_accesses(module_of(left), module_of(right), session);
  if (!results.ok()) return std::string(results.status().message());
  const auto has = [&](Verdict verdict) {
    return std::ranges::count(*results, verdict, &ResultEquality::verdict) > 0;
  };
  if (has(Verdict::kRefuted)) return "different";
  return has(Verdict::kUndecided) ? "undecided" : "equal";
}

// The same of `tileproof equiv` without --reads.
std::string values_of(const std::string& left, const std::string& right) {
  const auto results = same_values(module_of(left), module_of(right), {});
  if (!results.ok()) return std::string(results.status().message());
  const auto has = [&](Verdict verdict) {
    return std::ranges::count(*results, verdict, &ValueEquality::verdict) > 0;
  };
  if (has(Verdict::kRefuted)) return "different";
  return has(Verdict::kUndecided) ? "undecided" : "equal";
}

// The cells of each line of pairs.tsv.
std::vector<std::vector<std::string>> pairs() {
  std::vector<std::vector<std::string>> pairs;
  for (const std::string& line :
       std::vector<std::string>(absl::StrSplit(text_of("pairs.tsv"), '\n', absl::SkipEmpty()))) {
    if (line[0] != '#') pairs.push_back(absl::StrSplit(line, '\t'));
  }
  return pairs;
}

class Pairs : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(Pairs, TheVerdictIsRightUnlessItIsAKnownFailure) {
  const std::vector<std::string>& cells = GetParam();
  ASSERT_TRUE(cells.size() == 3 || cells.size() == 4) << cells[0];
  const std::vector<std::string> right = absl::StrSplit(cells[1], ' ');
  const std::vector<std::string> modules = absl::StrSplit(text_of(cells[0] + ".hlo"), "// -----\n");
  ASSERT_GE(modules.size(), 2) << cells[0];
  const bool is_known_failure = cells.size() == 4;
  EXPECT_THAT(cells.back(), is_known_failure ? StartsWith("known failure: ") : StartsWith(""));
  const auto is_right = [&](const std::string& verdict) {
    return std::ranges::count(right, verdict) > 0;
  };
  bool all_pass = true;
  for (size_t k = 1; k < modules.size(); ++k) {
    const std::string forward = verdict_of(modules[0], modules[k]);
    const std::string backward = verdict_of(modules[k], modules[0]);
    // Modules that read other elements have other values.
    const bool are_equal = values_of(modules[0], modules[k]) == "equal";
    EXPECT_TRUE(!are_equal || is_right("equal")) << cells[0];
    const bool passes = is_right(forward) && is_right(backward);
    all_pass &= passes;
    if (is_known_failure) continue;
    EXPECT_TRUE(passes) << cells[0] << ", module " << k + 1 << ": " << forward
                        << ", and the other way round " << backward << ", expected: " << cells[1];
  }
  EXPECT_FALSE(is_known_failure && all_pass)
      << cells[0] << " passes now: remove its mark \"" << cells.back() << "\"";
}

INSTANTIATE_TEST_SUITE_P(All, Pairs, testing::ValuesIn(pairs()),
                         [](const auto& pair) { return pair.param[0]; });

TEST(PairFiles, EachHasOneLine) {
  std::set<std::string> names;
  for (const std::vector<std::string>& cells : pairs()) {
    EXPECT_TRUE(names.insert(cells[0] + ".hlo").second) << cells[0] << " is there twice";
  }
  for (const auto& file : std::filesystem::directory_iterator(project_path("corpus/pairs"))) {
    if (file.path().extension() != ".hlo") continue;
    EXPECT_TRUE(names.contains(file.path().filename())) << file.path() << " has no line";
  }
}

}  // namespace
}  // namespace tileproof::verify
