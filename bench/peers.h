// SPDX-License-Identifier: Apache-2.0
// Other libraries that simplify integer maps, to compare with ours. Each is built only if it is
// installed.
#pragma once

#include <cstdint>
#include <optional>

#include "spec/lang/map/indexing_map.h"

namespace tileproof {

struct PeerResult {
  double nanoseconds = 0;  // the best of a few runs
  int64_t nodes = -1;      // in the trees of the results; -1 if the library has no trees
};

// Measures MLIR: building the affine expressions, which folds them, and simplifyAffineMap. It knows
// no domain. Returns nullopt if MLIR cannot express an operation (a product of variables, a divisor
// that is not positive).
std::optional<PeerResult> simplify_with_mlir(const IndexingMap& map);

// Measures isl on a piecewise function: gist by its box, then coalesce. Parsing the text is not
// measured. Returns nullopt if the map is not affine, or takes more than ten million isl
// operations.
std::optional<PeerResult> simplify_with_isl(const IndexingMap& map);

}  // namespace tileproof
