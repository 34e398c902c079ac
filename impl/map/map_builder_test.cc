// SPDX-License-Identifier: Apache-2.0
#include "impl/map/map_builder.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "spec/lang/map/map_text.h"

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
