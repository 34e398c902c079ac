// SPDX-License-Identifier: Apache-2.0
#include "conform/zoo/campaign.h"

#include <chrono>
#include <string>
#include <tuple>
#include <vector>

#include "spec/lang/base/try.h"

namespace tileproof::zoo {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

std::vector<const conform::Suite*> suites_that_ask(absl::string_view operation) {
  std::vector<const conform::Suite*> suites;
  for (const conform::Suite& suite : conform::suites()) {
    if (suite.by_default != conform::ByDefault::kNotAsked && asks(suite, operation))
      suites.push_back(&suite);
  }
  return suites;
}

std::vector<const conform::Suite*> suites_of_zoo() {
  std::vector<const conform::Suite*> suites;
  for (const conform::Suite& suite : conform::suites()) {
    if (suite.by_default != conform::ByDefault::kNotAsked) suites.push_back(&suite);
  }
  return suites;
}

absl::StatusOr<Caught> judge_entry(const std::string& program, const Entry& entry, uint64_t seed,
                                   conform::RightAnswers* known) {
  conform::ConformOptions options;
  options.right_answers = known;
  options.command = {program, "zoo", "--respond", std::string(entry.id)};
  options.seed = seed;
  options.time = kTime;
  options.budget.shrunk = kShrunk;
  options.budget.doubtful = 0;
  options.suites = suites_that_ask(entry.operation);
  Caught result;
  int64_t after = 0;
  const auto start = Clock::now();
  options.go_on = [&](conform::Verdict verdict) {
    if (result.caught) return ++after < kAfter;
    ++result.requests;
    result.caught = fails(verdict);
    if (result.caught) result.verdict = verdict;
    result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return true;
  };
  conform::Report report = TRY(conform::conform(options));
  // The shortest of the failures that were shrunk; of all, if none was.
  std::tuple<bool, size_t, std::string> best = {true, SIZE_MAX, ""};
  for (const auto& [key, failure] : report.failures) {
    if (report.records[key].verdict != result.verdict) continue;
    const conform::Failing& found = failure.shown();
    const std::string text = to_text(found.request);
    const std::tuple rank(!failure.smallest.has_value(), text.size(), text);
    if (rank >= best) continue;
    result.smallest = found;
    best = rank;
  }
  return result;
}

absl::StatusOr<conform::Report> judge_right(const std::string& program, const std::string& engine,
                                            uint64_t seed, conform::RightAnswers* known) {
  conform::ConformOptions options;
  options.right_answers = known;
  options.command = {program, "respond", "--engine", engine};
  options.seed = seed;
  options.timeout = conform::Milliseconds(10'000);  // the machine may be busy
  return conform::conform(options);
}

}  // namespace tileproof::zoo
