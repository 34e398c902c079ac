// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/map/indexing_map.h"

#include <algorithm>

#include "spec/lang/base/append_number.h"

namespace tileproof {

const std::vector<Variable>& variables_of(const IndexingMap& map, Op kind) {
  if (kind == Op::kDimension) return map.dimensions;
  return kind == Op::kRange ? map.ranges : map.runtime;
}

std::vector<Variable>& variables_of(IndexingMap& map, Op kind) {
  if (kind == Op::kDimension) return map.dimensions;
  return kind == Op::kRange ? map.ranges : map.runtime;
}

std::vector<NodeId> roots_of(const IndexingMap& map) {
  std::vector<NodeId> roots = map.results;
  for (const Constraint& constraint : map.constraints) roots.push_back(constraint.expr);
  return roots;
}

std::string default_name(Op kind, int64_t number) {
  std::string name = kind == Op::kDimension ? "d" : kind == Op::kRange ? "s" : "rt";
  append_number(name, number);
  return name;
}

std::string name_of(const IndexingMap& map, Op kind, int64_t number) {
  const std::string& given = variables_of(map, kind)[number].name;
  return given.empty() ? default_name(kind, number) : given;
}

bool operator==(const IndexingMap& a, const IndexingMap& b) {
  if (a.dimensions != b.dimensions || a.ranges != b.ranges || a.runtime != b.runtime ||
      a.known_empty != b.known_empty) {
    return false;
  }
  const auto is_same = [](const Constraint& x, const Constraint& y) {
    return x.expr == y.expr && x.interval == y.interval;
  };
  if (a.nodes == b.nodes && a.results == b.results &&
      std::ranges::equal(a.constraints, b.constraints, is_same)) {
    return true;
  }
  TreeNumbers numbers;
  const std::vector<NodeId> in_a = numbers.of(a.nodes, static_cast<NodeId>(a.nodes.size()));
  const std::vector<NodeId> in_b = numbers.of(b.nodes, static_cast<NodeId>(b.nodes.size()));
  return std::ranges::equal(a.results, b.results,
                            [&](NodeId x, NodeId y) { return in_a[x] == in_b[y]; }) &&
         std::ranges::equal(a.constraints, b.constraints,
                            [&](const Constraint& x, const Constraint& y) {
                              return in_a[x.expr] == in_b[y.expr] && x.interval == y.interval;
                            });
}

}  // namespace tileproof
