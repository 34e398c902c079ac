// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/coverage.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::verify {
namespace {

bool have_all_pairs(const std::vector<Disjunct>& disjuncts, const spec::Dims& result,
                    const spec::Dims& operand) {
  const auto along = all_pairs_along(disjuncts, result, operand);
  return along == Along(operand.size(), -1);
}

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
