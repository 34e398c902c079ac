// SPDX-License-Identifier: Apache-2.0
// Each check of the fuzz target that is linked here is made for some of its inputs, although most
// checks are for a share of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "corpus/paths.h"
#include "fuzz/campaign/seeds.h"
#include "fuzz/campaign/target.h"
#include "fuzz/targets/text_input.h"

namespace tileproof {
namespace {

constexpr int kMostInputs = 20'000;

const campaign::Target& this_target() {
  return *std::ranges::find(campaign::all_targets(), TILEPROOF_TARGET, &campaign::Target::name);
}

bool each_share_has_inputs() {
  return std::ranges::all_of(Share::all(), [](const Share* share) { return share->inputs() > 0; });
}

TEST(Shares, EachCheckIsMadeForSomeInput) {
  std::vector<std::string> notes;
  std::vector<campaign::Seed> inputs =
      campaign::seeds_of(this_target(), project_path("corpus"), notes);
  ASSERT_FALSE(inputs.empty());
  ASSERT_FALSE(Share::all().empty());
  Choose choose(Choose::Random{1});
  for (int i = 0; i < kMostInputs && !each_share_has_inputs(); ++i) {
    std::string& input = inputs[static_cast<size_t>(choose(std::ssize(inputs)))].content;
    std::string changed = kTarget.mutated(choose, input);
    if (std::ssize(changed) > this_target().limits.longest) continue;
    verify::CaseCounts tally;
    ASSERT_EQ(kTarget.check(changed, tally), "");
    input = std::move(changed);
  }
  for (const Share* share : Share::all()) EXPECT_GT(share->inputs(), 0) << share->name();
}

}  // namespace
}  // namespace tileproof
