// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/operations/conditions.h"

#include <algorithm>
#include <utility>

#include "impl/map/simplify.h"

namespace tileproof::impl {

void Conditions::limit(size_t alternatives) {
  constexpr size_t kMostAlternatives = 24;
  if (alternatives > kMostAlternatives) gave_up_ = true;
}

bool Conditions::is_always(const IndexingMap& map) const {
  for (size_t d = 0; d < sizes_.size(); ++d) {
    if (map.dimensions[d].bounds != Interval{0, sizes_[d] - 1}) return false;
  }
  return map.constraints.empty();
}

void Conditions::unite(Alternatives& into, Alternatives more) {
  if (into.size() == 1 && is_always(into[0])) return;
  for (IndexingMap& map : more) {
    if (is_always(map)) into.clear();
    into.push_back(std::move(map));
    if (into.size() == 1 && is_always(into[0])) return;
  }
  limit(into.size());
}

bool Conditions::require(IndexingMap& map, NodeId expression, Interval interval) {
  const absl::StatusOr<Interval> range = impl::range_of(map, expression);
  if (!range.ok()) {
    gave_up_ = true;
    return false;
  }
  if (range->high < interval.low || interval.high < range->low) return false;
  if (interval.low <= range->low && range->high <= interval.high) return true;
  map.constraints.push_back({expression, interval});
  return true;
}

std::optional<Conditions::Both> Conditions::both(const IndexingMap& a, const IndexingMap& b) {
  Both result{a, static_cast<NodeId>(a.nodes.size())};
  for (Node node : b.nodes) {
    if (!is_leaf(node.op)) {
      node.left += result.shift;
      node.right += result.shift;
    }
    result.map.nodes.push_back(node);
  }
  for (size_t d = 0; d < a.dimensions.size(); ++d) {
    Interval& bounds = result.map.dimensions[d].bounds;
    const Interval& other = b.dimensions[d].bounds;
    bounds = {std::max(bounds.low, other.low), std::min(bounds.high, other.high)};
    if (bounds.low > bounds.high) return std::nullopt;
  }
  for (const Constraint& c : b.constraints) {
    const bool is_known = std::ranges::any_of(a.constraints, [&](const Constraint& known) {
      return known.interval == c.interval && same_expression(a.nodes, known.expr, b.nodes, c.expr);
    });
    if (is_known) continue;
    if (!require(result.map, c.expr + result.shift, c.interval)) return std::nullopt;
  }
  return result;
}

Alternatives Conditions::both(const Alternatives& a, const Alternatives& b) {
  Alternatives result;
  for (const IndexingMap& x : a) {
    for (const IndexingMap& y : b) {
      if (auto one = both(x, y)) result.push_back(std::move(one->map));
      limit(result.size());
      if (gave_up_) return {};
    }
  }
  return result;
}

Alternatives Conditions::either(Alternatives a, Alternatives b) {
  unite(a, std::move(b));
  return a;
}

}  // namespace tileproof::impl
