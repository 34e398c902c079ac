// SPDX-License-Identifier: Apache-2.0
// Each check of the fuzz targets of maps is made for some of their inputs, although most checks are
// for a share of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "corpus/paths.h"
#include "fuzz/campaign/target.h"
#include "fuzz/targets/text_input.h"

namespace tileproof {
namespace {

constexpr int kMostInputs = 20'000;

// A target, and inputs of it.
struct Tried {
  const TextTarget& target;
  const campaign::Target& listed;
  std::vector<campaign::Seed> inputs;
};

std::vector<Tried> tried_targets() {
  std::vector<Tried> tried;
  for (const TextTarget& target : targets()) {
    const campaign::Target& listed =
        *std::ranges::find(campaign::all_targets(), target.name, &campaign::Target::name);
    std::vector<std::string> notes;
    tried.push_back({target, listed, campaign::seeds_of(listed, project_path("corpus"), notes)});
  }
  return tried;
}

bool each_share_has_inputs() {
  return std::ranges::all_of(Share::all(), [](const Share* share) { return share->inputs() > 0; });
}

TEST(Shares, EachCheckIsMadeForSomeInput) {
  std::vector<Tried> all = tried_targets();
  ASSERT_FALSE(Share::all().empty());
  Choose choose(Choose::Random{1});
  for (int i = 0; i < kMostInputs && !each_share_has_inputs(); ++i) {
    auto& [target, listed, inputs] = all[static_cast<size_t>(choose(std::ssize(all)))];
    ASSERT_FALSE(inputs.empty());
    std::string& input = inputs[static_cast<size_t>(choose(std::ssize(inputs)))].content;
    std::string changed = target.mutated(choose, input);
    if (std::ssize(changed) > listed.limits.longest) continue;
    verify::CaseCounts tally;
    ASSERT_EQ(target.check(changed, tally), "");
    input = std::move(changed);
  }
  for (const Share* share : Share::all()) EXPECT_GT(share->inputs(), 0) << share->name();
}

}  // namespace
}  // namespace tileproof
