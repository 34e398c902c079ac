// SPDX-License-Identifier: Apache-2.0
#include "impl/map/variables.h"

#include <algorithm>
#include <optional>

#include "impl/map/evaluate.h"
#include "impl/map/groups.h"
#include "impl/map/normal_form/normalize.h"
#include "impl/map/visit_nodes.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

std::vector<Interval> all_bounds(const IndexingMap& map) {
  std::vector<Interval> bounds;
  for (Op kind : kVariableKinds) {
    for (const Variable& variable : variables_of(map, kind)) bounds.push_back(variable.bounds);
  }
  return bounds;
}

// The value of an expression at a corner of the box, if no intermediate value leaves 64 bits.
std::optional<int64_t> value_at(const IndexingMap& map, NodeId root,
                                const std::vector<Interval>& bounds, bool high) {
  const auto corner = [&](const Node& node) {
    const Interval& interval = bounds[variable_atom(map, node.op, node.value)];
    return std::optional(high ? interval.high : interval.low);
  };
  return values_of_nodes(map.nodes, root + 1, corner)[root];
}

bool holds_at_corner(const IndexingMap& map, const Constraint& constraint,
                     const std::vector<Interval>& bounds, bool high) {
  const std::optional<int64_t> value = value_at(map, constraint.expr, bounds, high);
  return value && constraint.interval.low <= *value && *value <= constraint.interval.high;
}

// For each group, by its number: whether it may be removed.
std::vector<char> removable_groups(const IndexingMap& map, Removable removable, Groups& groups,
                                   const std::vector<std::vector<int32_t>>& used) {
  const std::vector<Interval> bounds = all_bounds(map);
  std::vector<char> may_go(bounds.size(), 1), at_low(bounds.size(), 1), at_high(bounds.size(), 1);
  for (NodeId result : map.results) {
    for (int32_t variable : variables_under(map, result)) may_go[groups.of(variable)] = 0;
  }
  for (int32_t i = 0; i < std::ssize(bounds); ++i) {
    const auto dims = std::ssize(map.dimensions), ranges = std::ssize(map.ranges);
    const bool allowed = i < dims            ? removable.dimensions
                         : i < dims + ranges ? removable.ranges
                                             : removable.runtime;
    if (!allowed || bounds[i].low > bounds[i].high) may_go[groups.of(i)] = 0;
  }
  for (size_t i = 0; i < map.constraints.size(); ++i) {
    if (used[i].empty()) continue;
    const int64_t group = groups.of(used[i].front());
    if (!may_go[group]) continue;
    if (!holds_at_corner(map, map.constraints[i], bounds, false)) at_low[group] = 0;
    if (!holds_at_corner(map, map.constraints[i], bounds, true)) at_high[group] = 0;
  }
  for (size_t i = 0; i < bounds.size(); ++i) {
    if (!at_low[i] && !at_high[i]) may_go[i] = 0;
  }
  return may_go;
}

}  // namespace

std::vector<int32_t> variables_under(const IndexingMap& map, NodeId root) {
  std::vector<int32_t> found;
  visit_nodes(map.nodes, {root}, [&](NodeId, const Node& node) {
    if (is_variable(node.op)) found.push_back(variable_atom(map, node.op, node.value));
  });
  return found;
}

bool has_unused_variable(const IndexingMap& map, Removable removable) {
  std::vector<char> used(map.dimensions.size() + map.ranges.size() + map.runtime.size(), 0);
  visit_nodes(map.nodes, map.results, [&](NodeId, const Node& node) {
    if (is_variable(node.op)) used[variable_atom(map, node.op, node.value)] = 1;
  });
  const auto is_candidate = [&](Op kind, bool allowed) {
    const auto first = used.begin() + variable_atom(map, kind, 0);
    return allowed && std::find(first, first + std::ssize(variables_of(map, kind)), 0) !=
                          first + std::ssize(variables_of(map, kind));
  };
  return is_candidate(Op::kDimension, removable.dimensions) ||
         is_candidate(Op::kRange, removable.ranges) ||
         is_candidate(Op::kRuntime, removable.runtime);
}

namespace {

// Renumbers the variables. Removed ones get no number.
void renumber(IndexingMap& map, const std::vector<bool>& gone) {
  std::vector<int64_t> numbers(gone.size());
  size_t next = 0;
  const auto keep = [&](std::vector<Variable>& variables) {
    std::vector<Variable> kept;
    for (Variable& variable : variables) {
      numbers[next] = std::ssize(kept);
      if (!gone[next++]) kept.push_back(std::move(variable));
    }
    return kept;
  };
  std::vector<Variable> dimensions = keep(map.dimensions), ranges = keep(map.ranges),
                        runtime = keep(map.runtime);
  for (Node& node : map.nodes) {
    if (!is_variable(node.op)) continue;
    const int32_t old = variable_atom(map, node.op, node.value);
    // No expression uses the nodes of a removed variable any more.
    if (gone[old]) {
      node = {};
    } else {
      node.value = numbers[old];
    }
  }
  map.dimensions = std::move(dimensions);
  map.ranges = std::move(ranges);
  map.runtime = std::move(runtime);
}

}  // namespace

absl::StatusOr<Removed> remove_unused_variables(const IndexingMap& map, Removable removable) {
  TRY(validate_map(map));
  const size_t count = map.dimensions.size() + map.ranges.size() + map.runtime.size();
  Removed removed{map, std::vector<bool>(count, false)};
  if (map.known_empty) return removed;
  if (!has_unused_variable(map, removable)) {
    if (!names_are_distinct(removed.map)) clear_names(removed.map);
    return removed;
  }
  Groups groups(count);
  std::vector<std::vector<int32_t>> used;
  for (const Constraint& constraint : map.constraints) {
    used.push_back(variables_under(map, constraint.expr));
    for (int32_t variable : used.back()) groups.tie(variable, used.back().front());
  }
  const std::vector<char> may_go = removable_groups(map, removable, groups, used);
  for (int32_t i = 0; i < std::ssize(removed.gone); ++i)
    removed.gone[i] = may_go[groups.of(i)] != 0;
  std::vector<Constraint> kept;
  for (size_t i = 0; i < map.constraints.size(); ++i) {
    if (used[i].empty() || !removed.gone[used[i].front()]) kept.push_back(map.constraints[i]);
  }
  removed.map.constraints = std::move(kept);
  renumber(removed.map, removed.gone);
  if (!names_are_distinct(removed.map)) clear_names(removed.map);
  return removed;
}

absl::StatusOr<IndexingMap> ranges_to_dimensions(const IndexingMap& map) {
  TRY(validate_map(map));
  IndexingMap out = map;
  out.dimensions.insert(out.dimensions.end(), map.ranges.begin(), map.ranges.end());
  out.ranges.clear();
  for (Node& node : out.nodes) {
    if (node.op != Op::kRange) continue;
    node = {.op = Op::kDimension, .value = node.value + std::ssize(map.dimensions)};
  }
  if (!names_are_distinct(out)) clear_names(out);
  return out;
}

}  // namespace tileproof::impl
