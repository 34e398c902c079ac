// SPDX-License-Identifier: Apache-2.0
// Turns a computation into an indexing map: arithmetic on a Written adds nodes to the map.
//
// The definitions of layouts and operations are generic over the number type. If they run on
// Written, they give the map of what they compute:
//
//     IndexingMap map;                                            f32[4,8]{0,1}
//     map.results = {node_in(map, offset_of(layout, index_of(map, {4, 8})))};
//     (d0, d1) -> (d0 + d1 * 4), domain: d0 in [0, 3], d1 in [0, 7]
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "spec/base/integers.h"
#include "spec/lang/map/expr.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::verify {

struct Written {
  IndexingMap* map = nullptr;  // null in a number
  NodeId node = -1;
  int64_t number = 0;

  Written(int64_t value) : number(value) {}  // NOLINT: implicit on purpose
  Written(IndexingMap* in, NodeId at) : map(in), node(at) {}
};

inline NodeId node_in(IndexingMap& map, const Written& x) {
  return x.map == nullptr ? add_constant(map.nodes, x.number) : x.node;
}

inline Written written(Op op, const Written& a, const Written& b) {
  IndexingMap* map = a.map != nullptr ? a.map : b.map;
  const NodeId left = node_in(*map, a), right = node_in(*map, b);
  return {map, add_operation(map->nodes, op, left, right)};
}

// Numbers stay numbers. They are sizes and indices of arrays, so their products fit int64.
inline Written operator+(const Written& a, const Written& b) {
  if (a.map == nullptr && b.map == nullptr) return a.number + b.number;
  return written(Op::kAdd, a, b);
}
inline Written operator*(const Written& a, int64_t b) {
  return a.map == nullptr ? Written(a.number * b) : written(Op::kMul, a, b);
}
inline Written floordiv(const Written& a, int64_t b) {
  return a.map == nullptr ? Written(spec::floordiv(a.number, b)) : written(Op::kFloorDiv, a, b);
}
inline Written mod(const Written& a, int64_t b) {
  return a.map == nullptr ? Written(spec::mod(a.number, b)) : written(Op::kMod, a, b);
}

// A condition as constraints of the map.
struct WrittenCondition {
  bool holds = true;
  std::vector<std::pair<Written, int64_t>> below;  // 0 <= number < bound

  WrittenCondition(bool value) : holds(value) {}  // NOLINT: implicit on purpose
};

inline WrittenCondition operator<(const Written& a, int64_t b) {
  if (a.map == nullptr) return a.number < b;
  WrittenCondition result(true);
  result.below.emplace_back(a, b);
  return result;
}

inline WrittenCondition operator&&(const WrittenCondition& a, const WrittenCondition& b) {
  WrittenCondition both(a.holds && b.holds);
  both.below = a.below;
  both.below.insert(both.below.end(), b.below.begin(), b.below.end());
  return both;
}

// The condition holds in the domain of the map.
inline void constrain(IndexingMap& map, const WrittenCondition& condition) {
  if (!condition.holds) map.known_empty = true;
  for (const auto& [number, bound] : condition.below)
    map.constraints.push_back({node_in(map, number), {0, bound - 1}});
}

// One new dimension for each size.
inline std::vector<Written> index_of(IndexingMap& map, const std::vector<int64_t>& dims) {
  std::vector<Written> index;
  for (int64_t size : dims) {
    const NodeId node = add_variable(map.nodes, Op::kDimension, std::ssize(map.dimensions));
    map.dimensions.push_back({{0, size - 1}, ""});
    index.emplace_back(&map, node);
  }
  return index;
}

}  // namespace tileproof::verify
