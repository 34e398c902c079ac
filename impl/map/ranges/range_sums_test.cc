// SPDX-License-Identifier: Apache-2.0
#include "impl/map/ranges/range_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "impl/map/evaluate.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

// The pairs of a map with one dimension and small bounds, by walking over all points.
std::set<std::vector<int64_t>> pairs_of(const IndexingMap& map) {
  std::set<std::vector<int64_t>> pairs;
  std::vector<Variable> all = map.dimensions;
  all.insert(all.end(), map.ranges.begin(), map.ranges.end());
  std::vector<int64_t> at;
  for (const Variable& variable : all) {
    if (variable.bounds.low > variable.bounds.high) return pairs;
    at.push_back(variable.bounds.low);
  }
  const auto rank = static_cast<std::ptrdiff_t>(map.dimensions.size());
  for (size_t v = 0; v < at.size();) {
    const std::vector<int64_t> dims(at.begin(), at.begin() + rank);
    const std::vector<int64_t> ranges(at.begin() + rank, at.end());
    const auto index = evaluate(map, PointValues{dims, ranges, {}});
    if (index.ok() && *index) {
      std::vector<int64_t> pair = dims;
      pair.insert(pair.end(), (**index).begin(), (**index).end());
      pairs.insert(pair);
    }
    for (v = 0; v < at.size() && ++at[v] > all[v].bounds.high; ++v) at[v] = all[v].bounds.low;
  }
  return pairs;
}

// The map keeps its pairs; returns the text of what it becomes.
std::string reduced(absl::string_view text) {
  IndexingMap map = *parse_map(text);
  const std::set<std::vector<int64_t>> before = pairs_of(map);
  reduce_ranges(map);
  EXPECT_EQ(pairs_of(map), before) << text << "\n" << to_text(map);
  return to_text(map);
}

bool is_changed(absl::string_view text) { return reduced(text) != to_text(*parse_map(text)); }

TEST(RangeSums, ASumIsOneVariable) {
  for (const char* text : {
           "(d0)[s0, s1] -> (s0 + s1), domain: d0 in [0, 1], s0 in [0, 5], s1 in [0, 2]",
           "(d0)[s0, s1] -> (s0 + s1 - 1), domain: d0 in [0, 1], s0 in [0, 5], s1 in [0, 2], "
           "s0 + s1 in [1, 6]",
           "(d0)[s0, s1] -> (s0 * 3 + s1), domain: d0 in [0, 1], s0 in [0, 5], s1 in [0, 2]",
           "(d0)[s0, s1] -> (s0 - s1), domain: d0 in [0, 1], s0 in [0, 5], s1 in [1, 2]",
           "(d0)[s0, s1] -> (d0 + s0 * 4 + s1 * 2), domain: d0 in [0, 1], s0 in [0, 3], s1 in [0, "
           "1]",
           "(d0)[s0, s1] -> ((s0 + s1) floordiv 2, (s0 + s1) mod 2), domain: d0 in [0, 1], "
           "s0 in [0, 5], s1 in [0, 2]",
       }) {
    EXPECT_TRUE(is_changed(text)) << text;
  }
}

TEST(RangeSums, AVariableOfOneConstraintGoes) {
  for (const char* text : {
           "(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 2], d0 + s0 in [1, 7]",
           "(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 2], d0 - s0 in [1, 7]",
           "(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 2], d0 + s0 * 3 in [4, 6]",
           "(d0)[s0, s1] -> (s1), domain: d0 in [0, 3], s0 in [0, 5], s1 in [0, 4], s0 + s1 in [1, "
           "6]",
       }) {
    EXPECT_TRUE(is_changed(text)) << text;
  }
}

TEST(RangeSums, AQuotientIsAVariable) {
  EXPECT_TRUE(
      is_changed("(d0)[s0, s1] -> ((s0 floordiv 5) * 5 + s1), domain: d0 in [0, 1], s0 in [0, 14], "
                 "s1 in [0, 4]"));
  EXPECT_TRUE(is_changed("(d0)[s0] -> (s0 floordiv 4), domain: d0 in [0, 1], s0 in [-6, 6]"));
}

TEST(RangeSums, OthersStay) {
  for (const char* text : {
           // With gaps.
           "(d0)[s0, s1] -> (s0 * 4 + s1), domain: d0 in [0, 1], s0 in [0, 5], s1 in [0, 2]",
           "(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 2], d0 + s0 * 4 in [4, 6]",
           // Not only the sum is used, or not always the same.
           "(d0)[s0, s1] -> (s0 + s1, s0), domain: d0 in [0, 1], s0 in [0, 5], s1 in [0, 2]",
           "(d0)[s0, s1] -> (s0 + s1, s0 - s1), domain: d0 in [0, 1], s0 in [0, 5], s1 in [0, 2]",
           "(d0)[s0, s1] -> (s0 + s1), domain: d0 in [0, 1], s0 in [0, 5], s1 in [0, 2], "
           "s0 mod 3 in [1, 1]",
           "(d0)[s0] -> (s0 floordiv 4, s0 floordiv 3), domain: d0 in [0, 1], s0 in [0, 6]",
           "(d0)[s0] -> (s0 floordiv 4, s0), domain: d0 in [0, 1], s0 in [0, 6]",
           // The constraint is a result, too.
           "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 2], d0 + s0 in [1, 4]",
       }) {
    EXPECT_FALSE(is_changed(text)) << text;
  }
}

}  // namespace
}  // namespace tileproof::impl
