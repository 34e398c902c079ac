// SPDX-License-Identifier: Apache-2.0
// Domains, points, compositions and comparisons of maps that are right but for one corner.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conform/oracle/map_ops.h"
#include "conform/zoo/rule_parts.h"
#include "conform/zoo/variants.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/compose.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::zoo {
namespace {

using conform::Json;
using By = Rewriting::By;

// ---- Constraints ----

// Two constraints on one expression become one with the union of the intervals.
bool union_of_intervals(IndexingMap& map) {
  for (size_t i = 0; i < map.constraints.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      Interval& a = map.constraints[j].interval;
      const Interval b = map.constraints[i].interval;
      if (!same_expression(map.nodes, map.constraints[i].expr, map.nodes,
                           map.constraints[j].expr)) {
        continue;
      }
      a = {std::min(a.low, b.low), std::max(a.high, b.high)};
      map.constraints.erase(map.constraints.begin() + static_cast<int64_t>(i));
      return true;
    }
  }
  return false;
}

// A constraint on a variable alone moves only its upper bound.
bool lower_end_of_variable_lost(IndexingMap& map) {
  for (size_t i = 0; i < map.constraints.size(); ++i) {
    Variable* variable = variable_at(map, map.constraints[i].expr);
    if (variable == nullptr) continue;
    variable->bounds.high = std::min(variable->bounds.high, map.constraints[i].interval.high);
    map.constraints.erase(map.constraints.begin() + static_cast<int64_t>(i));
    return true;
  }
  return false;
}

// Drops constraints without variables, even those that never hold.
bool constants_dropped(IndexingMap& map) {
  return std::erase_if(map.constraints, [&map](const Constraint& constraint) {
           return map.nodes[constraint.expr].op == Op::kConstant;
         }) > 0;
}

// Drops x mod m in [low, high] if high >= m - 1, whatever low is.
bool remainder_always_holds(IndexingMap& map) {
  return std::erase_if(map.constraints, [&map](const Constraint& constraint) {
           const std::optional<By> mod = by(map, Op::kMod, constraint.expr);
           return mod && mod->c > 0 && constraint.interval.high >= mod->c - 1;
         }) > 0;
}

// e ceildiv k in [low, high] -> e in [low*k, (high+1)*k - 1], as for floordiv.
bool ceildiv_as_floordiv(IndexingMap& map) {
  return any_constraint(map, [&map](Constraint& constraint) {
    const std::optional<By> quotient = by(map, Op::kCeilDiv, constraint.expr);
    if (!quotient || quotient->c < 2 || !is_small(quotient->c)) return false;
    const auto [low, high] = constraint.interval;
    constraint = {quotient->left, {low * quotient->c, (high + 1) * quotient->c - 1}};
    return true;
  });
}

// e * k in [low, high], k > 1 -> e in [low / k, high / k] with division that truncates, and low
// rounded up if it is positive. Wrong only for a negative upper end.
bool upper_end_truncated(IndexingMap& map) {
  return any_constraint(map, [&map](Constraint& constraint) {
    const std::optional<By> product = by(map, Op::kMul, constraint.expr);
    if (!product || product->c < 2) return false;
    const auto [low, high] = constraint.interval;
    const int64_t k = product->c, up = low / k + (low % k > 0 ? 1 : 0);
    constraint = {product->left, {up, high / k}};
    return true;
  });
}

// (v + c) mod m = r moves the lower bound of v to the next value that is r modulo m.
bool shift_forgotten(IndexingMap& map) {
  for (const Constraint& constraint : map.constraints) {
    const std::optional<By> mod = by(map, Op::kMod, constraint.expr);
    const std::optional<By> sum = mod ? by(map, Op::kAdd, mod->left) : std::nullopt;
    Variable* variable = sum ? variable_at(map, sum->left) : nullptr;
    if (variable == nullptr || mod->c < 2 || !is_small(mod->c)) continue;
    if (!is_small(variable->bounds) || !is_small(constraint.interval)) continue;
    if (constraint.interval.low != constraint.interval.high) continue;
    const int64_t off = (constraint.interval.low - variable->bounds.low) % mod->c;
    variable->bounds.low += off < 0 ? off + mod->c : off;
    return off != 0;
  }
  return false;
}

// x - y = 0: puts y in the place of x and drops the constraint, so the bounds of x on y are lost.
bool substituted_without_bounds(IndexingMap& map) {
  for (size_t i = 0; i < map.constraints.size(); ++i) {
    const Constraint constraint = map.constraints[i];
    const Node sum = map.nodes[constraint.expr];
    if (sum.op != Op::kAdd || !(constraint.interval == Interval{0, 0})) continue;
    const std::optional<By> minus = by(map, Op::kMul, sum.right);
    if (!minus || minus->c != -1) continue;
    const Node x = map.nodes[sum.left], y = map.nodes[minus->left];
    if (!is_variable(x.op) || !is_variable(y.op) || x == y) continue;
    map.constraints.erase(map.constraints.begin() + static_cast<int64_t>(i));
    for (Node& node : map.nodes) {
      if (node == x) node = y;
    }
    return true;
  }
  return false;
}

// x + y in [low, high] -> x <= high. Right only if y is never negative.
bool other_term_positive(IndexingMap& map) {
  return any_constraint(map, [&map](Constraint& constraint) {
    const Node sum = map.nodes[constraint.expr];
    if (sum.op != Op::kAdd) return false;
    Variable *x = variable_at(map, sum.left), *y = variable_at(map, sum.right);
    if (x == nullptr || y == nullptr || x == y || x->bounds.high <= constraint.interval.high) {
      return false;
    }
    x->bounds.high = constraint.interval.high;
    return true;
  });
}

// x mod m = r for m + 1 values of x leaves only the first one. There may be two.
bool only_the_first_residue(IndexingMap& map) {
  for (const Constraint& constraint : map.constraints) {
    const std::optional<By> mod = by(map, Op::kMod, constraint.expr);
    Variable* x = mod ? variable_at(map, mod->left) : nullptr;
    if (x == nullptr || mod->c < 2 || !is_small(mod->c) || !is_small(x->bounds)) continue;
    const int64_t r = constraint.interval.low, m = mod->c;
    if (r != constraint.interval.high || r < 0 || r >= m || x->bounds.high < x->bounds.low)
      continue;
    if (x->bounds.high - x->bounds.low > m) continue;
    const int64_t first = x->bounds.low + (((r - x->bounds.low) % m) + m) % m;
    if (first > x->bounds.high || x->bounds == Interval{first, first}) continue;
    x->bounds = {first, first};
    return true;
  }
  return false;
}

// x mod a = r and x mod b = s with coprime a and b -> x mod (a*b) = r*b + s.
bool remainders_without_inverse(IndexingMap& map) {
  for (size_t i = 0; i < map.constraints.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const Constraint &first = map.constraints[j], &second = map.constraints[i];
      const std::optional<By> a = by(map, Op::kMod, first.expr), b = by(map, Op::kMod, second.expr);
      if (!a || !b || a->c < 2 || b->c < 2 || !is_small(a->c) || !is_small(b->c)) continue;
      if (std::gcd(a->c, b->c) != 1 || a->c * b->c > 1 << 30) continue;
      if (!same_expression(map.nodes, a->left, map.nodes, b->left)) continue;
      const int64_t r = first.interval.low, s = second.interval.low;
      if (r != first.interval.high || s != second.interval.high) continue;
      if (r < 0 || r >= a->c || s < 0 || s >= b->c) continue;
      const NodeId modulus = add_constant(map.nodes, a->c * b->c);
      const int64_t merged = (r * b->c + s) % (a->c * b->c);
      map.constraints[j] = {add_operation(map.nodes, Op::kMod, a->left, modulus), {merged, merged}};
      map.constraints.erase(map.constraints.begin() + static_cast<int64_t>(i));
      return true;
    }
  }
  return false;
}

// A variable without values, low = high + 1, gets its two ends as values.
bool empty_bounds_swapped(IndexingMap& map) {
  for (Op kind : {Op::kDimension, Op::kRange}) {
    for (Variable& variable : variables_of(map, kind)) {
      if (!is_small(variable.bounds) || variable.bounds.low != variable.bounds.high + 1) continue;
      std::swap(variable.bounds.low, variable.bounds.high);
      return true;
    }
  }
  return false;
}

// Drops the constraints on runtime variables alone.
bool runtime_constraints_dropped(IndexingMap& map) {
  return std::erase_if(map.constraints, [&map](const Constraint& constraint) {
           const std::vector<NodeId> nodes =
               spec::nodes_under(map.nodes, absl::MakeConstSpan(&constraint.expr, 1));
           const auto is = [&map](Op op) {
             return [&map, op](NodeId id) { return map.nodes[id].op == op; };
           };
           return std::any_of(nodes.begin(), nodes.end(), is(Op::kRuntime)) &&
                  std::none_of(nodes.begin(), nodes.end(), is(Op::kDimension)) &&
                  std::none_of(nodes.begin(), nodes.end(), is(Op::kRange));
         }) > 0;
}

// ---- Points ----

// Answers as if about another map.
template <class Change>
void evaluate_instead(const Json& request, conform::Answer& answer, Change change) {
  absl::StatusOr<IndexingMap> map = conform::map_under(request, "map");
  if (!is_result(answer) || !map.ok() || !change(*map)) return;
  Json other = request;
  set(other, "map", to_text(*map));
  const auto result = conform::map_evaluate(other, conform::Engine::kSpec);
  if (result.ok()) answer.result = result->value;
}

// Looks at the constraints and forgets the bounds of range variables.
void range_bounds_not_checked(const Json& request, conform::Answer& answer) {
  evaluate_instead(request, answer, [](IndexingMap& map) {
    for (Variable& variable : map.ranges) variable.bounds = {INT64_MIN, INT64_MAX};
    return !map.ranges.empty();
  });
}

// Takes the intervals of constraints for half-open ones.
void constraints_half_open(const Json& request, conform::Answer& answer) {
  evaluate_instead(request, answer, [](IndexingMap& map) {
    for (Constraint& constraint : map.constraints) {
      if (constraint.interval.low < constraint.interval.high) --constraint.interval.high;
    }
    return !map.constraints.empty();
  });
}

// a ceildiv b = (a + b - 1) / b with division that truncates.
int64_t ceildiv_that_truncates(Op op, int64_t a, int64_t b) {
  if (op != Op::kCeilDiv || b < 2 || a > INT64_MAX - b) return exact(op, a, b);
  return (a + b - 1) / b;
}

// Divides in 32 bits.
int64_t dividend_in_32_bits(Op op, int64_t a, int64_t b) {
  const bool divides = op == Op::kFloorDiv || op == Op::kMod;
  return exact(op, divides ? static_cast<int32_t>(a) : a, b);
}

// ---- Two maps ----

struct Pair {
  IndexingMap first, second;
};

std::optional<Pair> two_maps(const Json& request, const char* first, const char* second) {
  absl::StatusOr<IndexingMap> a = conform::map_under(request, first);
  absl::StatusOr<IndexingMap> b = conform::map_under(request, second);
  if (!a.ok() || !b.ok()) return std::nullopt;
  return Pair{*std::move(a), *std::move(b)};
}

void compose_to(const Pair& maps, conform::Answer& answer) {
  const absl::StatusOr<IndexingMap> composed = spec::compose(maps.first, maps.second);
  if (composed.ok() && validate(*composed).ok()) answer.result = to_text(*composed);
}

// Substitutes one variable after the other: what an earlier result puts in is substituted again.
void substituted_in_sequence(const Json& request, conform::Answer& answer) {
  std::optional<Pair> maps = two_maps(request, "first", "second");
  if (!is_result(answer) || !maps || maps->first.dimensions.size() < 2) return;
  IndexingMap& first = maps->first;
  for (size_t i = 1; i < first.results.size(); ++i) {
    // A later substitution replaces dimension i in the results before it.
    for (size_t j = 0; j < i; ++j) {
      const Node& node = first.nodes[first.results[j]];
      if (node.op == Op::kDimension && node.value == static_cast<int64_t>(i)) {
        first.results[j] = first.results[i];
      }
    }
  }
  compose_to(*maps, answer);
}

// The results of the first map are compared with the lower bounds of the second one only.
void upper_bounds_not_compared(const Json& request, conform::Answer& answer) {
  std::optional<Pair> maps = two_maps(request, "first", "second");
  if (!is_result(answer) || !maps) return;
  for (Variable& variable : maps->second.dimensions) {
    if (variable.bounds.low <= variable.bounds.high) variable.bounds.high = INT64_MAX;
  }
  compose_to(*maps, answer);
}

// The runtime variables of the first map come before those of the second.
void runtime_in_other_order(const Json& request, conform::Answer& answer) {
  std::optional<Pair> maps = two_maps(request, "first", "second");
  if (!is_result(answer) || !maps) return;
  absl::StatusOr<IndexingMap> map = spec::compose(maps->first, maps->second);
  const auto behind = std::ssize(maps->second.runtime),
             all = behind + std::ssize(maps->first.runtime);
  if (!map.ok() || behind == 0 || behind == all || std::ssize(map->runtime) != all) return;
  std::rotate(map->runtime.begin(), map->runtime.begin() + behind, map->runtime.end());
  for (Node& node : map->nodes) {
    if (node.op == Op::kRuntime) node.value = (node.value + all - behind) % all;
  }
  if (validate(*map).ok()) answer.result = to_text(*map);
}

// Compares two maps with other domains.
template <class Change>
void equal_instead(const Json& request, conform::Answer& answer, Change change) {
  std::optional<Pair> maps = two_maps(request, "left", "right");
  if (!is_result(answer) || !maps || !change(*maps)) return;
  Json other = request;
  set(other, "left", to_text(maps->first));
  set(other, "right", to_text(maps->second));
  const absl::StatusOr<conform::Result> equal = conform::map_equal(other, conform::Engine::kImpl);
  const Json* verdict = equal.ok() ? find(equal->value, "equal") : nullptr;
  if (verdict != nullptr && *verdict == Json(true)) answer.result = equal->value;
}

// Tries only the first 1,000 values of each variable.
void first_values_compared(const Json& request, conform::Answer& answer) {
  equal_instead(request, answer, [](Pair& maps) {
    bool any = false;
    for (IndexingMap* map : {&maps.first, &maps.second}) {
      for (Op kind : kVariableKinds) {
        for (Variable& variable : variables_of(*map, kind)) {
          Interval& bounds = variable.bounds;
          if (bounds.low > INT64_MAX - 1000 || bounds.high <= bounds.low + 999) continue;
          bounds.high = bounds.low + 999;
          any = true;
        }
      }
    }
    return any;
  });
}

// Takes the bounds of the left map for those of both.
void bounds_of_the_left(const Json& request, conform::Answer& answer) {
  equal_instead(request, answer, [](Pair& maps) {
    if (maps.first.dimensions.size() != maps.second.dimensions.size()) return false;
    for (size_t i = 0; i < maps.first.dimensions.size(); ++i) {
      maps.second.dimensions[i].bounds = maps.first.dimensions[i].bounds;
    }
    return true;
  });
}

const Variant kCornerDomainVariants[] = {
    {"LIKE-HAL-18", Domain(union_of_intervals)},
    {"LIKE-TVM-19", Domain(lower_end_of_variable_lost)},
    {"LIKE-OPEN-13", Domain(constants_dropped)},
    {"LIKE-C6", Domain(remainder_always_holds)},
    {"LIKE-C5", Domain(ceildiv_as_floordiv)},
    {"LIKE-C4", Domain(upper_end_truncated)},
    {"LIKE-C7", Domain(shift_forgotten)},
    {"LIKE-XLA-VAR-03", Domain(substituted_without_bounds)},
    {"LIKE-HAL-09-SUM", Domain(other_term_positive)},
    {"LIKE-XLA-ST-06", Domain(only_the_first_residue)},
    {"LIKE-HAL-12", Domain(remainders_without_inverse)},
    {"LIKE-OPEN-25", Domain(empty_bounds_swapped)},
    {"LIKE-XLA-VAR-05", Domain(runtime_constraints_dropped)},
    {"LIKE-XLA-VAR-06", Any(range_bounds_not_checked)},
    {"LIKE-CAT-12", Any(constraints_half_open)},
    {"LIKE-MLIR-07", Arithmetic(ceildiv_that_truncates)},
    {"LIKE-XLA-TP-01", Arithmetic(dividend_in_32_bits)},
    {"LIKE-CUT-16", Any(substituted_in_sequence)},
    {"LIKE-CAT-08", Any(upper_bounds_not_compared)},
    {"LIKE-FACT-RT-ORDER", Any(runtime_in_other_order)},
    {"LIKE-HAL-04", Any(first_values_compared)},
    {"LIKE-XLA-VAR-09", Any(bounds_of_the_left)},
};

}  // namespace

absl::Span<const Variant> corner_domain_variants() { return kCornerDomainVariants; }

}  // namespace tileproof::zoo
