// SPDX-License-Identifier: Apache-2.0
// Values of a result in closed form, also of random maps compared with all their points.
#include "impl/map/value_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "corpus/answers_testing.h"
#include "generate/map/generate_map.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::verify {
namespace {

std::optional<impl::NumberSet> values(absl::string_view map) {
  return impl::values_of(*parse_map(map));
}

TEST(ValueSetTest, Answers) {
  const auto size = [](absl::string_view map) {
    const auto found = values(map);
    return found ? absl::StrCat(found->size(), " numbers in ", found->runs(), " runs") : "unknown";
  };
  expect_answers("answers/value_sets.txt", {{"values", size}});
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
