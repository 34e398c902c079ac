// SPDX-License-Identifier: Apache-2.0
// Limits on counting elements that are read at unknown offsets, for maps by hand. corpus/golden/counts.txt
// has what programs read.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "impl/access/utilization_count.h"
#include "impl/hlo/indexing.h"
#include "impl/hlo/offsets/runtime_terms.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::verify {
namespace {

// Only sums of multiples of runtime variables have terms.
TEST(UtilizationTest, TermsOfOffsetsAreThoseOfTheSum) {
  const auto terms = [](const std::string& expr) {
    const IndexingMap map = *parse_map("(d0){rt0, rt1} -> (" + expr +
                                       "), domain: d0 in [0, 3], rt0 in [0, 9], rt1 in [0, 9]");
    const auto found = impl::runtime_terms(map, map.results[0]);
    if (!found) return std::string("nothing");
    std::string text;
    for (const auto& [variable, factor] : *found) {
      absl::StrAppend(&text, text.empty() ? "" : " + ", "rt", variable, " * ", factor);
    }
    return text;
  };
  EXPECT_EQ(terms("d0 * 4 + rt0 * 2 + 1"), "rt0 * 2");
  EXPECT_EQ(terms("d0 floordiv 4"), "");
  EXPECT_EQ(terms("3 * rt1 + rt0 + (rt0 + rt1) * 2"), "rt0 * 3 + rt1 * 5");
  EXPECT_EQ(terms("rt0 * 2 + rt1 + rt0 * -2"), "rt1 * 1");
  for (const char* expr :
       {"(d0 + rt0) floordiv 2", "rt0 floordiv 2 + rt1", "rt1 + rt0 floordiv 2", "(rt0 mod 2) * 3",
        "3 * (rt0 mod 2)", "rt0 * d0", "rt0 * rt1",
        "rt0 * 9223372036854775807 + rt0 * 9223372036854775807", "rt0 * 9223372036854775807 * 2"}) {
    EXPECT_EQ(terms(expr), "nothing") << expr;
  }
}

// Two windows of two elements, each beginning at 1 or 2: four combinations of values with two maps
// each. The images of a combination have two runs.
TEST(UtilizationTest, CountsUpToTheLimitsOnValuesAndRuns) {
  const auto window = [](int32_t position) {
    return impl::IndexedMap{
        *parse_map("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 1], rt0 in [1, 2]"),
        {{{{}, position, 0}, {}, {1, 2}}}};
  };
  const auto counted = [&](impl::OffsetLimits limits) {
    const auto count = impl::count_with_offsets({window(0), window(1)}, {5}, limits);
    return count.ok() ? absl::StrCat(count->least, " to ", count->most)
                      : std::string(count.status().message());
  };
  EXPECT_EQ(counted({}), "2 to 3");
  EXPECT_EQ(counted({.values = 4 * 2, .pieces = 4 * (1 + 2)}), "2 to 3");
  EXPECT_EQ(counted({.values = 4 * 2 - 1}), "offsets have many values");
  EXPECT_EQ(counted({.pieces = 4 * (1 + 2) - 1}), "offsets have many values");
}

// Variables that are tied together.
impl::IndexedMap tied(int64_t rows, int64_t columns, int32_t position) {
  return impl::IndexedMap{
      *parse_map(absl::StrCat("(d0)[s0]{rt0} -> ((d0 * 3 + s0) floordiv 7 + rt0, (d0 + s0 * 5) "
                              "floordiv 11), domain: d0 in [0, ",
                              rows - 1, "], s0 in [0, ", columns - 1, "], rt0 in [1, 2]")),
      {{{{}, position, 0}, {}, {1, 2}}}};
}

// 2^20 points, and then one row more.
TEST(UtilizationTest, CountsTiedVariablesUpToTheLimitOnPoints) {
  const std::vector<int64_t> sizes = {1000, 1000};
  EXPECT_TRUE(impl::count_with_offsets({tied(1024, 1024, 0)}, sizes).ok());
  EXPECT_FALSE(impl::count_with_offsets({tied(1025, 1024, 0)}, sizes).ok());
}

// Two offsets have four combinations of values, which share the 2^20 points; and a point of a map
// with 32 nodes or more counts twice.
TEST(UtilizationTest, CombinationsOfOffsetsShareTheLimitOnPoints) {
  const std::vector<int64_t> sizes = {1000, 1000};
  EXPECT_TRUE(impl::count_with_offsets({tied(512, 256, 0), tied(2, 2, 1)}, sizes).ok());
  EXPECT_FALSE(impl::count_with_offsets({tied(512, 257, 0), tied(2, 2, 1)}, sizes).ok());
}

// The row and the column of an element come from two lists.
TEST(UtilizationTest, DoesNotCountIndexVectorsThatAreNoList) {
  const auto element = [](int column) {
    return *parse_map(absl::StrCat("(d0) -> (d0, ", column, "), domain: d0 in [0, 3]"));
  };
  const impl::IndexedMap two{
      *parse_map("(d0){rt0, rt1} -> (rt0, rt1), domain: d0 in [0, 3], rt0 in [0, 8], rt1 in "
                 "[0, 4]"),
      {{{{}, 0, 0}, element(0), {0, 8}}, {{{}, 1, 0}, element(1), {0, 4}}}};
  EXPECT_EQ(impl::count_with_indices(two, {9, 5}).status(),
            absl::ResourceExhaustedError("several indices may move what is read to one place"));
}

}  // namespace
}  // namespace tileproof::verify
