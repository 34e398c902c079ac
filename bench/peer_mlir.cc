// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>

#include "bench/peers.h"
#include "conform/peers/mlir_affine.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"

namespace tileproof {
namespace {

int64_t nodes_of(mlir::AffineExpr expr) {
  const auto binary = expr.dyn_cast<mlir::AffineBinaryOpExpr>();
  return binary ? 1 + nodes_of(binary.getLHS()) + nodes_of(binary.getRHS()) : 1;
}

}  // namespace

std::optional<PeerResult> simplify_with_mlir(const IndexingMap& map) {
  using Clock = std::chrono::steady_clock;
  if (!peers::is_affine(map)) return std::nullopt;
  PeerResult result{1e18, 0};
  mlir::AffineMap simplified;
  for (int i = 0; i < 20; ++i) {
    const auto start = Clock::now();
    simplified = mlir::simplifyAffineMap(peers::to_mlir(map, map.results));
    const std::chrono::duration<double, std::nano> time = Clock::now() - start;
    result.nanoseconds = std::min(result.nanoseconds, time.count());
  }
  for (mlir::AffineExpr expr : simplified.getResults()) result.nodes += nodes_of(expr);
  return result;
}

}  // namespace tileproof
