// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "bench/peers.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/MLIRContext.h"

namespace tileproof {
namespace {

mlir::MLIRContext& context() {
  static mlir::MLIRContext it(mlir::MLIRContext::Threading::DISABLED);
  return it;
}

// Its results; range variables, then runtime variables, are symbols.
mlir::AffineMap to_mlir(const IndexingMap& map) {
  std::vector<mlir::AffineExpr> exprs;
  const auto ranges = static_cast<unsigned>(map.ranges.size());
  for (const Node& node : map.nodes) {
    const auto number = static_cast<unsigned>(node.value);
    const mlir::AffineExpr left = is_leaf(node.op) ? mlir::AffineExpr() : exprs[node.left];
    const mlir::AffineExpr right = is_leaf(node.op) ? mlir::AffineExpr() : exprs[node.right];
    switch (node.op) {
      case Op::kConstant:
        exprs.push_back(mlir::getAffineConstantExpr(node.value, &context()));
        break;
      case Op::kDimension:
        exprs.push_back(mlir::getAffineDimExpr(number, &context()));
        break;
      case Op::kRange:
        exprs.push_back(mlir::getAffineSymbolExpr(number, &context()));
        break;
      case Op::kRuntime:
        exprs.push_back(mlir::getAffineSymbolExpr(ranges + number, &context()));
        break;
      case Op::kAdd:
        exprs.push_back(left + right);
        break;
      case Op::kMul:
        exprs.push_back(left * right);
        break;
      case Op::kFloorDiv:
        exprs.push_back(left.floorDiv(right));
        break;
      case Op::kCeilDiv:
        exprs.push_back(left.ceilDiv(right));
        break;
      case Op::kMod:
        exprs.push_back(left % right);
        break;
    }
  }
  std::vector<mlir::AffineExpr> results;
  for (NodeId root : map.results) results.push_back(exprs[root]);
  return mlir::AffineMap::get(static_cast<unsigned>(map.dimensions.size()),
                              static_cast<unsigned>(map.ranges.size() + map.runtime.size()),
                              results, &context());
}

}  // namespace

// MLIR fails an assertion, or folds wrongly, if it gets other maps.
bool mlir_expresses(const IndexingMap& map) {
  std::vector<char> constant;
  for (const Node& node : map.nodes) {
    constant.push_back(is_leaf(node.op) ? node.op == Op::kConstant
                                        : constant[node.left] && constant[node.right]);
    if (is_leaf(node.op) || node.op == Op::kAdd) continue;
    const Node& right = map.nodes[node.right];
    if (node.op == Op::kMul && !constant[node.left] && !constant[node.right]) return false;
    if (node.op != Op::kMul && (right.op != Op::kConstant || right.value <= 0)) return false;
  }
  return true;
}

void simplify_with_mlir_22(absl::Span<const IndexingMap> maps) {
  for (const IndexingMap& map : maps) {
    const mlir::AffineMap simplified = mlir::simplifyAffineMap(to_mlir(map));
    asm volatile("" : : "g"(&simplified) : "memory");
  }
}

}  // namespace tileproof
