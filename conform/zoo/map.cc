// SPDX-License-Identifier: Apache-2.0
// map.simplify, map.evaluate, map.compose and map.equal: what no line of text states (rule.h).
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "conform/oracle/fields.h"
#include "conform/zoo/variants.h"
#include "impl/map/simplify.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::zoo {
namespace {

using conform::Json;

bool is_empty(const Variable& variable) { return variable.bounds.low > variable.bounds.high; }

// Which variables of a kind these expressions use.
std::vector<bool> used(const IndexingMap& map, Op kind, absl::Span<const NodeId> roots) {
  std::vector<bool> used(variables_of(map, kind).size(), false);
  for (NodeId id : spec::nodes_under(map.nodes, roots)) {
    if (map.nodes[id].op == kind) used[map.nodes[id].value] = true;
  }
  return used;
}

// Matches `left op c` with a constant c.
bool is_by(const IndexingMap& map, NodeId id, Op op, int64_t c) {
  const Node& node = map.nodes[id];
  return node.op == op && map.nodes[node.right] == Node{.op = Op::kConstant, .value = c};
}

// ---- map.simplify ----

// Replaces an expression that a constraint keeps in [low, high] by a variable in [0, high - low],
// and forgets to add `low` where a result is this expression.
bool offset_forgotten(IndexingMap& map) {
  bool any = false;
  for (NodeId& result : map.results) {
    for (const Constraint& constraint : map.constraints) {
      const int64_t low = constraint.interval.low;
      if (is_leaf(map.nodes[constraint.expr].op) || low == 0 || low == INT64_MIN) continue;
      if (!same_expression(map.nodes, constraint.expr, map.nodes, result)) continue;
      result = add_operation(map.nodes, Op::kAdd, result, add_constant(map.nodes, -low));
      any = true;
      break;
    }
  }
  return any;
}

// The bounds of dimension i serve for range variable i.
bool bounds_by_position(IndexingMap& map) {
  static const auto* const kInRange =
      new StatedRules(*parse_rules("S mod m -> S if m > 1, 0 <= S < m, low(S) <= high(S)"));
  const std::vector<Variable> ranges = map.ranges;
  for (size_t i = 0; i < std::min(ranges.size(), map.dimensions.size()); ++i) {
    map.ranges[i].bounds = map.dimensions[i].bounds;
  }
  for (size_t i = map.dimensions.size(); i < ranges.size(); ++i) map.ranges[i].bounds = {-1, 0};
  const bool any = apply(*kInRange, map);
  map.ranges = ranges;
  return any;
}

// Drops a constraint together with an unused range variable in it, even if it restricts other
// variables.
bool drop_with_unused_range(IndexingMap& map) {
  const std::vector<bool> kept = used(map, Op::kRange, map.results);
  return std::erase_if(map.constraints, [&](const Constraint& constraint) {
           const std::vector<bool> in = used(map, Op::kRange, {&constraint.expr, 1});
           return !std::ranges::equal(in, kept, [](bool a, bool b) { return !a || b; });
         }) > 0;
}

// x - y = 0: puts y in the place of x and drops the constraint, so the bounds of x on y are lost.
bool substituted_without_bounds(IndexingMap& map) {
  for (size_t i = 0; i < map.constraints.size(); ++i) {
    const Constraint constraint = map.constraints[i];
    const Node sum = map.nodes[constraint.expr];
    if (sum.op != Op::kAdd || !(constraint.interval == Interval{0, 0})) continue;
    if (!is_by(map, sum.right, Op::kMul, -1)) continue;
    const Node x = map.nodes[sum.left], y = map.nodes[map.nodes[sum.right].left];
    if (!is_variable(x.op) || !is_variable(y.op) || x == y) continue;
    map.constraints.erase(map.constraints.begin() + static_cast<int64_t>(i));
    std::ranges::replace(map.nodes, x, y);
    return true;
  }
  return false;
}

// x mod -1 folds to a constant, which the caller casts to a remainder.
int cast_of_folded_remainder(const Json& request, const conform::Answer&) {
  const absl::StatusOr<IndexingMap> map = conform::map_under(request, "map");
  if (!map.ok()) return 0;
  for (NodeId id = 0; id < std::ssize(map->nodes); ++id) {
    if (is_by(*map, id, Op::kMod, -1)) return SIGSEGV;
  }
  return 0;
}

// Divides by a constant 0.
int divides_by_zero(const Json& request, const conform::Answer& right) {
  const std::string map = text_under(request, "map");
  if (is_result(right)) return 0;
  const std::string other = absl::StrReplaceAll(
      map, {{"floordiv 0)", "floordiv 1)"}, {"ceildiv 0)", "ceildiv 1)"}, {"mod 0)", "mod 1)"}});
  return other != map && parse_map(other).ok() ? SIGFPE : 0;
}

// ---- map.evaluate ----

// Divides INT64_MIN by -1 in machine integers.
int least_by_minus_one(const Json& request, const conform::Answer&) {
  const absl::StatusOr<IndexingMap> map = conform::map_under(request, "map");
  const absl::StatusOr<spec::Point> point = conform::point_in(request);
  if (!map.ok() || !point.ok()) return 0;
  for (NodeId id = 0; id < std::ssize(map->nodes); ++id) {
    if (!is_by(*map, id, Op::kFloorDiv, -1)) continue;
    const Node& left = map->nodes[map->nodes[id].left];
    const bool dimension = left.op == Op::kDimension && left.value < std::ssize(point->dims);
    const int64_t value = dimension                  ? point->dims[left.value]
                          : left.op == Op::kConstant ? left.value
                                                     : 0;
    if (value == INT64_MIN) return SIGFPE;
  }
  return 0;
}

// ---- map.compose: other maps ----

// Only the dimensions that a result of the second map uses restrict the first map's results.
bool unused_dimensions_free(IndexingMap&, IndexingMap& second) {
  const std::vector<bool> restricts = used(second, Op::kDimension, second.results);
  bool any = false;
  for (size_t i = 0; i < restricts.size(); ++i) {
    Variable& variable = second.dimensions[i];
    if (restricts[i] || is_empty(variable)) continue;
    variable.bounds = {INT64_MIN, INT64_MAX};
    any = true;
  }
  return any;
}

// If the second map has runtime variables, the constraints of the first are forgotten.
bool constraints_lost_with_runtime(IndexingMap& first, IndexingMap& second) {
  if (second.runtime.empty() || first.constraints.empty()) return false;
  first.constraints.clear();
  return true;
}

// The range variables of the second map get the bounds of those of the first.
bool ranges_of_the_first(IndexingMap& first, IndexingMap& second) {
  const size_t most = std::min(first.ranges.size(), second.ranges.size());
  for (size_t i = 0; i < most; ++i) second.ranges[i].bounds = first.ranges[i].bounds;
  return most > 0;
}

// Substitutes one variable after the other: what an earlier result puts in is substituted again.
bool substituted_in_sequence(IndexingMap& first, IndexingMap&) {
  if (first.dimensions.size() < 2) return false;
  for (size_t i = 1; i < first.results.size(); ++i) {
    // A later substitution replaces dimension i in the results before it.
    for (size_t j = 0; j < i; ++j) {
      const Node& node = first.nodes[first.results[j]];
      if (node.op == Op::kDimension && node.value == static_cast<int64_t>(i)) {
        first.results[j] = first.results[i];
      }
    }
  }
  return true;
}

// An empty map keeps its runtime variables' bounds. Without other variables, nothing in a
// composition says that it is empty.
bool emptiness_forgotten(IndexingMap& first, IndexingMap& second) {
  bool any = false;
  for (IndexingMap* map : {&first, &second}) {
    const bool only_runtime = map->dimensions.empty() && map->ranges.empty();
    const absl::StatusOr<IndexingMap> simple = impl::simplify(*map);
    if (!only_runtime || map->runtime.empty() || !simple.ok() || !simple->known_empty) continue;
    if (std::ranges::any_of(map->runtime, is_empty)) return false;
    map->constraints.clear();
    for (NodeId& result : map->results) result = add_constant(map->nodes, 0);
    any = true;
  }
  return any;
}

// ---- map.compose: other compositions ----

// The variables of a kind are those of the first map and then those of the second, other than the
// protocol says.
template <Op kind>
bool other_order(const IndexingMap& first, const IndexingMap& second, IndexingMap& map) {
  const auto front = std::ssize(variables_of(first, kind)),
             behind = std::ssize(variables_of(second, kind)), all = front + behind;
  std::vector<Variable>& variables = variables_of(map, kind);
  if (front == 0 || behind == 0 || std::ssize(variables) != all) return false;
  std::rotate(variables.begin(), variables.begin() + behind, variables.end());
  for (Node& node : map.nodes) {
    if (node.op == kind) node.value = (node.value + front) % all;
  }
  return true;
}

// Both maps have a variable of one name, and the composition has it twice.
bool name_twice(const IndexingMap& first, const IndexingMap& second, IndexingMap& map) {
  if (map.ranges.size() != first.ranges.size() + second.ranges.size()) return false;
  const bool twice = std::ranges::any_of(first.ranges, [&](const Variable& variable) {
    return !variable.name.empty() &&
           std::ranges::count(second.ranges, variable.name, &Variable::name) > 0;
  });
  for (size_t i = 0; i < map.ranges.size(); ++i) {
    const size_t behind = second.ranges.size();
    map.ranges[i].name = i < behind ? second.ranges[i].name : first.ranges[i - behind].name;
  }
  return twice;
}

// Composing with a map whose bounds are empty gives () -> ().
bool empty_becomes_nothing(const IndexingMap& first, const IndexingMap& second, IndexingMap& map) {
  bool any = false;
  for (const IndexingMap* of : {&first, &second}) {
    for (Op kind : kVariableKinds) any |= std::ranges::any_of(variables_of(*of, kind), is_empty);
  }
  map = {};
  return any;
}

// ---- map.equal: a wrong `equal` counts, a wrong `not equal` does not ----

// The last result is not compared.
bool last_result_not_compared(IndexingMap& left, IndexingMap& right) {
  if (left.results.size() < 2 || left.results.size() != right.results.size()) return false;
  left.results.pop_back();
  right.results.pop_back();
  return true;
}

// Takes the bounds of the left map for those of both.
bool bounds_of_the_left(IndexingMap& left, IndexingMap& right) {
  if (left.dimensions.size() != right.dimensions.size()) return false;
  for (size_t i = 0; i < left.dimensions.size(); ++i) {
    right.dimensions[i].bounds = left.dimensions[i].bounds;
  }
  return true;
}

const Variant kMapVariants[] = {
    {"XLA-VAR-01", OtherMap(drop_with_unused_range)},
    {"TVM-24", Crash(cast_of_folded_remainder)},
    {"TVM-30", OtherMap(offset_forgotten)},
    {"OPEN-14", Crash(divides_by_zero)},
    {"LIKE-OPEN-12", OtherMap(bounds_by_position)},
    {"LIKE-XLA-VAR-03", OtherMap(substituted_without_bounds)},
    {"MLIR-10", Crash(least_by_minus_one)},
    {"XLA-VAR-07", OtherComposition(empty_becomes_nothing)},
    {"FACT-COMPOSE-EMPTY", OtherMaps(emptiness_forgotten)},
    {"FACT-COMPOSE-NAME", OtherComposition(name_twice)},
    {"RULE-COMPOSE-RANGES", OtherComposition(other_order<Op::kRange>)},
    {"LIKE-CUT-16", OtherMaps(substituted_in_sequence)},
    {"LIKE-FACT-RT-ORDER", OtherComposition(other_order<Op::kRuntime>)},
    {"SECOND-COMPOSE-RANGES", OtherMaps(ranges_of_the_first)},
    {"SECOND-COMPOSE-RUNTIME", OtherMaps(constraints_lost_with_runtime)},
    {"SECOND-COMPOSE-UNUSED", OtherMaps(unused_dimensions_free)},
    {"LIKE-XLA-VAR-09", OtherMaps(bounds_of_the_left)},
    {"SECOND-EQUAL-LAST", OtherMaps(last_result_not_compared)},
};

}  // namespace

absl::Span<const Variant> map_variants() { return kMapVariants; }

}  // namespace tileproof::zoo
