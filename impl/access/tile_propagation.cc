// SPDX-License-Identifier: Apache-2.0
#include "impl/access/tile_propagation.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "impl/map/atom_sum.h"
#include "spec/lang/map/interval.h"

namespace tileproof::impl {
namespace {

constexpr int64_t kMostNumber = int64_t{1} << 30;  // so that no product leaves 64 bits

// offset, size, stride and upper bound of one dimension
struct TileExpressions {
  NodeId offset, size, stride, upper_bound;
};

class TileWriter {
 public:
  TileWriter(const SymbolicTile& tile, const IndexingMap& map)
      : tile_(tile), map_(map), made_{tile.map} {}

  std::optional<SymbolicTile> write() {
    std::vector<TileExpressions> dimensions;
    for (const NodeId result : map_.results) {
      const std::optional<AtomSum> sum = sum_as_written(map_.nodes, result);
      const auto one = sum ? dimension_of(*sum) : std::nullopt;
      if (!one) return std::nullopt;
      dimensions.push_back(*one);
    }
    if (cuts_others()) return std::nullopt;
    made_.results.clear();
    for (const NodeId TileExpressions::*part :
         {&TileExpressions::offset, &TileExpressions::size, &TileExpressions::stride,
          &TileExpressions::upper_bound}) {
      for (const TileExpressions& one : dimensions) made_.results.push_back(one.*part);
    }
    return SymbolicTile{std::move(made_)};
  }

 private:
  // Whether the map is not defined for all of a dimension that no result has.
  bool cuts_others() const {
    for (size_t d = 0; d < map_.dimensions.size(); ++d) {
      if (used_.contains({Op::kDimension, static_cast<int64_t>(d)})) continue;
      const Interval bounds = map_.dimensions[d].bounds;
      const std::optional<Interval> own = interval_of(tile_.map, tile_.upper_bound(d));
      if (!own || bounds.low > 0 || own->high > bounds.high + 1) return true;
    }
    return false;
  }

  std::optional<TileExpressions> dimension_of(const AtomSum& sum) {
    if (sum.factors.size() > 1) return std::nullopt;
    const int64_t constant = sum.constant;
    if (sum.factors.empty())
      return TileExpressions{number(constant), number(1), number(1), number(constant + 1)};
    const auto [atom, factor] = *sum.factors.begin();
    const Node& variable = map_.nodes[atom];
    if (!used_.insert({variable.op, variable.value}).second) return std::nullopt;
    if (variable.op == Op::kRange)
      return all_of(map_.ranges[variable.value].bounds, factor, constant);
    if (variable.op != Op::kDimension) return std::nullopt;
    const auto d = static_cast<size_t>(variable.value);
    const Interval bounds = map_.dimensions[d].bounds;
    return factor > 0 ? moved(d, bounds, factor, constant) : turned(d, bounds, -factor, constant);
  }

  // All values of a range variable.
  TileExpressions all_of(Interval values, int64_t factor, int64_t constant) {
    const int64_t first = factor * (factor > 0 ? values.low : values.high) + constant;
    const int64_t last = factor * (factor > 0 ? values.high : values.low) + constant;
    const int64_t count = values.high - values.low + 1;
    return {number(first), number(count), number(factor > 0 ? factor : -factor), number(last + 1)};
  }

  std::optional<TileExpressions> moved(size_t d, Interval bounds, int64_t factor,
                                       int64_t constant) {
    if (bounds.low > 0 && factor * (bounds.low - 1) + constant >= 0) return std::nullopt;
    // The least of the bounds of the map and of the tile.
    const std::optional<Interval> own = interval_of(tile_.map, tile_.upper_bound(d));
    if (!own || (own->low <= bounds.high && own->high > bounds.high + 1)) return std::nullopt;
    const NodeId upper = own->high <= bounds.high ? tile_.upper_bound(d) : number(bounds.high + 1);
    return TileExpressions{plus(times(tile_.offset(d), factor), constant), tile_.size(d),
                           times(tile_.stride(d), factor),
                           plus(times(plus(upper, -1), factor), constant + 1)};
  }

  // The last index of the tile comes first. What its upper bound cuts off has to be below 0.
  std::optional<TileExpressions> turned(size_t d, Interval bounds, int64_t factor,
                                        int64_t constant) {
    const std::optional<Interval> own = interval_of(tile_.map, tile_.upper_bound(d));
    if (!own || constant - factor * std::min(bounds.high + 1, own->low) >= 0) return std::nullopt;
    const NodeId steps = product(plus(tile_.size(d), -1), tile_.stride(d));
    const NodeId last = add_operation(made_.nodes, Op::kAdd, tile_.offset(d), steps);
    return TileExpressions{plus(times(last, -factor), constant), tile_.size(d),
                           times(tile_.stride(d), factor),
                           number(constant - factor * bounds.low + 1)};
  }

  NodeId number(int64_t value) { return add_constant(made_.nodes, value); }
  std::optional<int64_t> value_of(NodeId x) const {
    const Node& node = made_.nodes[x];
    return node.op == Op::kConstant ? std::optional(node.value) : std::nullopt;
  }
  NodeId times(NodeId x, int64_t factor) {
    if (const auto value = value_of(x)) return number(*value * factor);
    return factor == 1 ? x : add_operation(made_.nodes, Op::kMul, x, number(factor));
  }
  NodeId plus(NodeId x, int64_t summand) {
    if (const auto value = value_of(x)) return number(*value + summand);
    return summand == 0 ? x : add_operation(made_.nodes, Op::kAdd, x, number(summand));
  }
  NodeId product(NodeId x, NodeId y) {
    if (const auto value = value_of(y)) return times(x, *value);
    if (const auto value = value_of(x)) return times(y, *value);
    return add_operation(made_.nodes, Op::kMul, x, y);
  }

  const SymbolicTile& tile_;
  const IndexingMap& map_;
  IndexingMap made_;
  std::set<std::pair<Op, int64_t>> used_;
};

}  // namespace

std::optional<SymbolicTile> propagate(const SymbolicTile& tile, const IndexingMap& map) {
  const auto is_small = [](const Interval& i) {
    return -kMostNumber < i.low && i.high < kMostNumber;
  };
  bool is_plain = map.runtime.empty() && map.constraints.empty() && !map.known_empty;
  for (const Op kind : {Op::kDimension, Op::kRange}) {
    for (const Variable& variable : variables_of(map, kind))
      is_plain = is_plain && is_small(variable.bounds);
  }
  for (const Node& node : map.nodes)
    is_plain = is_plain && (node.op != Op::kConstant || is_small({node.value, node.value}));
  if (!is_plain || map.dimensions.size() != tile.rank()) return std::nullopt;
  return TileWriter(tile, map).write();
}

}  // namespace tileproof::impl
