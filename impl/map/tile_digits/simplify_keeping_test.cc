// SPDX-License-Identifier: Apache-2.0
#include "impl/map/tile_digits/simplify_keeping.h"

#include <algorithm>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "corpus/answers_testing.h"
#include "generate/choose/choose.h"
#include "gtest/gtest.h"
#include "impl/map/same_values_testing.h"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

// The results alone, of a map with d0, d1 in [0, 127] and s0 in [0, 7].
std::string kept(const std::string& results, const TileSizes& sizes) {
  const auto map = parse_map(absl::StrCat(
      "(d0, d1)[s0] -> (", results, "), domain: d0 in [0, 127], d1 in [0, 127], s0 in [0, 7]"));
  if (!map.ok()) return std::string(map.status().message());
  const absl::StatusOr<IndexingMap> simple = simplify_keeping(*map, sizes);
  if (!simple.ok()) return std::string(simple.status().message());
  const std::string text = to_text(*simple);
  EXPECT_EQ(parse_map(text).value(), *simple) << text;  // no node has more than its text says
  const size_t begin = text.find("-> (") + 4;
  return text.substr(begin, text.find("), domain") - begin);
}

const TileSizes kAll{.all = true};

// `8,128 RESULTS` or `all RESULTS`
std::string kept_of(absl::string_view text) {
  const auto [sizes, results] = parts_of<2>(text);
  return kept(results, sizes == "all" ? kAll : TileSizes{.sizes = numbers_of(sizes)});
}

TEST(SimplifyKeeping, Answers) { expect_answers("answers/kept_digits.txt", {{"keep", kept_of}}); }

TEST(SimplifyKeeping, LargeAndEmptyMaps) {
  const auto text_of = [](const std::string& text, const TileSizes& sizes) {
    const auto map = parse_map(text);
    const auto simple = map.ok() ? simplify_keeping(*map, sizes) : map;
    return simple.ok() ? to_text(*simple) : std::string(simple.status().message());
  };
  EXPECT_EQ(text_of("(d0) -> (d0 mod 8 + (d0 floordiv 8) * 8), domain: d0 in [5, 4]", kAll),
            "KNOWN EMPTY");
  // Factors of digits that leave 64 bits: as simplify writes it.
  EXPECT_EQ(
      text_of("(d0) -> (d0 * 4611686018427387904 + (d0 floordiv 8) mod 2), domain: d0 in [0, 1]",
              kAll),
      "(d0) -> (d0 * 4611686018427387904), domain: d0 in [0, 1]");
  const std::string wide =
      "(d0)[s0] -> (s0 * 4611686018427387904 + s0 floordiv 8), domain: d0 in [0, 1], s0 in [-1, 1]";
  EXPECT_EQ(text_of(wide, kAll), text_of(wide, {}));
  std::string many = "0";
  for (int i = 2; i < 1200; ++i) absl::StrAppend(&many, " + d0 mod ", i);
  const std::string large = absl::StrCat("(d0) -> (", many, "), domain: d0 in [0, 5000]");
  EXPECT_EQ(text_of(large, kAll), text_of(large, {}));
}

// A random expression of d0, d1 and s0 with divisions by small numbers.
std::string expression(Choose& choose, int depth) {
  if (depth == 0 || choose.chance(1, 5)) {
    return choose.chance(1, 5) ? absl::StrCat(choose.between(-4, 9))
                               : choose.pick<std::string>({"d0", "d1", "s0"});
  }
  const std::string left = expression(choose, depth - 1);
  const int64_t divisor = choose.pick({2, 3, 4, 4, 8, 8, 12, -2});
  switch (choose(8)) {
    case 0:
      return absl::StrCat("(", left, " ceildiv ", divisor, ")");
    case 1:
    case 2:
      return absl::StrCat("(", left, " * ", choose.between(-3, 5), ")");
    case 3:
    case 4:
      return absl::StrCat("(", left, " floordiv ", divisor, ")");
    case 5:
      return absl::StrCat("(", left, " mod ", divisor, ")");
    default:
      return absl::StrCat("(", left, " + ", expression(choose, depth - 1), ")");
  }
}

TEST(SimplifyKeeping, RandomMapsMeanTheSame) {
  Choose choose(Choose::Random{27});
  int64_t points = 0, other = 0;
  for (int i = 0; i < cases(4000); ++i) {
    const std::string text = absl::StrCat(
        "(d0, d1)[s0] -> (", expression(choose, 5), ", ", expression(choose, 3),
        "), domain: d0 in [-5, 9], d1 in [0, 4], s0 in [0, 7]",
        choose.chance(1, 2) ? absl::StrCat(", ", expression(choose, 2), " in [-1, 3]") : "");
    const absl::StatusOr<IndexingMap> map = parse_map(text);
    ASSERT_TRUE(map.ok()) << text << map.status();
    const TileSizes sizes{choose.chance(1, 2), {choose.pick<int64_t>({2, 4, 8}), 3}};
    const absl::StatusOr<IndexingMap> simple = simplify_keeping(*map, sizes);
    ASSERT_TRUE(simple.ok()) << text << simple.status();
    other += to_text(*simple) != to_text(*simplify_keeping(*map, {}));
    points += expect_same_values(text, *map, *simple);
    ASSERT_FALSE(HasFailure());
  }
  std::cout << points << " points, " << other << " maps with kept digits\n";
  EXPECT_GT(other, cases(200));
}

// A sum of digits of `whole`, written in two ways.
struct Sum {
  std::vector<std::pair<int64_t, std::string>> digits;  // with distinct factors
  std::string joined;
};

// The digit [low, high) of the whole, as a difference of two quotients.
std::string difference(const std::string& whole, int64_t low, int64_t high) {
  const std::string first = low == 1 ? whole : absl::StrCat("(", whole, " floordiv ", low, ")");
  return absl::StrCat("(", first, " - (", whole, " floordiv ", high, ") * ", high / low, ")");
}

// The ends of digits and their factors are random, so that now and then strides join.
void append(Choose& choose, const std::string& whole, Sum& sum, int64_t& factor) {
  int64_t low = 1;
  const auto add = [&](const std::string& digit, const std::string& other) {
    sum.digits.push_back({factor, digit});
    absl::StrAppend(&sum.joined, " + ", choose.chance(1, 2) ? other : digit, " * ", factor);
  };
  for (int i = 0; i < 2; ++i) {
    const int64_t high = low * choose.pick<int64_t>({2, 4, 3});
    const std::string digit =
        low == 1 ? absl::StrCat("(", whole, " mod ", high, ")")
                 : absl::StrCat("((", whole, " floordiv ", low, ") mod ", high / low, ")");
    add(digit, difference(whole, low, high));
    factor *= choose.chance(2, 3) ? high / low : 5;
    low = high;
  }
  add(absl::StrCat("(", whole, " floordiv ", low, ")"),
      absl::StrCat("((", whole, " - ", whole, " mod ", low, ") floordiv ", low, ")"));
  factor *= 7;
}

// What is written differently becomes the sum of digits, each with its factor.
TEST(SimplifyKeeping, RandomDigitsAreKept) {
  Choose choose(Choose::Random{8});
  for (int i = 0; i < cases(1600); ++i) {
    Sum sum;
    int64_t factor = choose.between(2, 9);
    append(choose, "d0", sum, factor);
    append(choose, choose.pick<std::string>({"d1", "(d1 + s0)"}), sum, factor);
    std::reverse(sum.digits.begin(), sum.digits.end());
    const std::string expected = absl::StrJoin(
        sum.digits, " + ",
        [](std::string* out, const auto& d) { absl::StrAppend(out, d.second, " * ", d.first); });
    EXPECT_EQ(kept(absl::StrCat("0", sum.joined), kAll), kept(expected, kAll)) << sum.joined;
    EXPECT_EQ(kept(expected, kAll), expected);
  }
}

}  // namespace
}  // namespace tileproof::impl
