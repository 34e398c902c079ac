// SPDX-License-Identifier: Apache-2.0
// A builder for the indexing map of one operation.
//
//     MapBuilder m({4, 8});                                   d0 in [0, 3], d1 in [0, 7]
//     const NodeId s = m.range(3);                            s0 in [0, 2]
//     m.result(m.plus(m.dimension(0), m.times(s, 2)));        d0 + s0 * 2
//     m.require(m.dimension(1), {1, 7});                      d1 in [1, 7]
//
// Trivial operations are folded at once: constants, x + 0, x * 1, x * 0, x floordiv 1, x mod 1. If
// a constant overflows, the whole map is `failed`, which the caller reports.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/lang/base/dims.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

class MapBuilder {
 public:
  // Dimensions d_i in [0, sizes[i] - 1].
  explicit MapBuilder(const Dims& sizes);

  NodeId dimension(int64_t number) const { return dimensions_[number]; }
  NodeId range(int64_t size);  // in [0, size - 1]; the constant 0 if size is 1
  NodeId runtime(Interval feasible);
  NodeId constant(int64_t value);

  NodeId plus(NodeId a, NodeId b);
  NodeId plus(NodeId a, int64_t b) { return plus(a, constant(b)); }
  NodeId minus(NodeId a, NodeId b) { return plus(a, times(b, -1)); }
  NodeId times(NodeId a, int64_t b);
  NodeId floordiv(NodeId a, int64_t b);  // b > 0
  NodeId mod(NodeId a, int64_t b);       // b > 0

  void result(NodeId expr) { map_.results.push_back(expr); }
  // Tightens the bound of a dimension; anything else becomes a constraint.
  void require(NodeId expr, Interval interval);

  bool failed() const { return failed_; }
  IndexingMap& map() { return map_; }
  const IndexingMap& map() const { return map_; }
  IndexingMap take() { return std::move(map_); }

 private:
  bool is_constant(NodeId expr) const { return map_.nodes[expr].op == Op::kConstant; }
  int64_t value(NodeId expr) const { return map_.nodes[expr].value; }

  IndexingMap map_;
  std::vector<NodeId> dimensions_;
  bool failed_ = false;
};

}  // namespace tileproof::impl
