// SPDX-License-Identifier: Apache-2.0
// The simplifier, compared with the definition.
#include "impl/map/simplify.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "corpus/paths.h"
#include "generate/map/generate_map.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/map/map_text.h"
#include "verify/compare/map_compare.h"

namespace tileproof {
namespace {

std::string simplified_text(absl::string_view text) {
  const absl::StatusOr<IndexingMap> map = parse_map(text);
  if (!map.ok()) return absl::StrCat("not read: ", map.status().message());
  const absl::StatusOr<IndexingMap> simplified = impl::simplify(*map);
  return simplified.ok() ? to_text(*simplified) : std::string(simplified.status().message());
}

// "" if the simplification of the map is right, else one line that can be pasted into a test.
std::string judged(const IndexingMap& map, int64_t budget) {
  const absl::StatusOr<IndexingMap> simplified = impl::simplify(map);
  if (!simplified.ok()) return absl::StrCat(to_text(map), ": ", simplified.status().message());
  verify::CaseCounts tally;
  const std::string found = verify::simplified_difference(map, *simplified, budget, tally);
  if (found.empty()) return "";
  return absl::StrCat(to_text(map), "  ->  ", to_text(*simplified), ": ", found);
}

TEST(Simplify, FloorsDropPartsThatDoNotMatter) {
  const std::pair<const char*, const char*> cases[] = {
      {"(s0 * 6 + 9) floordiv 18", "(s0 + 1) floordiv 3"},
      {"(s0 * 4 + d0) floordiv 8", "s0 floordiv 2"},
      {"(s0 floordiv 4) floordiv 5", "s0 floordiv 20"},
      {"(s0 floordiv 3 + d0 * 2) floordiv 2", "d0 + s0 floordiv 6"},
      {"(s0 mod 12) floordiv 4", "(s0 floordiv 4) mod 3"},
      {"(-s0) mod 2", "s0 mod 2"},
      {"s0 floordiv -3 * -1", "(s0 + 2) floordiv 3"},
      {"s0 mod 12 mod 4", "s0 mod 4"},
      {"s0 floordiv 4 * 4 + s0 mod 4", "s0"},
      {"(s0 + 1) floordiv 2 + s0 floordiv 2", "s0"},
      {"(s0 * 16 + d0 + 8) mod 16", "d0 + 8"},
      {"(d0 + 3) floordiv 8", "0"},
      {"d0 * 4 + s0 * 4", "(d0 + s0) * 4"},
      {"(s0 * 32 + d0) floordiv 3 mod 2", "((d0 + s0 * 2) floordiv 3) mod 2"},
      {"s0 ceildiv 8", "s0 ceildiv 8"},
  };
  for (const auto& [before, after] : cases) {
    const absl::string_view domain = ", domain: d0 in [0, 3], s0 in [0, 99]";
    EXPECT_EQ(simplified_text(absl::StrCat("(d0)[s0] -> (", before, ")", domain)),
              absl::StrCat("(d0)[s0] -> (", after, ")", domain));
  }
}

TEST(Simplify, ExtractionFindsTheShortestMods) {
  const std::pair<const char*, const char*> cases[] = {
      {"(d0)[s0] -> (d0 - (s0 floordiv 3) * 12 + s0 * 7), domain: d0 in [0, 1], s0 in [0, 3]",
       "(d0)[s0] -> (d0 + (s0 mod 3) * 4 + s0 * 3), domain: d0 in [0, 1], s0 in [0, 3]"},
      {"(d0)[s0] -> (1 + d0 - ((s0 + 1) floordiv 3) * 3 + s0), domain: d0 in [0, 1], s0 in [0, 3]",
       "(d0)[s0] -> (d0 + (s0 + 1) mod 3), domain: d0 in [0, 1], s0 in [0, 3]"},
      {"(d0, d1) -> ((d0 * 112 + d1) floordiv 35 - ((d0 * 112 + d1) floordiv 280) * 8), "
       "domain: d0 in [0, 99], d1 in [0, 111]",
       "(d0, d1) -> (((d0 * 112 + d1) floordiv 35) mod 8), "
       "domain: d0 in [0, 99], d1 in [0, 111]"},
      {"(d0, d1) -> (((d1 * 2 + d0 floordiv 64) mod 3) * 256 + (d0 mod 64) * 4 + "
       "((d1 * 128 + d0) floordiv 192) * 768), domain: d0 in [0, 127], d1 in [0, 3071]",
       "(d0, d1) -> (d0 * 4 + d1 * 512), domain: d0 in [0, 127], d1 in [0, 3071]"},
  };
  for (const auto& [before, after] : cases) EXPECT_EQ(simplified_text(before), after);
}

TEST(Simplify, NormalFormsAreLeftAsTheyAre) {
  for (const absl::string_view text : {
           "() -> ()",
           "(d0, d1) -> (d1, d0, 0, 7), domain: d0 in [0, 9], d1 in [-3, 4]",
           "(d0)[s0] -> (d0 + s0 * 4 + 3), domain: d0 in [0, 9], s0 in [0, 9]",
           "(d0)[s0] -> (d0 - s0), domain: d0 in [0, 9], s0 in [0, 9]",
           "(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 99]",
           "(d0)[s0] -> ((d0 floordiv 8) * 4 + s0 - 192), domain: d0 in [0, 99], s0 in [0, 9]",
           "(d0)[s0] -> ((d0 floordiv 8) * 64 + s0), domain: d0 in [0, 99], s0 in [0, 99]",
           "(d0) -> ((d0 floordiv 8) * 4 + d0), domain: d0 in [0, 99]",
           "(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 9], d0 + s0 in [3, 12]",
           "(d0)[s0] -> (s0), domain: d0 in [0, 99], s0 in [0, 2], (d0 + s0) mod 2 in [1, 1]",
           "(d0){rt0} -> (d0), domain: d0 in [0, 99], rt0 in [0, 99], d0 - rt0 in [0, 0]",
           // The order of constraints is that of their first terms, not that of their lengths.
           "(d0, d1, d2, d3) -> (d0), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9], "
           "d3 in [0, 9], d0 + d1 + d2 in [0, 20], d1 + d3 in [0, 12]",
           // Digits of different variables.
           "(d0, d1) -> ((d0 mod 8) * 2 + d1 floordiv 4, ((d0 floordiv 4) mod 8) * 16 + d1 mod "
           "16), "
           "domain: d0 in [0, 999], d1 in [0, 999]",
           "(d0, d1, d2) -> (d2 * 8 + (d0 * 3 + d1) mod 8, (d0 * 2 + d1 * 3) floordiv 7 + d2), "
           "domain: d0 in [0, 999], d1 in [0, 999], d2 in [0, 999]",
           "(d0, d1, d2) -> (((d0 * 3 + d1) mod 8) * 7 + d2 floordiv 16), domain: d0 in [0, 999], "
           "d1 in [0, 999], d2 in [0, 999]",
       }) {
    EXPECT_EQ(simplified_text(text), text);
  }
}

TEST(Simplify, ValuesBoundsAndOrderAreWritten) {
  const std::pair<const char*, const char*> cases[] = {
      {"(d0, d1) -> (d0, d1 - 1), domain: d0 in [0, 0], d1 in [0, 9]",
       "(d0, d1) -> (0, d1 - 1), domain: d0 in [0, 0], d1 in [0, 9]"},
      {"(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 9], d0 + s0 in [0, 18]",
       "(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 9]"},
      {"(d0) -> (d0), domain: d0 in [0, 99], d0 floordiv 8 in [5, 11]",
       "(d0) -> (d0), domain: d0 in [40, 95]"},
      {"(d0)[s0] -> (s0 + d0), domain: d0 in [0, 9], s0 in [0, 9]",
       "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 9], s0 in [0, 9]"},
      {"(d0) -> (d0 mod 16, d0 floordiv 16), domain: d0 in [0, 9]",
       "(d0) -> (d0, 0), domain: d0 in [0, 9]"},
      {"(d0)[s0, s1] -> (d0 * 6 + s0 * 3 + s1), domain: d0 in [0, 1999], s0 in [0, 1], s1 in [0, "
       "2], "
       "d0 * 6 + s0 * 3 + s1 in [0, 598]",
       "(d0)[s0, s1] -> (d0 * 6 + s0 * 3 + s1), domain: d0 in [0, 99], s0 in [0, 1], s1 in [0, 2], "
       "d0 * 6 + s0 * 3 + s1 in [0, 598]"},
      {"(d0)[s0, s1] -> (d0), domain: d0 in [0, 1999], s0 in [0, 1], s1 in [0, 2], "
       "d0 * 6 + s0 * 3 + s1 in [0, 599]",
       "(d0)[s0, s1] -> (d0), domain: d0 in [0, 99], s0 in [0, 1], s1 in [0, 2]"},
      {"(d0) -> (d0), domain: d0 in [0, 99], d0 mod 2 in [1, 1]",
       "(d0) -> (d0), domain: d0 in [1, 99], d0 mod 2 in [1, 1]"},
      {"(d0)[s0, s1] -> (s1, s0, d0), domain: d0 in [0, 9], s0 in [0, 69], s1 in [-2, 7], "
       "d0 + s1 in [-2, 20], d0 mod 8 in [0, 0], s0 mod 3 in [1, 1], s1 mod 4 in [0, 1]",
       "(d0)[s0, s1] -> (s1, s0, d0), domain: d0 in [0, 8], s0 in [1, 67], s1 in [0, 5], "
       "d0 mod 8 in [0, 0], s0 mod 3 in [1, 1], s1 mod 4 in [0, 1]"},
      {"(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 9], d0 - s0 in [1, 9]",
       "(d0)[s0] -> (d0), domain: d0 in [1, 9], s0 in [0, 8], d0 - s0 in [1, 9]"},
  };
  for (const auto& [before, after] : cases) {
    EXPECT_EQ(simplified_text(before), after);
  }
}

TEST(Simplify, ConstraintsBecomeBoundsCongruencesOrContradictions) {
  const std::pair<const char*, const char*> cases[] = {
      {"d0 in [0, 99], d0 mod 8 + 5 in [50, 54]", "KNOWN EMPTY"},
      {"d0 in [0, 99], d0 floordiv 8 in [5, 11]", "d0 in [40, 95]"},
      {"d0 in [-99, 99], d0 floordiv -3 in [-11, -5]", "d0 in [13, 33]"},
      {"d0 in [-99, 99], d0 * -3 in [-11, -5]", "d0 in [2, 3]"},
      {"d0 in [0, 99], d0 mod 4 in [1, 1], d0 mod 6 in [3, 3]",
       "d0 in [9, 93], d0 mod 12 in [9, 9]"},
      {"d0 in [0, 99], d0 mod 4 in [1, 1], d0 mod 6 in [2, 2]", "KNOWN EMPTY"},
      {"d0 in [0, 29], d0 mod 3 in [4, 4], d0 mod 5 in [4, 4]", "KNOWN EMPTY"},
      {"d0 in [0, 11], d0 mod 2 in [1, 1], d0 mod 3 in [1, 1], d0 mod 6 in [2, 5]", "KNOWN EMPTY"},
      {"d0 in [-7, 20], d0 mod 4 in [3, 3]", "d0 in [-5, 19], d0 mod 4 in [3, 3]"},
      {"d0 in [-20, -6], d0 mod 4 in [3, 3]", "d0 in [-17, -9], d0 mod 4 in [3, 3]"},
      {"d0 in [0, 99], (d0 * 3) mod 8 in [1, 1]", "d0 in [3, 99], d0 mod 8 in [3, 3]"},
      {"d0 in [0, 99], (d0 floordiv 2) mod 4 in [1, 1]", "d0 in [2, 99], d0 mod 8 in [2, 3]"},
      {"d0 in [0, 99], d0 mod 1 in [0, 0], 3 in [2, 4]", "d0 in [0, 99]"},
      {"d0 in [0, 99], 3 in [4, 4]", "KNOWN EMPTY"},
      {"d0 in [0, 16], (d0 * 3) floordiv 5 in [0, 9]", "d0 in [0, 16]"},
      {"d0 in [0, 16], -((d0 * 3 + 1) floordiv 5) in [-9, 0]", "d0 in [0, 16]"},
      {"d0 in [0, 16], (d0 * 3) floordiv 5 in [10, 20]", "KNOWN EMPTY"},
  };
  for (const auto& [before, after] : cases) {
    const std::string expected = absl::string_view(after) == "KNOWN EMPTY"
                                     ? after
                                     : absl::StrCat("(d0) -> (), domain: ", after);
    EXPECT_EQ(simplified_text(absl::StrCat("(d0) -> (), domain: ", before)), expected);
  }
}

TEST(Simplify, SumsTightenTheBoundsOfEachVariable) {
  const absl::string_view variables = "(d0)[s0, s1] -> (), domain: ";
  EXPECT_EQ(simplified_text(absl::StrCat(variables,
                                         "d0 in [0, 1999], s0 in [0, 1], s1 in [0, 2], "
                                         "d0 * 6 + s0 * 3 + s1 in [0, 599]")),
            absl::StrCat(variables, "d0 in [0, 99], s0 in [0, 1], s1 in [0, 2]"));
  EXPECT_EQ(simplified_text(absl::StrCat(variables,
                                         "d0 in [0, 1999], s0 in [0, 1], s1 in [0, 2], "
                                         "d0 * 6 + s0 * 3 + s1 in [0, 598]")),
            absl::StrCat(variables,
                         "d0 in [0, 99], s0 in [0, 1], s1 in [0, 2], "
                         "d0 * 6 + s0 * 3 + s1 in [0, 598]"));
  EXPECT_EQ(simplified_text("(d0)[s0] -> (d0), domain: d0 in [0, 10], s0 in [1, 3], "
                            "d0 * 4 + s0 in [0, 8]"),
            "(d0)[s0] -> (d0), domain: d0 in [0, 1], s0 in [1, 3]");
}

TEST(Simplify, ReplacesAssumedSumsOnlyIfNoStepLeaves64Bits) {
  const absl::string_view all =
      ", domain: d0 in [9223372036854775804, 9223372036854775807], "
      "d1 in [0, 3], d0 + d1 in [9223372036854775807, 9223372036854775807]";
  EXPECT_EQ(simplified_text(absl::StrCat("(d0, d1) -> ((d0 + d1) * 2, d0 + d1)", all)),
            absl::StrCat("(d0, d1) -> ((d0 + d1) * 2, 9223372036854775807)", all));
  const absl::string_view few =
      ", domain: d0 in [0, 3], d1 in [0, 3], d2 in [0, 3], d0 + d1 in [3, 3]";
  for (const auto& [before, after] : {
           std::pair{"(d0 + d1) * 1073741824", "3221225472"},
           {"(d0 + d1) * -3074457345618258602", "-9223372036854775806"},
           {"(d0 + d1) * 1073741823 + d2", "d2 + 3221225469"},
           {"(d0 + d1) * -1073741823 + d2", "d2 - 3221225469"},
           {"(d0 + d1) * 1073741824 + d2", "(d0 + d1) * 1073741824 + d2"},
           {"(d0 + d1) * -1073741824 + d2", "(d0 + d1) * -1073741824 + d2"},
       }) {
    EXPECT_EQ(simplified_text(absl::StrCat("(d0, d1, d2) -> (", before, ")", few)),
              absl::StrCat("(d0, d1, d2) -> (", after, ")", few));
  }
}

TEST(Simplify, ConstraintsSimplifyResults) {
  struct Case {
    const char *constraint, *before, *after;
  };
  const Case cases[] = {
      {"d0 * 8 + d1 in [3, 31]", "(d0 * 8 + d1) floordiv 32", "0"},
      {"d0 mod 4 in [1, 2]", "(d0 mod 4) floordiv 3", "0"},
      {"(d0 + 1) mod 4 in [0, 2]", "((d0 + 1) mod 4) floordiv 3", "0"},
      {"d0 mod 4 in [0, 2]", "(d0 mod 4 + d1 * 3) floordiv 3", "d1"},
      {"d0 mod 4 in [0, 2]", "(d0 mod 4 + d1 * 3) mod 3", "d0 mod 4"},
      {"d0 mod 4 in [0, 1]", "(d0 mod 4 + d1 * 2) floordiv 8", "d1 floordiv 4"},
      {"d0 mod 4 in [0, 2]", "(d0 mod 4) floordiv 2", "(d0 floordiv 2) mod 2"},
      {"d0 mod 4 in [1, 1]", "d0 mod 4", "1"},
      {"d0 mod 4 in [1, 1]", "(d0 mod 4) * 3 + d0", "d0 + 3"},
      {"d0 - d1 in [0, 0]", "d0 - d1", "0"},
      {"d0 + d1 in [3, 3]", "d0 + d1 * 2", "d1 + 3"},
      {"d0 + d1 in [3, 3]", "(d0 + d1 + d2) floordiv 7", "(d2 + 3) floordiv 7"},
      {"d0 + d1 in [3, 3]", "(d0 + d1 + 4) floordiv 2", "3"},
      {"d0 + d1 in [3, 3], d1 * 3 - d2 in [0, 0]", "d0 + d1 + d1 * 3 - d2", "3"},
      {"d0 mod 2 in [1, 1]", "(d0 - 1) floordiv 2", "d0 floordiv 2"},
      {"d0 mod 2 in [0, 0]", "d0 ceildiv 2", "d0 floordiv 2"},
      {"d0 * 4 + d1 in [0, 126]", "(d0 * 4 + d1 + d2 mod 2) mod 128", "d0 * 4 + d2 mod 2 + d1"},
      {"d0 * 4 + d1 in [0, 126]", "(d0 * 4 + d1 + d2 mod 2) floordiv 128", "0"},
      {"d0 * 4 + d1 in [0, 126]", "(d0 * -4 - d1 + d2 mod 2 + 126) floordiv 128", "0"},
      {"d0 mod 16 in [0, 7], d1 + d2 in [0, 3]", "((d0 mod 16) * 4 + d1 + d2) floordiv 32", "0"},
  };
  for (const auto& [constraint, before, after] : cases) {
    const absl::string_view domain = ", domain: d0 in [0, 99], d1 in [0, 9], d2 in [0, 60], ";
    const std::string map = absl::StrCat("(d0, d1, d2) -> (", before, ")", domain, constraint);
    const std::string simplified = simplified_text(map);
    EXPECT_EQ(simplified.substr(0, simplified.find(", domain")),
              absl::StrCat("(d0, d1, d2) -> (", after, ")"))
        << map;
    EXPECT_EQ(judged(*parse_map(map), 1 << 16), "") << map;
  }
}

TEST(Simplify, KeepsBoundsWhosePropagationHasNoFixpoint) {
  const absl::string_view map =
      "(d0, d1) -> (d0, d1), domain: d0 in [0, 1000000], d1 in [0, 1000000], "
      "d0 * 2 - d1 * 3 in [1, 1], d0 * 3 - d1 * 2 in [-5, 5]";
  const std::string once = simplified_text(map);
  EXPECT_EQ(simplified_text(once), once);
}

TEST(Simplify, NeverLeaves64Bits) {
  for (const char* map : {
           "(d0) -> (d0 mod 7), domain: d0 in [-9223372036854775808, 9223372036854775807]",
           "(d0) -> ((d0 * 4611686018427387904) * 4), domain: d0 in [0, 1]",
           "(d0) -> (d0 floordiv -9223372036854775808), domain: d0 in [-5, 5]",
           "(d0) -> ((d0 * 9223372036854775807) mod 9223372036854775807), domain: d0 in [0, 9]",
           "(d0) -> (d0 * d0 * d0 * d0), domain: d0 in [0, 4611686018427387904]",
           "(d0) -> (d0 * 3), domain: d0 in [0, 9], "
           "d0 + 9223372036854775807 in [9223372036854775807, 9223372036854775807]",
       }) {
    const std::string once = simplified_text(map);
    EXPECT_EQ(simplified_text(once), once) << map;
  }
  EXPECT_EQ(simplified_text("(d0) -> (d0 mod 7), domain: d0 in [-9223372036854775808, "
                            "9223372036854775807]"),
            "(d0) -> (d0 mod 7), domain: d0 in [-9223372036854775808, 9223372036854775807]");
}

TEST(Simplify, DeepAndLongExpressionsTerminateInTime) {
  IndexingMap deep;
  deep.dimensions.push_back({{0, 1'000'000'000}, ""});
  NodeId node = add_variable(deep.nodes, Op::kDimension, 0);
  for (int i = 0; i < 100'000; ++i) {
    node = add_operation(deep.nodes, Op::kMul, node, add_constant(deep.nodes, 3));
    node =
        add_operation(deep.nodes, Op::kFloorDiv, node, add_constant(deep.nodes, 5 + 2 * (i % 2)));
  }
  deep.results.push_back(node);
  EXPECT_TRUE(impl::simplify(deep).ok());

  IndexingMap wide;
  NodeId sum = add_constant(wide.nodes, 1);
  for (int i = 0; i < 20'000; ++i) {
    wide.dimensions.push_back({{0, 9}, ""});
    sum = add_operation(wide.nodes, Op::kAdd, sum, add_variable(wide.nodes, Op::kDimension, i));
  }
  wide.results.push_back(sum);
  EXPECT_TRUE(impl::simplify(wide).ok());
}

// The normal form of each of ten results takes half a million steps, most of them for a common sum.
// Together they may take four million.
TEST(Simplify, NormalizesSharedExpressionsOnce) {
  constexpr int kTerms = 1000;
  IndexingMap map;
  NodeId sum = add_constant(map.nodes, 1);
  for (int i = 0; i < kTerms; ++i) {
    map.dimensions.push_back({{0, 9}, ""});
    sum = add_operation(map.nodes, Op::kAdd, sum, add_variable(map.nodes, Op::kDimension, i));
  }
  for (int i = 0; i < 10; ++i) {
    const NodeId other = add_variable(map.nodes, Op::kDimension, i);
    const NodeId twice = add_operation(map.nodes, Op::kAdd, other, other);
    map.results.push_back(add_operation(map.nodes, Op::kAdd, sum, twice));
  }
  const IndexingMap simplified = *impl::simplify(map);
  const auto is_factor = [](const Node& node) { return node.op == Op::kMul; };
  EXPECT_EQ(std::ranges::count_if(simplified.nodes, is_factor), 10);
}

// Multiplied out it would have 2^49 terms.
TEST(Simplify, SharedExpressionsOfAnySizeBecomeShort) {
  IndexingMap map;
  map.dimensions.push_back({{0, 9}, ""});
  NodeId sum = add_variable(map.nodes, Op::kDimension, 0);
  for (int i = 0; i < 48; ++i) sum = add_operation(map.nodes, Op::kAdd, sum, sum);
  map.results.push_back(sum);
  EXPECT_EQ(to_text(*impl::simplify(map)), "(d0) -> (d0 * 281474976710656), domain: d0 in [0, 9]");
}

TEST(Simplify, RejectsDivisorsThatAreNotConstant) {
  IndexingMap map;
  map.dimensions.push_back({{2, 3}, ""});
  const NodeId d0 = add_variable(map.nodes, Op::kDimension, 0);
  map.results.push_back(add_operation(map.nodes, Op::kMod, d0, d0));
  EXPECT_EQ(impl::simplify(map).status().message(), "expected a constant divisor other than 0");
  map.nodes = {};  // the divisor 0 floordiv -4 is 0, too
  const NodeId zero = add_constant(map.nodes, 0);
  const NodeId divisor = add_operation(map.nodes, Op::kFloorDiv, zero, add_constant(map.nodes, -4));
  map.results = {add_operation(map.nodes, Op::kMod, zero, divisor)};
  EXPECT_EQ(impl::simplify(map).status().message(), "expected a constant divisor other than 0");
}

TEST(Simplify, RejectsOperandsAfterTheirOperation) {
  for (const auto& [left, right] : {std::pair{1, 0}, {0, 1}, {2, 0}, {0, 2}, {-1, 0}, {0, -1}}) {
    IndexingMap map;
    map.dimensions.push_back({{2, 3}, ""});
    add_variable(map.nodes, Op::kDimension, 0);
    map.nodes.push_back({.op = Op::kAdd, .left = left, .right = right});
    add_variable(map.nodes, Op::kDimension, 0);
    map.results.push_back(1);
    EXPECT_EQ(impl::simplify(map).status().message(), "expected operands before the operation")
        << left << " and " << right;
  }
}

TEST(Simplify, RejectsInvalidHandMadeMaps) {
  IndexingMap map;
  map.dimensions.push_back({{2, 3}, ""});
  map.results.push_back(add_variable(map.nodes, Op::kRange, 0));
  EXPECT_EQ(impl::simplify(map).status().message(), "expected a variable of the map, found s0");
  map.nodes = {};
  map.results = {add_variable(map.nodes, Op::kDimension, -1)};
  EXPECT_EQ(impl::simplify(map).status().message(), "expected a variable of the map, found d-1");
  map.nodes = {{.op = Op::kAdd, .left = 0, .right = 0}};
  EXPECT_EQ(impl::simplify(map).status().message(), "expected operands before the operation");
}

std::vector<IndexingMap> regressions() {
  std::ifstream file(project_path("corpus/maps/regressions.txt"));
  std::vector<IndexingMap> maps;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '/') continue;
    const absl::StatusOr<IndexingMap> map = parse_map(line);
    EXPECT_TRUE(map.ok()) << line << ": " << map.status();
    if (map.ok()) maps.push_back(*map);
  }
  EXPECT_GT(maps.size(), 20u);
  return maps;
}

// The regressions, and this many random maps, of which a quarter are chains of operations.
std::vector<IndexingMap> regressions_and_random(int64_t random) {
  std::vector<IndexingMap> maps = regressions();
  for (int64_t seed = 0; seed < random; ++seed) {
    Choose choose(Choose::Random{static_cast<uint64_t>(seed)});
    maps.push_back(seed % 4 == 0 ? generate_chain(choose).map : generate_map(choose));
  }
  return maps;
}

TEST(Simplify, SimplifiesEveryRegression) {
  int64_t number = 0;
  for (const IndexingMap& map : regressions()) {
    if (!is_tried(number++)) continue;
    EXPECT_EQ(judged(map, 1 << 20), "");
  }
}

// Lines of "NODES MAP": the size that was once reached.
TEST(Simplify, ResultsAreNoLongerThanBefore) {
  std::ifstream file(project_path("corpus/maps/lengths.txt"));
  int64_t maps = 0;
  for (std::string line; std::getline(file, line); ++maps) {
    const size_t space = line.find(' ');
    const absl::StatusOr<IndexingMap> map = parse_map(line.substr(space + 1));
    ASSERT_TRUE(map.ok()) << line;
    const absl::StatusOr<IndexingMap> simplified = impl::simplify(*map);
    ASSERT_TRUE(simplified.ok()) << line;
    EXPECT_LE(simplified->known_empty ? 0 : verify::nodes_of(*simplified),
              std::stoll(line.substr(0, space)))
        << line.substr(space + 1) << "  ->  " << to_text(*simplified);
  }
  EXPECT_GT(maps, 500);
}

// The rendering of a result does not depend on the results simplified before it. The search of the
// cheapest form meets the terms in another order then, and ends before it has seen all forms: one map
// of 80,000 keeps another form of the same cost.
TEST(Simplify, EachResultIsTheSameInEveryOrder) {
  int64_t maps = 0, different = 0;
  const auto try_reversed = [&](IndexingMap map) {
    const absl::StatusOr<IndexingMap> forwards = impl::simplify(map);
    std::ranges::reverse(map.results);
    absl::StatusOr<IndexingMap> backwards = impl::simplify(map);
    ASSERT_TRUE(forwards.ok() && backwards.ok()) << to_text(map);
    std::ranges::reverse(backwards->results);
    EXPECT_EQ(verify::nodes_of(*forwards), verify::nodes_of(*backwards)) << to_text(map);
    different += to_text(*forwards) == to_text(*backwards) ? 0 : 1;
    ++maps;
  };
  for (const IndexingMap& map : regressions_and_random(cases(80'000))) try_reversed(map);
  EXPECT_GT(maps, 20 + cases(80'000));
  EXPECT_LE(different * 40'000, maps);
}

TEST(Simplify, TheAnswerHasNoUnusedNodes) {
  int64_t maps = 0;
  const auto try_map = [&](const IndexingMap& map) {
    const IndexingMap simplified = impl::simplify(map).value();
    EXPECT_EQ(verify::unused_nodes(simplified), 0) << to_text(map);
    ++maps;
  };
  for (const IndexingMap& map : regressions_and_random(cases(16'000))) try_map(map);
  EXPECT_GT(maps, 20 + cases(16'000));
}

TEST(Simplify, ExtremeIntegersAreDeterministic) {
  for (uint64_t seed = 0; seed < cases<uint64_t>(40'000); ++seed) {
    Choose choose(Choose::Random{seed});
    const IndexingMap map = generate_map(choose, {.extremes = true});
    const absl::StatusOr<IndexingMap> once = impl::simplify(map);
    ASSERT_TRUE(once.ok()) << to_text(map);
    ASSERT_LE(verify::nodes_of(*once), verify::nodes_of(map)) << to_text(map);
    impl::Workspace fresh;
    ASSERT_EQ(to_text(*impl::simplify(map, fresh)), to_text(*once)) << to_text(map);
    ASSERT_EQ(to_text(*impl::simplify(*once)), to_text(*once)) << to_text(map);
  }
}

TEST(Simplify, TheRangeOfAnExpressionContainsItsValues) {
  const absl::StatusOr<IndexingMap> map =
      parse_map("(d0) -> (d0 mod 4, d0 - d0 floordiv 4 * 4, d0 * 2 - 7), domain: d0 in [3, 99]");
  ASSERT_TRUE(map.ok());
  EXPECT_EQ(*impl::range_of(*map, map->results[0]), (Interval{0, 3}));
  EXPECT_EQ(*impl::range_of(*map, map->results[1]), (Interval{0, 3}));
  EXPECT_EQ(*impl::range_of(*map, map->results[2]), (Interval{-1, 191}));
}

TEST(Simplify, RejectsARangeThatDoesNotExist) {
  const auto error = [](const char* text) {
    const IndexingMap map = parse_map(text).value();
    return std::string(impl::range_of(map, map.results[0]).status().message());
  };
  EXPECT_EQ(error("(d0) -> (d0), domain: d0 in [0, 3], d0 in [5, 9]"),
            "expected a domain with points, found an empty one");
  EXPECT_EQ(error("(d0) -> (d0 * 4611686018427387904), domain: d0 in [0, 3]"),
            "expected values within 64 signed bits");
  IndexingMap none = parse_map("(d0) -> (d0), domain: d0 in [0, 3]").value();
  none.known_empty = true;
  EXPECT_EQ(impl::range_of(none, none.results[0]).status().message(),
            "expected a domain with points, found an empty one");
}

}  // namespace
}  // namespace tileproof
