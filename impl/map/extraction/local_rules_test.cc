// SPDX-License-Identifier: Apache-2.0
#include "impl/map/extraction/local_rules.h"

#include <string>
#include <vector>

#include "corpus/answers_testing.h"
#include "generate/choose/choose.h"
#include "generate/map/generate_map.h"
#include "gtest/gtest.h"
#include "impl/map/cse.h"
#include "spec/lang/map/map_text.h"
#include "verify/compare/map_compare.h"

namespace tileproof {
namespace {

struct Rewritten {
  IndexingMap map;
  int candidates = 0;
};

// The map with the candidates of its results in their place.
Rewritten rewritten(const IndexingMap& map) {
  IndexingMap once;
  impl::CommonSubexpressions distinct;
  EXPECT_TRUE(distinct.read(map, once).ok()) << to_text(map);
  std::vector<impl::Range> bounds;
  for (const auto* variables : {&map.dimensions, &map.ranges, &map.runtime}) {
    for (const Variable& variable : *variables) {
      bounds.push_back({variable.bounds.low, variable.bounds.high});
    }
  }
  impl::LocalRules rules;
  rules.begin(once, bounds);
  if (!map.constraints.empty()) rules.assume_constraints();
  Rewritten out{map};
  for (size_t i = 0; i < map.results.size(); ++i) {
    const auto candidate = rules.candidate(once.results[i]);
    if (!candidate) continue;
    ++out.candidates;
    const impl::VariableCounts counts{std::ssize(map.dimensions), std::ssize(map.ranges)};
    out.map.results[i] = rules.write(*candidate, counts, out.map.nodes);
    EXPECT_EQ(candidate->cost >> 16, tree_size(out.map.nodes, out.map.results[i]));
  }
  return out;
}

TEST(LocalRules, Answers) {
  const auto after_rules = [](absl::string_view text) {
    const std::string after = to_text(rewritten(parse_map(text).value()).map);
    const size_t begin = after.find("-> (") + 4;
    return after.substr(begin, after.find("), domain") - begin);
  };
  expect_answers("answers/local_rules.txt", {{"rules", after_rules}});
}

TEST(LocalRules, NumbersThatLeave64BitsHaveNoCandidate) {
  const auto map = parse_map(
      "(d0) -> ((d0 * 4611686018427387904 + d0 * 4611686018427387905) floordiv 3, d0 * d0), "
      "domain: d0 in [0, 9]");
  ASSERT_TRUE(map.ok());
  EXPECT_EQ(rewritten(*map).candidates, 0);
}

// At every point, the candidates have the values of the results.
TEST(LocalRules, RandomMapsKeepTheirValues) {
  verify::CaseCounts tally;
  int64_t candidates = 0;
  for (uint64_t seed = 0; seed < 3'000; ++seed) {
    Choose choose(Choose::Random{seed});
    const IndexingMap map = seed % 3 == 0   ? generate_map(choose, {.points = 256})
                            : seed % 3 == 1 ? generate_related(choose)
                                            : generate_chain(choose, {.points = 512}).map;
    const Rewritten other = rewritten(map);
    EXPECT_EQ(verify::enumeration_difference(map, other.map, 1 << 16, tally), "")
        << to_text(map) << "  ->  " << to_text(other.map);
    candidates += other.candidates;
  }
  EXPECT_GT(tally["points"], 100'000);
  EXPECT_GT(candidates, 3'000);
}

}  // namespace
}  // namespace tileproof
