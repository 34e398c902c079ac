// Indexing maps as MLIR's affine maps, and back. Dimensions are dimensions; range variables, then
// runtime variables, are symbols. MLIR's maps have no domain.
#pragma once

#include <utility>
#include <vector>

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/MLIRContext.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::peers {

mlir::MLIRContext& mlir_context();

// Whether MLIR can express it: no product of variables, no divisor that is not positive. (It
// asserts, or folds wrongly, where it is asked for more.)
bool is_affine(const IndexingMap& map);

// Expressions of an affine indexing map; building folds them.
mlir::AffineMap to_mlir(const IndexingMap& map, const std::vector<NodeId>& roots);

// The way back: appends an expression to a table. symbols[i] says which variable symbol i is.
using Symbols = std::vector<std::pair<Op, int64_t>>;
NodeId from_mlir(mlir::AffineExpr expr, const Symbols& symbols, ExprTable& table);

// Of one map: its ranges, then its runtime variables.
Symbols symbols_of(const IndexingMap& map);

}  // namespace tileproof::peers
