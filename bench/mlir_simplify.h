// SPDX-License-Identifier: Apache-2.0
// MLIR's simplifier, as a peer of ours: building the affine expressions, which folds them, and
// simplifyAffineMap. It knows no domain.
#pragma once

#include "absl/types/span.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof {

// Whether MLIR can express the map: no product of variables, no divisor below 1.
bool mlir_expresses(const IndexingMap& map);

// Simplifies the results of each map once.
void simplify_with_mlir_22(absl::Span<const IndexingMap> maps);

}  // namespace tileproof
