// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include "gtest/gtest.h"

namespace tileproof::cli {
namespace {

TEST(Terminal, RateAndTimeLeft) {
  EXPECT_EQ(rate_text(812, 4405, 23.2), ", 35 a second, 1 m 43 s left");
  EXPECT_EQ(rate_text(3, 9, 2), ", 1.5 a second, 4 s left");
  EXPECT_EQ(rate_text(100, std::nullopt, 2), ", 50 a second");
  EXPECT_EQ(rate_text(100, std::nullopt, 2, 7201), ", 50 a second, 2 h 0 m left");
  EXPECT_EQ(rate_text(1, 1000, 2, 30), ", 0.5 a second, 30 s left");
  EXPECT_EQ(rate_text(9, 9, 3), ", 3 a second");
  EXPECT_EQ(rate_text(5, 9, 0.1), "");
  EXPECT_EQ(rate_text(0, 9, 10), "");
}

TEST(Terminal, NoColorInAPipe) { EXPECT_EQ(colored("proven", Tone::kGood), "proven"); }

}  // namespace
}  // namespace tileproof::cli
