#include <algorithm>
#include <chrono>
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

// MLIR asserts, or folds wrongly, where it is asked for more.
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

mlir::AffineMap build(const IndexingMap& map, std::vector<mlir::AffineExpr>& exprs) {
  exprs.clear();
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
  for (NodeId result : map.results) results.push_back(exprs[result]);
  return mlir::AffineMap::get(static_cast<unsigned>(map.dimensions.size()),
                              static_cast<unsigned>(map.ranges.size() + map.runtime.size()),
                              results, &context());
}

int64_t nodes_of(mlir::AffineExpr expr) {
  const auto binary = expr.dyn_cast<mlir::AffineBinaryOpExpr>();
  return binary ? 1 + nodes_of(binary.getLHS()) + nodes_of(binary.getRHS()) : 1;
}

}  // namespace

std::optional<PeerResult> simplify_with_mlir(const IndexingMap& map) {
  using Clock = std::chrono::steady_clock;
  if (!is_affine(map)) return std::nullopt;
  std::vector<mlir::AffineExpr> exprs;
  PeerResult result{1e18, 0};
  mlir::AffineMap simplified;
  for (int i = 0; i < 20; ++i) {
    const auto start = Clock::now();
    simplified = mlir::simplifyAffineMap(build(map, exprs));
    const std::chrono::duration<double, std::nano> time = Clock::now() - start;
    result.nanoseconds = std::min(result.nanoseconds, time.count());
  }
  for (mlir::AffineExpr expr : simplified.getResults()) result.nodes += nodes_of(expr);
  return result;
}

}  // namespace tileproof
