// SPDX-License-Identifier: Apache-2.0
#include "generate/choose/choose.h"

#include <set>
#include <tuple>
#include <vector>

#include "generate/choose/stable_hash.h"
#include "gtest/gtest.h"

namespace tileproof {
namespace {

// A list of up to two numbers, the second below the first.
std::vector<int64_t> short_list(Choose& choose) {
  std::vector<int64_t> list;
  const int64_t length = choose(3);
  int64_t below = 4;
  for (int64_t i = 0; i < length; ++i) list.push_back(below = choose(below));
  return list;
}

TEST(Choose, TheOdometerVisitsEverySequenceOnce) {
  std::set<std::vector<int64_t>> seen;
  int64_t count = 0;
  for (Odometer odometer; !odometer.done(); odometer.advance()) {
    Choose choose(&odometer);
    seen.insert(short_list(choose));
    ++count;
  }
  // The empty list; the lists of 0 to 3; and for each of these numbers, a second number below it
  // (only 0 if it is 0 or 1).
  EXPECT_EQ(count, 1 + 4 + (1 + 1 + 2 + 3));
  EXPECT_EQ(static_cast<int64_t>(seen.size()), count);
}

TEST(Choose, TheRecordedListReplaysTheRun) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    Choose random(Choose::Random{seed});
    const std::vector<int64_t> list = short_list(random);
    Choose replay(Choose::Replay{random.made()});
    EXPECT_EQ(short_list(replay), list);
  }
}

TEST(Choose, AnExhaustedDriverAnswers0) {
  Choose none(Choose::Bytes{});
  EXPECT_EQ(short_list(none), std::vector<int64_t>{});
  Choose replay(Choose::Replay{{2}});
  EXPECT_EQ(short_list(replay), (std::vector<int64_t>{0, 0}));
}

TEST(Choose, LargeRangesReachTheirUpperHalf) {
  Choose random(Choose::Random{1});
  int64_t most = 0;
  for (int i = 0; i < 1000; ++i) most = std::max(most, random.between(1, INT64_MAX));
  EXPECT_GT(most, INT64_MAX / 2);
}

// The values that FNV's authors publish. They keep names from earlier versions valid.
TEST(StableHash, IsFnv1a) {
  EXPECT_EQ(stable_hash(""), 0xcbf29ce484222325);
  EXPECT_EQ(stable_hash("a"), 0xaf63dc4c8601ec8c);
  EXPECT_EQ(stable_hash("foobar"), 0x85944171f73967e8);
}

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
