// SPDX-License-Identifier: Apache-2.0
// Counting windows at the indices of a list: hand-written maps, and cases without a count.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "corpus/answers_testing.h"
#include "impl/access/utilization_count.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::verify {
namespace {

TEST(UtilizationTest, DoesNotCountHandMadeIndicesBeyond64Bits) {
  const impl::IndexedMap rows{
      *parse_map("(d0){rt0} -> (rt0), domain: d0 in [0, 9], rt0 in [0, 7]"),
      {{{{}, 0, 0},
        *parse_map("(d0) -> (d0 * 4611686018427387904), domain: d0 in [0, 9]"),
        {0, 7}}}};
  EXPECT_EQ(impl::count_with_indices(rows, {8}).status(),
            absl::ResourceExhaustedError("the indices are not counted"));
}

// "least to most", or the reason for no count, for a map whose runtime variables are these elements
// of one array. Also takes the highest values of the variables.
std::string windows_counted(absl::string_view question) {
  const auto [head, text, listed] = parts_of<3>(question, "\n");
  const auto [ends, sizes] = parts_of<2>(head, " of ");
  const std::vector<int64_t> highest = numbers_of(ends);
  const std::vector<std::string> elements = absl::StrSplit(listed, " | ");
  impl::IndexedMap one{*parse_map(text), {}};
  const std::string list = text.substr(0, text.find('{')) + " -> (";
  std::string domain = "), domain: d0 in [0, 99], d1 in [0, 99], d2 in [0, 99]";
  for (absl::string_view range : {"s0", "s1"}) {
    if (absl::StrContains(list, range)) absl::StrAppend(&domain, ", ", range, " in [0, 99]");
  }
  for (size_t i = 0; i < elements.size(); ++i) {
    one.runtime.push_back(
        {{{}, 0, 0}, *parse_map(absl::StrCat(list, elements[i], domain)), {0, highest[i]}});
  }
  const auto count = impl::count_with_indices(one, numbers_of(sizes));
  return count.ok() ? absl::StrCat(count->least, " to ", count->most)
                    : std::string(count.status().message());
}

TEST(UtilizationTest, WindowsLieWhereTheirIndicesMayBe) {
  const impl::IndexedMap rows{
      *parse_map("(d0, d1){rt0} -> (rt0 + d1), domain: d0 in [0, 2], d1 in [0, 1], rt0 in [2, 4]"),
      {{{{}, 0, 0}, *parse_map("(d0, d1) -> (d0), domain: d0 in [0, 2], d1 in [0, 1]"), {2, 4}}}};
  const auto count = impl::count_with_indices(rows, {9});
  ASSERT_TRUE(count.ok()) << count.status();
  EXPECT_EQ(count->least, 2);
  EXPECT_EQ(count->most, 4);
}

// Element (1, d1) is the same for all d0: the rows of d0 = 1 use one element for both indices.
TEST(UtilizationTest, DoesNotCountSlicesThatShareIndices) {
  const auto read = [](absl::string_view second) {
    const impl::IndexedMap rows{
        *parse_map("(d0, d1){rt0, rt1} -> (d0, rt0, rt1), domain: d0 in [0, 2], d1 in [0, 3], "
                   "rt0 in [0, 7], rt1 in [0, 7]"),
        {{{{}, 0, 0},
          *parse_map("(d0, d1) -> (d0, d1, 0), domain: d0 in [0, 2], d1 in [0, 3]"),
          {0, 7}},
         {{{}, 0, 0}, *parse_map(second), {0, 7}}}};
    const auto count = impl::count_with_indices(rows, {3, 8, 8});
    return count.ok() ? absl::StrCat(count->least, " to ", count->most)
                      : std::string(count.status().message());
  };
  EXPECT_EQ(read("(d0, d1) -> (d0, d1, 1), domain: d0 in [0, 2], d1 in [0, 3]"), "3 to 12");
  for (const char* other : {"(d0, d1) -> (1, d1, 0), domain: d0 in [0, 2], d1 in [0, 3]",
                            "(d0, d1) -> (d0, d0 + d1, 0), domain: d0 in [0, 2], d1 in [0, 3]"}) {
    EXPECT_EQ(read(other), "several indices may move what is read to one place") << other;
  }
}

TEST(UtilizationTest, WindowsAreCounted) {
  expect_answers("answers/windows.txt", {{"windows", windows_counted}});
}

}  // namespace
}  // namespace tileproof::verify
