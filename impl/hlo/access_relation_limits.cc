// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/access_relation_limits.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "impl/hlo/offsets/runtime_terms.h"
#include "impl/map/variables.h"

namespace tileproof::impl {
namespace {

// A union of more relations looks for relations that contain others.
constexpr size_t kMaxUncompared = 4;

// Marks all nodes under marked nodes.
void mark_below(const ExprTable& nodes, std::vector<char>& needed) {
  for (NodeId id = static_cast<NodeId>(nodes.size()) - 1; id >= 0; --id) {
    if (needed[id] && !is_leaf(nodes[id].op)) needed[nodes[id].left] = needed[nodes[id].right] = 1;
  }
}

// The runtime variables that the index, a constraint, or the element of a needed variable depends
// on. A bound tighter than the feasible values is a constraint.
std::vector<char> needed_runtime(const AccessRelation& relation) {
  const IndexingMap& map = relation.map;
  std::vector<char> needed(map.runtime.size(), 0), nodes(map.nodes.size(), 0);
  for (int32_t i = 0; i < relation.rank; ++i) nodes[map.results[i]] = 1;
  for (const Constraint& constraint : map.constraints) nodes[constraint.expr] = 1;
  const std::vector<size_t> first = first_results(relation);
  bool more = true;
  const auto need = [&](size_t variable) {
    if (needed[variable]) return;
    needed[variable] = more = true;
    for (int32_t i = 0; i < relation.runtime[variable].rank; ++i) {
      nodes[map.results[first[variable] + i]] = 1;
    }
  };
  for (size_t i = 0; i < needed.size(); ++i) {
    if (map.runtime[i].bounds != relation.runtime[i].feasible) need(i);
  }
  while (std::exchange(more, false)) {
    mark_below(map.nodes, nodes);
    for (size_t id = 0; id < nodes.size(); ++id) {
      if (nodes[id] && map.nodes[id].op == Op::kRuntime) need(map.nodes[id].value);
    }
  }
  return needed;
}

void drop_runtime(AccessRelation& relation, const std::vector<char>& needed) {
  if (std::ranges::all_of(needed, [](char n) { return n != 0; })) return;
  const std::vector<size_t> first = first_results(relation);
  IndexingMap& map = relation.map;
  std::vector<NodeId> results(map.results.begin(), map.results.begin() + relation.rank);
  std::vector<Variable> runtime;
  std::vector<RuntimeValue> values;
  std::vector<int64_t> numbers(needed.size(), 0);
  for (size_t i = 0; i < needed.size(); ++i) {
    if (!needed[i]) continue;
    numbers[i] = std::ssize(runtime);
    runtime.push_back(map.runtime[i]);
    values.push_back(relation.runtime[i]);
    for (int32_t k = 0; k < values.back().rank; ++k) results.push_back(map.results[first[i] + k]);
  }
  for (Node& node : map.nodes) {
    if (node.op != Op::kRuntime) continue;
    if (needed[node.value]) {
      node.value = numbers[node.value];
    } else {
      node = {};  // nothing uses it any more
    }
  }
  map.results = std::move(results);
  map.runtime = std::move(runtime);
  relation.runtime = std::move(values);
}

// Whether two values are written as the same element.
bool is_one_value(const AccessRelation& relation, const std::vector<size_t>& first, size_t i,
                  size_t j) {
  if (relation.runtime[i] != relation.runtime[j]) return false;
  const IndexingMap& map = relation.map;
  for (int32_t k = 0; k < relation.runtime[i].rank; ++k) {
    const NodeId x = map.results[first[i] + k], y = map.results[first[j] + k];
    if (!same_expression(map.nodes, x, map.nodes, y)) return false;
  }
  return true;
}

// The last runtime variables become range variables.
void limit_runtime(AccessRelation& relation) {
  const size_t count = relation.runtime.size();
  if (count <= kMaxRuntime) return;
  IndexingMap& map = relation.map;
  const std::vector<size_t> first = first_results(relation);
  const int64_t ranges = std::ssize(map.ranges) - static_cast<int64_t>(kMaxRuntime);
  for (Node& node : map.nodes) {
    if (node.op == Op::kRuntime && node.value >= static_cast<int64_t>(kMaxRuntime)) {
      node = {.op = Op::kRange, .value = ranges + node.value};
    }
  }
  map.ranges.insert(map.ranges.end(), map.runtime.begin() + kMaxRuntime, map.runtime.end());
  map.runtime.resize(kMaxRuntime);
  map.results.resize(first[kMaxRuntime]);
  relation.runtime.resize(kMaxRuntime);
  relation.inexact = true;
  relation.reason = absl::StrCat("more than ", kMaxRuntime, " runtime variables in one map");
}

// Sorts range variables by their first use in the results, then in the constraints. Drops unused
// ones. (A range without values is not among them: simplify would have found the map empty.)
void number_ranges(IndexingMap& map) {
  std::vector<int64_t> numbers(map.ranges.size(), -1);
  std::vector<Variable> ranges;
  std::vector<char> seen(map.nodes.size(), 0);
  std::vector<NodeId> open;
  const auto visit = [&](NodeId root) {
    open.assign(1, root);
    while (!open.empty() && ranges.size() < numbers.size()) {
      const Node& node = map.nodes[open.back()];
      const bool again = std::exchange(seen[open.back()], 1) != 0;
      open.pop_back();
      if (again) continue;
      if (node.op == Op::kRange && numbers[node.value] < 0) {
        numbers[node.value] = std::ssize(ranges);
        ranges.push_back(map.ranges[node.value]);
      } else if (!is_leaf(node.op)) {
        open.push_back(node.right);
        open.push_back(node.left);
      }
    }
  };
  for (NodeId result : map.results) visit(result);
  for (const Constraint& constraint : map.constraints) visit(constraint.expr);
  for (Node& node : map.nodes) {
    if (node.op != Op::kRange) continue;
    if (numbers[node.value] < 0) {
      node = {};  // nothing uses it any more
    } else {
      node.value = numbers[node.value];
    }
  }
  map.ranges = std::move(ranges);
}

// Whether the result is a range variable with all values of the dimension that no later result is.
bool covers_dimension(const AccessRelation& a, int32_t i, const Dims& operand) {
  if (operand[i] == 1) return true;
  const IndexingMap& map = a.map;
  const Node& node = map.nodes[map.results[i]];
  if (node.op != Op::kRange || map.ranges[node.value].bounds != Interval{0, operand[i] - 1}) {
    return false;
  }
  for (int32_t j = i + 1; j < a.rank; ++j) {
    if (map.nodes[map.results[j]] == node) return false;
  }
  return true;
}

// Drops relations that another one contains. Compares the relations from `first` on with all before
// them. No two relations contain each other: they would be equal, and `add` keeps one of these.
void drop_contained(UnionMap& union_map, size_t first, const Dims& output, const Dims& operand) {
  std::vector<AccessRelationPtr>& all = union_map.relations;
  std::vector<char> gone(all.size(), 0);
  for (size_t i = first; i < all.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (contains(*all[j], *all[i], output, operand)) {
        gone[i] = 1;
      } else if (contains(*all[i], *all[j], output, operand)) {
        gone[j] = 1;
      }
    }
  }
  size_t kept = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!gone[i]) all[kept++] = all[i];
  }
  all.resize(kept);
}

}  // namespace

std::vector<size_t> first_results(const AccessRelation& relation) {
  std::vector<size_t> first;
  size_t next = relation.rank;
  for (const RuntimeValue& value : relation.runtime) {
    first.push_back(next);
    next += value.rank;
  }
  return first;
}

bool contains(const AccessRelation& a, const AccessRelation& b, const Dims& output,
              const Dims& operand) {
  if (!a.runtime.empty() || !a.map.constraints.empty()) return false;
  for (size_t i = 0; i < output.size(); ++i) {
    if (a.map.dimensions[i].bounds != Interval{0, output[i] - 1}) return false;
  }
  for (int32_t i = 0; i < a.rank; ++i) {
    const NodeId x = a.map.results[i], y = b.map.results[i];
    if (covers_dimension(a, i, operand)) continue;
    if (!same_expression(a.map.nodes, x, b.map.nodes, y) || uses(a.map, x, Op::kRange))
      return false;
  }
  return true;
}

bool merge_runtime(AccessRelation& relation) {
  const size_t count = relation.runtime.size();
  if (count < 2) return false;
  const std::vector<size_t> first = first_results(relation);
  IndexingMap& map = relation.map;
  std::vector<char> kept(count, 1);
  for (size_t j = 1; j < count; ++j) {
    // The first variable with the value of j, perhaps j itself. It is kept.
    size_t i = 0;
    while (!is_one_value(relation, first, i, j)) ++i;
    if (i == j) continue;
    kept[j] = 0;
    for (Node& node : map.nodes) {
      if (node.op == Op::kRuntime && node.value == static_cast<int64_t>(j)) {
        node.value = static_cast<int64_t>(i);
      }
    }
    Interval& bounds = map.runtime[i].bounds;
    const Interval other = map.runtime[j].bounds;
    bounds = {std::max(bounds.low, other.low), std::min(bounds.high, other.high)};
  }
  drop_runtime(relation, kept);
  return std::ranges::count(kept, 0) > 0;
}

void tidy(AccessRelation& relation) {
  if (!relation.runtime.empty()) {
    drop_runtime(relation, needed_runtime(relation));
    limit_runtime(relation);
  }
  tidy_ranges(relation);
}

void tidy_ranges(AccessRelation& relation) {
  if (relation.map.ranges.empty()) return;
  if (!relation.map.constraints.empty() && has_unused_variable(relation.map)) {
    absl::StatusOr<Removed> removed = remove_unused_variables(relation.map);
    if (removed.ok()) relation.map = std::move(removed->map);
  }
  number_ranges(relation.map);
}

bool beyond_limits(const AccessRelation& relation) {
  const IndexingMap& map = relation.map;
  return map.ranges.size() > kMaxRanges || map.nodes.size() > kMaxNodes ||
         map.constraints.size() > kMaxConstraints;
}

void reduce_union(UnionMap& union_map, const Dims& output, const Dims& operand) {
  const size_t count = union_map.relations.size();
  if (count <= kMaxUncompared) return;
  // The relations before the last have been compared with each other.
  drop_contained(union_map, count == kMaxUncompared + 1 ? 0 : count - 1, output, operand);
  if (union_map.relations.size() <= kMaxRelations) return;
  add_universe(union_map, std::make_shared<const std::string>(absl::StrCat(
                              "more than ", kMaxRelations, " maps between two arrays")));
}

}  // namespace tileproof::impl
