// SPDX-License-Identifier: Apache-2.0
#include "conform/peers/mlir_affine.h"

namespace tileproof::peers {

namespace {

// MLIR 14 has member functions where later versions have llvm::dyn_cast.
template <class To, class From>
To cast_to(From expr) {
  if constexpr (requires { expr.template dyn_cast<To>(); }) {
    return expr.template dyn_cast<To>();
  } else {
    return llvm::dyn_cast<To>(expr);
  }
}

}  // namespace

mlir::MLIRContext& mlir_context() {
  static mlir::MLIRContext it(mlir::MLIRContext::Threading::DISABLED);
  return it;
}

bool is_affine(const IndexingMap& map) {
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

mlir::AffineMap to_mlir(const IndexingMap& map, const std::vector<NodeId>& roots) {
  std::vector<mlir::AffineExpr> exprs;
  const auto ranges = static_cast<unsigned>(map.ranges.size());
  for (const Node& node : map.nodes) {
    const auto number = static_cast<unsigned>(node.value);
    const mlir::AffineExpr left = is_leaf(node.op) ? mlir::AffineExpr() : exprs[node.left];
    const mlir::AffineExpr right = is_leaf(node.op) ? mlir::AffineExpr() : exprs[node.right];
    switch (node.op) {
      case Op::kConstant:
        exprs.push_back(mlir::getAffineConstantExpr(node.value, &mlir_context()));
        break;
      case Op::kDimension:
        exprs.push_back(mlir::getAffineDimExpr(number, &mlir_context()));
        break;
      case Op::kRange:
        exprs.push_back(mlir::getAffineSymbolExpr(number, &mlir_context()));
        break;
      case Op::kRuntime:
        exprs.push_back(mlir::getAffineSymbolExpr(ranges + number, &mlir_context()));
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
  for (NodeId root : roots) results.push_back(exprs[root]);
  return mlir::AffineMap::get(static_cast<unsigned>(map.dimensions.size()),
                              static_cast<unsigned>(map.ranges.size() + map.runtime.size()),
                              results, &mlir_context());
}

Symbols symbols_of(const IndexingMap& map) {
  Symbols symbols;
  for (int64_t i = 0; i < std::ssize(map.ranges); ++i) symbols.push_back({Op::kRange, i});
  for (int64_t i = 0; i < std::ssize(map.runtime); ++i) symbols.push_back({Op::kRuntime, i});
  return symbols;
}

NodeId from_mlir(mlir::AffineExpr expr, const Symbols& symbols, ExprTable& table) {
  if (const auto constant = cast_to<mlir::AffineConstantExpr>(expr)) {
    return add_constant(table, constant.getValue());
  }
  if (const auto dim = cast_to<mlir::AffineDimExpr>(expr)) {
    return add_variable(table, Op::kDimension, dim.getPosition());
  }
  if (const auto symbol = cast_to<mlir::AffineSymbolExpr>(expr)) {
    const auto& [kind, number] = symbols[symbol.getPosition()];
    return add_variable(table, kind, number);
  }
  const auto binary = cast_to<mlir::AffineBinaryOpExpr>(expr);
  const NodeId left = from_mlir(binary.getLHS(), symbols, table);
  const NodeId right = from_mlir(binary.getRHS(), symbols, table);
  switch (expr.getKind()) {
    case mlir::AffineExprKind::Add:
      return add_operation(table, Op::kAdd, left, right);
    case mlir::AffineExprKind::Mul:
      return add_operation(table, Op::kMul, left, right);
    case mlir::AffineExprKind::FloorDiv:
      return add_operation(table, Op::kFloorDiv, left, right);
    case mlir::AffineExprKind::CeilDiv:
      return add_operation(table, Op::kCeilDiv, left, right);
    default:
      return add_operation(table, Op::kMod, left, right);
  }
}

}  // namespace tileproof::peers
