// SPDX-License-Identifier: Apache-2.0
// Composition and the functions on variables, compared with the definition.
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "corpus/answers_testing.h"
#include "generate/map/generate_map.h"
#include "gtest/gtest.h"
#include "impl/map/compose.h"
#include "impl/map/evaluate.h"
#include "impl/map/invert.h"
#include "impl/map/simplify.h"
#include "impl/map/variables.h"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"

namespace tileproof {
namespace {

IndexingMap parsed(absl::string_view text) {
  const absl::StatusOr<IndexingMap> map = parse_map(text);
  EXPECT_TRUE(map.ok()) << text << ": " << map.status();
  return map.value_or(IndexingMap{});
}

// The pairs of a map, with existential range variables: dimensions, runtime values and results.
std::set<std::vector<int64_t>> relation(const IndexingMap& map) {
  std::set<std::vector<int64_t>> pairs;
  const absl::Status status = spec::for_each_point(
      map, 1 << 20, [&](const spec::Point& point, const std::vector<int64_t>& results) {
        std::vector<int64_t> pair = point.dims;
        pair.insert(pair.end(), point.runtime.begin(), point.runtime.end());
        pair.insert(pair.end(), results.begin(), results.end());
        pairs.insert(pair);
        return true;
      });
  EXPECT_TRUE(status.ok()) << status << " " << to_text(map);
  return pairs;
}

// The same pairs, with dimensions and results swapped.
std::set<std::vector<int64_t>> swapped(const std::set<std::vector<int64_t>>& pairs, size_t dims,
                                       size_t runtime) {
  std::set<std::vector<int64_t>> result;
  for (const std::vector<int64_t>& pair : pairs) {
    std::vector<int64_t> turned(pair.begin() + static_cast<int64_t>(dims + runtime), pair.end());
    turned.insert(turned.end(), pair.begin() + static_cast<int64_t>(dims),
                  pair.begin() + static_cast<int64_t>(dims + runtime));
    turned.insert(turned.end(), pair.begin(), pair.begin() + static_cast<int64_t>(dims));
    result.insert(turned);
  }
  return result;
}

absl::StatusOr<IndexingMap> composed(absl::string_view text) {
  const auto [first, second] = parts_of<2>(text, "\n");
  return impl::compose(parsed(first), parsed(second));
}

std::string without_unused(absl::string_view text) {
  const auto removed = impl::remove_unused_variables(parsed(text)).value();
  return absl::StrCat(to_text(removed.map), "\ngone ", absl::StrJoin(removed.gone, " "));
}

TEST(MapFunctions, Answers) {
  expect_answers(
      "answers/map_functions.txt",
      {{"compose", [](auto text) { return answer_text(composed(text)); }},
       {"dimensions",
        [](auto text) { return answer_text(impl::ranges_to_dimensions(parsed(text))); }},
       {"invert", [](auto text) { return answer_text(impl::invert(parsed(text))); }},
       {"simplified", [](auto text) { return answer_text(impl::simplify(*composed(text))); }},
       {"unused", without_unused}});
}

TEST(Invert, HasExactlyThePairsOfTheMapTurnedAround) {
  int64_t compared = 0, skipped = 0;
  for (uint64_t seed = 1; seed <= cases<uint64_t>(600); ++seed) {
    Choose choose(Choose::Random{seed});
    const IndexingMap map = seed % 2 == 0
                                ? generate_map(choose, {.points = 300})
                                : generate_chain(choose, {.points = 300, .nodes = 300}).map;
    const absl::StatusOr<IndexingMap> inverse = impl::invert(map);
    if (!inverse.ok() || spec::box_size(*inverse).value_or(1 << 20) >= (1 << 20)) {
      ++skipped;
      continue;
    }
    const size_t dims = map.dimensions.size(), runtime = map.runtime.size();
    EXPECT_EQ(
        inverse->known_empty ? std::set<std::vector<int64_t>>() : relation(*inverse),
        map.known_empty ? std::set<std::vector<int64_t>>() : swapped(relation(map), dims, runtime))
        << to_text(map) << "\n"
        << to_text(*inverse);
    ++compared;
  }
  std::cout << compared << " inverses compared, " << skipped << " not\n";
  EXPECT_GT(compared, cases(400));
}

TEST(Compose, KeepsAMapThatIsKnownToBeEmpty) {
  const IndexingMap one = parsed("(d0) -> (d0), domain: d0 in [0, 3]");
  const absl::StatusOr<IndexingMap> none =
      impl::simplify(parsed("(d0) -> (d0), domain: d0 in [0, -1]"));
  ASSERT_TRUE(none.ok() && none->known_empty);
  for (const auto& [first, second] : {std::pair{one, *none}, std::pair{*none, one}}) {
    const absl::StatusOr<IndexingMap> composed = impl::compose(first, second);
    ASSERT_TRUE(composed.ok()) << composed.status();
    EXPECT_TRUE(composed->known_empty);
  }
}

// d0 floordiv 2 + 1 + (d0 floordiv 2), where both quotients are one node of the table.
TEST(Evaluate, ComputesSharedNodesOnce) {
  IndexingMap map = parsed("(d0) -> (d0 floordiv 2), domain: d0 in [0, 9]");
  const NodeId half = map.results[0];
  const NodeId more = add_operation(map.nodes, Op::kAdd, half, add_constant(map.nodes, 1));
  map.results = {add_operation(map.nodes, Op::kAdd, more, half)};
  const std::vector<int64_t> point = {7};
  const auto found = impl::evaluate(map, {point, {}, {}});
  ASSERT_TRUE(found.ok() && found->has_value());
  EXPECT_EQ(**found, std::vector<int64_t>{7});
}

TEST(Evaluate, TheSmallestNumberByMinusOneLeaves64Bits) {
  const auto result = [](absl::string_view expr, int64_t value) {
    const IndexingMap map =
        *parse_map(absl::StrCat("(d0) -> (", expr, "), domain: d0 in [-9223372036854775808, 5]"));
    const std::vector<int64_t> point = {value};
    return impl::evaluate(map, {point, {}, {}});
  };
  EXPECT_FALSE(result("d0 floordiv -1", INT64_MIN).ok());
  EXPECT_FALSE(result("d0 ceildiv -1", INT64_MIN).ok());
  for (const char* expr : {"d0 floordiv -1", "d0 ceildiv -1"}) {
    const auto found = result(expr, INT64_MIN + 1);
    ASSERT_TRUE(found.ok() && *found) << expr;
    EXPECT_EQ(**found, std::vector<int64_t>{INT64_MAX}) << expr;
  }
}

TEST(Evaluate, ExpectsAValueForEachVariable) {
  const IndexingMap map = parsed("(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 3]");
  const std::vector<int64_t> point = {1}, none;
  EXPECT_EQ(impl::evaluate(map, {none, point, {}}).status().message(),
            "expected 1 values of d0.., found 0");
  EXPECT_EQ(impl::evaluate(map, {point, none, {}}).status().message(),
            "expected 1 values of s0.., found 0");
}

TEST(Variables, KeepsAllVariablesOfAnEmptyMap) {
  const IndexingMap map =
      impl::simplify(parsed("(d0)[s0] -> (d0), domain: d0 in [0, 3], s0 in [0, -1]")).value();
  ASSERT_TRUE(map.known_empty);
  EXPECT_EQ(impl::remove_unused_variables(map)->gone, (std::vector<bool>{false, false}));
}

TEST(Variables, ChecksEveryNodeOfAHandMadeMap) {
  IndexingMap map;
  map.dimensions.push_back({{0, 3}, ""});
  map.results.push_back(add_variable(map.nodes, Op::kDimension, 1));
  EXPECT_EQ(impl::remove_unused_variables(map).status().message(),
            "expected a variable of the map, found d1");
}

TEST(Variables, KeepsThePairsOfRandomMaps) {
  int64_t gone = 0;
  for (uint64_t seed = 0; seed < cases<uint64_t>(5'000); ++seed) {
    Choose choose(Choose::Random{seed});
    const IndexingMap map = generate_map(choose, {.ranges = 3, .depth = 2, .points = 256});
    const absl::StatusOr<IndexingMap> simplified = impl::simplify(map);
    ASSERT_TRUE(simplified.ok());
    if (simplified->known_empty || map.known_empty) continue;
    for (const IndexingMap& from : {map, *simplified}) {
      const absl::StatusOr<impl::Removed> removed = impl::remove_unused_variables(from);
      ASSERT_TRUE(removed.ok());
      ASSERT_EQ(relation(removed->map), relation(from)) << to_text(from);
      gone += std::ssize(from.ranges) - std::ssize(removed->map.ranges);
      const absl::StatusOr<IndexingMap> moved = impl::ranges_to_dimensions(from);
      ASSERT_TRUE(moved.ok() && validate(*moved).ok()) << to_text(from);
    }
  }
  EXPECT_GT(gone, cases(500));
}

}  // namespace
}  // namespace tileproof
