// SPDX-License-Identifier: Apache-2.0
// Outcomes that several threads judge arrive in their order, judged as one thread judges them.
#include "conform/run/judge_threads.h"

#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "conform/oracle/oracle.h"
#include "conform/suites/suites.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tileproof::conform {
namespace {

using ::testing::ElementsAreArray;

struct Asked {
  Ticket ticket;
  Outcome outcome;
};

// Cases of a suite with our answers; each third one is answered like the one before.
std::vector<Asked> asked(const char* suite, int64_t count) {
  Cases cases(*suite_named(suite), 1, {});
  std::vector<Asked> result;
  for (int64_t key = 0; key < count; ++key) {
    const Json request = cases.next()->request;
    const Request question{Json(key), *find(request, "op")->as<std::string>(), request};
    Outcome outcome{Outcome::Kind::kAnswer, answer(question, Engine::kImpl), ""};
    if (key % 3 == 2) outcome.answer = result.back().outcome.answer;
    if (key % 7 == 3) outcome = {Outcome::Kind::kExpected, Answer(), ""};
    result.push_back({{.purpose = {Purpose::Kind::kQuestion, static_cast<size_t>(key)},
                       .request = to_text(request)},
                      std::move(outcome)});
  }
  return result;
}

std::string text_of(const Judged& one) {
  return std::to_string(one.purpose.number) + " " + std::string(to_text(one.judgment.verdict)) +
         " " + one.judgment.right + " " + to_text(one.request);
}

TEST(JudgeThreads, KeepTheOrderAndTheJudgmentsOfOneThread) {
  for (const char* suite : {"layout", "simplify", "hlo"}) {
    const std::vector<Asked> all = asked(suite, 150);
    std::vector<std::string> alone, together;
    for (const Asked& one : all) alone.push_back(text_of(judged(one.ticket, one.outcome)));
    const std::thread::id here = std::this_thread::get_id();
    const auto take = [&](const Judged& one) {
      EXPECT_EQ(std::this_thread::get_id(), here);
      together.push_back(text_of(one));
    };
    JudgeThreads judges(take);
    for (const Asked& one : all) judges.add(one.ticket, one.outcome);
    judges.finish();
    EXPECT_THAT(together, ElementsAreArray(alone)) << suite;
  }
}

TEST(JudgeThreads, WaitForWhatIsNoAnswer) {
  std::vector<Asked> all = asked("simplify", 20);
  int64_t taken = 0;
  const auto take = [&taken](const Judged&) { ++taken; };
  JudgeThreads judges(take);
  for (size_t i = 0; i < all.size(); ++i) {
    const bool crashes = i % 5 == 4;
    if (crashes) all[i].outcome = {Outcome::Kind::kCrash, Answer(), "signal 11"};
    judges.add(all[i].ticket, all[i].outcome);
    if (crashes) {
      EXPECT_EQ(taken, static_cast<int64_t>(i) + 1);
    }
  }
}

TEST(JudgeThreads, MayEndBeforeAllIsJudged) {
  const std::vector<Asked> all = asked("simplify", 100);
  std::vector<size_t> keys;
  {
    const auto take = [&keys](const Judged& one) { keys.push_back(one.purpose.number); };
    JudgeThreads judges(take);
    for (const Asked& one : all) judges.add(one.ticket, one.outcome);
  }
  for (size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(keys[i], i);
}

}  // namespace
}  // namespace tileproof::conform
