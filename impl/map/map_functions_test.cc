// SPDX-License-Identifier: Apache-2.0
// Composition and the functions on variables, compared with the definition.

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "corpus/answers_testing.h"
#include "generate/map/generate_map.h"
#include "gtest/gtest.h"
#include "impl/map/atom_sum.h"
#include "impl/map/compose.h"
#include "impl/map/cse.h"
#include "impl/map/evaluate.h"
#include "impl/map/map_builder.h"
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

namespace tileproof::impl {
namespace {

IndexingMap distinct(const IndexingMap& map) {
  CommonSubexpressions nodes;
  IndexingMap out;
  EXPECT_TRUE(nodes.read(map, out).ok());
  return out;
}

TEST(CommonSubexpressions, KeepsEachExpressionOnce) {
  const IndexingMap map = *parse_map(
      "(d0)[s0] -> ((d0 * 8 + s0) floordiv 4 + (d0 * 8 + s0) mod 4), domain: d0 in [0, 9], "
      "s0 in [0, 7]");
  const IndexingMap out = distinct(map);
  EXPECT_EQ(to_text(out), to_text(map));
  for (size_t i = 0; i < out.nodes.size(); ++i) {
    for (size_t j = 0; j < i; ++j) EXPECT_NE(out.nodes[i], out.nodes[j]) << i << " and " << j;
  }
  EXPECT_LT(out.nodes.size(), map.nodes.size());
}

TEST(CommonSubexpressions, KeepsAMapThatIsKnownToBeEmpty) {
  EXPECT_TRUE(distinct(no_points(*parse_map("(d0) -> (d0), domain: d0 in [0, 9]"))).known_empty);
}

}  // namespace
}  // namespace tileproof::impl

namespace tileproof::impl {
namespace {

TEST(MapBuilderTest, TheExampleOfTheHeader) {
  MapBuilder m({4, 8});
  const NodeId s = m.range(3);
  m.result(m.plus(m.dimension(0), m.times(s, 2)));
  m.require(m.dimension(1), {1, 7});
  EXPECT_EQ(to_text(m.take()),
            "(d0, d1)[s0] -> (d0 + s0 * 2), domain: d0 in [0, 3], d1 in [1, 7], s0 in [0, 2]");
}

TEST(MapBuilderTest, FoldsTrivialOperations) {
  MapBuilder m({4});
  const NodeId d = m.dimension(0), zero = m.constant(0), nine = m.constant(9);
  const NodeId number = m.constant(-7);
  for (const NodeId sum : {m.plus(d, zero), m.plus(zero, d), m.plus(number, nine)}) m.result(sum);
  for (const NodeId product : {m.times(d, 1), m.times(d, 0), m.times(zero, 5)}) m.result(product);
  for (const NodeId quotient : {m.floordiv(d, 1), m.floordiv(number, 2)}) m.result(quotient);
  for (const NodeId remainder : {m.mod(d, 1), m.mod(number, 2)}) m.result(remainder);
  m.result(m.range(1));
  EXPECT_EQ(to_text(m.take()),
            "(d0) -> (d0, d0, 2, d0, 0, 0, d0, -4, 0, 1, 0), domain: d0 in [0, 3]");
}

TEST(MapBuilderTest, WritesOtherOperations) {
  MapBuilder m({9});
  const NodeId d = m.dimension(0);
  for (const NodeId expr :
       {m.plus(m.constant(2), d), m.times(d, 2), m.floordiv(d, 2), m.mod(d, 2)}) {
    m.result(expr);
  }
  EXPECT_EQ(to_text(m.take()),
            "(d0) -> (d0 + 2, d0 * 2, d0 floordiv 2, d0 mod 2), domain: d0 in [0, 8]");
}

TEST(MapBuilderTest, AConstantBeyond64BitsFails) {
  MapBuilder m({4});
  EXPECT_FALSE(m.failed());
  m.plus(m.constant(INT64_MAX), m.constant(0));
  EXPECT_FALSE(m.failed());
  m.plus(m.constant(INT64_MAX), m.constant(1));
  EXPECT_TRUE(m.failed());
}

// Bounds never become wider.
TEST(MapBuilderTest, BoundsOfDimensionsBecomeTighterAndOthersAreConstraints) {
  MapBuilder m({9});
  m.require(m.dimension(0), {-1, 7});
  m.require(m.dimension(0), {2, 9});
  m.require(m.mod(m.dimension(0), 3), {1, 2});
  m.result(m.dimension(0));
  EXPECT_EQ(to_text(m.take()), "(d0) -> (d0), domain: d0 in [2, 7], d0 mod 3 in [1, 2]");
}

}  // namespace
}  // namespace tileproof::impl

namespace tileproof::impl {
namespace {

TEST(Apply, RoundsQuotientsAndGivesRemaindersTheSignOfTheDivisor) {
  for (int64_t x = -9; x <= 9; ++x) {
    for (int64_t c : {-4, -3, -1, 1, 3, 4}) {
      const int64_t rest = *apply(Op::kMod, x, c);
      EXPECT_TRUE(c < 0 ? c < rest && rest <= 0 : 0 <= rest && rest < c) << x << " by " << c;
      EXPECT_EQ(*apply(Op::kFloorDiv, x, c) * c + rest, x) << x << " by " << c;
      EXPECT_EQ(*apply(Op::kCeilDiv, x, c), -*apply(Op::kFloorDiv, -x, c)) << x << " by " << c;
    }
  }
}

TEST(Apply, AcceptsBothEndsOf64BitsAndNothingBeyond) {
  for (Op op : {Op::kFloorDiv, Op::kCeilDiv}) {
    EXPECT_EQ(apply(op, INT64_MIN, 1), INT64_MIN);
    EXPECT_EQ(apply(op, INT64_MAX, 1), INT64_MAX);
    EXPECT_EQ(apply(op, INT64_MAX, -1), -INT64_MAX);
    EXPECT_EQ(apply(op, INT64_MIN, -1), std::nullopt);
  }
  EXPECT_EQ(apply(Op::kMod, INT64_MIN, -1), 0);
  EXPECT_EQ(apply(Op::kMod, -1, INT64_MIN), -1);
  EXPECT_EQ(apply(Op::kAdd, INT64_MAX, 1), std::nullopt);
  EXPECT_EQ(apply(Op::kMul, INT64_MIN, -1), std::nullopt);
}

TEST(Apply, RejectsDivisionByZero) {
  for (Op op : {Op::kFloorDiv, Op::kCeilDiv, Op::kMod}) EXPECT_EQ(apply(op, 5, 0), std::nullopt);
}

// One variable of each kind is outside its bounds by one.
TEST(Evaluate, APointBeyondTheBoundsIsOutsideTheDomain) {
  const IndexingMap map = *parse_map(
      "(d0, d1)[s0, s1]{rt0, rt1} -> (d0), domain: d0 in [-3, 3], d1 in [-3, 3], s0 in [-3, 3], "
      "s1 in [-3, 3], rt0 in [-3, 3], rt1 in [-3, 3]");
  for (size_t variable = 0; variable < 6; ++variable) {
    for (int64_t value = -4; value <= 4; ++value) {
      std::vector<int64_t> values(6, 0);
      values[variable] = value;
      const absl::Span<const int64_t> all = values;
      const auto results = evaluate(map, {all.subspan(0, 2), all.subspan(2, 2), all.subspan(4)});
      ASSERT_TRUE(results.ok()) << results.status();
      EXPECT_EQ(results->has_value(), -3 <= value && value <= 3) << variable << ": " << value;
    }
  }
}

// Dimensions are checked first, then ranges, then runtime variables.
TEST(Evaluate, NamesTheFirstVariablesWithoutValues) {
  const IndexingMap map = *parse_map(
      "(d0)[s0, s1]{rt0} -> (d0), domain: d0 in [0, 1], s0 in [0, 1], s1 in [0, 1], rt0 in [0, 1]");
  const std::vector<int64_t> values(2, 0);
  const absl::Span<const int64_t> all = values;
  const auto message = [&](const PointValues& point) {
    return std::string(evaluate(map, point).status().message());
  };
  EXPECT_EQ(message({{}, {}, {}}), "expected 1 values of d0.., found 0");
  EXPECT_EQ(message({all.first(1), {}, {}}), "expected 2 values of s0.., found 0");
  EXPECT_EQ(message({all.first(1), all, {}}), "expected 1 values of rt0.., found 0");
  EXPECT_EQ(message({all.first(1), all, all.first(1)}), "");
}

// x op y for x = 7 as the only dimension.
std::optional<int64_t> seven(Op op, int64_t y) {
  ExprTable nodes;
  const NodeId x = add_variable(nodes, Op::kDimension, 0);
  const NodeId node = add_operation(nodes, op, x, add_constant(nodes, y));
  std::vector<int64_t> values(nodes.size());
  if (!evaluate_nodes(nodes, {7}, values)) return std::nullopt;
  return values[node];
}

TEST(EvaluateNodes, DividesByPositiveNumbersOnly) {
  EXPECT_EQ(seven(Op::kFloorDiv, 2), 3);
  EXPECT_EQ(seven(Op::kMod, 2), 1);
  EXPECT_EQ(seven(Op::kFloorDiv, 1), 7);
  EXPECT_EQ(seven(Op::kMod, 1), 0);
  for (Op op : {Op::kFloorDiv, Op::kMod}) {
    EXPECT_EQ(seven(op, 0), std::nullopt);
    EXPECT_EQ(seven(op, -1), std::nullopt);
  }
  EXPECT_EQ(seven(Op::kCeilDiv, 2), std::nullopt);
}

}  // namespace
}  // namespace tileproof::impl

namespace tileproof::impl {
namespace {

// The first result of a map as a sum.
std::optional<AtomSum> sum_of(const std::string& text) {
  const IndexingMap map = parse_map(text).value();
  return AtomSums(map).of(map.results[0]);
}

TEST(AtomSum, AcceptsAFactorOnEitherSide) {
  for (const char* product : {"d0 * 4", "4 * d0"}) {
    const auto sum = sum_of(absl::StrCat("(d0) -> (", product, " + 7), domain: d0 in [0, 9]"));
    ASSERT_TRUE(sum) << product;
    ASSERT_EQ(sum->factors.size(), 1) << product;
    EXPECT_EQ(sum->factors.begin()->second, 4) << product;
    EXPECT_EQ(sum->constant, 7) << product;
  }
}

TEST(AtomSum, AsWrittenProductsAndDivisionsAreAtoms) {
  const IndexingMap map = parse_map(
                              "(d0, d1) -> (((d0 * d1) * 2 + d0 ceildiv 3) * 5 - d1), domain: "
                              "d0 in [0, 9], d1 in [0, 9]")
                              .value();
  const std::optional<AtomSum> sum = sum_as_written(map.nodes, map.results[0]);
  ASSERT_TRUE(sum);
  std::map<Op, int64_t> factors;
  for (const auto& [atom, factor] : sum->factors) factors[map.nodes[atom].op] = factor;
  EXPECT_EQ(factors,
            (std::map<Op, int64_t>{{Op::kMul, 10}, {Op::kCeilDiv, 5}, {Op::kDimension, -1}}));
}

TEST(AtomSum, NothingIfANumberLeaves64Bits) {
  const auto fits = [](const char* factor) {
    const IndexingMap map =
        parse_map(absl::StrCat("(d0) -> ((d0 * ", factor, ") * 2), domain: d0 in [0, 1]")).value();
    return sum_as_written(map.nodes, map.results[0]).has_value();
  };
  EXPECT_TRUE(fits("4611686018427387903"));
  EXPECT_FALSE(fits("4611686018427387904"));
}

TEST(AtomSum, RejectsAProductOfVariables) {
  EXPECT_FALSE(sum_of("(d0, d1) -> (d0 * d1), domain: d0 in [0, 9], d1 in [0, 9]"));
}

TEST(AtomSum, AcceptsOnlyPositiveDivisors) {
  EXPECT_TRUE(sum_of("(d0) -> (d0 floordiv 2), domain: d0 in [0, 9]"));
  EXPECT_TRUE(sum_of("(d0) -> (d0 floordiv 1), domain: d0 in [0, 9]"));
  EXPECT_FALSE(sum_of("(d0) -> (d0 floordiv -2), domain: d0 in [0, 9]"));
  EXPECT_FALSE(sum_of("(d0) -> (d0 floordiv (2 * 2)), domain: d0 in [0, 9]"));
  IndexingMap map = parse_map("(d0, d1) -> (), domain: d0 in [0, 9], d1 in [1, 9]").value();
  const NodeId d0 = add_variable(map.nodes, Op::kDimension, 0);
  const NodeId d1 = add_variable(map.nodes, Op::kDimension, 1);
  map.results = {add_operation(map.nodes, Op::kFloorDiv, d0, d1)};
  EXPECT_FALSE(AtomSums(map).of(map.results[0]));
}

// The bit mask of dimensions has 64 bits.
TEST(AtomSum, RejectsMoreThan64Dimensions) {
  IndexingMap map;
  map.results = {add_variable(map.nodes, Op::kDimension, 0)};
  map.dimensions.assign(64, {{0, 9}, ""});
  EXPECT_TRUE(AtomSums(map).of(map.results[0]));
  map.dimensions.assign(65, {{0, 9}, ""});
  EXPECT_FALSE(AtomSums(map).of(map.results[0]));
}

}  // namespace
}  // namespace tileproof::impl
