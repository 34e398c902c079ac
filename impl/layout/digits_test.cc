// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/digits.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace tileproof::impl {
namespace {

const std::vector<std::string> kNames = {"a", "b", "c"};

// x as digits of inputs: `weight * name` for whole inputs.
std::string of_inputs(const Digits& digits, const Numeral& x) {
  const auto terms = digits.of_inputs(x);
  if (!terms) return "nothing";
  std::string text;
  for (const auto& [weight, digit] : *terms) {
    EXPECT_EQ(digit.divisor, 1);
    EXPECT_EQ(digit.modulus, Digit::kWhole);
    absl::StrAppend(&text, text.empty() ? "" : " + ", weight, " * ", kNames[digit.source]);
  }
  return text;
}

// Tiles of 3 cut the number a * 2 + b, which becomes a new source. Combining both parts restores
// that number, whatever digits follow it.
TEST(DigitsTest, AdjacentPartsAreDigitsOfInputs) {
  Digits digits;
  const Numeral a = digits.input(5), b = digits.input(2), c = digits.input(7);
  Numeral x = Digits::combine(a, b);
  x.size = 12;  // padded
  const auto [tiles, inside] = digits.split(x, 3);
  EXPECT_EQ(digits.to_text(tiles, kNames), "(a * 2 + b) floordiv 3");
  EXPECT_EQ(digits.to_text(inside, kNames), "(a * 2 + b) mod 3");
  EXPECT_EQ(of_inputs(digits, tiles), "nothing");
  EXPECT_EQ(of_inputs(digits, inside), "nothing");
  const Numeral again = Digits::combine(tiles, inside);
  EXPECT_EQ(of_inputs(digits, again), "2 * a + 1 * b");
  EXPECT_EQ(of_inputs(digits, Digits::combine(again, c)), "14 * a + 7 * b + 1 * c");
}

}  // namespace
}  // namespace tileproof::impl
