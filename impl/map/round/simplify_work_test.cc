// SPDX-License-Identifier: Apache-2.0
// How much the simplifier works, counted in additions of terms: its limits bound every map, and the
// fast ways are taken.
#include <algorithm>
#include <string>

#include "corpus/files.h"
#include "generate/map/generate_map.h"
#include "gtest/gtest.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/map/map_text.h"
#include "verify/compare/map_compare.h"

namespace tileproof {
namespace {

int64_t work_of(const IndexingMap& map, impl::Workspace& workspace) {
  EXPECT_TRUE(impl::simplify_in(workspace, map).ok()) << to_text(map);
  return workspace.work();
}

constexpr int64_t kPoints = 1 << 16;

bool is_small(const IndexingMap& map) {
  double points = 1;
  for (const auto* variables : {&map.dimensions, &map.ranges, &map.runtime}) {
    for (const Variable& variable : *variables) {
      points *= static_cast<double>(variable.bounds.high - variable.bounds.low + 1);
    }
  }
  return points <= kPoints;
}

constexpr int64_t kMostOfRandomMaps = 8'000;
constexpr int64_t kMostOfANode = 150;

TEST(SimplifyWork, RandomMapsTakeLittle) {
  impl::Workspace workspace;
  int64_t most = 0;
  for (uint64_t seed = 0; seed < cases<uint64_t>(20'000); ++seed) {
    Choose choose(Choose::Random{seed});
    const IndexingMap map = generate_map(choose);
    const int64_t work = work_of(map, workspace);
    EXPECT_LE(work, kMostOfRandomMaps) << to_text(map);
    most = std::max(most, work);
  }
  EXPECT_GT(most, 1'000);
}

TEST(SimplifyWork, LongMapsTakeLittleForEachNode) {
  impl::Workspace workspace;
  for (uint64_t seed = 0; seed < cases<uint64_t>(5'000); ++seed) {
    Choose choose(Choose::Random{seed});
    for (const IndexingMap& map : {generate_chain(choose).map, generate_rule_shaped(choose)}) {
      EXPECT_LE(work_of(map, workspace), kMostOfRandomMaps + kMostOfANode * verify::nodes_of(map))
          << to_text(map);
    }
  }
}

// Without the limit of the search these took up to 180,000.
TEST(SimplifyWork, SlowMapsTakeLittleAndStayRight) {
  impl::Workspace workspace;
  int64_t maps = 0;
  verify::CaseCounts tally;
  for (const std::string& line : project_lines("corpus/maps/slow.txt")) {
    const IndexingMap map = parse_map(line).value();
    EXPECT_LE(work_of(map, workspace), kMostOfRandomMaps + kMostOfANode * verify::nodes_of(map))
        << line;
    const IndexingMap once = impl::simplify(map, workspace).value();
    EXPECT_LE(verify::nodes_of(once), verify::nodes_of(map)) << line;
    if (is_small(map)) {
      EXPECT_EQ(verify::enumeration_difference(map, once, kPoints, tally), "") << line;
    }
    EXPECT_EQ(to_text(impl::simplify(once, workspace).value()), to_text(once)) << line;
    ++maps;
  }
  EXPECT_GT(maps, 10);
  EXPECT_GT(tally["points"], 0);
}

// The normal form of each result takes half a million steps. With 700,000 for normal forms, every
// other one gives up, and the second round exceeds four times that.
TEST(SimplifyWork, TheWholeIsLimited) {
  constexpr int kVariables = 1000;
  const auto changes = [](int64_t max_work) {
    IndexingMap map;
    for (int i = 0; i < kVariables; ++i) map.dimensions.push_back({{0, 9}, ""});
    const NodeId zero = add_constant(map.nodes, 0);
    for (int result = 0; result < 8; ++result) {
      NodeId sum = zero;
      for (int i = 0; i < kVariables; ++i) {
        const NodeId variable = add_variable(map.nodes, Op::kDimension, (i + result) % kVariables);
        sum = add_operation(map.nodes, Op::kAdd, sum, variable);
      }
      map.results.push_back(sum);
    }
    impl::Workspace workspace(max_work);
    const IndexingMap simplified = impl::simplify(map, workspace).value();
    EXPECT_EQ(impl::simplify(simplified, workspace).value(), simplified);
    return !(simplified == map);
  };
  EXPECT_TRUE(changes(4'000'000));
  EXPECT_FALSE(changes(700'000));
}

// The local rules are not tried for a sum of digits of different variables, nor is its text read again.
TEST(SimplifyWork, SumsThatCannotBecomeShorterTakeLess) {
  impl::Workspace workspace(4'000'000);  // recognizes none of them
  const auto work = [&](const std::string& sum) {
    const std::string domain = "), domain: d0 in [0, 999], d1 in [0, 999]";
    return work_of(parse_map("(d0, d1) -> (" + sum + domain).value(), workspace);
  };
  for (const char* sum : {"(d0 * 3 + d1) mod 8", "d0 mod 8 + d1 floordiv 4", "d0 floordiv 4"}) {
    EXPECT_LT(3 * work(sum), 2 * work(std::string(sum) + " + 1")) << sum;
  }
}

}  // namespace
}  // namespace tileproof
