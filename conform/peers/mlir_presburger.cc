// SPDX-License-Identifier: Apache-2.0
#include "conform/peers/mlir_presburger.h"

#include <algorithm>
#include <vector>

#include "conform/peers/mlir_affine.h"
#include "mlir/Analysis/Presburger/PresburgerRelation.h"
#include "mlir/Dialect/Affine/Analysis/AffineStructures.h"

namespace tileproof::peers {
namespace {

using mlir::presburger::BoundType;
using mlir::presburger::IntegerRelation;
using mlir::presburger::PresburgerRelation;
using mlir::presburger::VarKind;

// { [variables] -> [results] } on the map's domain. MLIR makes the results and the constraints'
// expressions range variables; the latter are then bounded and become existential.
std::optional<PresburgerRelation> relation_of(const IndexingMap& map) {
  std::vector<NodeId> roots = map.results;
  for (const Constraint& constraint : map.constraints) roots.push_back(constraint.expr);
  mlir::AffineMap affine = to_mlir(map, roots);
  IntegerRelation relation(mlir::presburger::PresburgerSpace::getRelationSpace(0, 0, 0, 0));
  if (mlir::failed(mlir::affine::getRelationFromMap(affine, relation))) return std::nullopt;
  const auto bound = [&relation](unsigned position, Interval interval) {
    relation.addBound(BoundType::LB, position, interval.low);
    relation.addBound(BoundType::UB, position, interval.high);
  };
  unsigned at = 0;  // dimensions, results and constraints, symbols
  for (const Variable& d : map.dimensions) bound(at++, d.bounds);
  at = relation.getVarKindOffset(VarKind::Symbol);
  for (Op kind : {Op::kRange, Op::kRuntime}) {
    for (const Variable& v : variables_of(map, kind)) bound(at++, v.bounds);
  }
  const auto constraints = static_cast<unsigned>(map.constraints.size());
  at = relation.getVarKindEnd(VarKind::Range) - constraints;
  for (const Constraint& constraint : map.constraints) bound(at++, constraint.interval);
  const unsigned ranges = relation.getNumRangeVars();
  relation.convertVarKind(VarKind::Range, ranges - constraints, ranges, VarKind::Local);
  return PresburgerRelation(relation);
}

// The variables of a point in `left` that is not in `right`.
std::optional<spec::Point> point_in_one(const IndexingMap& map, const PresburgerRelation& left,
                                        const PresburgerRelation& right) {
  PresburgerRelation difference = left.subtract(right);
  llvm::SmallVector<llvm::DynamicAPInt> sample;
  if (!difference.findIntegerSample(sample)) return std::nullopt;
  spec::Point point;
  size_t at = 0;
  const auto take = [&](std::vector<int64_t>& values, size_t count) {
    for (size_t i = 0; i < count; ++i) values.push_back(int64_t(sample[at++]));
  };
  take(point.dims, map.dimensions.size());
  at += map.results.size();  // a relation has domain, range, and then symbols
  take(point.ranges, map.ranges.size());
  take(point.runtime, map.runtime.size());
  return point;
}

// The library takes exponential time in the number of quotients, and cannot be interrupted.
bool is_small(const IndexingMap& map) {
  constexpr int64_t kQuotients = 2;
  constexpr size_t kResults = 4;
  const auto quotients = std::count_if(map.nodes.begin(), map.nodes.end(), [](const Node& node) {
    return node.op == Op::kFloorDiv || node.op == Op::kCeilDiv || node.op == Op::kMod;
  });
  return quotients <= kQuotients && map.results.size() + map.constraints.size() <= kResults;
}

}  // namespace

PresburgerEquality presburger_equal(const IndexingMap& left, const IndexingMap& right) {
  if (!is_small(left) || !is_small(right)) return {};
  const std::optional<PresburgerRelation> a = relation_of(left), b = relation_of(right);
  if (!a || !b) return {};
  if (a->isEqual(*b)) return {true, std::nullopt};
  std::optional<spec::Point> point = point_in_one(left, *a, *b);
  if (!point) point = point_in_one(left, *b, *a);
  return {point.has_value(), point};
}

}  // namespace tileproof::peers
