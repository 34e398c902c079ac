// SPDX-License-Identifier: Apache-2.0
// Counting windows at the indices of a list: hand-written maps, and cases without a count.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
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
std::string windows_counted(const std::string& text, const std::vector<std::string>& elements,
                            const std::vector<int64_t>& highest,
                            const std::vector<int64_t>& sizes) {
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
  const auto count = impl::count_with_indices(one, sizes);
  return count.ok() ? absl::StrCat(count->least, " to ", count->most)
                    : std::string(count.status().message());
}

TEST(UtilizationTest, NoIndexOfTheListIsNegative) {
  const std::string rows =
      "(d0, d1, d2){rt0} -> (rt0), domain: d0 in [0, 3], d1 in [0, 0], d2 in [0, 0], "
      "rt0 in [0, 7]";
  EXPECT_EQ(windows_counted(rows, {"d0"}, {7}, {8}), "1 to 4");
  EXPECT_EQ(windows_counted(rows, {"d0 - 1"}, {7}, {8}), "the indices are not counted");
}

// 15 boxes of 2 x 3 would cover everything, but each has two corners missing.
TEST(UtilizationTest, WindowsThatAreNoBoxesMayLeaveGaps) {
  const auto boxes = [](const std::string& condition) {
    return windows_counted(
        "(d0, d1, d2){rt0, rt1} -> (rt0 + d1, rt1 + d2), domain: d0 in [0, 14], d1 in [0, 1], d2 "
        "in [0, 2], rt0 in [0, 7], rt1 in [0, 6]" +
            condition,
        {"d0, 0", "d0, 1"}, {7, 6}, {9, 9});
  };
  EXPECT_EQ(boxes(""), "6 to 81");
  EXPECT_EQ(boxes(", d1 * 2 + d2 in [1, 3]"), "windows at indices may overlap");
}

TEST(UtilizationTest, ElementsOfAListDifferIfAnyIndexDiffers) {
  EXPECT_EQ(windows_counted("(d0, d1, d2){rt0} -> (rt0), domain: d0 in [0, 6], d1 in [0, 0], d2 in "
                            "[0, 0], rt0 in [0, 99]",
                            {"d0 floordiv 3, d0 mod 3"}, {99}, {100}),
            "1 to 7");
}

TEST(UtilizationTest, DoesNotCountResultsThatAreNoWindows) {
  EXPECT_EQ(windows_counted("(d0, d1, d2){rt0} -> (rt0 floordiv 2), domain: d0 in [0, 6], d1 in "
                            "[0, 0], d2 in [0, 0], rt0 in [0, 99]",
                            {"d0"}, {99}, {50}),
            "it depends on the values of indices");
}

TEST(UtilizationTest, DoesNotCountMultipliedIndicesOrTwoMovedResults) {
  const auto counted = [](const std::string& results, const std::vector<std::string>& elements,
                          const std::string& length = "3") {
    return windows_counted("(d0, d1, d2){rt0, rt1} -> (" + results + "), domain: d0 in [0, " +
                               length +
                               "], d1 in [0, 3], d2 in [0, 1], rt0 in [0, 8], rt1 in [0, 8]",
                           elements, {8, 8}, {20, 20});
  };
  constexpr char kTwice[] = "several indices may move what is read to one place";
  constexpr char kTied[] = "it depends on the values of indices";
  EXPECT_EQ(counted("rt0 * 2 + d2, 0", {"d0, 0", "d0, 1"}), kTied);
  EXPECT_EQ(counted("rt0 + rt1, 0", {"d0, 0", "d0, 1"}), kTied);
  EXPECT_EQ(counted("rt0, rt0 + d2", {"d0, 0", "d0, 1"}), kTied);
  EXPECT_EQ(counted("rt0, rt1 + d2", {"d0, 0", "d0, 1"}), "2 to 8");
  EXPECT_EQ(counted("rt0, rt1 + d2", {"d0, 0", "d0"}), kTwice);
  EXPECT_EQ(counted("rt0, rt1 + d2", {"0, 0", "d0, 1"}), kTwice);
  EXPECT_EQ(counted("rt0, rt1 + d2", {"0, 0", "d0, 1"}, "0"), "2 to 2");
  EXPECT_EQ(counted("rt0, rt1 + d2", {"d0, 0", "d1, 1"}, "0"), kTwice);
  EXPECT_EQ(counted("rt0, rt1 + d2", {"d0, 0", "d0, 1"}, "-1"), "0 to 0");
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

TEST(UtilizationTest, AWindowAndItsListMayBeOfDifferentRanges) {
  EXPECT_EQ(windows_counted("(d0, d1, d2)[s0, s1]{rt0} -> (rt0 + d2), domain: d0 in [0, 0], d1 in "
                            "[0, 0], d2 in [0, 1], s0 in [0, 0], s1 in [0, 3], rt0 in [0, 8]",
                            {"s1"}, {8}, {20}),
            "2 to 8");
}

// A slice for each value of a variable that also selects the indices of a window, and nothing else.
TEST(UtilizationTest, CountsSlicesSeparately) {
  const auto slices = [](const std::string& results, const std::string& element,
                         const std::string& more = "", const std::string& unused = "d0") {
    return windows_counted("(d0, d1, d2)[s0]{rt0, rt1} -> (" + results +
                               "), domain: d0 in [0, 3], d1 in [0, 2], d2 in [0, 1], s0 in [0, 3], "
                               "rt0 in [0, 8], rt1 in [0, 8]" +
                               more,
                           {element, unused}, {8, 8}, {20, 20});
  };
  constexpr char kTwice[] = "several indices may move what is read to one place";
  constexpr char kTied[] = "it depends on the values of indices";
  EXPECT_EQ(slices("d0, rt0 + d2", "d0, d1"), "8 to 24");
  EXPECT_EQ(slices("s0, rt0 + d2", "s0, d1"), "8 to 24");
  EXPECT_EQ(slices("d0, rt0 + d0", "d0, d1"), kTied);
  EXPECT_EQ(slices("s0, rt0 + d2", "s0, d1", ", s0 + d2 in [0, 3]"), kTied);
  EXPECT_EQ(slices("d0, rt0 + d2", "d0, d1", "", "d0 * 2, d0"), "8 to 24");
  EXPECT_EQ(slices("d0, rt0 + d2", "d0 * 2, d1"), kTwice);
  EXPECT_EQ(windows_counted("(d0, d1, d2){rt0} -> (d0, rt0 + d2), domain: d0 in [1, 2], d1 in [0, "
                            "2], d2 in [0, 1], rt0 in [0, 8]",
                            {"d0, d1"}, {8}, {20, 20}),
            "4 to 12");
  EXPECT_EQ(windows_counted("(d0, d1, d2)[s0]{rt0} -> (d0, s0, rt0 + d2), domain: d0 in [0, 0], d1 "
                            "in [0, 2], d2 in [0, 1], s0 in [0, 3], rt0 in [0, 8]",
                            {"d0, s0, d1"}, {8}, {20, 20, 20}),
            "8 to 24");
  EXPECT_EQ(windows_counted("(d0, d1, d2){rt0} -> (d0, d0, rt0 + d2), domain: d0 in [0, 3], d1 in "
                            "[0, 2], d2 in [0, 1], rt0 in [0, 8]",
                            {"d0, d1"}, {8}, {20, 20, 20}),
            kTwice);
}

TEST(UtilizationTest, SlicesMayHave63BitsOfElements) {
  const int64_t wide = 188232082384791343;
  EXPECT_EQ(windows_counted(
                absl::StrCat("(d0, d1, d2){rt0} -> (d0, rt0 + d2), domain: d0 in [0, 6], d1 in [0, "
                             "6], d2 in [0, ",
                             wide - 1, "], rt0 in [0, ", 6 * wide, "]"),
                {"d0, d1"}, {6 * wide}, {7, 7 * wide}),
            "1317624576693539401 to 9223372036854775807");
}

TEST(UtilizationTest, WindowsMayHave63BitsOfElements) {
  const auto seven = [](int64_t wide, int64_t highest) {
    return windows_counted(
        absl::StrCat("(d0, d1, d2){rt0} -> (rt0 + d1), domain: d0 in [0, 6], d1 in [0, ", wide - 1,
                     "], d2 in [0, 0], rt0 in [0, ", highest, "]"),
        {"d0"}, {highest}, {INT64_MAX});
  };
  EXPECT_EQ(seven(1317624576693539401, 6 * 1317624576693539401),
            "1317624576693539401 to 9223372036854775807");
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

}  // namespace
}  // namespace tileproof::verify
