// SPDX-License-Identifier: Apache-2.0
// map.compose: right compositions of other maps, and wrong ones.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "conform/oracle/map_ops.h"
#include "conform/zoo/variants.h"
#include "impl/map/simplify.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/compose.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::zoo {
namespace {

using conform::Json;

bool is_empty(const Variable& variable) { return variable.bounds.low > variable.bounds.high; }

// ---- Other maps ----

// The bounds of the second map's dimensions do not restrict the first map's results.
bool results_not_restricted(IndexingMap&, IndexingMap& second) {
  if (std::ranges::any_of(second.dimensions, is_empty)) return false;
  for (Variable& variable : second.dimensions) variable.bounds = {INT64_MIN, INT64_MAX};
  return true;
}

// The results of the first map are compared with the lower bounds of the second one only.
bool upper_bounds_not_compared(IndexingMap&, IndexingMap& second) {
  for (Variable& variable : second.dimensions) {
    if (!is_empty(variable)) variable.bounds.high = INT64_MAX;
  }
  return true;
}

// Only the dimensions that a result of the second map uses restrict the first map's results.
bool unused_dimensions_free(IndexingMap&, IndexingMap& second) {
  std::vector<bool> used(second.dimensions.size(), false);
  for (NodeId id : spec::nodes_under(second.nodes, second.results)) {
    if (second.nodes[id].op == Op::kDimension) used[second.nodes[id].value] = true;
  }
  bool any = false;
  for (size_t i = 0; i < used.size(); ++i) {
    Variable& variable = second.dimensions[i];
    if (used[i] || is_empty(variable)) continue;
    variable.bounds = {INT64_MIN, INT64_MAX};
    any = true;
  }
  return any;
}

bool forget_constraints(IndexingMap& map) {
  const bool any = !map.constraints.empty();
  map.constraints.clear();
  return any;
}

bool first_constraints_forgotten(IndexingMap& first, IndexingMap&) {
  return forget_constraints(first);
}

bool second_constraints_forgotten(IndexingMap&, IndexingMap& second) {
  return forget_constraints(second);
}

// If the second map has runtime variables, the constraints of the first are forgotten.
bool constraints_lost_with_runtime(IndexingMap& first, IndexingMap& second) {
  return !second.runtime.empty() && forget_constraints(first);
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

// ---- Other compositions ----

// Changes the right composition of two maps.
template <class Change>
void compose_and(const Json& request, conform::Answer& answer, Change change) {
  if (!is_result(answer)) return;
  const absl::StatusOr<IndexingMap> first = conform::map_under(request, "first");
  const absl::StatusOr<IndexingMap> second = conform::map_under(request, "second");
  absl::StatusOr<IndexingMap> map = spec::compose(*first, *second);
  if (map.ok() && change(*first, *second, *map) && validate(*map).ok()) {
    answer.result = to_text(*map);
  }
}

// The variables of a kind are those of the first map and then those of the second, other than the
// protocol says.
template <Op kind>
void other_order(const Json& request, conform::Answer& answer) {
  compose_and(request, answer,
              [](const IndexingMap& first, const IndexingMap& second, IndexingMap& map) {
                const auto front = std::ssize(variables_of(first, kind)),
                           behind = std::ssize(variables_of(second, kind)), all = front + behind;
                std::vector<Variable>& variables = variables_of(map, kind);
                if (front == 0 || behind == 0 || std::ssize(variables) != all) return false;
                std::rotate(variables.begin(), variables.begin() + behind, variables.end());
                for (Node& node : map.nodes) {
                  if (node.op == kind) node.value = (node.value + front) % all;
                }
                return true;
              });
}

// Both maps have a variable of one name, and the composition has it twice.
void name_twice(const Json& request, conform::Answer& answer) {
  if (!is_result(answer)) return;
  const absl::StatusOr<IndexingMap> first = conform::map_under(request, "first");
  const absl::StatusOr<IndexingMap> second = conform::map_under(request, "second");
  absl::StatusOr<IndexingMap> map = spec::compose(*first, *second);
  if (!map.ok() || map->ranges.size() != first->ranges.size() + second->ranges.size()) return;
  bool twice = false;
  for (const Variable& variable : first->ranges) {
    for (const Variable& other : second->ranges) {
      twice |= !variable.name.empty() && variable.name == other.name;
    }
  }
  if (!twice) return;
  for (size_t i = 0; i < map->ranges.size(); ++i) {
    const size_t behind = second->ranges.size();
    map->ranges[i].name = i < behind ? second->ranges[i].name : first->ranges[i - behind].name;
  }
  answer.result = to_text(*map);
}

// Composing with a map whose bounds are empty gives () -> ().
void empty_becomes_nothing(const Json& request, conform::Answer& answer) {
  compose_and(request, answer,
              [](const IndexingMap& first, const IndexingMap& second, IndexingMap& map) {
                bool any = false;
                for (const IndexingMap* of : {&first, &second}) {
                  for (Op kind : kVariableKinds)
                    any |= std::ranges::any_of(variables_of(*of, kind), is_empty);
                }
                map = {};
                return any;
              });
}

const Variant kComposeVariants[] = {
    {"XLA-VAR-07", Any(empty_becomes_nothing)},
    {"FACT-COMPOSE-EMPTY", TwoMaps(emptiness_forgotten)},
    {"FACT-COMPOSE-NAME", Any(name_twice)},
    {"RULE-COMPOSE-BOUNDS", TwoMaps(results_not_restricted)},
    {"RULE-COMPOSE-FIRST", TwoMaps(first_constraints_forgotten)},
    {"RULE-COMPOSE-RANGES", Any(other_order<Op::kRange>)},
    {"RULE-COMPOSE-SECOND", TwoMaps(second_constraints_forgotten)},
    {"LIKE-CAT-08", TwoMaps(upper_bounds_not_compared)},
    {"LIKE-CUT-16", TwoMaps(substituted_in_sequence)},
    {"LIKE-FACT-RT-ORDER", Any(other_order<Op::kRuntime>)},
    {"SECOND-COMPOSE-RANGES", TwoMaps(ranges_of_the_first)},
    {"SECOND-COMPOSE-RUNTIME", TwoMaps(constraints_lost_with_runtime)},
    {"SECOND-COMPOSE-UNUSED", TwoMaps(unused_dimensions_free)},
};

}  // namespace

absl::Span<const Variant> compose_variants() { return kComposeVariants; }

}  // namespace tileproof::zoo
