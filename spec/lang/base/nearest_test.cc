// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/base/nearest.h"

#include <string>

#include "gtest/gtest.h"

namespace tileproof {
namespace {

TEST(NearestTest, CountsTypingErrors) {
  const std::vector<absl::string_view> words = {"copy", "reduce", "transpose", "reduce-window"};
  EXPECT_EQ(nearest_word("transpse", words), "transpose");    // left out
  EXPECT_EQ(nearest_word("transposse", words), "transpose");  // inserted
  EXPECT_EQ(nearest_word("transbose", words), "transpose");   // replaced
  EXPECT_EQ(nearest_word("rtanspose", words), "transpose");   // swapped
  EXPECT_EQ(nearest_word("reduce_window", words), "reduce-window");
  EXPECT_EQ(nearest_word("cpoy", words), "copy");
}

// One error in words of up to five letters; one more for each three letters.
TEST(NearestTest, LongerWordsMayHaveMoreErrors) {
  EXPECT_EQ(nearest_word("fi", {"if"}), "if");
  EXPECT_EQ(nearest_word("rebuze", {"reduce"}), "reduce");
  EXPECT_EQ(nearest_word("rebuzo", {"reduce"}), std::nullopt);
  EXPECT_EQ(nearest_word("recze", {"reduce"}), std::nullopt);
}

TEST(NearestTest, FewestErrorsThenFirst) {
  EXPECT_EQ(nearest_word("f33", {"f16", "f32", "f31"}), "f32");
  EXPECT_EQ(nearest_word("s32", {"u32", "s32"}), "s32");
}

TEST(NearestTest, FarWordsAreNotMeant) {
  EXPECT_EQ(nearest_word("frobnicate", {"copy", "transpose"}), std::nullopt);
  EXPECT_EQ(nearest_word("x", {"y"}), std::nullopt);  // all letters are wrong
  EXPECT_EQ(nearest_word("", {"a"}), std::nullopt);
  EXPECT_EQ(nearest_word("copy", {}), std::nullopt);
  EXPECT_EQ(nearest_word(std::string(41, 'a'), {absl::string_view("a")}), std::nullopt);
}

TEST(NearestTest, EndOfMessage) {
  EXPECT_EQ(did_you_mean("f23", {"f16", "f32"}), "; did you mean 'f32'?");
  EXPECT_EQ(did_you_mean("token", {"f16", "f32"}), "");
}

}  // namespace
}  // namespace tileproof
