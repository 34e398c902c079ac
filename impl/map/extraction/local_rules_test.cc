// SPDX-License-Identifier: Apache-2.0
#include "impl/map/extraction/local_rules.h"

#include <string>
#include <utility>
#include <vector>

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

std::string after_rules(const std::string& expression, const std::string& domain) {
  const auto map = parse_map("(d0, d1, d2) -> (" + expression + "), domain: " + domain);
  EXPECT_TRUE(map.ok()) << map.status();
  const IndexingMap out = rewritten(*map).map;
  const std::string text = to_text(out);
  const size_t begin = text.find("-> (") + 4;
  return text.substr(begin, text.find("), domain") - begin);
}

constexpr char kDomain[] = "d0 in [0, 99], d1 in [0, 3], d2 in [-9, 9]";

TEST(LocalRules, EachRuleRewrites) {
  for (const auto& [before, after] : std::vector<std::pair<std::string, std::string>>{
           // associativity
           {"d0 + (d1 + d0 * 2) + 3 - 1", "d0 * 3 + d1 + 2"},
           // bounds
           {"d1 floordiv 4", "0"},
           {"d1 mod 4", "d1"},
           {"(d1 + 4) mod 4", "d1"},
           {"d1 floordiv -4", "d1 floordiv -4"},
           {"d1 ceildiv 8 + (d1 + 1) ceildiv 8", "d1 ceildiv 8 + 1"},
           // multiples
           {"(d0 * 6 + d1) floordiv 3", "d0 * 2 + d1 floordiv 3"},
           {"(d0 * 6 + d2) mod 3", "d2 mod 3"},
           {"(d0 * 6 + d2) mod -3", "d2 mod -3"},
           // common factors
           {"(d0 * 4 + d1) floordiv 12", "d0 floordiv 3"},
           {"(d0 * 4) mod 12", "(d0 mod 3) * 4"},
           // nesting
           {"(d0 floordiv 3) floordiv 5", "d0 floordiv 15"},
           {"(d0 floordiv -3) floordiv 5", "d0 floordiv -15"},
           {"(d0 floordiv 3) floordiv -5", "(d0 floordiv 3) floordiv -5"},
           {"(d0 mod 12) mod 4", "d0 mod 4"},
           {"(d0 mod 12 + d2) mod 4", "(d0 + d2) mod 4"},
           // digits
           {"(d0 floordiv 7) * 7 + d0 mod 7", "d0"},
           {"(d0 floordiv -7) * -14 + (d0 mod -7) * 2", "d0 * 2"},
           {"(d0 floordiv 3) mod 5 + (d0 floordiv 15) * 5", "d0 floordiv 3"},
           {"(d0 floordiv -3) mod 5 + (d0 floordiv -15) * 5", "d0 floordiv -3"},
           {"d0 * 2 - (d0 floordiv 7) * 14", "(d0 mod 7) * 2"},
       }) {
    EXPECT_EQ(after_rules(before, kDomain), after) << before;
  }
}

TEST(LocalRules, ConstraintsAreAssumed) {
  const std::string domain =
      std::string(kDomain) + ", (d0 floordiv 5) mod 2 in [1, 1], d0 + d1 in [0, 7]";
  EXPECT_EQ(after_rules("((d0 floordiv 5) mod 2) * 7 + d1", domain), "d1 + 7");
  EXPECT_EQ(after_rules("(d0 + d1) floordiv 8", domain), "0");
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
