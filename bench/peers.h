// Other libraries that simplify integer maps, beside ours. Each is built where it is installed.
#pragma once

#include <cstdint>
#include <optional>

#include "spec/lang/map/indexing_map.h"

namespace tileproof {

struct PeerResult {
  double nanoseconds = 0;  // the best of a few times
  int64_t nodes = -1;      // of the results' trees; -1 where the library has no trees
};

// MLIR: the affine expressions are built, which folds them, and simplifyAffineMap is called. It
// knows no domain. Nothing where an operation is none of its own (a product of variables, a divisor
// that is not positive).
std::optional<PeerResult> simplify_with_mlir(const IndexingMap& map);

// isl: the map, read from text, as a piecewise function; gist by its box, then coalesce, are timed.
// Nothing where it is no affine map, or takes more than ten million operations.
std::optional<PeerResult> simplify_with_isl(const IndexingMap& map);

}  // namespace tileproof
