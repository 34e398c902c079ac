// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/offsets/clamped_runtime.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

// A relation to an array of this size and one element, whose runtime variables are element (s0) of
// one array, each with its own clamp. `constraint` is one on d0, s0, rt0 and rt1.
std::string replaced(const std::string& constraint, int64_t last = 95, int32_t other_array = 7) {
  AccessRelation relation;
  relation.map =
      *parse_map(absl::StrCat("(d0)[s0]{rt0, rt1} -> (rt1, s0, s0), domain: d0 in [0, ", last,
                              "], s0 in [0, 3], rt0 in [-1, 96], rt1 in [0, 95], ", constraint));
  relation.rank = 1;
  relation.runtime = {{{{}, 7, 0}, 1, {-1, 96}}, {{{}, other_array, 0}, 1, {0, 95}}};
  const AccessRelationPtr simple = simplified(relation, {last + 1}, {96});
  return simple ? to_text(simple->map) : "nothing";
}

TEST(ClampedRuntime, TheExampleOfTheHeader) {
  EXPECT_EQ(replaced("d0 - rt0 in [0, 0]"),
            "(d0)[s0]{rt0} -> (d0, s0), domain: d0 in [0, 95], s0 in [0, 3], rt0 in [0, 95], "
            "d0 - rt0 in [0, 0]");
}

TEST(ClampedRuntime, TheVariableMayBeAddedOrHaveAConstant) {
  EXPECT_EQ(replaced("d0 + rt0 in [95, 95]"),
            "(d0)[s0]{rt0} -> (-d0 + 95, s0), domain: d0 in [0, 95], s0 in [0, 3], rt0 in [0, 95], "
            "d0 + rt0 in [95, 95]");
  EXPECT_EQ(replaced("d0 - rt0 in [-3, -3]", 90),
            "(d0)[s0]{rt0} -> (d0 + 3, s0), domain: d0 in [0, 90], s0 in [0, 3], rt0 in [3, 93], "
            "d0 - rt0 in [-3, -3]");
}

// The value of rt0 may be 96, for which rt1 is 95; or it is one of several.
TEST(ClampedRuntime, AValueBeyondTheNarrowerClampStays) {
  EXPECT_EQ(replaced("d0 - rt0 in [0, 0]", 96),
            "(d0)[s0]{rt0, rt1} -> (rt1, s0, s0), domain: d0 in [0, 96], s0 in [0, 3], "
            "rt0 in [0, 96], rt1 in [0, 95], d0 - rt0 in [0, 0]");
  EXPECT_EQ(replaced("d0 - rt0 in [0, 1]"),
            "(d0)[s0]{rt0, rt1} -> (rt1, s0, s0), domain: d0 in [0, 95], s0 in [0, 3], "
            "rt0 in [-1, 95], rt1 in [0, 95], d0 - rt0 in [0, 1]");
}

// rt0 is at most rt1 + 1, and at least rt1 - 1.
TEST(ClampedRuntime, ValuesThatTheClampsExcludeAreNone) {
  EXPECT_EQ(replaced("rt0 - rt1 in [2, 9]"), "nothing");
  EXPECT_EQ(replaced("rt0 - rt1 in [-9, -2]"), "nothing");
  EXPECT_EQ(replaced("d0 + rt1 - rt0 in [-1, -1]"),
            "(d0)[s0]{rt0} -> (95, s0), domain: d0 in [0, 0], s0 in [0, 3], rt0 in [96, 96]");
  EXPECT_EQ(replaced("rt0 - rt1 in [0, 1], rt1 in [0, 94]"),
            "(d0)[s0]{rt0} -> (rt0, s0), domain: d0 in [0, 95], s0 in [0, 3], rt0 in [0, 94]");
}

TEST(ClampedRuntime, ElementsOfOtherArraysStay) {
  EXPECT_EQ(replaced("d0 - rt0 in [0, 0]", 95, 8),
            "(d0)[s0]{rt0, rt1} -> (rt1, s0, s0), domain: d0 in [0, 95], s0 in [0, 3], "
            "rt0 in [0, 95], rt1 in [0, 95], d0 - rt0 in [0, 0]");
}

}  // namespace
}  // namespace tileproof::impl
