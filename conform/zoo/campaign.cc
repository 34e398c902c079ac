// SPDX-License-Identifier: Apache-2.0
#include "conform/zoo/campaign.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "spec/lang/base/try.h"

namespace tileproof::zoo {
namespace {

using Clock = std::chrono::steady_clock;

bool asks(const conform::Suite& suite, absl::string_view operation) {
  const std::vector<conform::Json> requests = suite.fixed();
  return std::any_of(requests.begin(), requests.end(), [operation](const conform::Json& request) {
    return *find(request, "op") == conform::Json(operation);
  });
}

}  // namespace

std::vector<const conform::Suite*> suites_that_ask(absl::string_view operation) {
  std::vector<const conform::Suite*> all, by_default;
  for (const conform::Suite& suite : conform::suites()) {
    if (!asks(suite, operation)) continue;
    all.push_back(&suite);
    if (suite.by_default) by_default.push_back(&suite);
  }
  return by_default.empty() ? all : by_default;
}

std::vector<const conform::Suite*> suites_of_zoo() {
  std::set<std::string> operations;
  for (const Entry& entry : entries()) operations.emplace(entry.operation);
  std::set<const conform::Suite*> asked;
  for (const std::string& operation : operations) {
    for (const conform::Suite* suite : suites_that_ask(operation)) asked.insert(suite);
  }
  return {asked.begin(), asked.end()};  // they are in one table, so in its order
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
    const conform::Failure::Smallest found = failure.smallest.value_or(
        conform::Failure::Smallest{failure.request, failure.what, failure.right});
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
  options.suites = suites_of_zoo();
  options.timeout = conform::Milliseconds(10'000);  // the machine may be busy
  return conform::conform(options);
}

}  // namespace tileproof::zoo
