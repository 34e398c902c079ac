// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/merge_maps.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "impl/map/simplify.h"
#include "impl/map/variables.h"
#include "impl/map/visit_nodes.h"
#include "spec/lang/base/checked_arithmetic.h"

namespace tileproof::impl {
namespace {

constexpr size_t kMaxMerged = 64;  // a longer list is left as it is: the work is quadratic

bool is_point(const Variable& variable) { return variable.bounds.low == variable.bounds.high; }
bool is_empty(const Interval& bounds) { return bounds.low > bounds.high; }

// Calls `visit` for each node under the results and constraints, once.
template <class Visit>
void visit_all(const IndexingMap& map, const Visit& visit) {
  visit_nodes(map.nodes, roots_of(map), visit);
}

bool uses_a_point(const IndexingMap& map) {
  bool found = false;
  visit_all(map, [&](NodeId, const Node& node) {
    found = found || (is_variable(node.op) && is_point(variables_of(map, node.op)[node.value]));
  });
  return found;
}

bool sources_use_ranges(const IndexedMap& indexed) {
  return std::ranges::any_of(
      indexed.runtime, [](const RuntimeSource& source) { return !source.map.ranges.empty(); });
}

// ---- One map ----

void replace_points(IndexedMap& indexed) {
  if (!uses_a_point(indexed.map)) return;
  absl::StatusOr<IndexingMap> simple = simplify(indexed.map);
  if (!simple.ok() || simple->known_empty) return;
  indexed.map = *std::move(simple);
  keep_clamps(indexed);
}

void drop_ranges(IndexedMap& indexed) {
  if (!has_unused_variable(indexed.map)) return;
  absl::StatusOr<Removed> removed = remove_unused_variables(indexed.map);
  if (removed.ok()) indexed.map = std::move(removed->map);
}

// The offset of `range + offset`; 0 for the range variable alone.
struct Shifted {
  int64_t range = 0;
  int64_t offset = 0;
};
std::optional<Shifted> shifted_range(const ExprTable& nodes, NodeId root) {
  const Node& node = nodes[root];
  if (node.op != Op::kAdd) return std::nullopt;
  for (const auto& [x, c] : {std::pair(node.left, node.right), std::pair(node.right, node.left)}) {
    if (nodes[x].op == Op::kRange && nodes[c].op == Op::kConstant) {
      return Shifted{nodes[x].value, nodes[c].value};
    }
  }
  return std::nullopt;
}

// Replaces a result `s + c` by s, with other bounds, if nothing else uses s.
void drop_offsets(IndexingMap& map) {
  for (NodeId& result : map.results) {
    const std::optional<Shifted> shifted = shifted_range(map.nodes, result);
    if (!shifted) continue;
    int64_t uses = 0;  // of the result, and of other nodes with the variable
    for (const NodeId other : map.results) uses += other == result ? 1 : 0;
    visit_all(map, [&](NodeId id, const Node& node) {
      if (id == result || is_leaf(node.op)) return;
      for (const NodeId part : {node.left, node.right}) {
        const Node& below = map.nodes[part];
        if (part == result || (below.op == Op::kRange && below.value == shifted->range)) ++uses;
      }
    });
    const auto is_range = [&](NodeId id) {
      return map.nodes[id].op == Op::kRange && map.nodes[id].value == shifted->range;
    };
    for (const NodeId other : map.results) uses += is_range(other) ? 1 : 0;
    for (const Constraint& c : map.constraints) {
      uses += is_range(c.expr) || c.expr == result ? 1 : 0;
    }
    Interval& bounds = map.ranges[shifted->range].bounds;
    const auto low = checked_add(bounds.low, shifted->offset);
    const auto high = checked_add(bounds.high, shifted->offset);
    if (uses != 1 || !low || !high) continue;
    bounds = {*low, *high};
    result = add_variable(map.nodes, Op::kRange, shifted->range);
  }
}

// ---- Two maps ----

bool same_source(const RuntimeSource& x, const RuntimeSource& y) {
  const IndexingMap &a = x.map, &b = y.map;
  if (!(x.position == y.position) || x.feasible != y.feasible) return false;
  const bool as_written = a.constraints.empty() && b.constraints.empty() && a.nodes == b.nodes &&
                          a.results == b.results && a.known_empty == b.known_empty;
  return as_written ? a.dimensions == b.dimensions && a.ranges == b.ranges && a.runtime == b.runtime
                    : a == b;
}

// Whether the maps differ at most in bounds of variables and of constraints.
bool same_but_for_bounds(const IndexedMap& x, const IndexedMap& y) {
  const IndexingMap &a = x.map, &b = y.map;
  if (a.known_empty || b.known_empty || a.runtime != b.runtime ||
      a.dimensions.size() != b.dimensions.size() || a.ranges.size() != b.ranges.size() ||
      a.results.size() != b.results.size() || a.constraints.size() != b.constraints.size()) {
    return false;
  }
  for (size_t i = 0; i < a.results.size(); ++i) {
    if (!same_expression(a.nodes, a.results[i], b.nodes, b.results[i])) return false;
  }
  for (size_t i = 0; i < a.constraints.size(); ++i) {
    if (!same_expression(a.nodes, a.constraints[i].expr, b.nodes, b.constraints[i].expr)) {
      return false;
    }
  }
  return std::ranges::equal(x.runtime, y.runtime, same_source);
}

// All bounds of a map but those of runtime variables.
std::vector<Interval*> bounds_of(IndexingMap& map) {
  std::vector<Interval*> all;
  for (Variable& variable : map.dimensions) all.push_back(&variable.bounds);
  for (Variable& variable : map.ranges) all.push_back(&variable.bounds);
  for (Constraint& constraint : map.constraints) all.push_back(&constraint.interval);
  return all;
}

bool contains(const Interval& a, const Interval& b) { return a.low <= b.low && b.high <= a.high; }

// Whether the union is an interval: no integer lies between the two.
bool touch(const Interval& a, const Interval& b) {
  const auto follows = [](const Interval& first, const Interval& second) {
    return first.high == INT64_MAX || second.low <= first.high + 1;
  };
  return !is_empty(a) && !is_empty(b) && follows(a, b) && follows(b, a);
}

// Whether the map's expression is always between these bounds, as intervals show.
bool is_between(const IndexingMap& map, NodeId root, const Interval& bounds) {
  const Node& node = map.nodes[root];
  if (is_variable(node.op) && contains(bounds, variables_of(map, node.op)[node.value].bounds)) {
    return true;
  }
  const absl::StatusOr<Interval> range = range_of(map, root);
  return range.ok() && contains(bounds, *range);
}

// The range variable that a result is, if the map uses it nowhere else.
std::optional<int64_t> free_range(const IndexingMap& map, size_t result) {
  const Node& root = map.nodes[map.results[result]];
  if (root.op != Op::kRange) return std::nullopt;
  const auto is_root = [&](NodeId id) { return map.nodes[id] == root; };
  bool is_used = std::ranges::count_if(map.results, is_root) > 1;
  for (const Constraint& c : map.constraints) is_used = is_used || is_root(c.expr);
  visit_all(map, [&](NodeId, const Node& node) {
    is_used = is_used || (!is_leaf(node.op) && (is_root(node.left) || is_root(node.right)));
  });
  return is_used ? std::nullopt : std::optional(root.value);
}

// Whether each range variable that the map uses, but for `free` ones, takes all values that the
// one of this number takes in `inner`.
bool keeps_ranges(const IndexingMap& map, const IndexingMap& inner, const std::vector<char>& free) {
  bool keeps = true;
  visit_all(map, [&](NodeId, const Node& node) {
    if (node.op != Op::kRange || free[node.value]) return;
    keeps = keeps && node.value < std::ssize(inner.ranges) &&
            contains(map.ranges[node.value].bounds, inner.ranges[node.value].bounds);
  });
  return keeps;
}

// Whether values that are read decide which pairs the map has.
bool depends_on_runtime(const IndexedMap& indexed) {
  bool depends = false;
  visit_all(indexed.map,
            [&](NodeId, const Node& node) { depends = depends || node.op == Op::kRuntime; });
  return depends;
}

bool has_constraint(const IndexingMap& map, const ExprTable& nodes, const Constraint& wanted) {
  return std::ranges::any_of(map.constraints, [&](const Constraint& c) {
    return contains(wanted.interval, c.interval) &&
           same_expression(nodes, wanted.expr, map.nodes, c.expr);
  });
}

// Whether each pair of `x` visibly is one of `y`: each result of y is the same, or any index; each
// condition of y is one of x.
bool is_inside(const IndexedMap& x, const IndexedMap& y) {
  const IndexingMap &inner = x.map, &outer = y.map;
  if (inner.known_empty || outer.known_empty || inner.results.size() != outer.results.size() ||
      inner.dimensions.size() != outer.dimensions.size()) {
    return false;
  }
  for (size_t d = 0; d < outer.dimensions.size(); ++d) {
    if (!contains(outer.dimensions[d].bounds, inner.dimensions[d].bounds)) return false;
  }
  if (!std::ranges::all_of(outer.constraints, [&](const Constraint& needed) {
        return has_constraint(inner, outer.nodes, needed);
      })) {
    return false;
  }
  // Elements that are read can depend on range variables, so these have to be the same.
  const bool reads = depends_on_runtime(y), fixed = reads && sources_use_ranges(y);
  if (reads &&
      (inner.runtime != outer.runtime || !std::ranges::equal(x.runtime, y.runtime, same_source))) {
    return false;
  }
  if (fixed && inner.ranges != outer.ranges) return false;
  std::vector<char> free;
  for (size_t i = 0; i < outer.results.size(); ++i) {
    if (same_expression(outer.nodes, outer.results[i], inner.nodes, inner.results[i])) continue;
    const std::optional<int64_t> range = fixed ? std::nullopt : free_range(outer, i);
    if (!range || !is_between(inner, inner.results[i], outer.ranges[*range].bounds)) return false;
    free.resize(outer.ranges.size());
    free[*range] = 1;
  }
  free.resize(outer.ranges.size());
  return keeps_ranges(outer, inner, free);
}

// Drops a constraint that says no more than the bounds of the variables and the others.
void drop_implied(IndexingMap& map, size_t constraint) {
  const Constraint implied = map.constraints[constraint];
  IndexingMap rest = map;
  rest.constraints.erase(rest.constraints.begin() + static_cast<std::ptrdiff_t>(constraint));
  if (is_between(rest, implied.expr, implied.interval)) map = std::move(rest);
}

// Whether the bounds of variables follow from those of `hull` where the constraint is in `interval`.
bool implies_bounds(const IndexingMap& hull, size_t constraint, const Interval& interval,
                    const IndexingMap& part) {
  IndexingMap here = hull;
  here.constraints[constraint].interval = interval;
  for (const Op kind : {Op::kDimension, Op::kRange}) {
    for (size_t v = 0; v < variables_of(part, kind).size(); ++v) {
      const Interval& bounds = variables_of(part, kind)[v].bounds;
      if (bounds == variables_of(hull, kind)[v].bounds) continue;
      const absl::StatusOr<Interval> range =
          range_of(here, add_variable(here.nodes, kind, static_cast<int64_t>(v)));
      if (!range.ok() || !contains(bounds, *range)) return false;
    }
  }
  return true;
}

// Makes `into` the union of both if that is one map.
bool join(IndexedMap& into, IndexedMap& other) {
  if (is_inside(other, into)) return true;
  if (is_inside(into, other)) {
    into = other;
    return true;
  }
  if (!same_but_for_bounds(into, other)) return false;
  IndexedMap hull = into;
  const std::vector<Interval*> a = bounds_of(hull.map), b = bounds_of(other.map);
  const size_t variables = into.map.dimensions.size() + into.map.ranges.size();
  std::vector<size_t> differing;
  for (size_t i = 0; i < a.size(); ++i) {
    if (*a[i] != *b[i]) differing.push_back(i);
  }
  // One of them, or a constraint from which those of the variables follow.
  const auto constraints =
      std::ranges::count_if(differing, [&](size_t i) { return i >= variables; });
  if (differing.empty() || (differing.size() > 1 && constraints != 1)) return false;
  const size_t at = differing.back();
  if (!touch(*a[at], *b[at])) return false;
  const Interval first = *a[at], second = *b[at];
  for (size_t i = 0; i < a.size(); ++i) {
    *a[i] = {std::min(a[i]->low, b[i]->low), std::max(a[i]->high, b[i]->high)};
  }
  if (at >= variables) {
    const size_t constraint = at - variables;
    if (!implies_bounds(hull.map, constraint, first, into.map) ||
        !implies_bounds(hull.map, constraint, second, other.map)) {
      return false;
    }
    drop_implied(hull.map, constraint);
  }
  into = std::move(hull);
  return true;
}

void renumber(IndexingMap& map, const std::vector<int64_t>& numbers, size_t kept) {
  for (Node& node : map.nodes) {
    if (node.op != Op::kRuntime) continue;
    const int64_t number = numbers[node.value];
    node = number < 0 ? Node{} : Node{.op = Op::kRuntime, .value = number};
  }
  if (map.runtime.empty()) return;
  std::vector<Variable> runtime(kept);
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] >= 0) runtime[numbers[i]] = map.runtime[i];
  }
  map.runtime = std::move(runtime);
}

}  // namespace

void merge_maps(std::vector<IndexedMap>& maps) {
  for (IndexedMap& indexed : maps) {
    replace_points(indexed);
    if (sources_use_ranges(indexed)) continue;
    drop_ranges(indexed);
    if (maps.size() > 1) drop_offsets(indexed.map);
  }
  for (bool joined = maps.size() <= kMaxMerged; joined;) {
    joined = false;
    for (size_t i = 0; i < maps.size(); ++i) {
      for (size_t j = maps.size(); --j > i;) {
        if (!join(maps[i], maps[j])) continue;
        maps.erase(maps.begin() + static_cast<std::ptrdiff_t>(j));
        joined = true;
      }
    }
  }
  for (IndexedMap& indexed : maps) {
    if (!indexed.runtime.empty()) indexed = without_unused_runtime(std::move(indexed));
  }
}

void keep_clamps(IndexedMap& indexed) {
  IndexingMap& map = indexed.map;
  std::vector<Interval> known;
  bool is_tight = false;
  for (size_t r = 0; r < map.runtime.size(); ++r) {
    known.push_back(map.runtime[r].bounds);
    map.runtime[r].bounds = indexed.runtime[r].feasible;
    is_tight = is_tight || !contains(known[r], map.runtime[r].bounds);
  }
  if (!is_tight) return;
  const absl::StatusOr<IndexingMap> implied = simplify(map);
  for (size_t r = 0; r < known.size(); ++r) {
    if (contains(known[r], implied.ok() ? implied->runtime[r].bounds : map.runtime[r].bounds)) {
      continue;
    }
    const NodeId variable = add_variable(map.nodes, Op::kRuntime, static_cast<int64_t>(r));
    map.constraints.push_back({variable, known[r]});
  }
}

IndexedMap without_unused_runtime(IndexedMap indexed) {
  const size_t count = indexed.runtime.size();
  if (count == 0) return indexed;
  std::vector<char> used(count, 0);
  const auto mark = [&](NodeId, const Node& node) {
    if (node.op == Op::kRuntime) used[node.value] = 1;
  };
  visit_all(indexed.map, mark);
  for (size_t i = count; i-- > 0;) {  // a source depends on earlier variables
    if (used[i]) visit_all(indexed.runtime[i].map, mark);
  }
  std::vector<int64_t> numbers(count, -1);
  std::vector<RuntimeSource> sources;
  for (size_t i = 0; i < count; ++i) {
    if (!used[i]) continue;
    numbers[i] = std::ssize(sources);
    sources.push_back(std::move(indexed.runtime[i]));
  }
  renumber(indexed.map, numbers, sources.size());
  for (RuntimeSource& source : sources) renumber(source.map, numbers, sources.size());
  indexed.runtime = std::move(sources);
  return indexed;
}

}  // namespace tileproof::impl
