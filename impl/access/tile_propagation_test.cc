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

TEST(TilePropagation, WindowsThatTouchAreOneTile) {
  EXPECT_EQ(made_of(kRows, "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 9], s0 in [0, 3]"),
            "(t) -> offsets [t * 4] sizes [7] strides [1] upper bounds [13], domain: t in [0, 2]");
  EXPECT_EQ(
      made_of(kRows, "(d0)[s0] -> (d0 * 2 + s0 + 1), domain: d0 in [0, 9], s0 in [0, 1]"),
      "(t) -> offsets [(t * 4) * 2 + 1] sizes [8] strides [1] upper bounds [21], domain: t in "
      "[0, 2]");
  // Gaps; a tile that may begin behind the array, whose windows would reach back.
  EXPECT_EQ(made_of(kRows, "(d0)[s0] -> (d0 * 3 + s0), domain: d0 in [0, 9], s0 in [0, 1]"),
            "unknown");
  EXPECT_EQ(made_of("(t) -> offsets [t * 4] sizes [4] strides [1] upper bounds [10], domain: t in "
                    "[0, 3]",
                    "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 9], s0 in [0, 3]"),
            "unknown");
}

TEST(TilePropagation, AReshapeTakesWholeRowsOrAPartOfOne) {
  const std::string two = " strides [1, 1] upper bounds [4, 6], domain: t in [0, 3]";
  const char rows[] = "(d0, d1) -> (d0 * 6 + d1), domain: d0 in [0, 3], d1 in [0, 5]";
  EXPECT_EQ(
      made_of("(t) -> offsets [t, 0] sizes [1, 6]" + two, rows),
      "(t) -> offsets [t * 6] sizes [6] strides [1] upper bounds [t * 6 + 6], domain: t in [0, "
      "3]");
  EXPECT_EQ(made_of("(t) -> offsets [0, t] sizes [2, 1]" + two, rows),
            "(t) -> offsets [t] sizes [2] strides [6] upper bounds [t + 19], domain: t in [0, 3]");
  EXPECT_EQ(made_of("(t) -> offsets [0, t] sizes [2, 2]" + two, rows), "unknown");
  const std::string one = " strides [1] upper bounds [24], domain: t in [0, 1]";
  const char digits[] = "(d0) -> (d0 floordiv 6, d0 mod 6), domain: d0 in [0, 23]";
  EXPECT_EQ(made_of("(t) -> offsets [t * 12] sizes [12]" + one, digits),
            "(t) -> offsets [t * 2, 0] sizes [2, 6] strides [1, 1] upper bounds [t * 2 + 2, 6], "
            "domain: t in [0, 1]");
  EXPECT_EQ(made_of("(t) -> offsets [t * 3] sizes [3]" + one, digits),
            "(t) -> offsets [(t * 3) floordiv 6, (t * 3) mod 6] sizes [1, 3] strides [1, 1] upper "
            "bounds [(t * 3) floordiv 6 + 1, (t * 3) mod 6 + 3], domain: t in [0, 1]");
  EXPECT_EQ(made_of("(t) -> offsets [t * 9] sizes [9]" + one, digits), "unknown");
  EXPECT_EQ(made_of("(t) -> offsets [t * 12] sizes [12]" + one,
                    "(d0) -> (d0 mod 6, d0 mod 6), domain: d0 in [0, 23]"),
            "unknown");
}

TEST(TilePropagation, PartsOfTheTileAreUnknown) {
  EXPECT_EQ(made_of(kRows, "(d0) -> (d0 mod 3), domain: d0 in [0, 9]"), "unknown");
  EXPECT_EQ(made_of(kRows, "(d0) -> (d0), domain: d0 in [2, 5]"), "unknown");
}

}  // namespace
}  // namespace tileproof::impl
