// SPDX-License-Identifier: Apache-2.0
// Tests trials with artificial checks that misbehave while mutant 1 is on.
#include "verify/mutants/trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>
#include <functional>
#include <new>
#include <vector>

#include "verify/mutants/mutant.h"

namespace tileproof::mutants {
namespace {

constexpr Limits kLimits{.seconds = 1.2, .case_seconds = 1, .memory = int64_t{1} << 30};
const mutant::Mutant kMutant{1, 1, "", "", ""};

bool never() { return false; }

bool is_mutated() { return mutant::active == kMutant.number; }

std::string crash() { std::abort(); }

std::string go_on_for_ever() {
  for (volatile bool on = true; on;) continue;
  return "";
}

std::string take_much_memory() {
  std::vector<char> much(size_t{2} << 30);  // throws
  return much.front() == 0 ? "" : "not zero";
}

// Random cases start at number 1. Case 0 is known, fast, and reaches the mutant.
Check random_check(std::function<std::string(int64_t)> run) {
  return {"random", 1, true, std::move(run), true};
}

Check known_check(std::function<std::string()> run) {
  return {"known", 1, false, [run](int64_t) { return run(); }, true};
}

Trial try_mutant(const Check& check) {
  MutantCoverage survey;
  survey.executing[kMutant.number] = {{0, 0, 0}};
  Trial result;
  int reported = 0;
  try_mutants({check}, survey, {kMutant}, 1, kLimits, never,
              [&](const mutant::Mutant& mutant, const Trial& trial) {
                EXPECT_EQ(mutant.number, kMutant.number);
                result = trial;
                ++reported;
              });
  EXPECT_EQ(reported, 1);
  return result;
}

// A counter that processes share, so that each sees how often the case ran before.
struct Counter {
  int* number = new (
      mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) int(0);
};

TEST(Trial, AFailingCaseKillsTheMutant) {
  const Trial trial = try_mutant(known_check([] { return is_mutated() ? "wrong" : ""; }));
  EXPECT_EQ(trial.outcome, Outcome::kKilled);
  EXPECT_EQ(trial.by, "known 0");
}

TEST(Trial, AFailingRandomCaseKillsTheMutant) {
  const Trial trial =
      try_mutant(random_check([](int64_t i) { return is_mutated() && i == 3 ? "wrong" : ""; }));
  EXPECT_EQ(trial.outcome, Outcome::kKilled);
  EXPECT_EQ(trial.by, "random 3");
}

TEST(Trial, ACaseThatFailsWithoutTheMutantDoesNotKillIt) {
  Check check = random_check([](int64_t i) { return i > 0 ? "wrong" : ""; });
  EXPECT_EQ(try_mutant(check).outcome, Outcome::kWrong);
  check.holds = false;
  EXPECT_EQ(try_mutant(check).outcome, Outcome::kSurvived);
}

TEST(Trial, AMutantThatPassesEveryCaseSurvives) {
  const Trial trial = try_mutant(known_check([] { return ""; }));
  EXPECT_EQ(trial.outcome, Outcome::kSurvived);
  EXPECT_EQ(trial.by, "known 0");
}

TEST(Trial, AMutantThatNoCaseReachesIsNotTried) {
  std::vector<Outcome> outcomes;
  try_mutants({}, {}, {kMutant}, 1, kLimits, never, [&](const mutant::Mutant&, const Trial& trial) {
    outcomes.push_back(trial.outcome);
  });
  EXPECT_EQ(outcomes, std::vector{Outcome::kUnreached});
}

TEST(Trial, ACrashKillsTheMutant) {
  const Trial trial = try_mutant(known_check([] { return is_mutated() ? crash() : ""; }));
  EXPECT_EQ(trial.outcome, Outcome::kCrashed);
  EXPECT_EQ(trial.by, strsignal(SIGABRT));
  EXPECT_EQ(try_mutant(random_check([](int64_t i) {
              return is_mutated() && i == 2 ? crash() : "";
            })).outcome,
            Outcome::kCrashed);
}

TEST(Trial, ATimeoutKillsTheMutant) {
  EXPECT_EQ(try_mutant(known_check([] { return is_mutated() ? go_on_for_ever() : ""; })).outcome,
            Outcome::kHung);
  EXPECT_EQ(try_mutant(random_check([](int64_t i) {
              return is_mutated() && i == 1 ? go_on_for_ever() : "";
            })).outcome,
            Outcome::kHung);
}

TEST(Trial, SkipsARandomCaseThatCrashesWithoutTheMutant) {
  const Trial trial = try_mutant(random_check([](int64_t i) {
    return i == 1 ? crash() : is_mutated() && i == 2 ? "wrong" : "";
  }));
  EXPECT_EQ(trial.outcome, Outcome::kKilled);
  EXPECT_EQ(trial.by, "random 2");
}

TEST(Trial, SkipsARandomCaseThatExhaustsMemoryWithoutTheMutant) {
  const Trial trial = try_mutant(random_check([](int64_t i) {
    return i == 1 ? take_much_memory() : is_mutated() && i == 2 ? "wrong" : "";
  }));
  EXPECT_EQ(trial.outcome, Outcome::kKilled);
  EXPECT_EQ(trial.by, "random 2");
}

TEST(Trial, SkipsARandomCaseThatTimesOutWithoutTheMutant) {
  const Trial trial = try_mutant(random_check([](int64_t i) {
    return i == 1 ? go_on_for_ever() : is_mutated() && i == 2 ? "wrong" : "";
  }));
  EXPECT_EQ(trial.outcome, Outcome::kKilled);
  EXPECT_EQ(trial.by, "random 2");
}

TEST(Trial, AKnownCaseThatCrashesWithoutTheMutantDoesNotKillIt) {
  const Trial trial = try_mutant(known_check(crash));
  EXPECT_EQ(trial.outcome, Outcome::kWrong);
  EXPECT_EQ(trial.by, std::string("wrong without a mutant: known 0, ") + strsignal(SIGABRT));
}

TEST(Trial, RetriesAfterAnOutsideSignal) {
  for (int signal : {SIGKILL, SIGTERM}) {
    const Counter runs;
    const Trial trial = try_mutant(known_check([&] {
      if (++*runs.number == 1) raise(signal);
      return is_mutated() ? "wrong" : "";
    }));
    EXPECT_EQ(trial.outcome, Outcome::kKilled) << strsignal(signal);
  }
}

TEST(Trial, OutsideSignalsDoNotKillTheMutant) {
  const Trial trial = try_mutant(known_check([] {
    raise(SIGKILL);
    return "";
  }));
  EXPECT_EQ(trial.outcome, Outcome::kStopped);
  EXPECT_EQ(trial.by, strsignal(SIGKILL));
}

TEST(Trial, AStopDiscardsRunningTrials) {
  MutantCoverage survey;
  std::vector<mutant::Mutant> mutants;
  for (int number = 1; number <= 9; ++number) {
    survey.executing[number] = {{0, 0, 100}};  // a limit of minutes
    mutants.push_back({number, number, "", "", ""});
  }
  const Check check = known_check([] { return mutant::active < 3 ? "wrong" : go_on_for_ever(); });
  bool stopping = false;
  std::vector<int> reported;
  try_mutants(
      {check}, survey, mutants, 2, kLimits, [&] { return stopping; },
      [&](const mutant::Mutant& mutant, const Trial& trial) {
        EXPECT_EQ(trial.outcome, Outcome::kKilled);
        reported.push_back(mutant.number);
        stopping = reported.size() == 2;
      });
  EXPECT_THAT(reported, testing::UnorderedElementsAre(1, 2));
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child process still runs";
}

}  // namespace
}  // namespace tileproof::mutants
