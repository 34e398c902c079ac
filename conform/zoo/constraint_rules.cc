// SPDX-License-Identifier: Apache-2.0
// Rules that simplify the domain of a map, and compositions, with one precondition or one part left
// out. The names C1, C2, .. are those of the facts about XLA's simplifier.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "conform/oracle/map_ops.h"
#include "conform/zoo/rule_parts.h"
#include "conform/zoo/variants.h"
#include "impl/map/simplify.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/compose.h"

namespace tileproof::zoo {
namespace {

using conform::Json;
using By = Rewriting::By;

// Matches `left op c` with a small constant c.
std::optional<By> by(const IndexingMap& map, Op op, NodeId id) {
  const Node& node = map.nodes[id];
  if (node.op != op || map.nodes[node.right].op != Op::kConstant) return std::nullopt;
  if (!is_small(map.nodes[node.right].value)) return std::nullopt;
  return By{node.left, map.nodes[node.right].value};
}

int64_t ceil_of(int64_t a, int64_t b) { return -floor_of(-a, b); }

// C1: drops a constraint whose lower end holds everywhere, whatever its upper end.
bool c1_upper_end_ignored(IndexingMap& map) {
  Rewriting r(map);
  const size_t before = map.constraints.size();
  std::erase_if(map.constraints, [&](const Constraint& constraint) {
    return r.range(r.copy(map.nodes, constraint.expr)).low >= constraint.interval.low;
  });
  return map.constraints.size() != before;
}

// C2: e + k in [low, high] -> e in [low - k, high]
bool c2_one_end_shifted(IndexingMap& map) {
  return any_constraint(map, [&map](Constraint& constraint) {
    const std::optional<By> sum = by(map, Op::kAdd, constraint.expr);
    if (!sum || sum->c == 0) return false;
    constraint = {sum->left, {constraint.interval.low - sum->c, constraint.interval.high}};
    return true;
  });
}

// C4: e * k in [low, high] -> e in [low floordiv k, high floordiv k]. The lower end is a ceildiv.
bool c4_lower_end_floored(IndexingMap& map) {
  return any_constraint(map, [&map](Constraint& constraint) {
    const std::optional<By> product = by(map, Op::kMul, constraint.expr);
    if (!product || product->c <= 1) return false;
    const auto [low, high] = constraint.interval;
    constraint = {product->left, {floor_of(low, product->c), floor_of(high, product->c)}};
    return true;
  });
}

// C4: e * -k in [low, high] -> e in [ceil(low / -k), floor(high / -k)], without swapping the ends.
bool c4_ends_not_swapped(IndexingMap& map) {
  return any_constraint(map, [&map](Constraint& constraint) {
    const std::optional<By> product = by(map, Op::kMul, constraint.expr);
    if (!product || product->c >= 0) return false;
    const auto [low, high] = constraint.interval;
    constraint = {product->left, {ceil_of(low, product->c), floor_of(high, product->c)}};
    return true;
  });
}

// C5: e floordiv k in [low, high] -> e in [low * k, high * k]. The upper end lacks k - 1.
bool c5_upper_end_short(IndexingMap& map) {
  return any_constraint(map, [&map](Constraint& constraint) {
    const std::optional<By> quotient = by(map, Op::kFloorDiv, constraint.expr);
    if (!quotient || quotient->c <= 1) return false;
    const auto [low, high] = constraint.interval;
    constraint = {quotient->left, {low * quotient->c, high * quotient->c}};
    return true;
  });
}

// C6: x mod m in [low, high] -> x in [low, high] if x is in [0, m]. The value m is one too many.
bool c6_includes_modulus(IndexingMap& map) {
  Rewriting r(map);
  return any_constraint(map, [&](Constraint& constraint) {
    const std::optional<By> mod = by(map, Op::kMod, constraint.expr);
    if (!mod || mod->c <= 0) return false;
    const Rewriting::Range range = r.range(r.copy(map.nodes, mod->left));
    if (range.low < 0 || range.high > mod->c) return false;
    constraint.expr = mod->left;
    return true;
  });
}

// Two constraints x mod a = r and x mod b = s. `merge` gives the modulus and the residue of one
// constraint in their place, or nothing.
struct Residue {
  int64_t modulus, residue;
};

template <class Merge>
bool merge_congruences(IndexingMap& map, Merge merge) {
  const auto congruence = [&map](const Constraint& constraint) {
    const std::optional<By> mod = by(map, Op::kMod, constraint.expr);
    const bool one = constraint.interval.low == constraint.interval.high;
    const bool possible = mod && one && constraint.interval.low >= 0 && mod->c > 1 &&
                          mod->c < 1 << 15 && constraint.interval.low < mod->c;
    return possible ? std::optional(Residue{mod->c, constraint.interval.low}) : std::nullopt;
  };
  for (size_t i = 0; i < map.constraints.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const auto a = congruence(map.constraints[j]), b = congruence(map.constraints[i]);
      if (!a || !b) continue;
      const NodeId x = map.nodes[map.constraints[i].expr].left;
      if (!same_expression(map.nodes, x, map.nodes, map.nodes[map.constraints[j].expr].left)) {
        continue;
      }
      const std::optional<Residue> merged = merge(*a, *b);
      if (!merged) continue;
      const NodeId modulus = add_constant(map.nodes, merged->modulus);
      map.constraints[j] = {add_operation(map.nodes, Op::kMod, x, modulus),
                            {merged->residue, merged->residue}};
      map.constraints.erase(map.constraints.begin() + static_cast<int64_t>(i));
      return true;
    }
  }
  return false;
}

// C7: x mod a = r and x mod b = r -> x mod (a * b) = r, even if a and b have a common factor.
bool c7_product_for_lcm(IndexingMap& map) {
  return merge_congruences(map, [](Residue a, Residue b) -> std::optional<Residue> {
    if (a.residue != b.residue) return std::nullopt;
    return Residue{a.modulus * b.modulus, a.residue};
  });
}

// C7: x mod a = r and x mod b = s -> x mod b = s if a divides b, even if s mod a is not r.
bool c7_conflict_ignored(IndexingMap& map) {
  return merge_congruences(map, [](Residue a, Residue b) -> std::optional<Residue> {
    if (a.modulus > b.modulus) std::swap(a, b);
    if (b.modulus % a.modulus != 0) return std::nullopt;
    return b;
  });
}

// a*x + y in [low, high], a < 0 -> |a|*x + y in [low, high]
bool factor_loses_its_sign(IndexingMap& map) {
  Rewriting r(map);
  std::vector<NodeId> results;
  std::vector<Constraint> constraints = map.constraints;
  for (NodeId result : map.results) results.push_back(r.copy(map.nodes, result));
  bool changed = false;
  for (Constraint& constraint : constraints) {
    std::vector<NodeId> terms = r.terms(r.copy(map.nodes, constraint.expr));
    constraint.expr = r.copy(map.nodes, constraint.expr);
    for (NodeId& term : terms) {
      const auto [x, factor] = r.scaled(term);
      if (factor >= -1 || factor == INT64_MIN || terms.size() < 2) continue;
      term = r.times(x, -factor);
      constraint.expr = r.sum(terms);
      changed = true;
      break;
    }
  }
  map.nodes = r.table();
  map.results = std::move(results);
  map.constraints = std::move(constraints);
  return changed;
}

// A variable in [a, a + 1] becomes the constant a, as if the upper bound were excluded.
bool half_open_bounds(IndexingMap& map) {
  const IndexingMap before = map;
  for (Node& node : map.nodes) {
    if (!is_variable(node.op)) continue;
    const Interval bounds = variables_of(before, node.op)[node.value].bounds;
    if (bounds.low + 1 != bounds.high || bounds.low == INT64_MIN) continue;
    node = {Op::kConstant, -1, -1, bounds.low};
  }
  return !(map.nodes == before.nodes);
}

// ---- Compositions ----

// Answers with the composition of other maps in place of the given ones.
template <class Change>
void compose_instead(const Json& request, conform::Answer& answer, Change change) {
  if (answer.kind != conform::Answer::Kind::kResult) return;
  absl::StatusOr<IndexingMap> first = conform::map_under(request, "first");
  absl::StatusOr<IndexingMap> second = conform::map_under(request, "second");
  if (!first.ok() || !second.ok() || !change(*first, *second)) return;
  const absl::StatusOr<IndexingMap> composed = spec::compose(*first, *second);
  if (composed.ok() && validate(*composed).ok()) answer.result = to_text(*composed);
}

// The bounds of the second map's dimensions do not restrict the first map's results.
void results_not_restricted(const Json& request, conform::Answer& answer) {
  compose_instead(request, answer, [](IndexingMap&, IndexingMap& second) {
    for (Variable& variable : second.dimensions) {
      if (variable.bounds.low > variable.bounds.high) return false;
      variable.bounds = {INT64_MIN, INT64_MAX};
    }
    return true;
  });
}

// The constraints of the second map are forgotten.
void second_constraints_forgotten(const Json& request, conform::Answer& answer) {
  compose_instead(request, answer, [](IndexingMap&, IndexingMap& second) {
    const bool any = !second.constraints.empty();
    second.constraints.clear();
    return any;
  });
}

// The constraints of the first map are forgotten.
void first_constraints_forgotten(const Json& request, conform::Answer& answer) {
  compose_instead(request, answer, [](IndexingMap& first, IndexingMap&) {
    const bool any = !first.constraints.empty();
    first.constraints.clear();
    return any;
  });
}

// The range variables are those of the first map and then those of the second, other than the
// protocol says.
void ranges_in_other_order(const Json& request, conform::Answer& answer) {
  if (answer.kind != conform::Answer::Kind::kResult) return;
  const absl::StatusOr<IndexingMap> first = conform::map_under(request, "first");
  const absl::StatusOr<IndexingMap> second = conform::map_under(request, "second");
  absl::StatusOr<IndexingMap> map = spec::compose(*first, *second);
  if (!map.ok() || first->ranges.empty() || second->ranges.empty()) return;
  const auto behind = std::ssize(second->ranges), all = std::ssize(map->ranges);
  if (all != behind + std::ssize(first->ranges)) return;
  std::rotate(map->ranges.begin(), map->ranges.begin() + behind, map->ranges.end());
  for (Node& node : map->nodes) {
    if (node.op == Op::kRange) node.value = (node.value + all - behind) % all;
  }
  if (validate(*map).ok()) answer.result = to_text(*map);
}

// An empty map keeps its runtime variables' bounds. Without other variables, nothing in a
// composition says that it is empty.
void emptiness_forgotten(const Json& request, conform::Answer& answer) {
  compose_instead(request, answer, [](IndexingMap& first, IndexingMap& second) {
    bool any = false;
    for (IndexingMap* map : {&first, &second}) {
      const bool only_runtime = map->dimensions.empty() && map->ranges.empty();
      const absl::StatusOr<IndexingMap> simple = impl::simplify(*map);
      if (!only_runtime || map->runtime.empty() || !simple.ok() || !simple->known_empty) continue;
      for (const Variable& variable : map->runtime) {
        if (variable.bounds.low > variable.bounds.high) return false;
      }
      map->constraints.clear();
      for (NodeId& result : map->results) result = add_constant(map->nodes, 0);
      any = true;
    }
    return any;
  });
}

// Both maps have a variable of one name, and the composition has it twice.
void name_twice(const Json& request, conform::Answer& answer) {
  if (answer.kind != conform::Answer::Kind::kResult) return;
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

const Variant kConstraintRuleVariants[] = {
    {"RULE-C1", Domain(c1_upper_end_ignored)},
    {"RULE-C2", Domain(c2_one_end_shifted)},
    {"RULE-C4", Domain(c4_lower_end_floored)},
    {"RULE-C4-SIGN", Domain(c4_ends_not_swapped)},
    {"RULE-C5", Domain(c5_upper_end_short)},
    {"RULE-C6", Domain(c6_includes_modulus)},
    {"RULE-C7-LCM", Domain(c7_product_for_lcm)},
    {"RULE-C7-RESIDUE", Domain(c7_conflict_ignored)},
    {"RULE-C-SIGN", Domain(factor_loses_its_sign)},
    {"RULE-P1", Domain(half_open_bounds)},
    {"RULE-COMPOSE-BOUNDS", Any(results_not_restricted)},
    {"RULE-COMPOSE-SECOND", Any(second_constraints_forgotten)},
    {"RULE-COMPOSE-FIRST", Any(first_constraints_forgotten)},
    {"RULE-COMPOSE-RANGES", Any(ranges_in_other_order)},
    {"FACT-COMPOSE-EMPTY", Any(emptiness_forgotten)},
    {"FACT-COMPOSE-NAME", Any(name_twice)},
};

}  // namespace

absl::Span<const Variant> constraint_rule_variants() { return kConstraintRuleVariants; }

}  // namespace tileproof::zoo
