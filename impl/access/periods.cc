// SPDX-License-Identifier: Apache-2.0
#include "impl/access/periods.h"

#include <algorithm>
#include <numeric>

#include "impl/map/variables.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/map/interval.h"

namespace tileproof::impl {
namespace {

constexpr size_t kMostMaps = 64;
constexpr int64_t kMostLength = int64_t{1} << 20;

// What each node grows by when v grows by `length`. A division that the growth does not fit makes the
// length longer: then there are no steps. Nothing if no length helps.
std::optional<std::vector<int64_t>> growth(const IndexingMap& map, int64_t v, int64_t& length) {
  std::vector<int64_t> grows;
  for (const Node& node : map.nodes) {
    std::optional<int64_t> by = 0;
    const auto is_constant = [&](NodeId id) { return map.nodes[id].op == Op::kConstant; };
    if (node.op == Op::kDimension) {
      by = node.value == v ? length : 0;
    } else if (!is_leaf(node.op)) {
      const int64_t left = grows[node.left], right = grows[node.right];
      const int64_t factor = map.nodes[node.right].value;
      if (node.op == Op::kAdd) {
        by = checked_add(left, right);
      } else if (left == 0 && right == 0) {
        by = 0;
      } else if (node.op == Op::kMul) {
        by = is_constant(node.right)  ? checked_mul(left, factor)
             : is_constant(node.left) ? checked_mul(map.nodes[node.left].value, right)
                                      : std::nullopt;
      } else if (!is_constant(node.right) || factor <= 0) {
        by = std::nullopt;
      } else if (left % factor != 0) {
        const auto longer = checked_mul(length, factor / std::gcd(left % factor, factor));
        if (!longer || *longer > kMostLength) return std::nullopt;
        length = *longer;
        return std::vector<int64_t>();
      } else {
        by = node.op == Op::kMod ? 0 : left / factor;
      }
    }
    if (!by) return std::nullopt;
    grows.push_back(*by);
  }
  return grows;
}

bool fits_64_bits(const IndexingMap& map) {
  return std::ranges::all_of(map.results,
                             [&](NodeId result) { return interval_of(map, result).has_value(); });
}

IndexingMap part_of(const IndexingMap& map, int64_t v, const Interval& bounds) {
  IndexingMap part = map;
  part.dimensions[v].bounds = bounds;
  return part;
}

// The first dimension that by_periods divides, and its period.
std::optional<std::pair<int64_t, Period>> long_dimension(const IndexingMap& map,
                                                         const std::vector<int64_t>& kept) {
  for (int64_t v = 0; v < std::ssize(map.dimensions); ++v) {
    const Interval& bounds = map.dimensions[v].bounds;
    if (std::ranges::find(kept, v) != kept.end() || bounds.low < 0 || bounds.high - bounds.low < 2)
      continue;
    std::optional<Period> period = period_of(map, v);
    if (!period || period->length == 1 || period->length > (bounds.high - bounds.low) / 2) continue;
    return std::pair{v, *std::move(period)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Period> period_of(const IndexingMap& map, int64_t v) {
  for (const Constraint& constraint : map.constraints) {
    const std::vector<int32_t> tied = variables_under(map, constraint.expr);  // in no order
    if (std::ranges::find(tied, v) != tied.end()) return std::nullopt;
  }
  Period period;
  std::optional<std::vector<int64_t>> grows;
  do {
    grows = growth(map, v, period.length);
  } while (grows && grows->empty() && !map.nodes.empty());
  if (!grows) return std::nullopt;
  for (const NodeId result : map.results) period.steps.push_back((*grows)[result]);
  return period;
}

std::vector<IndexingMap> by_periods(const IndexingMap& map, const std::vector<int64_t>& kept) {
  std::vector<IndexingMap> done, open = {map};
  if (!fits_64_bits(map)) return open;
  while (!open.empty()) {
    IndexingMap one = std::move(open.back());
    open.pop_back();
    const auto found = long_dimension(one, kept);
    if (!found || done.size() + open.size() >= kMostMaps) {
      done.push_back(std::move(one));
      continue;
    }
    const auto& [v, period] = *found;
    const Interval bounds = one.dimensions[v].bounds;
    // Without numbers behind the last value, which may be the greatest of int64.
    const int64_t before_last = (bounds.high - bounds.low - (period.length - 1)) / period.length;
    const int64_t last = bounds.low + before_last * period.length + (period.length - 1);
    if (last < bounds.high) open.push_back(part_of(one, v, {last + 1, bounds.high}));
    IndexingMap repeated = part_of(one, v, {bounds.low, bounds.low + period.length - 1});
    const int64_t k = std::ssize(repeated.dimensions);
    repeated.dimensions.push_back({{0, before_last}, ""});
    for (size_t i = 0; i < repeated.results.size(); ++i) {
      const NodeId step = add_constant(repeated.nodes, period.steps[i]);
      const NodeId often = add_variable(repeated.nodes, Op::kDimension, k);
      const NodeId moved = add_operation(repeated.nodes, Op::kMul, often, step);
      repeated.results[i] = add_operation(repeated.nodes, Op::kAdd, repeated.results[i], moved);
    }
    open.push_back(std::move(repeated));
  }
  return done;
}

}  // namespace tileproof::impl
