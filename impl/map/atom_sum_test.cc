// SPDX-License-Identifier: Apache-2.0
#include "impl/map/atom_sum.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "spec/lang/map/map_text.h"

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
