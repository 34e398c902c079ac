// SPDX-License-Identifier: Apache-2.0
#include "impl/access/tile_propagation.h"

#include <gtest/gtest.h>

#include <string>

#include "spec/lang/map/map_text.h"
#include "spec/lang/map/symbolic_tile.h"

namespace tileproof::impl {
namespace {

// The tile that a map makes of a tile; "unknown" if it makes none.
std::string made_of(const std::string& tile, const std::string& map) {
  const auto made = propagate(parse_symbolic_tile(tile).value(), parse_map(map).value());
  return made ? to_text(*made) : "unknown";
}

constexpr char kRows[] =
    "(t) -> offsets [t * 4] sizes [4] strides [1] upper bounds [10], domain: t in [0, 2]";

TEST(TilePropagation, AMultipleOfADimensionMovesTheTile) {
  EXPECT_EQ(made_of(kRows, "(d0) -> (9 - d0), domain: d0 in [0, 9]"),
            "(t) -> offsets [-(t * 4 + 3) + 9] sizes [4] strides [1] upper bounds [10], domain: t "
            "in [0, 2]");
  EXPECT_EQ(
      made_of(kRows, "(d0) -> (d0 * 3 + 2), domain: d0 in [0, 9]"),
      "(t) -> offsets [(t * 4) * 3 + 2] sizes [4] strides [3] upper bounds [30], domain: t in "
      "[0, 2]");
}

TEST(TilePropagation, ARangeAndANumberAreTilesOfTheirOwn) {
  EXPECT_EQ(made_of(kRows, "(d0)[s0] -> (5, s0 * 2 + 1, d0), domain: d0 in [0, 9], s0 in [0, 3]"),
            "(t) -> offsets [5, 1, t * 4] sizes [1, 4, 4] strides [1, 2, 1] upper bounds [6, 8, "
            "10], domain: t in [0, 2]");
}

TEST(TilePropagation, SumsAndPartsOfTheTileAreUnknown) {
  EXPECT_EQ(made_of(kRows, "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 9], s0 in [0, 3]"), "unknown");
  EXPECT_EQ(made_of(kRows, "(d0) -> (d0 mod 3), domain: d0 in [0, 9]"), "unknown");
  EXPECT_EQ(made_of(kRows, "(d0) -> (d0), domain: d0 in [2, 5]"), "unknown");
}

}  // namespace
}  // namespace tileproof::impl
