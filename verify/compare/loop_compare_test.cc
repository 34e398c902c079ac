// SPDX-License-Identifier: Apache-2.0
// Random loops: the closed form against the interpreter, which runs them.
//
// TILEPROOF_RANDOM_LOOPS sets how many: 100,000 in a nightly run, a share of them in each.
// TILEPROOF_FIRST_LOOP sets the seed of the first.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "generate/choose/choose.h"
#include "generate/hlo/generate_loop.h"
#include "spec/lang/hlo/hlo_text.h"
#include "verify/compare/indexing_compare.h"

namespace tileproof::verify {
namespace {

using Kind = IndexingComparison::Kind;

int64_t number_in(const char* variable, int64_t otherwise) {
  const char* number = std::getenv(variable);
  if (number != nullptr && !absl::SimpleAtoi(number, &otherwise)) ADD_FAILURE() << number;
  return otherwise;
}

// About the loop, and about what stands behind it.
std::vector<IndexingQuestion> questions(const HloModule& module) {
  const HloComputation& entry = module.computations[module.entry];
  std::vector<IndexingQuestion> all = questions_about(module, module.entry, entry.root);
  for (int32_t k = 0; k < std::ssize(entry.instructions); ++k) {
    if (!absl::StartsWith(entry.instructions[k].name, kBehindLoop)) continue;
    for (const IndexingQuestion& one : questions_about(module, module.entry, k)) {
      all.push_back(one);
    }
  }
  return all;
}

TEST(LoopCompareTest, RandomLoopsAgreeWithTheInterpreter) {
  std::map<Kind, int64_t> kinds;
  int64_t elements = 0, counted = 0, masked = 0;
  const int64_t count = number_in("TILEPROOF_RANDOM_LOOPS", 1500);
  const int64_t first = number_in("TILEPROOF_FIRST_LOOP", 0);
  for (int64_t seed = first; seed < first + count; ++seed) {
    Choose choose(Choose::Random{static_cast<uint64_t>(seed)});
    const GeneratedLoop loop = generate_loop(choose);
    counted += loop.is_counted;
    masked += loop.masks > 0;
    const absl::StatusOr<HloModule> module = parse_hlo_module(loop.text);
    ASSERT_TRUE(module.ok()) << module.status() << "\n" << loop.text;
    for (const IndexingQuestion& question : questions(*module)) {
      const IndexingComparison result = compare_indexing(*module, question, {loop.seed, loop.near});
      ASSERT_NE(result.kind, Kind::kDifferent)
          << "seed " << seed << ", " << to_text(question) << ": " << result.difference << "\n"
          << loop.text;
      ASSERT_NE(result.kind, Kind::kRefused) << loop.text;
      ++kinds[result.kind];
      elements += result.elements;
    }
  }
  std::cout << count << " loops, " << counted << " of them counted, " << masked << " with masks, "
            << elements << " elements: " << kinds[Kind::kEqual] << " equal, "
            << kinds[Kind::kSuperset] << " supersets, " << kinds[Kind::kTooLarge]
            << " too large, 0 differences\n";
  // Most arrays are exact, and few questions are too large.
  EXPECT_GT(kinds[Kind::kEqual], kinds[Kind::kSuperset]);
  EXPECT_LT(kinds[Kind::kTooLarge], count / 100 + 1);
}

}  // namespace
}  // namespace tileproof::verify
