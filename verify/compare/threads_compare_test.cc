// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "generate/choose/choose.h"
#include "verify/compare/layout_compare.h"

namespace tileproof::verify {
namespace {

// Random ones are a property. Digits of 3 threads, which no 32 lanes end; and sizes that are no powers of two.
TEST(ThreadsCompare, OtherSizes) {
  for (const char* text :
       {"tv:((3,8,8),(8)):((0,64,8),(0)):f16[3,512]", "tv:((3,32),2):((64,1),32):f32[192]",
        "tv:((8,12),(3)):((12,1),(100)):f32[12,30]", "tv:(5,3):(3,1):f32[5,3]"}) {
    CaseCounts tally;
    EXPECT_EQ(threads_difference(text, tally), "");
    EXPECT_EQ(tally["refused"], 0) << text;
  }
}

// All layouts of 4x4 elements with two registers, two lanes and a basis of each from a few.
TEST(ThreadsCompare, AllSmallBases) {
  const std::vector<std::string> bases = {"[0, 0]", "[0, 1]", "[0, 2]", "[1, 0]",
                                          "[2, 0]", "[1, 1]", "[3, 0]", "[2, 3]"};
  for (Odometer odometer; !odometer.done(); odometer.advance()) {
    Choose choose(&odometer);
    std::vector<std::string> chosen;
    for (int i = 0; i < 4; ++i) chosen.push_back(choose.pick(bases));
    const std::string text =
        absl::StrCat("tensor<4x4xf32, #ttg.linear<{register = [", chosen[0], ", ", chosen[1],
                     "], lane = [", chosen[2], "], warp = [", chosen[3], "], block = []}>>");
    CaseCounts tally;
    ASSERT_EQ(threads_difference(text, tally), "");
    ASSERT_EQ(tally["refused"], 0) << text;
  }
}

}  // namespace
}  // namespace tileproof::verify
