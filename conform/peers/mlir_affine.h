// SPDX-License-Identifier: Apache-2.0
// Converts indexing maps to MLIR's affine maps, and back.
//
//     (d0)[s0]{rt0} -> (d0 + rt0, s0)     affine_map<(d0)[s0, s1] -> (d0 + s1, s0)>
//
// Range variables, then runtime variables, become symbols. MLIR's maps have no domain.
#pragma once

#include <utility>
#include <vector>

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/MLIRContext.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::peers {

mlir::MLIRContext& mlir_context();

// Returns whether MLIR can express the map: no product of variables, and no divisor below 1. MLIR
// fails an assertion, or folds wrongly, if it gets other maps.
bool is_affine(const IndexingMap& map);

// The expressions `roots` of an affine indexing map. MLIR folds them while it builds them.
mlir::AffineMap to_mlir(const IndexingMap& map, const std::vector<NodeId>& roots);

// Appends an MLIR expression to a table. symbols[i] is the variable that symbol i stands for.
using Symbols = std::vector<std::pair<Op, int64_t>>;
NodeId from_mlir(mlir::AffineExpr expr, const Symbols& symbols, ExprTable& table);

// The symbols of a map: its range variables, then its runtime variables.
Symbols symbols_of(const IndexingMap& map);

}  // namespace tileproof::peers
