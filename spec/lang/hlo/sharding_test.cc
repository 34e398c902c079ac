// SPDX-License-Identifier: Apache-2.0
// corpus/readers/hlo.txt has the spellings of shardings, and errors.
#include "spec/lang/hlo/sharding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tileproof {
namespace {

using ::testing::ElementsAre;

Sharding read(const std::string& text, int64_t rank = 2, int64_t devices = 4) {
  const auto found = read_shardings(text, {rank}, devices);
  EXPECT_TRUE(found.ok()) << text << ": " << found.status();
  return found.ok() ? found->at(0) : Sharding();
}

TEST(Sharding, ATupleHasOneForEachArrayOrOneForAll) {
  EXPECT_THAT(*read_shardings("{{replicated}, {devices=[4]<=[4]}}", {2, 1}, 4),
              ElementsAre(replicated(4), Sharding{{4}, {0, 1, 2, 3}}));
  EXPECT_EQ(read_shardings("{replicated}", {2, 1}, 4)->size(), 2);
  EXPECT_EQ(read_shardings("{}", {}, 4)->size(), 0);
}

TEST(Sharding, IsARelationFromADeviceAndALocalIndex) {
  const Sharding both = read("{devices=[2,2]<=[2,2]T(1,0)}");
  EXPECT_THAT(part_dims(both, {4, 6}), ElementsAre(2, 3));
  EXPECT_THAT(*global_index(both, {4, 6}, 1, {1, 2}), ElementsAre(3, 2));
  EXPECT_THAT(*global_index(both, {4, 6}, 2, {1, 2}), ElementsAre(1, 5));
}

TEST(Sharding, ASizeThatDoesNotDivideIsPaddedAtTheEnd) {
  const Sharding rows = read("{devices=[4]<=[4]}", 1);
  EXPECT_THAT(part_dims(rows, {5}), ElementsAre(2));
  EXPECT_THAT(*global_index(rows, {5}, 2, {0}), ElementsAre(4));
  EXPECT_FALSE(global_index(rows, {5}, 2, {1}));
  EXPECT_FALSE(global_index(rows, {5}, 3, {0}));
  EXPECT_FALSE(global_index(read("{maximal device=2}"), {1, 1}, 0, {0, 0}));
}

TEST(Sharding, DevicesAtOnePlaceHoldAllParts) {
  const Mesh mesh{{{"x", 2}, {"y", 2}}};
  const auto blocks = blocks_on(mesh, {{{"y", 2}}}, 4);
  ASSERT_TRUE(blocks.ok());
  EXPECT_THAT(blocks->holders_for(2), ElementsAre(2, 3));
  EXPECT_THAT(blocks->holders_for(1), ElementsAre(0, 1));
}

}  // namespace
}  // namespace tileproof
