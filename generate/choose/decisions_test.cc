// SPDX-License-Identifier: Apache-2.0
#include "generate/choose/decisions.h"

#include <set>
#include <tuple>

#include "gtest/gtest.h"

namespace tileproof {
namespace {

constexpr uint64_t kFirst = 4;  // the number of the first case

Decisions decisions_of(uint64_t run, uint64_t number) {
  Choose choose(Choose::Random{seed_of_case(run, number, 0x123456789abcdef0 + number)});
  return Decisions(choose);
}

TEST(Decisions, ARunHasEveryPairOfEachKind) {
  // Whichever case is the first, 2 * kPairs - 1 rows hold kPairs with one c.
  constexpr auto kCases = static_cast<uint64_t>(4 * (2 * Decisions::kPairs - 1));
  for (int64_t wanted = 0; wanted < 2; ++wanted) {
    std::set<std::tuple<int64_t, int64_t, int64_t, int64_t>> pairs;
    for (uint64_t number = kFirst; number < kFirst + kCases; ++number) {
      Decisions decide = decisions_of(7, number);
      if (decide.kind({1, 3}) != wanted) continue;
      for (int64_t i = 0; i < Decisions::kMost; ++i) {
        for (int64_t j = 0; j < i; ++j)
          pairs.emplace(i, j, decide(i, Decisions::kMost), decide(j, Decisions::kMost));
      }
    }
    EXPECT_EQ(pairs.size(), size_t{Decisions::kMost * (Decisions::kMost - 1) / 2} *
                                static_cast<size_t>(Decisions::kPairs));
  }
}

TEST(Decisions, RunsTogetherHaveEveryTriple) {
  std::set<std::tuple<int64_t, int64_t, int64_t>> triples;
  for (uint64_t run = 1; run <= Decisions::kMost; ++run) {
    for (uint64_t number = 0; number < Decisions::kPairs; ++number) {
      const Decisions decide = decisions_of(run, number);
      triples.emplace(decide(2, Decisions::kMost), decide(5, Decisions::kMost),
                      decide(12, Decisions::kMost));
    }
  }
  EXPECT_EQ(std::ssize(triples), Decisions::kMost * Decisions::kPairs);
}

TEST(Decisions, KindsHaveTheirShare) {
  int64_t second = 0;
  for (uint64_t number = 0; number < 400; ++number)
    second += decisions_of(1, number).kind({1, 3}) == 1;
  EXPECT_EQ(second, 300);
}

TEST(Decisions, AreSimplestFirst) {
  Choose choose(Choose::Replay{{}});
  Decisions decide(choose);
  EXPECT_EQ(decide.kind({1, 2}), 0);
  EXPECT_EQ(decide(12, 13), 0);
  EXPECT_EQ(decide.pick<int64_t>(3, {5, 6}), 5);
}

}  // namespace
}  // namespace tileproof
