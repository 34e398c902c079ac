// SPDX-License-Identifier: Apache-2.0
// Symbolic tiles, as XLA's tiling analysis writes them: the elements of an array that a step of a grid
// works on, by expressions.
//
//     (tid_0, tid_1)[ts_0] -> offsets [tid_0 * ts_0, tid_1 * 2] sizes [ts_0, 2] strides [1, 3]
//         upper bounds [10, 64], domain: tid_0 in [0, 4], tid_1 in [0, 31], ts_0 in [2, 2]
//
// For values of the variables, dimension d of the array has the indices offset, offset + stride, ..,
// as many as the size says, of which those count that are at least 0 and less than the upper bound.
// So the last tile of 10 elements by 4 has 2. The variables are those of an indexing map: dimensions
// number the step, ranges are sizes. XLA writes no domain; without one, dimensions are 0 or more and
// the others at least 1.
//
// Source: XLA's codegen/tiling/experimental/tile.h.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof {

struct SymbolicTile {
  // The results are all offsets, then all sizes, strides and upper bounds.
  IndexingMap map;

  size_t rank() const { return map.results.size() / 4; }
  NodeId offset(size_t d) const { return map.results[d]; }
  NodeId size(size_t d) const { return map.results[rank() + d]; }
  NodeId stride(size_t d) const { return map.results[2 * rank() + d]; }
  NodeId upper_bound(size_t d) const { return map.results[3 * rank() + d]; }
};

bool looks_like_symbolic_tile(absl::string_view text);

// Parses the whole text. Errors: those of a map; lists of different lengths.
absl::StatusOr<SymbolicTile> parse_symbolic_tile(absl::string_view text);

// One line, with the domain.
std::string to_text(const SymbolicTile& tile);

}  // namespace tileproof
