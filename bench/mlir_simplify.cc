// SPDX-License-Identifier: Apache-2.0
#include "bench/mlir_simplify.h"

#include "conform/peers/mlir_affine.h"
#include "mlir/IR/AffineMap.h"

namespace tileproof {

bool mlir_expresses(const IndexingMap& map) { return peers::is_affine(map); }

void simplify_with_mlir_22(absl::Span<const IndexingMap> maps) {
  for (const IndexingMap& map : maps) {
    const mlir::AffineMap simplified = mlir::simplifyAffineMap(peers::to_mlir(map, map.results));
    asm volatile("" : : "g"(&simplified) : "memory");
  }
}

}  // namespace tileproof
