// SPDX-License-Identifier: Apache-2.0
#include "impl/map/divisors/variable_divisors.h"

#include <iostream>

#include "absl/strings/str_cat.h"
#include "corpus/answers_testing.h"
#include "generate/choose/choose.h"
#include "gtest/gtest.h"
#include "impl/map/compose.h"
#include "impl/map/same_values_testing.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/variable_divisors.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::impl {
namespace {

std::string simplified(absl::string_view text) {
  const absl::StatusOr<IndexingMap> map = parse_map_with_variable_divisors(text);
  if (!map.ok()) return std::string(map.status().message());
  const absl::StatusOr<IndexingMap> simple = simplify_with_variable_divisors(*map);
  return simple.ok() ? to_text(*simple) : std::string(simple.status().message());
}

TEST(VariableDivisors, OtherMapsHaveNone) {
  EXPECT_FALSE(parse_map("(d0)[s0] -> (d0 mod s0), domain: d0 in [0, 9], s0 in [1, 3]").ok());
}

// A random expression of d0, d1, s0 (divisor, positive) and s1 (divisor, negative).
std::string expression(Choose& choose, int depth) {
  if (depth == 0 || choose.chance(1, 4)) {
    return choose.chance(1, 3) ? absl::StrCat(choose.between(-4, 9))
                               : choose.pick<std::string>({"d0", "d1", "s0", "s1"});
  }
  const std::string left = expression(choose, depth - 1);
  const char* divisor = choose.pick({"s0", "s1", "3", "4"});
  switch (choose(5)) {
    case 0:
      return absl::StrCat("(", left, " + ", expression(choose, depth - 1), ")");
    case 1:
      return absl::StrCat("(", left, " * ", choose.between(-3, 5), ")");
    case 2:
      return absl::StrCat("(", left, " floordiv ", divisor, ")");
    case 3:
      return absl::StrCat("(", left, " ceildiv ", divisor, ")");
    default:
      return absl::StrCat("(", left, " mod ", divisor, ")");
  }
}

TEST(VariableDivisors, RandomMapsMeanTheSame) {
  Choose choose(Choose::Random{3});
  int64_t maps = 0, points = 0;
  for (int i = 0; i < 400; ++i) {
    const std::string text = absl::StrCat(
        "(d0, d1)[s0, s1] -> (", expression(choose, 4), ", ", expression(choose, 3),
        "), domain: d0 in [-3, 6], d1 in [0, 5], s0 in [1, 4], s1 in [-3, -1]",
        choose.chance(1, 2) ? absl::StrCat(", ", expression(choose, 2), " in [-1, 3]") : "");
    const absl::StatusOr<IndexingMap> map = parse_map_with_variable_divisors(text);
    ASSERT_TRUE(map.ok()) << text << map.status();
    const absl::StatusOr<IndexingMap> simple = simplify_with_variable_divisors(*map);
    if (!simple.ok()) continue;  // values that do not fit
    ++maps;
    points += expect_same_values(text, *map, *simple);
    if (simple->known_empty) continue;
    const auto again = parse_map_with_variable_divisors(to_text(*simple));
    EXPECT_TRUE(again.ok()) << text << "\n" << again.status();
  }
  std::cout << maps << " maps, " << points << " points\n";
  EXPECT_GT(maps, 150);
  EXPECT_GT(points, 100'000);
}

std::string composed(absl::string_view text) {
  const auto [first, second] = parts_of<2>(text, "\nthen ");
  const auto a = parse_map_with_variable_divisors(first);
  const auto b = parse_map_with_variable_divisors(second);
  EXPECT_TRUE(a.ok() && b.ok()) << first << " " << second;
  const auto map = compose_with_variable_divisors(*a, *b);
  return map.ok() ? to_text(*map) : std::string(map.status().message());
}

TEST(VariableDivisors, Answers) {
  expect_answers("answers/variable_divisors.txt",
                 {{"simplify", simplified}, {"compose", composed}});
}

TEST(VariableDivisors, RandomCompositionsMeanTheSame) {
  Choose choose(Choose::Random{5});
  int64_t points = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string first = absl::StrCat(
        "(d0, d1)[s0, s1] -> (", expression(choose, 3), ", ", choose.pick({"d1", "s0", "2", "s1"}),
        "), domain: d0 in [-3, 4], d1 in [0, 3], s0 in [1, 4], s1 in [-3, -1]");
    const std::string second =
        absl::StrCat("(d0, d1)[s0, s1] -> (", expression(choose, 3),
                     " + d0 mod d1), domain: d0 in [-2, 5], d1 in [1, 3], s0 in [1, 2], s1 in [-3, "
                     "-2]");
    const auto a = parse_map_with_variable_divisors(first);
    const auto b = parse_map_with_variable_divisors(second);
    ASSERT_TRUE(a.ok() && b.ok()) << first << " " << second;
    const auto map = compose_with_variable_divisors(*a, *b);
    ASSERT_TRUE(map.ok()) << map.status() << "\n" << first << "\n" << second;
    const absl::Status status = spec::for_each_box_point(*a, 1000, [&](const spec::Point& at) {
      const auto middle = spec::evaluate(*a, at);
      EXPECT_TRUE(middle.ok()) << first;
      const std::vector<int64_t> ranges = {choose.between(1, 2), choose.between(-3, -2)};
      std::vector<int64_t> all = ranges;
      all.insert(all.end(), at.ranges.begin(), at.ranges.end());
      const auto found = map->known_empty
                             ? absl::StatusOr<std::optional<std::vector<int64_t>>>(std::nullopt)
                             : spec::evaluate(*map, {at.dims, all, {}});
      const auto expected = *middle
                                ? spec::evaluate(*b, {**middle, ranges, {}})
                                : absl::StatusOr<std::optional<std::vector<int64_t>>>(std::nullopt);
      EXPECT_TRUE(found.ok() && expected.ok() && *found == *expected) << first << "\n"
                                                                      << second << "\n"
                                                                      << to_text(*map);
      ++points;
      return !testing::Test::HasFailure();
    });
    ASSERT_TRUE(status.ok()) << status;
    if (HasFailure()) return;
  }
  EXPECT_GT(points, 50'000);
}

}  // namespace
}  // namespace tileproof::impl
