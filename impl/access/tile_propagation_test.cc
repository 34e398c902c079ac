// SPDX-License-Identifier: Apache-2.0
#include "impl/access/tile_propagation.h"

#include <gtest/gtest.h>

#include <string>

#include "corpus/answers_testing.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/symbolic_tile.h"

namespace tileproof::impl {
namespace {

// The tile that a map makes of a tile; "unknown" if it makes none.
std::string made_of(absl::string_view text) {
  const auto [tile, map] = parts_of<2>(text, "\nby ");
  const auto made = propagate(parse_symbolic_tile(tile).value(), parse_map(map).value());
  return made ? to_text(*made) : "unknown";
}

TEST(TilePropagation, Answers) {
  expect_answers("answers/tile_propagation.txt", {{"tile", made_of}});
}

}  // namespace
}  // namespace tileproof::impl
