// SPDX-License-Identifier: Apache-2.0
// A simplifier that keeps the digits of tiles.
//
//     (d0) -> ((d0 floordiv 8) * 1024 + (d0 mod 8) * 128)
//     simplify              d0 * 128
//     simplify_keeping {8}  (d0 floordiv 8) * 1024 + (d0 mod 8) * 128
//
// simplify joins strides: the sum over the digits of d0 becomes a multiple of d0, or a multiple plus
// a correction, if that is shorter. Here each result stays a sum of factors times digits. If a result
// divides an expression x by kept sizes, and c1 | c2 | .. | cn are the places between those digits,
// then the result has only these parts of x, with the largest factor first:
//
//     x mod c1, (x floordiv c1) mod (c2 / c1), .., x floordiv cn
//
// Each digit alone, and what has nothing to do with them, is simplified. The domain is that of
// simplify.
//
// Sizes that do not divide each other: the smaller one is kept. A result stays as simplify writes it
// if it divides by no kept size, if it has more than 2,000 nodes, or if numbers leave 64 bits.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

struct TileSizes {
  bool all = false;                 // every divisor of the map
  std::vector<int64_t> sizes = {};  // else these
};

// Accepts the same points as the map, and gives the same results there. Errors: those of simplify.
absl::StatusOr<IndexingMap> simplify_keeping(const IndexingMap& map, const TileSizes& sizes);

}  // namespace tileproof::impl
