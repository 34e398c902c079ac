// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/coverage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::verify {
namespace {

std::vector<impl::IndexedMap> maps_of(std::initializer_list<absl::string_view> texts) {
  std::vector<impl::IndexedMap> maps;
  for (const absl::string_view text : texts) {
    maps.emplace_back();
    maps.back().map = *parse_map(text);
    for (const Variable& runtime : maps.back().map.runtime) {
      impl::RuntimeSource source{};
      source.feasible = runtime.bounds;
      maps.back().runtime.push_back(source);
    }
  }
  return maps;
}

// The maps from a result of 7 elements to an operand of 10 by 8.
bool cover(std::initializer_list<absl::string_view> texts, const spec::Dims& to = {10, 8}) {
  const std::vector<impl::IndexedMap> maps = maps_of(texts);
  return have_all_pairs({maps.begin(), maps.end()}, {7}, to);
}

constexpr char kEven[] =
    "(d0)[s0, s1] -> (s0, s1 * 2), domain: d0 in [0, 6], s0 in [0, 9], s1 in [0, 3]";
constexpr char kOdd[] =
    "(d0)[s0, s1] -> (s0, s1 * 2 + 1), domain: d0 in [0, 6], s0 in [0, 9], s1 in [0, 3]";

TEST(Coverage, TheExampleOfTheHeader) {
  const auto maps = maps_of(
      {"(d0, d1)[s0] -> (d0, s0 * 2), domain: d0 in [0, 9], d1 in [0, 6], s0 in [0, 3]",
       "(d0, d1)[s0] -> (d0, s0 * 2 + 1), domain: d0 in [0, 9], d1 in [0, 6], s0 in [0, 3]"});
  EXPECT_EQ(all_pairs_along({maps.begin(), maps.end()}, {10, 7}, {10, 8}), Along({0, -1}));
  EXPECT_EQ(all_pairs_along({Disjunct(maps[0])}, {10, 7}, {10, 8}), std::nullopt);
  // Coordinate 0 of all operands that are there, but not of all results.
  EXPECT_EQ(all_pairs_along({maps.begin(), maps.end()}, {10, 7}, {11, 8}), std::nullopt);
}

TEST(Coverage, AllPairs) {
  EXPECT_TRUE(cover({kEven, kOdd}));
  EXPECT_FALSE(cover({kEven}));
  EXPECT_FALSE(cover({kOdd, kOdd}));
  EXPECT_FALSE(cover({}));
}

TEST(Coverage, OneDisjunctMayBeEnough) {
  EXPECT_TRUE(
      cover({"(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 6], s0 in [0, 9], s1 in [0, 7]"}));
  EXPECT_TRUE(
      cover({"(d0)[s0, s1, s2] -> (s0, s1 * 4 + s2), domain: d0 in [0, 6], s0 in [0, 9], "
             "s1 in [0, 1], s2 in [0, 3]"}));
  EXPECT_TRUE(cover({"(d0)[s0] -> (s0 floordiv 3), domain: d0 in [0, 6], s0 in [0, 29]"}, {10}));
  EXPECT_TRUE(cover({"(d0) -> (0), domain: d0 in [0, 6]"}, {1}));
  EXPECT_TRUE(cover({"(d0) -> (), domain: d0 in [0, 6]"}, {}));
  EXPECT_FALSE(
      cover({"(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 6], s0 in [0, 9], s1 in [1, 7]"}));
}

TEST(Coverage, EveryIndexBeginsThere) {
  EXPECT_FALSE(
      cover({"(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 5], s0 in [0, 9], s1 in [0, 7]"}));
  EXPECT_FALSE(
      cover({"(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 6], s0 in [0, 9], s1 in [0, 7], "
             "d0 + s0 in [0, 14]"}));
}

TEST(Coverage, ConditionsLeaveIndicesOut) {
  constexpr char kBelow[] =
      "(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 6], s0 in [0, 9], s1 in [0, 7], "
      "s1 + s1 floordiv 4 in [0, 6]";
  EXPECT_FALSE(cover({kBelow}));
  EXPECT_TRUE(cover({kBelow,
                     "(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 6], s0 in [0, 9], "
                     "s1 in [6, 7]"}));
  // On variables of no coordinate: there is a point, or there is none.
  const auto with = [](absl::string_view sum) {
    return cover(
        {absl::StrCat("(d0)[s0, s1, s2] -> (s0, s1), domain: d0 in [0, 6], s0 in [0, 9], "
                      "s1 in [0, 7], s2 in [0, 3], s2 * 2 in ",
                      sum)});
  };
  EXPECT_TRUE(with("[3, 5]"));
  EXPECT_FALSE(with("[3, 3]"));
}

TEST(Coverage, WhatIsKept) {
  const auto maps =
      maps_of({"(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 9], d1 in [0, 9], s0 in [0, 7]",
               "(d0, d1)[s0] -> (d1, s0), domain: d0 in [0, 9], d1 in [0, 9], s0 in [0, 7]"});
  EXPECT_EQ(all_pairs_along({Disjunct(maps[1])}, {10, 10}, {10, 8}), Along({1, -1}));
  EXPECT_EQ(all_pairs_along({Disjunct(maps[0]), Disjunct(maps[1])}, {10, 10}, {10, 8}),
            std::nullopt);
  EXPECT_TRUE(keep({Disjunct(maps[0])}, {0, -1}, {10, 10}));
  EXPECT_FALSE(keep({Disjunct(maps[1])}, {0, -1}, {10, 10}));
  EXPECT_FALSE(keep({Disjunct(maps[0]), Disjunct(maps[1])}, {0, -1}, {10, 10}));
  EXPECT_TRUE(keep({Disjunct(maps[1])}, {-1, -1}, {10, 10}));
  // From input to output: (d0, d1) of the operand to (s0, d1) of the result.
  const auto inverse =
      maps_of({"(d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 9], d1 in [0, 7], s0 in [0, 3]"});
  EXPECT_EQ(all_pairs_along({Disjunct(inverse[0], {10, 8})}, {4, 8}, {10, 8}), Along({-1, 1}));
  EXPECT_EQ(all_pairs_along({Disjunct(inverse[0], {10, 8})}, {5, 8}, {10, 8}), std::nullopt);
}

// (d0) -> (d0) is no set of indices, and the diagonal is no product of two.
TEST(Coverage, CoordinatesAreSetsOfTheirOwn) {
  EXPECT_FALSE(cover({"(d0) -> (d0), domain: d0 in [0, 6]"}, {7}));
  EXPECT_FALSE(cover({"(d0) -> (6 - d0), domain: d0 in [0, 6]"}, {7}));
  EXPECT_FALSE(cover({"(d0)[s0] -> (s0, s0), domain: d0 in [0, 6], s0 in [0, 6]"}, {7, 7}));
  EXPECT_FALSE(cover({"(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 6], s0 in [0, 6], s1 in [0, 6], "
                      "s0 + s1 in [0, 11]"},
                     {7, 7}));
  EXPECT_FALSE(cover({"(d0){rt0} -> (rt0), domain: d0 in [0, 6], rt0 in [0, 6]"}, {7}));
  // Two halves in both coordinates leave two quarters out.
  EXPECT_FALSE(cover({"(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 6], s0 in [0, 4], s1 in [0, 3]",
                      "(d0)[s0, s1] -> (s0 + 5, s1 + 4), domain: d0 in [0, 6], s0 in [0, 4], "
                      "s1 in [0, 3]"}));
}

TEST(Coverage, LargeArraysAreNotEnumerated) {
  EXPECT_TRUE(cover({"(d0)[s0] -> (s0), domain: d0 in [0, 6], s0 in [0, 99999999]"}, {100000000}));
  EXPECT_FALSE(cover({"(d0)[s0] -> (s0), domain: d0 in [0, 6], s0 in [0, 49999999]",
                      "(d0)[s0] -> (s0 + 50000000), domain: d0 in [0, 6], s0 in [0, 49999999]"},
                     {100000000}));
}

TEST(Coverage, FromInputToOutput) {
  const auto cover_outputs = [](absl::string_view text) {
    const std::vector<impl::IndexedMap> maps = maps_of({text});
    return have_all_pairs({Disjunct(maps[0], {7})}, {10}, {7});
  };
  EXPECT_TRUE(cover_outputs("(d0)[s0] -> (s0), domain: d0 in [0, 6], s0 in [0, 9]"));
  EXPECT_FALSE(cover_outputs("(d0)[s0] -> (s0), domain: d0 in [0, 5], s0 in [0, 9]"));
  EXPECT_FALSE(cover_outputs("(d0)[s0] -> (s0), domain: d0 in [0, 6], s0 in [0, 8]"));
  EXPECT_FALSE(cover_outputs("(d0)[s0] -> (d0), domain: d0 in [0, 6], s0 in [0, 9]"));
}

// Some s1 fits for each d0, or for each value read.
TEST(Coverage, ConditionsMayDependOnTheIndexAndOnValues) {
  const auto with = [](absl::string_view runtime, absl::string_view condition) {
    return cover({absl::StrCat("(d0)[s0, s1]", runtime.empty() ? "" : "{rt0}",
                               " -> (s0), domain: d0 in [0, 6], s0 in [0, 9], s1 in [0, 2], ",
                               runtime, condition)},
                 {10});
  };
  EXPECT_TRUE(with("", "d0 + s1 in [1, 7]"));
  EXPECT_FALSE(with("", "d0 + s1 in [3, 7]"));
  EXPECT_FALSE(with("", "d0 + s0 in [0, 14]"));
  EXPECT_TRUE(with("rt0 in [0, 7], ", "s1 + rt0 in [1, 8]"));
  EXPECT_FALSE(with("rt0 in [0, 7], ", "s1 + rt0 in [3, 8]"));
  EXPECT_FALSE(with("rt0 in [0, 7], ", "s0 + rt0 in [1, 16]"));
  EXPECT_FALSE(with("rt0 in [0, 7], ", "rt0 in [0, 6]"));
}

TEST(Coverage, EachFromSomeIndices) {
  constexpr char kFirst[] = "(d0)[s0] -> (s0), domain: d0 in [0, 2], s0 in [0, 9]";
  constexpr char kSecond[] =
      "(d0)[s0] -> (s0 + (d0 floordiv 3) * 5 - 10), domain: d0 in [3, 6], s0 in [0, 14]";
  EXPECT_TRUE(cover({kFirst, kSecond}, {10}));
  EXPECT_FALSE(cover({kFirst}, {10}));
  EXPECT_FALSE(cover({kSecond}, {10}));
  EXPECT_FALSE(
      cover({kFirst, "(d0)[s0] -> (s0 + d0 - 4), domain: d0 in [3, 6], s0 in [0, 10]"}, {10}));
}

IndexingMap element_at(absl::string_view index) {
  return *parse_map(
      absl::StrCat("(d0)[s0, s1, s2] -> (", index,
                   "), domain: d0 in [0, 2], s0 in [0, 2], s1 in [0, 2], s2 in [0, 2]"));
}

// A value that decides which variables fit must not be of an element that these variables choose.
TEST(Coverage, ValuesComeBeforeTheVariablesThatTheyDecide) {
  std::vector<impl::IndexedMap> maps =
      maps_of({"(d0)[s0, s1, s2]{rt0} -> (s0), domain: d0 in [0, 6], s0 in [0, 9], s1 in [0, 2], "
               "s2 in [0, 2], rt0 in [0, 7], s1 + rt0 in [1, 8]"});
  maps[0].runtime[0].map = element_at("s2");
  EXPECT_TRUE(have_all_pairs({Disjunct(maps[0])}, {7}, {10}));
  maps[0].runtime[0].map = element_at("s1");
  EXPECT_FALSE(have_all_pairs({Disjunct(maps[0])}, {7}, {10}));
}

// ---- Against enumeration ----

int64_t below(std::mt19937_64& random, int64_t end) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(end));
}

// A sum of a few of the variables.
std::string random_sum(std::mt19937_64& random, const std::vector<std::string>& variables) {
  std::string text = absl::StrCat(below(random, 4) - 2);
  const int64_t terms = below(random, 3) + (text == "0" ? 1 : 0);
  for (int64_t t = 0; t < terms; ++t) {
    const std::string& variable = variables[below(random, std::ssize(variables))];
    absl::StrAppend(&text, " + ", variable, below(random, 4) == 0 ? " floordiv 2" : "");
  }
  return text;
}

constexpr int64_t kSize = 3;      // of the result
constexpr int64_t kElements = 3;  // that are read
constexpr int64_t kValues = 3;    // that each may have

impl::IndexedMap random_map(std::mt19937_64& random, int64_t rank) {
  const std::vector<std::string> variables = {"d0", "s0", "s1", "s2", "rt0"};
  std::vector<std::string> results;
  for (int64_t d = 0; d < rank; ++d) {
    results.push_back(below(random, 3) > 0 ? absl::StrCat("s", d) : random_sum(random, variables));
  }
  std::string text = absl::StrCat("(d0)[s0, s1, s2]{rt0} -> (", absl::StrJoin(results, ", "),
                                  "), domain: d0 in [0, 2], s0 in [0, ", below(random, 2) + 1,
                                  "], s1 in [0, 1], s2 in [0, 2], rt0 in [0, 2]");
  for (int64_t c = below(random, 3); c > 0; --c) {
    const int64_t low = below(random, 3) - 1;
    const bool is_of_start = below(random, 2) == 0;
    absl::StrAppend(&text, ", ", is_of_start ? "d0" : random_sum(random, variables), " in [", low,
                    ", ", low + 1 + below(random, 3), "]");
  }
  impl::IndexedMap map{*parse_map(text), {}};
  impl::RuntimeSource source{};
  source.feasible = {0, kValues - 1};
  source.map = element_at(variables[below(random, 4)]);
  map.runtime.push_back(std::move(source));
  return map;
}

bool has_pair(const Disjunct& disjunct, int64_t o, const std::vector<int64_t>& index,
              const std::vector<int64_t>& values) {
  std::vector<int64_t> s;
  for (const Interval& range : disjunct.ranges()) s.push_back(range.low);
  do {
    const Pair<int64_t> pair = disjunct.pair(
        {o}, s, [&](const RuntimeRead<int64_t>& read) { return values[read.index.at(0)]; });
    if (pair.in_domain && pair.index == index) return true;
  } while (next_point(disjunct.ranges(), s));
  return false;
}

// Whether the disjuncts have all pairs, whatever the values are.
bool have_all(const std::vector<Disjunct>& disjuncts, const spec::Dims& operand,
              const Along& along) {
  std::vector<Interval> indices, tables(kElements, {0, kValues - 1});
  for (const int64_t size : operand) indices.push_back({0, size - 1});
  std::vector<int64_t> values(kElements, 0);
  do {
    for (int64_t o = 0; o < kSize; ++o) {
      std::vector<int64_t> index(operand.size(), 0);
      do {
        bool is_there = false;
        for (size_t d = 0; d < operand.size(); ++d) {
          if (along[d] >= 0 && index[d] != o) is_there = true;  // not asked for
        }
        for (const Disjunct& disjunct : disjuncts) {
          is_there = is_there || has_pair(disjunct, o, index, values);
        }
        if (!is_there) return false;
      } while (next_point(indices, index));
    }
  } while (next_point(tables, values));
  return true;
}

TEST(Coverage, EnumerationAgrees) {
  const char* cases = std::getenv("TILEPROOF_COVERAGE_CASES");
  const int count = cases == nullptr ? 3000 : std::atoi(cases);
  std::mt19937_64 random(25);
  int found = 0, of_several = 0, missed = 0;
  for (int n = 0; n < count; ++n) {
    const spec::Dims operand = n % 2 == 0 ? spec::Dims{2} : spec::Dims{2, 2};
    std::vector<impl::IndexedMap> maps;
    for (int64_t k = below(random, 3); k >= 0; --k) {
      maps.push_back(random_map(random, std::ssize(operand)));
    }
    const std::vector<Disjunct> disjuncts(maps.begin(), maps.end());
    const auto along = all_pairs_along(disjuncts, {kSize}, operand);
    if (!along) {
      missed += have_all(disjuncts, operand, Along(operand.size(), -1)) ? 1 : 0;
      continue;
    }
    ++found;
    const bool is_one = std::ranges::any_of(disjuncts, [&](const Disjunct& disjunct) {
      return all_pairs_along({disjunct}, {kSize}, operand).has_value();
    });
    if (!is_one) ++of_several;
    EXPECT_TRUE(have_all(disjuncts, operand, *along)) << n << ": " << to_text(maps[0].map);
  }
  EXPECT_GT(found, count / 4);
  EXPECT_GT(of_several, count / 200);
  EXPECT_LT(missed, found / 10);
}

// A wrong map that has all pairs may have others, too.
TEST(Coverage, WhatStaysInside) {
  const auto stay = [](absl::string_view text) {
    const std::vector<impl::IndexedMap> maps = maps_of({text});
    return stay_inside({Disjunct(maps[0])}, {7}, {10});
  };
  EXPECT_TRUE(stay("(d0)[s0] -> (s0), domain: d0 in [0, 6], s0 in [0, 9]"));
  EXPECT_TRUE(stay("(d0)[s0] -> (d0 + s0), domain: d0 in [0, 6], s0 in [0, 3]"));
  EXPECT_FALSE(stay("(d0)[s0] -> (s0), domain: d0 in [0, 6], s0 in [0, 10]"));
  EXPECT_FALSE(stay("(d0)[s0] -> (s0 - 1), domain: d0 in [0, 6], s0 in [0, 9]"));
  EXPECT_FALSE(stay("(d0)[s0] -> (s0, 0), domain: d0 in [0, 6], s0 in [0, 9]"));
}

}  // namespace
}  // namespace tileproof::verify
