// SPDX-License-Identifier: Apache-2.0
// Fifty altered answers to hlo.index, made by the wrong implementations of the zoo: no single step
// of the shrinker makes a shrunk request shorter so that it still fails.
#include <optional>
#include <vector>

#include "conform/judge/judge.h"
#include "conform/shrink/shrink.h"
#include "conform/shrink/text_form.h"
#include "conform/shrink/text_steps.h"
#include "conform/suites/suites.h"
#include "conform/zoo/zoo.h"
#include "gtest/gtest.h"

namespace tileproof::zoo {
namespace {

using conform::Json;

constexpr int kAnswers = 50, kOfEach = 3;

bool is_wrong_about(const Entry& entry, const Json& request) {
  return verdict_on(entry, request) == conform::Verdict::kWrong;
}

std::vector<const Entry*> wrong_about_hlo() {
  std::vector<const Entry*> result;
  for (const auto& list : {entries(), held_out()}) {
    for (const Entry& entry : list) {
      if (entry.operation == "hlo.index") result.push_back(&entry);
    }
  }
  return result;
}

// The first random requests of the suite about which the entry is wrong.
std::vector<conform::Case> failures_of(const Entry& entry) {
  std::vector<conform::Case> found;
  conform::Cases cases(*conform::suite_named("hlo"), 5, {});
  for (int i = 0; i < 1500 && std::ssize(found) < kOfEach; ++i) {
    conform::Case next = *cases.next();
    const bool small = to_text(next.request).size() < 1500;
    if (next.random && small && is_wrong_about(entry, next.request))
      found.push_back(std::move(next));
  }
  return found;
}

TEST(MinimalHlo, NoStepMakesAShrunkRequestShorter) {
  const conform::Suite& suite = *conform::suite_named("hlo");
  int shrunk = 0;
  for (const Entry* entry : wrong_about_hlo()) {
    if (shrunk == kAnswers) break;
    for (const conform::Case& failing : failures_of(*entry)) {
      if (shrunk == kAnswers) break;
      ++shrunk;
      const Json least = smallest(suite, {}, failing, [entry](const Json& request) {
        return std::optional(is_wrong_about(*entry, request));
      });
      for (const Json& step : conform::simpler_requests(least)) {
        EXPECT_FALSE(conform::is_smaller(to_text(step), to_text(least)) &&
                     is_wrong_about(*entry, step))
            << entry->id << "\n"
            << to_text(least) << "\n"
            << to_text(step);
      }
    }
  }
  EXPECT_EQ(shrunk, kAnswers);
}

}  // namespace
}  // namespace tileproof::zoo
