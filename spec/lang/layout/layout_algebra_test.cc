// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/layout_algebra.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tileproof {
namespace {

TEST(TilerText, ATupleIsShortForALayoutOfEachMode) {
  EXPECT_EQ(parse_tiler("<4:1,8:1>").value(), parse_tiler("(4,8)").value());
  EXPECT_EQ(parse_tiler("4").value(), parse_tiler("4:1").value());
  EXPECT_NE(parse_tiler("<4:1>").value(), parse_tiler("4:1").value());
}

TEST(SlicerText, NestingAndRankHaveLimits) {
  EXPECT_EQ(parse_slicer(std::string(size_t{1} << 20, '(')).status().message(),
            "column 1001: expected nesting of at most 1000");
  std::string wide = "(_";
  for (int i = 0; i < 64; ++i) wide += ",_";
  EXPECT_EQ(parse_slicer(wide + ")").status().message(),
            "column 130: expected at most 64 elements in a tuple");
  for (const char* text : {"_", "7", "-3", "()", "(_,3)", "((_,1),_,())"})
    EXPECT_EQ(parse_slicer(text).value(), parse_slicer(absl::StrCat(" ", text, " ")).value());
}

}  // namespace
}  // namespace tileproof
