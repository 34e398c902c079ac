// SPDX-License-Identifier: Apache-2.0
// Sets of numbers against std::set, on random small sets.

#include "impl/map/number_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "corpus/answers_testing.h"
#include "generate/choose/choose.h"
#include "generate/map/generate_map.h"
#include "impl/map/normal_form/linear.h"
#include "impl/map/value_set.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::impl {
namespace {

using Numbers = std::set<int64_t>;

Numbers numbers_of(const std::optional<NumberSet>& set) {
  EXPECT_TRUE(set.has_value());
  const std::vector<int64_t> numbers = set->numbers();
  EXPECT_EQ(std::ssize(numbers), set->size());
  if (numbers.empty()) return {};
  EXPECT_EQ(set->hull(), (Interval{numbers.front(), numbers.back()}));
  return {numbers.begin(), numbers.end()};
}

int64_t floor_of(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// A progression, an interval, or arbitrary numbers.
std::vector<int64_t> random_numbers(Choose& choose) {
  const int64_t first = choose.between(-20, 20), count = choose(9);
  const int64_t step = choose.pick<int64_t>({1, 2, 3, 4, 6, 12});
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < count; ++i) numbers.push_back(first + i * step);
  for (int64_t more = choose.chance(1, 2) ? choose(4) : 0; more > 0; --more) {
    numbers.push_back(choose.between(-30, 30));
  }
  return numbers;
}

Numbers mapped(const Numbers& numbers, auto f) {
  Numbers result;
  for (int64_t n : numbers) result.insert(f(n));
  return result;
}

Numbers kept(const Numbers& numbers, auto f) {
  Numbers result;
  for (int64_t n : numbers) {
    if (f(n)) result.insert(n);
  }
  return result;
}

TEST(NumberSetTest, OperationsActOnEachNumber) {
  for (uint64_t seed = 0; seed < 20'000; ++seed) {
    SCOPED_TRACE(seed);
    Choose choose(Choose::Random{seed});
    const std::vector<int64_t> list = random_numbers(choose), list2 = random_numbers(choose);
    const Numbers a(list.begin(), list.end()), b(list2.begin(), list2.end());
    const NumberSet x = *NumberSet::of(list), y = *NumberSet::of(list2);
    ASSERT_EQ(numbers_of(x), a);
    const int64_t c = choose.between(1, 13), k = choose.between(-40, 40);
    ASSERT_EQ(numbers_of(x.plus(k)), mapped(a, [k](int64_t n) { return n + k; }));
    ASSERT_EQ(numbers_of(x.times(-c)), mapped(a, [c](int64_t n) { return -n * c; }));
    ASSERT_EQ(numbers_of(x.floordiv(c)), mapped(a, [c](int64_t n) { return floor_of(n, c); }));
    ASSERT_EQ(numbers_of(x.mod(c)), mapped(a, [c](int64_t n) { return n - c * floor_of(n, c); }));
    const Interval in{k, k + choose(30)};
    ASSERT_EQ(numbers_of(x.within(in)),
              kept(a, [&](int64_t n) { return in.low <= n && n <= in.high; }));
    const int64_t low = choose.between(-2, c), high = low + choose(4);
    ASSERT_EQ(numbers_of(x.with_remainder(c, {low, high})), kept(a, [&](int64_t n) {
                const int64_t rest = n - c * floor_of(n, c);
                return low <= rest && rest <= high;
              }));
    Numbers sums, all = a;
    for (int64_t n : a) {
      for (int64_t m : b) sums.insert(n + m);
    }
    all.insert(b.begin(), b.end());
    ASSERT_EQ(numbers_of(sum(x, y)), sums);
    const std::vector<NumberSet> both = {x, y};
    ASSERT_EQ(numbers_of(united(both)), all);
    ASSERT_EQ(x.contains(k), a.contains(k));
    std::map<uint64_t, int64_t> counts;
    for (int64_t n : all) ++counts[(a.contains(n) ? 1u : 0u) | (b.contains(n) ? 2u : 0u)];
    const auto members = memberships(both);
    ASSERT_TRUE(members.has_value());
    std::map<uint64_t, int64_t> found;
    for (const Membership& one : *members) found[one.sets] = one.numbers;
    ASSERT_EQ(found, counts);
  }
}

TEST(NumberSetTest, RecognizesAProgression) {
  EXPECT_EQ(NumberSet::of({5})->progression(), 1);
  EXPECT_EQ(NumberSet::of({5, 8, 11})->progression(), 3);
  EXPECT_EQ(NumberSet::of({5, 8, 12})->progression(), std::nullopt);
  EXPECT_EQ(NumberSet::of({0, 1, 5, 6})->progression(), std::nullopt);
  EXPECT_EQ(NumberSet().progression(), std::nullopt);
  // Four numbers with a stride of 2 after the sum.
  const auto fine = NumberSet::of({0, 2, 4, 8, 12});
  EXPECT_EQ(fine->within({4, 12}).progression(), 4);
}

TEST(NumberSetTest, LargeSetsStaySmall) {
  const auto rows = NumberSet::interval({0, 999'999})->times(128);
  const auto columns = NumberSet::interval({0, 127});
  ASSERT_TRUE(rows && columns);
  const auto all = sum(*rows, *columns);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->runs(), 1);
  EXPECT_EQ(all->size(), 128'000'000);
  EXPECT_EQ(all->mod(1000)->size(), 1000);
  // Each row alone needs too many runs, so there is no answer.
  EXPECT_FALSE(sum(*rows, *NumberSet::interval({0, 63})).has_value());
  EXPECT_FALSE(NumberSet::interval({0, INT64_MAX}).has_value());
  EXPECT_FALSE(columns->times(INT64_MAX / 2).has_value());
}

TEST(NumberSetTest, RejectsNumbersBeyond2To61) {
  const int64_t furthest = int64_t{1} << 61;
  EXPECT_TRUE(NumberSet::interval({-furthest, furthest}).has_value());
  EXPECT_FALSE(NumberSet::interval({-furthest - 1, 0}).has_value());
  EXPECT_FALSE(NumberSet::interval({0, furthest + 1}).has_value());
  EXPECT_FALSE(NumberSet::interval({0, furthest})->times(-2).has_value());
}

// Numbers near 0 and near the largest allowed, some beyond.
std::vector<int64_t> far_numbers(Choose& choose) {
  const int64_t furthest = int64_t{1} << 61;
  const int64_t about =
      choose.pick<int64_t>({0, furthest, -furthest, furthest / 2, 3 * (furthest / 4)});
  const int64_t step = choose.pick<int64_t>({1, 3, furthest / 4, furthest / 2, furthest - 1});
  std::vector<int64_t> numbers;
  for (int64_t count = choose(5); count > 0; --count) {
    numbers.push_back(about - choose(3) + (about > 0 ? -1 : 1) * choose(3) * step);
  }
  return numbers;
}

TEST(NumberSetTest, LargeNumbersAreExactOrAbsent) {
  int64_t found_sets = 0, refused = 0;
  const auto is_allowed = [&](const std::optional<NumberSet>& found,
                              const std::set<Wide>& expected) {
    ++(found ? found_sets : refused);
    if (!found) return true;
    const std::vector<int64_t> numbers = found->numbers();
    return std::set<Wide>(numbers.begin(), numbers.end()) == expected;
  };
  for (uint64_t seed = 0; seed < 20'000; ++seed) {
    SCOPED_TRACE(seed);
    Choose choose(Choose::Random{seed});
    const std::vector<int64_t> list = far_numbers(choose), list2 = far_numbers(choose);
    const auto x = NumberSet::of(list), y = NumberSet::of(list2);
    const std::set<Wide> a(list.begin(), list.end()), b(list2.begin(), list2.end());
    ASSERT_TRUE(is_allowed(x, a) && is_allowed(y, b));
    if (!x || !y) continue;
    const int64_t c =
        choose.pick<int64_t>({1, 2, 7, int64_t{1} << 60, int64_t{1} << 61, INT64_MAX});
    const auto mapped_by = [&a](const auto& f) {
      std::set<Wide> result;
      for (const Wide n : a) result.insert(f(n));
      return result;
    };
    const auto quotient = [c](Wide n) { return n / c - (n % c < 0 ? 1 : 0); };
    ASSERT_TRUE(is_allowed(x->plus(c), mapped_by([c](Wide n) { return n + c; })));
    ASSERT_TRUE(is_allowed(x->times(c), mapped_by([c](Wide n) { return n * c; })));
    ASSERT_TRUE(is_allowed(x->times(-c), mapped_by([c](Wide n) { return -n * c; })));
    ASSERT_TRUE(is_allowed(x->floordiv(c), mapped_by(quotient)));
    ASSERT_TRUE(is_allowed(x->mod(c), mapped_by([&](Wide n) { return n - c * quotient(n); })));
    std::set<Wide> sums, all = a;
    for (const Wide n : a) {
      for (const Wide m : b) sums.insert(n + m);
    }
    all.insert(b.begin(), b.end());
    ASSERT_TRUE(is_allowed(sum(*x, *y), sums));
    ASSERT_TRUE(is_allowed(united(std::vector<NumberSet>{*x, *y}), all));
  }
  EXPECT_GT(found_sets, 50'000);
  EXPECT_GT(refused, 10'000);
}

// { 0, 3, 6, .. } with `count` elements.
NumberSet threes(int64_t count) { return *NumberSet::interval({0, count - 1})->times(3); }

TEST(NumberSetTest, ExpandsAProgressionUpToTheLimitOnRuns) {
  const auto halves = threes(NumberSet::kMaxRuns).floordiv(2);
  ASSERT_TRUE(halves.has_value());
  EXPECT_EQ(halves->size(), NumberSet::kMaxRuns);
  EXPECT_FALSE(threes(NumberSet::kMaxRuns + 1).floordiv(2).has_value());
}

TEST(NumberSetTest, RejectsAUnionOfTooManyRuns) {
  std::vector<int64_t> pairs;
  for (int64_t i = 0; i < NumberSet::kMaxRuns; ++i) pairs.insert(pairs.end(), {3 * i, 3 * i + 1});
  const NumberSet most = *NumberSet::of(pairs), zero = *NumberSet::of({0});
  EXPECT_TRUE(united(std::vector{most}).has_value());
  EXPECT_FALSE(united(std::vector{most, zero}).has_value());
}

TEST(NumberSetTest, DividesAStrideWithoutExpandingTheSet) {
  const auto ones = threes(NumberSet::kMaxRuns * 4).times(4)->floordiv(6);
  ASSERT_TRUE(ones.has_value());
  EXPECT_EQ(*ones, *NumberSet::interval({0, NumberSet::kMaxRuns * 4 - 1})->times(2));
}

// The runs of the second set close the gaps between the runs of the first.
TEST(NumberSetTest, TheSecondOfTwoSetsWithEquallyManyRunsFillsTheFirst) {
  std::vector<int64_t> pairs, wide;
  for (int64_t i = 0; i < 600; ++i) {
    for (int64_t x = 0; x < 2; ++x) pairs.push_back(3 * i + x);
    for (int64_t x = 0; x <= 500; ++x) wide.push_back(10'000 * i + x);
  }
  const auto all = sum(*NumberSet::of(pairs), *NumberSet::of(wide));
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(all->runs(), 600);
  EXPECT_EQ(all->size(), 600 * 2299);
}

TEST(NumberSetTest, ASumWithSingleNumbersKeepsTheStride) {
  const NumberSet run = threes(NumberSet::kMaxRuns / 3);
  const std::vector<NumberSet> runs = {run, *run.plus(NumberSet::kMaxRuns * 3),
                                       *run.plus(NumberSet::kMaxRuns * 6)};
  const auto two = NumberSet::of({0, 7})->floordiv(2);
  ASSERT_EQ(two->stride(), 1);
  const auto all = sum(*united(runs), *two);
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(all->stride(), 3);
}

TEST(NumberSetTest, RejectsAStrideBeyond2To61) {
  EXPECT_FALSE(NumberSet::of({0, int64_t{1} << 61})->times(8).has_value());
  const auto two = NumberSet::of({0, int64_t{1} << 40});
  EXPECT_FALSE(two->with_remainder(3'486'784'401, {0, 0}).has_value());
}

TEST(NumberSetTest, ASumMayReachFromTheSmallestToTheLargestNumber) {
  const int64_t furthest = int64_t{1} << 61;
  const auto all =
      sum(*NumberSet::of({-furthest, 1 - furthest}), *NumberSet::of({0, furthest / 2, furthest}));
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(all->size(), 6);
}

// The result does not depend on where the first set begins.
TEST(NumberSetTest, UnitesSetsOfOneStrideWithoutExpandingThem) {
  const int64_t most = NumberSet::kMaxRuns;
  const std::vector<NumberSet> sets = {*threes(most).plus(5), *threes(most).plus(5 + 3 * most)};
  const auto all = united(sets);
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(*all, *threes(2 * most).plus(5));
}

TEST(NumberSetTest, AUnionKeepsTheStrideOfItsSets) {
  const NumberSet low = threes(NumberSet::kMaxRuns * 2);
  const std::vector<NumberSet> both = {low, *low.plus(NumberSet::kMaxRuns * 9)};
  const auto all = united(both);
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(all->size(), NumberSet::kMaxRuns * 4);
  EXPECT_EQ(all->stride(), 3);
}

// { 0, 1, 3, 4, 6, 7, .. } with `count` pairs.
NumberSet pairs(int64_t count) {
  return *NumberSet::interval({0, 3 * count - 1})->with_remainder(3, {0, 1});
}

TEST(NumberSetTest, IntervalsWithoutNumbersAreEmpty) {
  EXPECT_EQ(NumberSet::interval({3, 2}), NumberSet());
  EXPECT_EQ(threes(9).within({7, 3}), NumberSet());
  EXPECT_EQ(threes(9).within({7, 8}), NumberSet());
}

// The limits on runs and on single numbers: the largest allowed count, and one more.
TEST(NumberSetTest, AllowsTheLargestNumberOfRunsAndNoMore) {
  const int64_t most = NumberSet::kMaxRuns;
  const auto separate = [](int64_t count) {  // threes, and one number more
    std::vector<int64_t> numbers = threes(count - 1).numbers();
    numbers.push_back(3 * count - 2);
    return NumberSet::of(numbers);
  };
  const auto runs_of = [](const std::optional<NumberSet>& set) { return set ? set->runs() : -1; };
  EXPECT_EQ(runs_of(separate(most)), most);
  EXPECT_EQ(runs_of(separate(most + 1)), -1);
  EXPECT_EQ(runs_of(threes(most).mod(int64_t{1} << 40)), most);
  EXPECT_EQ(runs_of(threes(most + 1).mod(int64_t{1} << 40)), -1);
  EXPECT_EQ(runs_of(threes(most).with_remainder(2, {0, 0})), 1);
  const int64_t far = int64_t{1} << 40;
  EXPECT_EQ(runs_of(sum(*separate(most / 2), *NumberSet::of({0, 1, far, far + 1}))), most);
  EXPECT_EQ(threes(most).with_remainder(4, {0, 1})->size(), most / 2);
  EXPECT_EQ(runs_of(threes(most + 1).with_remainder(4, {0, 1})), -1);
  EXPECT_EQ(runs_of(NumberSet::interval({0, 4 * most - 1})->with_remainder(4, {0, 1})), most);
  EXPECT_EQ(runs_of(NumberSet::interval({0, 4 * most})->with_remainder(4, {0, 1})), -1);
}

// Multiples of three modulo a number that leaves out one remainder, plus one more element. Single
// numbers cost no work.
TEST(NumberSetTest, ExpandsRemaindersUpToTheLimit) {
  constexpr int64_t most = NumberSet::kMaxRuns;
  const auto rest_of = [](int64_t count) {
    std::vector<int64_t> numbers = threes(count).numbers();
    numbers.push_back(3 * (count + 1));
    return NumberSet::of(numbers)->mod(most + 3);
  };
  ASSERT_NE((most + 3) % 3, 0);
  EXPECT_EQ(rest_of(most)->size(), most + 1);
  EXPECT_FALSE(rest_of(most + 1).has_value());
}

TEST(NumberSetTest, FindsAllRemaindersWithoutExpandingTheSet) {
  const int64_t most = NumberSet::kMaxRuns;
  ASSERT_NE((most + 3) % 3, 0);
  EXPECT_EQ(threes(most + 3).mod(most + 3), NumberSet::interval({0, most + 2}));
  EXPECT_EQ(threes(most + 1).with_remainder(4, {0, 3}), threes(most + 1));
  EXPECT_EQ(threes(most + 1).with_remainder(4, {3, 2}), NumberSet());
  EXPECT_EQ(NumberSet().with_remainder(INT64_MAX, {0, 0}), NumberSet());
  EXPECT_EQ(NumberSet::interval({0, 2 * most})->mod(4 * most)->size(), 2 * most + 1);
}

TEST(NumberSetTest, SumsAndUnionsHaveUpToTheLimitOfRuns) {
  const int64_t most = NumberSet::kMaxRuns;
  const auto evens = [](int64_t count) { return *NumberSet::interval({0, count - 1})->times(2); };
  EXPECT_EQ(sum(evens(most / 2), *NumberSet::of({0, 3}))->size(), most);
  EXPECT_FALSE(sum(evens(most + 1), *NumberSet::of({0, 3})).has_value());
  EXPECT_EQ(sum(evens(most / 2), *NumberSet::of({0, 1, 5}))->size(), most + 2);
  EXPECT_FALSE(sum(evens(most / 2 + 1), *NumberSet::of({0, 1, 5})).has_value());
  // Pairs of pairs that never overlap.
  const auto far_pairs = [](int64_t count) {
    std::vector<int64_t> numbers;
    for (int64_t i = 0; i < count; ++i) {
      numbers.push_back(10'000 * i);
      numbers.push_back(10'000 * i + 2);
    }
    return *NumberSet::of(numbers);
  };
  const auto near_pairs = [](int64_t count) {
    return *NumberSet::interval({0, 6 * count - 1})->with_remainder(6, {0, 1});
  };
  EXPECT_EQ(sum(near_pairs(362), far_pairs(362))->size(), 362 * 362 * 4);
  EXPECT_FALSE(sum(near_pairs(600), far_pairs(600)).has_value());

  const auto both = [](const NumberSet& a, const NumberSet& b) {
    const std::vector<NumberSet> sets = {a, b};
    const auto all = united(sets);
    EXPECT_EQ(all.has_value(), memberships(sets).has_value());
    return all ? all->size() : -1;
  };
  EXPECT_EQ(both(threes(most - 1), *NumberSet::of({1})), most);
  EXPECT_EQ(both(threes(most + 1), *NumberSet::of({1})), -1);
  EXPECT_EQ(both(pairs(most / 2), *pairs(most / 2).plus(3 * most)), 2 * most);
  EXPECT_EQ(both(pairs(most / 2), *pairs(most / 2 + 1).plus(3 * most)), -1);
}

}  // namespace
}  // namespace tileproof::impl

// Values of a result in closed form, also of random maps compared with all their points.

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
