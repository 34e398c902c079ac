// SPDX-License-Identifier: Apache-2.0
#include "impl/access/tile_text.h"

#include <gtest/gtest.h>

#include <string>

namespace tileproof::impl {
namespace {

TEST(TileText, ATripleForEachDimension) {
  const Tile tile = parse_tile("4:5,0:8:2,-1:0:-3").value();
  ASSERT_EQ(tile.size(), 3);
  EXPECT_EQ(tile[0].offset, 4);
  EXPECT_EQ(tile[0].size, 5);
  EXPECT_EQ(tile[0].stride, 1);
  EXPECT_EQ(tile[1].offset, 0);
  EXPECT_EQ(tile[1].size, 8);
  EXPECT_EQ(tile[1].stride, 2);
  EXPECT_EQ(tile[2].offset, -1);
  EXPECT_EQ(tile[2].size, 0);
  EXPECT_EQ(tile[2].stride, -3);
  EXPECT_TRUE(parse_tile("").value().empty());
}

TEST(TileText, EveryOtherTextIsRefused) {
  for (const std::string text : {"4", ":", "4:", ":4", "4:5:", "4:5:6:7", "x:5", "4:x", "4:5:x"}) {
    EXPECT_EQ(parse_tile(text).status().message(),
              "--tile: expected OFFSET:SIZE or OFFSET:SIZE:STRIDE, found '" + text + "'");
    EXPECT_EQ(parse_tile("0:1," + text).status(), parse_tile(text).status());
  }
  EXPECT_FALSE(parse_tile(",").ok());
  EXPECT_EQ(
      parse_tile(std::string(41, '7')).status().message(),
      "--tile: expected OFFSET:SIZE or OFFSET:SIZE:STRIDE, found '" + std::string(40, '7') + "'");
}

}  // namespace
}  // namespace tileproof::impl
