// SPDX-License-Identifier: Apache-2.0
#include "impl/map/cse.h"

#include "gtest/gtest.h"
#include "spec/lang/map/map_text.h"

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
