// SPDX-License-Identifier: Apache-2.0
// Compares indexing maps by MLIR's Presburger library.
//
//     (d0) -> (d0 mod 6), domain: d0 in [0, 99]     { [d0, r] : r = d0 mod 6, 0 <= d0 <= 99 }
//
// Two maps are equal if these relations are equal sets; otherwise a point of one that is not in the
// other shows the difference.
#pragma once

#include <optional>

#include "spec/lang/map/indexing_map.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::peers {

struct PresburgerEquality {
  bool decided = false;                     // false: a map is too large, or MLIR cannot write it
  std::optional<spec::Point> different_at;  // none: equal
};

// The maps must be affine (mlir_affine.h) and have equal numbers of variables and results.
PresburgerEquality presburger_equal(const IndexingMap& left, const IndexingMap& right);

}  // namespace tileproof::peers
