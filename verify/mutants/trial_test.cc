// What a trial of a fault says: the checks here are made up, and behave as told where fault 1 is
// on.
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
const fault::Fault kFault{1, 1, "", ""};

bool never() { return false; }

bool is_faulty() { return fault::active == kFault.number; }

std::string crash() { std::abort(); }

std::string go_on_for_ever() {
  for (volatile bool on = true; on;) continue;
  return "";
}

std::string take_much_memory() {
  std::vector<char> much(size_t{2} << 30);  // throws
  return much.front() == 0 ? "" : "not zero";
}

// Random cases, from number 1 on; case 0 is known, quick, and comes by the fault.
Check random_check(std::function<std::string(int64_t)> run) {
  return {"random", 1, true, std::move(run), true};
}

Check known_check(std::function<std::string()> run) {
  return {"known", 1, false, [run](int64_t) { return run(); }, true};
}

Trial try_fault(const Check& check) {
  Survey survey;
  survey.reaching[kFault.number] = {{0, 0, 0}};
  Trial result;
  int told = 0;
  try_faults({check}, survey, {kFault}, 1, kLimits, never,
             [&](const fault::Fault& fault, const Trial& trial) {
               EXPECT_EQ(fault.number, kFault.number);
               result = trial;
               ++told;
             });
  EXPECT_EQ(told, 1);
  return result;
}

// A number that processes share, so that one knows of those before it.
struct Counter {
  int* number = new (
      mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) int(0);
};

TEST(Trial, AWrongCaseCatchesTheFault) {
  const Trial trial = try_fault(known_check([] { return is_faulty() ? "wrong" : ""; }));
  EXPECT_EQ(trial.outcome, Outcome::kCaught);
  EXPECT_EQ(trial.by, "known 0");
}

TEST(Trial, AWrongRandomCaseCatchesTheFault) {
  const Trial trial =
      try_fault(random_check([](int64_t i) { return is_faulty() && i == 3 ? "wrong" : ""; }));
  EXPECT_EQ(trial.outcome, Outcome::kCaught);
  EXPECT_EQ(trial.by, "random 3");
}

TEST(Trial, ACaseThatIsWrongWithoutTheFaultSaysNothingOfIt) {
  Check check = random_check([](int64_t i) { return i > 0 ? "wrong" : ""; });
  EXPECT_EQ(try_fault(check).outcome, Outcome::kWrong);
  check.holds = false;
  EXPECT_EQ(try_fault(check).outcome, Outcome::kSurvived);
}

TEST(Trial, WhatNoCaseNoticesSurvives) {
  const Trial trial = try_fault(known_check([] { return ""; }));
  EXPECT_EQ(trial.outcome, Outcome::kSurvived);
  EXPECT_EQ(trial.by, "known 0");
}

TEST(Trial, WhatNoCaseComesByIsNotTried) {
  std::vector<Outcome> outcomes;
  try_faults({}, {}, {kFault}, 1, kLimits, never,
             [&](const fault::Fault&, const Trial& trial) { outcomes.push_back(trial.outcome); });
  EXPECT_EQ(outcomes, std::vector{Outcome::kUnreached});
}

TEST(Trial, ACrashIsNoticed) {
  const Trial trial = try_fault(known_check([] { return is_faulty() ? crash() : ""; }));
  EXPECT_EQ(trial.outcome, Outcome::kCrashed);
  EXPECT_EQ(trial.by, strsignal(SIGABRT));
  EXPECT_EQ(try_fault(random_check([](int64_t i) {
              return is_faulty() && i == 2 ? crash() : "";
            })).outcome,
            Outcome::kCrashed);
}

TEST(Trial, ACaseThatDoesNotEndIsNoticed) {
  EXPECT_EQ(try_fault(known_check([] { return is_faulty() ? go_on_for_ever() : ""; })).outcome,
            Outcome::kHung);
  EXPECT_EQ(try_fault(random_check([](int64_t i) {
              return is_faulty() && i == 1 ? go_on_for_ever() : "";
            })).outcome,
            Outcome::kHung);
}

TEST(Trial, ARandomCaseThatCrashesWithoutTheFaultIsPassedOver) {
  const Trial trial = try_fault(random_check([](int64_t i) {
    return i == 1 ? crash() : is_faulty() && i == 2 ? "wrong" : "";
  }));
  EXPECT_EQ(trial.outcome, Outcome::kCaught);
  EXPECT_EQ(trial.by, "random 2");
}

TEST(Trial, ARandomCaseThatTakesMuchMemoryWithoutTheFaultIsPassedOver) {
  const Trial trial = try_fault(random_check([](int64_t i) {
    return i == 1 ? take_much_memory() : is_faulty() && i == 2 ? "wrong" : "";
  }));
  EXPECT_EQ(trial.outcome, Outcome::kCaught);
  EXPECT_EQ(trial.by, "random 2");
}

TEST(Trial, ARandomCaseThatDoesNotEndWithoutTheFaultIsPassedOver) {
  const Trial trial = try_fault(random_check([](int64_t i) {
    return i == 1 ? go_on_for_ever() : is_faulty() && i == 2 ? "wrong" : "";
  }));
  EXPECT_EQ(trial.outcome, Outcome::kCaught);
  EXPECT_EQ(trial.by, "random 2");
}

TEST(Trial, AKnownCaseThatCrashesWithoutTheFaultSaysNothingOfIt) {
  const Trial trial = try_fault(known_check(crash));
  EXPECT_EQ(trial.outcome, Outcome::kWrong);
  EXPECT_EQ(trial.by, std::string("wrong without a fault: known 0, ") + strsignal(SIGABRT));
}

TEST(Trial, AProcessThatIsEndedFromOutsideIsTriedAgain) {
  for (int signal : {SIGKILL, SIGTERM}) {
    const Counter runs;
    const Trial trial = try_fault(known_check([&] {
      if (++*runs.number == 1) raise(signal);
      return is_faulty() ? "wrong" : "";
    }));
    EXPECT_EQ(trial.outcome, Outcome::kCaught) << strsignal(signal);
  }
}

TEST(Trial, AFaultWhoseProcessesAreEndedFromOutsideIsNotNoticed) {
  const Trial trial = try_fault(known_check([] {
    raise(SIGKILL);
    return "";
  }));
  EXPECT_EQ(trial.outcome, Outcome::kStopped);
  EXPECT_EQ(trial.by, strsignal(SIGKILL));
}

TEST(Trial, AfterAStopNothingIsSaidOfWhatIsBeingTried) {
  Survey survey;
  std::vector<fault::Fault> faults;
  for (int number = 1; number <= 9; ++number) {
    survey.reaching[number] = {{0, 0, 100}};  // a limit of minutes
    faults.push_back({number, number, "", ""});
  }
  const Check check = known_check([] { return fault::active < 3 ? "wrong" : go_on_for_ever(); });
  bool stopping = false;
  std::vector<int> told;
  try_faults(
      {check}, survey, faults, 2, kLimits, [&] { return stopping; },
      [&](const fault::Fault& fault, const Trial& trial) {
        EXPECT_EQ(trial.outcome, Outcome::kCaught);
        told.push_back(fault.number);
        stopping = told.size() == 2;
      });
  EXPECT_THAT(told, testing::UnorderedElementsAre(1, 2));
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a process is left";
}

}  // namespace
}  // namespace tileproof::mutants
