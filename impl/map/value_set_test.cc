// SPDX-License-Identifier: Apache-2.0
// Values of a result in closed form: fixed cases, and random maps compared with all their points.
#include "impl/map/value_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "generate/map/generate_map.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::verify {
namespace {

std::optional<impl::NumberSet> values(absl::string_view map) {
  return impl::values_of(*parse_map(map));
}

TEST(ValueSetTest, DoesNotExpandExpressionsOfManyTerms) {
  const auto terms = [](int count) {
    return values(absl::StrCat("(d0) -> (",
                               absl::StrJoin(std::vector<std::string>(count, "d0"), " + "),
                               "), domain: d0 in [0, 9]"));
  };
  EXPECT_EQ(terms(1000)->hull().high, 9000);
  EXPECT_FALSE(terms(1001).has_value());
}

TEST(ValueSetTest, AddsSmallStridesFirst) {
  const auto found = values(
      "(d0, d1, d2) -> (d0 * 64 + d1 + d2 * 8), domain: d0 in [0, 1048575], d1 in [0, 7], d2 in "
      "[0, 7]");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->size(), 67108864);
  EXPECT_EQ(found->runs(), 1);
}

TEST(ValueSetTest, QuotientsOfDifferentVariablesAreIndependent) {
  const auto found =
      values("(d0, d1) -> (d0 mod 4 + d1 floordiv 2 * 4), domain: d0 in [0, 9], d1 in [0, 9]");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->size(), 20);
}

TEST(ValueSetTest, EveryAppliedConstraintCounts) {
  const auto found = values("(d0) -> (d0), domain: d0 in [0, 99], d0 mod 4 in [0, 1]");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->size(), 50);
}

// Applying the constraint on the remainder would leave too many runs, though the remainder alone
// could be kept.
TEST(ValueSetTest, AConstraintThatIsNotAppliedLeavesNoValues) {
  EXPECT_TRUE(values("(d0) -> (d0 mod 5), domain: d0 in [0, 999], d0 mod 5 in [1, 3]").has_value());
  EXPECT_FALSE(
      values("(d0) -> (d0 mod 5), domain: d0 in [0, 9999999], d0 mod 5 in [1, 3]").has_value());
}

// The constraint applies to the sum that has its terms, which need not be the first one.
TEST(ValueSetTest, AConstraintIsAppliedToItsOwnSum) {
  const auto size = [](const std::string& map) {
    const auto found = values(map);
    return found ? found->size() : -1;
  };
  const std::string domain = ", domain: d0 in [0, 9], d1 in [0, 9], ";
  EXPECT_EQ(
      size("(d0, d1) -> (d0 floordiv 4 + d1 * 10)" + domain + "d0 floordiv 4 + d1 * 10 in [2, 30]"),
      8);
  EXPECT_EQ(size("(d0, d1) -> (d0 * 10 + d1 floordiv 2)" + domain + "d0 * 3 in [0, 9]"), 20);
  EXPECT_EQ(size("(d0, d1) -> (d0 + d1 * 100)" + domain + "d0 + d1 * 100 in [0, 500], " +
                 "d0 * 3 in [0, 9]"),
            21);
  EXPECT_EQ(size("(d0, d1) -> (d0 + d1 * 100)" + domain + "d0 floordiv 4 + d1 in [2, 3]"), -1);
  EXPECT_EQ(size("(d0, d1, d2) -> (d0 + d1 * 10 + d2 * 100)" + domain + "d2 in [0, 9], " +
                 "d0 + d1 * 10 in [2, 30], d1 + d2 * 10 in [2, 30]"),
            -1);
  EXPECT_EQ(size("(d0) -> (d0 floordiv 16), domain: d0 in [0, 99], "
                 "d0 floordiv 16 in [0, 4611686018427387904]"),
            -1);
}

// The sum under the quotient has too many runs, even though the constraint is on the quotient.
TEST(ValueSetTest, AQuotientOfAnUnknownSumIsUnknown) {
  const auto is_known = [](int64_t last) {
    return values(absl::StrCat("(d0, d1) -> ((d0 * 1000000 + d1 * 7) floordiv 5), domain: d0 in "
                               "[0, 4095], d1 in [0, ",
                               last, "], (d0 * 1000000 + d1 * 7) floordiv 5 in [10, 1000]"))
        .has_value();
  };
  EXPECT_TRUE(is_known(15));
  EXPECT_FALSE(is_known(127));
}

TEST(ValueSetTest, AConstraintOnAMultipleOfTheSumIsApplied) {
  const auto found = values(
      "(d0, d1) -> (d0 * 3 + d1 * 6), domain: d0 in [0, 1], d1 in [0, 9], d0 + d1 * 2 in [2, 5]");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->size(), 4);
}

TEST(ValueSetTest, ConstraintsBeyond64BitsAreNotApplied) {
  const std::string head = "(d0) -> (d0), domain: d0 in [0, 99], ";
  EXPECT_TRUE(values(head + "d0 floordiv 4 in [0, 9]").has_value());
  EXPECT_TRUE(values(head + "d0 floordiv 1 in [0, 9]").has_value());
  EXPECT_FALSE(values(head + "d0 floordiv 16 in [0, 4611686018427387904]").has_value());
  EXPECT_FALSE(values(head + "d0 floordiv 16 in [-4611686018427387904, 0]").has_value());
  const auto zero = [](int64_t factor) {
    return values(absl::StrCat("(d0) -> (d0 * ", factor / 2, "), domain: d0 in [0, 0], d0 * ",
                               factor, " in [0, 9]"));
  };
  EXPECT_TRUE(zero(int64_t{1} << 61).has_value());
  EXPECT_FALSE(zero((int64_t{1} << 61) + 2).has_value());
}

TEST(ValueSetTest, AMapThatIsKnownToBeEmptyHasNoValues) {
  IndexingMap map = *parse_map("(d0) -> (d0), domain: d0 in [0, 9]");
  EXPECT_EQ(impl::values_of(map)->size(), 10);
  map.known_empty = true;
  map.results.clear();
  EXPECT_EQ(impl::values_of(map)->size(), 0);
}

// The values of the only result by definition. Nothing if there are many, or one leaves 64 bits.
std::optional<std::set<int64_t>> values_by_definition(const IndexingMap& map) {
  std::set<int64_t> values;
  const absl::Status status =
      spec::for_each_point(map, 2000, [&](const spec::Point&, const std::vector<int64_t>& result) {
        values.insert(result[0]);
        return true;
      });
  return status.ok() ? std::optional(values) : std::nullopt;
}

// For unsimplified maps, and with numbers near the limits of 64 bits: if there is an answer, it
// equals the definition.
TEST(ValueSetTest, ValuesOfRandomMapsMatchTheirPoints) {
  const MapLimits plain{.ranges = 0, .runtime = 0, .results = 1, .depth = 3, .points = 500};
  MapLimits extreme = plain;
  extreme.extremes = true;
  int64_t compared = 0;
  for (uint64_t seed = 0; seed < 16'000; ++seed) {
    Choose choose(Choose::Random{seed});
    const IndexingMap map = generate_map(choose, seed % 2 == 0 ? plain : extreme);
    const bool has_points = std::ranges::all_of(map.dimensions, [](const Variable& variable) {
      return variable.bounds.low <= variable.bounds.high;
    });
    if (map.results.size() != 1 || map.known_empty || !has_points) continue;
    const std::optional<impl::NumberSet> found = impl::values_of(map);
    const auto expected = values_by_definition(map);
    if (!found || !expected) continue;
    ++compared;
    ASSERT_EQ(found->size(), std::ssize(*expected)) << to_text(map);
    const std::vector<int64_t> numbers = found->numbers();
    EXPECT_EQ(std::set<int64_t>(numbers.begin(), numbers.end()), *expected) << to_text(map);
  }
  EXPECT_GT(compared, 1000);
}

TEST(ValueSetTest, ValuesUnderConstraintsMatchTheDefinition) {
  const std::string bounds = ", domain: d0 in [0, 9], d1 in [-4, 7], ";
  for (const char* map :
       {"d0 * 3 + d1 * 40", "d0 * -6 + 5", "d1 floordiv 3", "d1 mod 5", "d0 * 4 - d1 * 100",
        "d0 * 4 + d1 mod 4", "d0 * 4611686018427387904", "(d0 + d1) * 2 - d1 * 2",
        "d0 * 2 - d0 * 2 + d1", "2 * d1", "(d0 * 3 + d1) mod 7", "(d0 * 3 + d1) floordiv 7"}) {
    for (const char* condition :
         {"d0 in [2, 3]", "d0 * 2 in [3, 9]", "d0 * 3 + d1 * 40 in [-50, 90]",
          "d0 * -6 in [-30, -5]", "d1 floordiv 3 in [0, 1]", "d1 mod 5 in [1, 2]",
          "d1 floordiv 3 in [-9223372036854775808, 9223372036854775807]",
          "(d1 mod 5) * 2 in [3, 6]", "d0 * 4611686018427387904 in [0, 5]",
          "d0 + 5 in [-9223372036854775808, 7]", "d0 - 5 in [0, 9223372036854775807]",
          "d0 + d1 in [2, 5]", "d0 * 8 - d1 * 200 in [-100, 100]", "(d0 * 3 + d1) mod 7 in [0, 4]",
          "-(d1 mod 5) in [-2, 0]", "0 * d0 in [0, 0]"}) {
      const std::string text = absl::StrCat("(d0, d1) -> (", map, ")", bounds, condition);
      const IndexingMap parsed = *parse_map(text);
      const auto found = impl::values_of(parsed);
      const auto expected = values_by_definition(parsed);
      if (!found || !expected) continue;
      const std::vector<int64_t> numbers = found->numbers();
      EXPECT_EQ(std::set<int64_t>(numbers.begin(), numbers.end()), *expected) << text;
    }
  }
}

}  // namespace
}  // namespace tileproof::verify
