// SPDX-License-Identifier: Apache-2.0
// The simplifier, compared with the definition.
#include "impl/map/simplify.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "corpus/answers_testing.h"
#include "corpus/files.h"
#include "corpus/paths.h"
#include "generate/map/generate_map.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"
#include "verify/compare/map_compare.h"

namespace tileproof {
namespace {

// "" if the simplification of the map is right, else one line that can be pasted into a test.
std::string judged(const IndexingMap& map, int64_t budget) {
  const absl::StatusOr<IndexingMap> simplified = impl::simplify(map);
  if (!simplified.ok()) return absl::StrCat(to_text(map), ": ", simplified.status().message());
  verify::CaseCounts tally;
  const std::string found = verify::simplified_difference(map, *simplified, budget, tally);
  if (found.empty()) return "";
  return absl::StrCat(to_text(map), "  ->  ", to_text(*simplified), ": ", found);
}

// Simplified again it stays; where the map is small enough, it is right.
std::string simplified_text(absl::string_view text) {
  const absl::StatusOr<IndexingMap> map = parse_map(text);
  if (!map.ok()) return absl::StrCat("not read: ", map.status().message());
  const absl::StatusOr<IndexingMap> simplified = impl::simplify(*map);
  if (!simplified.ok()) return std::string(simplified.status().message());
  if (spec::box_size(*map).value_or(INT64_MAX) <= 1 << 16) {
    EXPECT_EQ(judged(*map, 1 << 16), "") << text;
  }
  EXPECT_EQ(answer_text(impl::simplify(*simplified)), to_text(*simplified)) << text;
  return to_text(*simplified);
}

// Of each result.
std::string ranges(absl::string_view text) {
  const IndexingMap map = parse_map(text).value();
  std::vector<std::string> found;
  for (const NodeId result : map.results) {
    const absl::StatusOr<Interval> range = impl::range_of(map, result);
    if (!range.ok()) return std::string(range.status().message());
    found.push_back(absl::StrCat("[", range->low, ",", range->high, "]"));
  }
  return absl::StrJoin(found, " ");
}

TEST(Simplify, Answers) {
  expect_answers("answers/simplifications.txt", {{"simplify", simplified_text}, {"range", ranges}});
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
  std::vector<IndexingMap> maps;
  for (const std::string& line : project_lines("corpus/maps/regressions.txt")) {
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
  const std::vector<std::string> lines = project_lines("corpus/maps/lengths.txt");
  for (const std::string& line : lines) {
    const size_t space = line.find(' ');
    const absl::StatusOr<IndexingMap> map = parse_map(line.substr(space + 1));
    ASSERT_TRUE(map.ok()) << line;
    const absl::StatusOr<IndexingMap> simplified = impl::simplify(*map);
    ASSERT_TRUE(simplified.ok()) << line;
    EXPECT_LE(simplified->known_empty ? 0 : verify::nodes_of(*simplified),
              std::stoll(line.substr(0, space)))
        << line.substr(space + 1) << "  ->  " << to_text(*simplified);
  }
  EXPECT_GT(lines.size(), 500);
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

TEST(Simplify, AMapWithoutPointsHasNoRange) {
  IndexingMap none = parse_map("(d0) -> (d0), domain: d0 in [0, 3]").value();
  none.known_empty = true;
  EXPECT_EQ(impl::range_of(none, none.results[0]).status().message(),
            "expected a domain with points, found an empty one");
}

}  // namespace
}  // namespace tileproof
