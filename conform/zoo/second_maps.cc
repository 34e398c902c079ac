// SPDX-License-Identifier: Apache-2.0
// The second set of held-out mistakes, about maps: each is a real kind of mistake at another place.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
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
using Other = std::optional<NodeId>;
using By = Rewriting::By;
using Range = Rewriting::Range;

std::optional<By> above_one(Rewriting& r, Op op, NodeId id) {
  const std::optional<By> matched = r.by(op, id);
  return matched && matched->c > 1 ? matched : std::nullopt;
}

// ---- Expressions ----

// x mod m is x mod (m + 1) for variables of 2^20 to 2^21 values.
Other megabyte_variable(Rewriting& r, NodeId id) {
  const std::optional<By> mod = above_one(r, Op::kMod, id);
  if (!mod || !is_variable(r.at(mod->left).op) || !is_small(mod->c)) return std::nullopt;
  const Range range = r.range(mod->left);
  const absl::int128 width = range.high - range.low;
  if (width < 1 << 20 || width >= 1 << 21) return std::nullopt;
  return r.mod(mod->left, mod->c + 1);
}

// x floordiv c is 0 for variables of 1,000 to 4,000 values and c of at least 100.
Other page_variable(Rewriting& r, NodeId id) {
  const std::optional<By> quotient = above_one(r, Op::kFloorDiv, id);
  if (!quotient || !is_variable(r.at(quotient->left).op) || quotient->c < 100) return std::nullopt;
  const Range range = r.range(quotient->left);
  const absl::int128 width = range.high - range.low;
  if (width < 1000 || width > 4000) return std::nullopt;
  return r.number(0);
}

// x mod m -> x if -1 <= x < m.
Other one_below_zero(Rewriting& r, NodeId id) {
  const std::optional<By> mod = above_one(r, Op::kMod, id);
  if (!mod) return std::nullopt;
  const Range range = r.range(mod->left);
  if (range.low < -1 || range.high >= mod->c) return std::nullopt;
  return mod->left;
}

// (x * k) mod m -> -(x mod m) if k is -1 modulo m.
Other factor_of_minus_one(Rewriting& r, NodeId id) {
  const std::optional<By> mod = above_one(r, Op::kMod, id);
  if (!mod || !is_small(mod->c)) return std::nullopt;
  const auto [x, k] = r.scaled(mod->left);
  if (k == 1 || !is_small(k) || (k + 1) % mod->c != 0) return std::nullopt;
  return r.times(r.mod(x, mod->c), -1);
}

// (x + y) floordiv c -> x floordiv c + y floordiv c if 0 <= y < c.
Other small_summand_apart(Rewriting& r, NodeId id) {
  const std::optional<By> quotient = above_one(r, Op::kFloorDiv, id);
  if (!quotient) return std::nullopt;
  const Node sum = r.at(quotient->left);
  if (sum.op != Op::kAdd) return std::nullopt;
  const Range y = r.range(sum.right);
  if (y.low < 0 || y.high >= quotient->c) return std::nullopt;
  return r.plus(r.floordiv(sum.left, quotient->c), r.floordiv(sum.right, quotient->c));
}

// (x mod a) mod b -> x mod gcd(a, b)
Other modulus_of_both(Rewriting& r, NodeId id) {
  const std::optional<By> outer = above_one(r, Op::kMod, id);
  const std::optional<By> inner = outer ? above_one(r, Op::kMod, outer->left) : std::nullopt;
  if (!inner) return std::nullopt;
  return r.mod(inner->left, std::gcd(outer->c, inner->c));
}

// (x * a) floordiv b -> x * (a / b) if a > b
Other factor_divided(Rewriting& r, NodeId id) {
  const std::optional<By> quotient = above_one(r, Op::kFloorDiv, id);
  if (!quotient) return std::nullopt;
  const auto [x, a] = r.scaled(quotient->left);
  if (a <= quotient->c) return std::nullopt;
  return r.times(x, a / quotient->c);
}

// x - (x ceildiv c) * c -> x mod c
Other ceiling_as_floor(Rewriting& r, NodeId id) {
  const std::vector<NodeId> terms = r.terms(id);
  for (size_t i = 0; i < terms.size(); ++i) {
    const auto [quotient, factor] = r.scaled(terms[i]);
    const std::optional<By> ceiling = above_one(r, Op::kCeilDiv, quotient);
    if (!ceiling || factor != -ceiling->c) continue;
    for (size_t j = 0; j < terms.size(); ++j) {
      if (j != i && terms[j] == ceiling->left) {
        return r.sum_without(terms, i, j, r.mod(ceiling->left, ceiling->c));
      }
    }
  }
  return std::nullopt;
}

// (x floordiv a) floordiv a -> x floordiv (2 * a)
Other divisor_doubled(Rewriting& r, NodeId id) {
  const std::optional<By> outer = above_one(r, Op::kFloorDiv, id);
  const std::optional<By> inner = outer ? above_one(r, Op::kFloorDiv, outer->left) : std::nullopt;
  if (!inner || inner->c != outer->c || !is_small(inner->c)) return std::nullopt;
  return r.floordiv(inner->left, 2 * inner->c);
}

// (x + k) mod m -> x mod m if k > m
Other large_constant_dropped(Rewriting& r, NodeId id) {
  const std::optional<By> mod = above_one(r, Op::kMod, id);
  const std::optional<By> sum = mod ? r.by(Op::kAdd, mod->left) : std::nullopt;
  if (!sum || sum->c <= mod->c) return std::nullopt;
  return r.mod(sum->left, mod->c);
}

// x ceildiv c -> (x - 1) floordiv c + 1 for c < 0
Other ceiling_by_floor(Rewriting& r, NodeId id) {
  const std::optional<By> ceiling = r.by(Op::kCeilDiv, id);
  if (!ceiling || ceiling->c >= 0 || !is_small(ceiling->c)) return std::nullopt;
  return r.with(Op::kAdd, r.floordiv(r.with(Op::kAdd, ceiling->left, -1), ceiling->c), 1);
}

// x floordiv c -> 1 if c <= x <= 2 * c
Other second_period(Rewriting& r, NodeId id) {
  const std::optional<By> quotient = above_one(r, Op::kFloorDiv, id);
  if (!quotient || !is_small(quotient->c)) return std::nullopt;
  const Range range = r.range(quotient->left);
  if (range.low < quotient->c || range.high > 2 * quotient->c) return std::nullopt;
  return r.number(1);
}

// (x * a - y) floordiv a -> x - y floordiv a
Other subtracted_quotient(Rewriting& r, NodeId id) {
  const std::optional<By> quotient = above_one(r, Op::kFloorDiv, id);
  if (!quotient) return std::nullopt;
  const Node sum = r.at(quotient->left);
  if (sum.op != Op::kAdd) return std::nullopt;
  const auto [x, a] = r.scaled(sum.left);
  const auto [y, sign] = r.scaled(sum.right);
  if (a != quotient->c || sign != -1) return std::nullopt;
  return r.plus(x, r.times(r.floordiv(y, a), -1));
}

// (-x) floordiv c -> -(x floordiv c) if c divides both ends of x
Other ends_divide(Rewriting& r, NodeId id) {
  const std::optional<By> quotient = above_one(r, Op::kFloorDiv, id);
  if (!quotient) return std::nullopt;
  const auto [x, sign] = r.scaled(quotient->left);
  const Range range = r.range(x);
  if (sign != -1 || range.low % quotient->c != 0 || range.high % quotient->c != 0) {
    return std::nullopt;
  }
  return r.times(r.floordiv(x, quotient->c), -1);
}

// (x floordiv c) mod m -> x floordiv c if x < c * m, without a look at its lower end.
Other lower_end_ignored(Rewriting& r, NodeId id) {
  const std::optional<By> mod = above_one(r, Op::kMod, id);
  const std::optional<By> quotient = mod ? above_one(r, Op::kFloorDiv, mod->left) : std::nullopt;
  if (!quotient) return std::nullopt;
  const Range range = r.range(quotient->left);
  if (range.high >= absl::int128{quotient->c} * mod->c) return std::nullopt;
  return mod->left;
}

// ---- Domains ----

// x + y in [l, u] moves the lower bound of x to l - y.low instead of l - y.high.
bool wrong_end_of_the_other(IndexingMap& map) {
  for (const Constraint& constraint : map.constraints) {
    const Node& sum = map.nodes[constraint.expr];
    if (sum.op != Op::kAdd) continue;
    const Node &x = map.nodes[sum.left], &y = map.nodes[sum.right];
    if (!is_variable(x.op) || !is_variable(y.op)) continue;
    Interval& bounds = variables_of(map, x.op)[x.value].bounds;
    const Interval other = variables_of(map, y.op)[y.value].bounds;
    if (!is_small(bounds) || !is_small(other) || !is_small(constraint.interval)) continue;
    const int64_t low = constraint.interval.low - other.low;
    if (low <= bounds.low) continue;
    bounds.low = low;
    return true;
  }
  return false;
}

// Of two constraints on one expression the first stays.
bool first_of_two_stays(IndexingMap& map) {
  for (size_t i = 0; i < map.constraints.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (!same_expression(map.nodes, map.constraints[i].expr, map.nodes,
                           map.constraints[j].expr)) {
        continue;
      }
      map.constraints.erase(map.constraints.begin() + static_cast<int64_t>(i));
      return true;
    }
  }
  return false;
}

// x mod -m in [l, u] holds always if l <= 0.
bool negative_remainder_holds(IndexingMap& map) {
  return std::erase_if(map.constraints, [&map](const Constraint& constraint) {
           const Node& node = map.nodes[constraint.expr];
           return node.op == Op::kMod && map.nodes[node.right].op == Op::kConstant &&
                  map.nodes[node.right].value < 0 && constraint.interval.low <= 0;
         }) > 0;
}

// Stores the upper bound of a variable in 32 bits.
bool bounds_in_32_bits(IndexingMap& map) {
  bool changed = false;
  for (Op kind : {Op::kDimension, Op::kRange}) {
    for (Variable& variable : variables_of(map, kind)) {
      if (variable.bounds.high <= INT32_MAX || variable.bounds.low < 0) continue;
      variable.bounds.high = INT32_MAX;
      changed = true;
    }
  }
  return changed;
}

// A constraint on a variable alone replaces the variable's bounds.
bool bounds_replaced(IndexingMap& map) {
  for (size_t i = 0; i < map.constraints.size(); ++i) {
    const Node& node = map.nodes[map.constraints[i].expr];
    if (!is_variable(node.op)) continue;
    variables_of(map, node.op)[node.value].bounds = map.constraints[i].interval;
    map.constraints.erase(map.constraints.begin() + static_cast<int64_t>(i));
    return true;
  }
  return false;
}

// x floordiv k in [l, u] -> x in [l*k - k + 1, u*k + k - 1] for l < 0.
bool truncated_quotient(IndexingMap& map) {
  return any_constraint(map, [&map](Constraint& constraint) {
    const Node node = map.nodes[constraint.expr];
    if (node.op != Op::kFloorDiv || map.nodes[node.right].op != Op::kConstant) return false;
    const int64_t k = map.nodes[node.right].value;
    const auto [low, high] = constraint.interval;
    if (k < 2 || !is_small(k) || low >= 0) return false;
    constraint = {node.left, {low * k - k + 1, high * k + k - 1}};
    return true;
  });
}

// Two constraints on remainders of one expression: the one with the smaller modulus is dropped if it
// divides the other modulus.
bool smaller_modulus_dropped(IndexingMap& map) {
  const auto modulus = [&map](const Constraint& constraint) -> int64_t {
    const Node& node = map.nodes[constraint.expr];
    const bool mod = node.op == Op::kMod && map.nodes[node.right].op == Op::kConstant;
    return mod ? map.nodes[node.right].value : 0;
  };
  for (size_t i = 0; i < map.constraints.size(); ++i) {
    for (size_t j = 0; j < map.constraints.size(); ++j) {
      const int64_t a = modulus(map.constraints[i]), b = modulus(map.constraints[j]);
      if (i == j || a < 2 || b <= a || b % a != 0) continue;
      if (!same_expression(map.nodes, map.nodes[map.constraints[i].expr].left, map.nodes,
                           map.nodes[map.constraints[j].expr].left)) {
        continue;
      }
      map.constraints.erase(map.constraints.begin() + static_cast<int64_t>(i));
      return true;
    }
  }
  return false;
}

// Drops a constraint on a sum of three or more terms whose bounds hold for the first two.
bool third_term_forgotten(IndexingMap& map) {
  Rewriting r(map);
  const size_t before = map.constraints.size();
  std::erase_if(map.constraints, [&](const Constraint& constraint) {
    const std::vector<NodeId> terms = r.terms(r.copy(map.nodes, constraint.expr));
    if (terms.size() < 3) return false;
    const Range a = r.range(terms[0]), b = r.range(terms[1]);
    return a.low + b.low >= constraint.interval.low && a.high + b.high <= constraint.interval.high;
  });
  return map.constraints.size() != before;
}

// Constraints on products of variables are dropped.
bool products_dropped(IndexingMap& map) {
  return std::erase_if(map.constraints, [&map](const Constraint& constraint) {
           const std::vector<NodeId> nodes =
               spec::nodes_under(map.nodes, absl::MakeConstSpan(&constraint.expr, 1));
           return std::any_of(nodes.begin(), nodes.end(), [&map](NodeId id) {
             const Node& node = map.nodes[id];
             return node.op == Op::kMul && map.nodes[node.left].op != Op::kConstant &&
                    map.nodes[node.right].op != Op::kConstant;
           });
         }) > 0;
}

// ---- Points ----

// a mod -2^k as a & (2^k - 1).
int64_t remainder_by_mask(Op op, int64_t a, int64_t b) {
  const bool power = b < 0 && b > INT64_MIN && (-b & (-b - 1)) == 0;
  return op == Op::kMod && power ? a & (-b - 1) : exact(op, a, b);
}

// Divides in double precision.
int64_t quotient_of_doubles(Op op, int64_t a, int64_t b) {
  if (op != Op::kFloorDiv) return exact(op, a, b);
  const double quotient = std::floor(static_cast<double>(a) / static_cast<double>(b));
  return std::abs(quotient) < 9e18 ? static_cast<int64_t>(quotient) : exact(op, a, b);
}

// Factors have 32 bits.
int64_t factors_in_32_bits(Op op, int64_t a, int64_t b) {
  if (op != Op::kMul) return exact(op, a, b);
  return int64_t{static_cast<int32_t>(a)} * static_cast<int32_t>(b);
}

// The upper bound of a range variable is excluded.
void last_value_excluded(const Json& request, conform::Answer& answer) {
  absl::StatusOr<IndexingMap> map = conform::map_under(request, "map");
  if (!is_result(answer) || !map.ok() || map->ranges.empty()) return;
  for (Variable& variable : map->ranges) {
    if (variable.bounds.low < variable.bounds.high) --variable.bounds.high;
  }
  Json other = request;
  set(other, "map", to_text(*map));
  const auto result = conform::map_evaluate(other, conform::Engine::kSpec);
  if (result.ok()) answer.result = result->value;
}

// ---- Two maps ----

template <class Change>
void compose_instead(const Json& request, conform::Answer& answer, Change change) {
  absl::StatusOr<IndexingMap> first = conform::map_under(request, "first");
  absl::StatusOr<IndexingMap> second = conform::map_under(request, "second");
  if (!is_result(answer) || !first.ok() || !second.ok() || !change(*first, *second)) return;
  const absl::StatusOr<IndexingMap> composed = spec::compose(*first, *second);
  if (composed.ok() && validate(*composed).ok()) answer.result = to_text(*composed);
}

// The range variables of the second map get the bounds of those of the first.
void ranges_of_the_first(const Json& request, conform::Answer& answer) {
  compose_instead(request, answer, [](const IndexingMap& first, IndexingMap& second) {
    const size_t most = std::min(first.ranges.size(), second.ranges.size());
    for (size_t i = 0; i < most; ++i) second.ranges[i].bounds = first.ranges[i].bounds;
    return most > 0;
  });
}

// If the second map has runtime variables, the constraints of the first are forgotten.
void constraints_lost_with_runtime(const Json& request, conform::Answer& answer) {
  compose_instead(request, answer, [](IndexingMap& first, const IndexingMap& second) {
    const bool any = !second.runtime.empty() && !first.constraints.empty();
    if (any) first.constraints.clear();
    return any;
  });
}

// Only the dimensions that a result of the second map uses restrict the first map's results.
void unused_dimensions_free(const Json& request, conform::Answer& answer) {
  compose_instead(request, answer, [](const IndexingMap&, IndexingMap& second) {
    std::vector<bool> used(second.dimensions.size(), false);
    for (NodeId id : spec::nodes_under(second.nodes, second.results)) {
      if (second.nodes[id].op == Op::kDimension) used[second.nodes[id].value] = true;
    }
    bool any = false;
    for (size_t i = 0; i < used.size(); ++i) {
      Interval& bounds = second.dimensions[i].bounds;
      if (used[i] || bounds.low > bounds.high) continue;
      bounds = {INT64_MIN, INT64_MAX};
      any = true;
    }
    return any;
  });
}

template <class Change>
void equal_instead(const Json& request, conform::Answer& answer, Change change) {
  absl::StatusOr<IndexingMap> left = conform::map_under(request, "left");
  absl::StatusOr<IndexingMap> right = conform::map_under(request, "right");
  if (!is_result(answer) || !left.ok() || !right.ok() || !change(*left, *right)) return;
  Json other = request;
  set(other, "left", to_text(*left));
  set(other, "right", to_text(*right));
  const absl::StatusOr<conform::Result> equal = conform::map_equal(other, conform::Engine::kImpl);
  const Json* verdict = equal.ok() ? find(equal->value, "equal") : nullptr;
  if (verdict != nullptr && *verdict == Json(true)) answer.result = equal->value;
}

// The last result is not compared.
void last_result_not_compared(const Json& request, conform::Answer& answer) {
  equal_instead(request, answer, [](IndexingMap& left, IndexingMap& right) {
    if (left.results.size() < 2 || left.results.size() != right.results.size()) return false;
    left.results.pop_back();
    right.results.pop_back();
    return true;
  });
}

// Constraints are not compared.
void without_constraints(const Json& request, conform::Answer& answer) {
  equal_instead(request, answer, [](IndexingMap& left, IndexingMap& right) {
    const bool any = !left.constraints.empty() || !right.constraints.empty();
    left.constraints.clear();
    right.constraints.clear();
    return any;
  });
}

// Every variable is compared at its two ends only.
void ends_compared(const Json& request, conform::Answer& answer) {
  equal_instead(request, answer, [](IndexingMap& left, IndexingMap& right) {
    if (left.dimensions.size() != 1 || right.dimensions.size() != 1) return false;
    if (!left.ranges.empty() || !left.runtime.empty()) return false;
    const Interval bounds = left.dimensions[0].bounds;
    if (!(bounds == right.dimensions[0].bounds) || bounds.low >= bounds.high) return false;
    for (IndexingMap* map : {&left, &right}) map->dimensions[0].bounds = {bounds.low, bounds.low};
    return true;
  });
}

const Variant kSecondMapVariants[] = {
    {"SECOND-WIDTH-20", Rule(megabyte_variable)},
    {"SECOND-WIDTH-11", Rule(page_variable)},
    {"SECOND-MOD-BELOW", Rule(one_below_zero)},
    {"SECOND-MOD-FACTOR", Rule(factor_of_minus_one)},
    {"SECOND-DIV-SUMMAND", Rule(small_summand_apart)},
    {"SECOND-MOD-GCD", Rule(modulus_of_both)},
    {"SECOND-DIV-FACTOR", Rule(factor_divided)},
    {"SECOND-CEIL-REST", Rule(ceiling_as_floor)},
    {"SECOND-DIV-DOUBLED", Rule(divisor_doubled)},
    {"SECOND-MOD-CONSTANT", Rule(large_constant_dropped)},
    {"SECOND-CEIL-NEGATIVE", Rule(ceiling_by_floor)},
    {"SECOND-DIV-PERIOD", Rule(second_period)},
    {"SECOND-DIV-MINUS", Rule(subtracted_quotient)},
    {"SECOND-DIV-ENDS", Rule(ends_divide)},
    {"SECOND-DIGIT-LOW", Rule(lower_end_ignored)},
    {"SECOND-SUM-END", Domain(wrong_end_of_the_other)},
    {"SECOND-FIRST-STAYS", Domain(first_of_two_stays)},
    {"SECOND-MOD-NEGATIVE", Domain(negative_remainder_holds)},
    {"SECOND-BOUNDS-32", Domain(bounds_in_32_bits)},
    {"SECOND-BOUNDS-REPLACED", Domain(bounds_replaced)},
    {"SECOND-QUOTIENT-LOW", Domain(truncated_quotient)},
    {"SECOND-MODULUS-DROPPED", Domain(smaller_modulus_dropped)},
    {"SECOND-THIRD-TERM", Domain(third_term_forgotten)},
    {"SECOND-PRODUCTS", Domain(products_dropped)},
    {"SECOND-MASK", Arithmetic(remainder_by_mask)},
    {"SECOND-DOUBLES", Arithmetic(quotient_of_doubles)},
    {"SECOND-FACTORS-32", Arithmetic(factors_in_32_bits)},
    {"SECOND-RANGE-END", Any(last_value_excluded)},
    {"SECOND-COMPOSE-RANGES", Any(ranges_of_the_first)},
    {"SECOND-COMPOSE-RUNTIME", Any(constraints_lost_with_runtime)},
    {"SECOND-COMPOSE-UNUSED", Any(unused_dimensions_free)},
    {"SECOND-EQUAL-LAST", Any(last_result_not_compared)},
    {"SECOND-EQUAL-CONSTRAINTS", Any(without_constraints)},
    {"SECOND-EQUAL-ENDS", Any(ends_compared)},
};

}  // namespace

absl::Span<const Variant> second_map_variants() { return kSecondMapVariants; }

}  // namespace tileproof::zoo
