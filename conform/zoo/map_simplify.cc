// SPDX-License-Identifier: Apache-2.0
// map.simplify: rules that no line of text states (rule.h), and simplifiers that crash.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "conform/oracle/map_ops.h"
#include "conform/zoo/variants.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::zoo {
namespace {

using Other = std::optional<NodeId>;
using By = Rewriting::By;
using Scaled = Rewriting::Scaled;
using Range = Rewriting::Range;
using conform::Json;

// ---- Expressions ----

// (g*x + y + z)//(g*e)  ->  (x + y//g + z//g)//e
Other divide_each_summand(Rewriting& r, NodeId id) {
  const std::optional<By> outer = r.by(Op::kFloorDiv, id);
  if (!outer) return std::nullopt;
  const std::vector<NodeId> terms = r.terms(outer->left);
  if (terms.size() < 3) return std::nullopt;
  for (size_t i = 0; i < terms.size(); ++i) {
    const auto [x, g] = r.scaled(terms[i]);
    if (g <= 1 || outer->c % g != 0) continue;
    std::vector<NodeId> sum = {x};
    for (size_t j = 0; j < terms.size(); ++j) {
      if (j != i) sum.push_back(r.floordiv(terms[j], g));
    }
    return r.floordiv(r.sum(sum), outer->c / g);
  }
  return std::nullopt;
}

// x - (x + y)//c  ->  ((c-1)*x - y)//c, which rounds the other way.
Other subtract_quotient(Rewriting& r, NodeId id) {
  const std::vector<NodeId> terms = r.terms(id);
  for (size_t i = 0; i < terms.size(); ++i) {
    for (size_t j = 0; j < terms.size(); ++j) {
      const Scaled minus = r.scaled(terms[j]);
      const std::optional<By> quotient = r.by(Op::kFloorDiv, minus.expr);
      if (i == j || minus.factor != -1 || !quotient || quotient->c <= 1) continue;
      std::vector<NodeId> inside = r.terms(quotient->left);
      const auto x = std::find(inside.begin(), inside.end(), terms[i]);
      if (x == inside.end()) continue;
      inside.erase(x);
      for (NodeId& y : inside) y = r.times(y, -1);
      inside.push_back(r.times(terms[i], quotient->c - 1));
      return r.sum_without(terms, i, j, r.floordiv(r.sum(inside), quotient->c));
    }
  }
  return std::nullopt;
}

// e mod m  ->  e  if e is in [0, m-1] by a range analysis that does not swap the ends for a
// negative factor.
Other ends_not_swapped(Rewriting& r, NodeId id) {
  const std::optional<By> mod = r.by(Op::kMod, id);
  if (!mod || mod->c <= 0) return std::nullopt;
  absl::int128 low = 0, high = 0;
  for (NodeId term : r.terms(mod->left)) {
    const auto [x, k] = r.scaled(term);
    const Range range = r.range(x);
    if (range.low < INT64_MIN || range.high > INT64_MAX) return std::nullopt;
    low += range.low * k;
    high += range.high * k;
  }
  if (low < 0 || high >= mod->c) return std::nullopt;
  return mod->left;
}

// y - (x mod 2)  ->  y + (x mod 2) - 1
Other parity_made_positive(Rewriting& r, NodeId id) {
  std::vector<NodeId> terms = r.terms(id);
  for (NodeId& term : terms) {
    const auto [digit, factor] = r.scaled(term);
    const std::optional<By> mod = r.by(Op::kMod, digit);
    if (terms.size() < 2 || factor != -1 || !mod || mod->c != 2) continue;
    term = digit;
    terms.push_back(r.number(-1));
    return r.sum(terms);
  }
  return std::nullopt;
}

// Replaces an expression that a constraint keeps in [low, high] by a variable in [0, high - low],
// and forgets to add `low` where the expression occurs again.
Other offset_forgotten(Rewriting& r, NodeId id) {
  for (const Constraint& constraint : r.map().constraints) {
    const int64_t low = constraint.interval.low;
    if (is_leaf(r.map().nodes[constraint.expr].op) || low == 0 || low == INT64_MIN) continue;
    if (r.copy(r.map().nodes, constraint.expr) == id) return r.with(Op::kAdd, id, -low);
  }
  return std::nullopt;
}

// The constant value of a sum whose variables cancel.
std::optional<int64_t> canceled(const Rewriting& r, NodeId id) {
  std::vector<Scaled> open = {{id, 1}}, left;
  int64_t constant = 0;
  while (!open.empty()) {
    const Scaled at = open.back();
    open.pop_back();
    const auto [expr, factor] = r.scaled(at.expr);
    if (std::abs(factor) > 1 << 20 || std::abs(at.factor) > 1 << 20) return std::nullopt;
    const Node& node = r.at(expr);
    if (node.op == Op::kAdd) {
      open.push_back({node.left, at.factor * factor});
      open.push_back({node.right, at.factor * factor});
    } else if (node.op == Op::kConstant) {
      if (std::abs(node.value) > 1 << 20) return std::nullopt;
      constant += node.value * at.factor * factor;
    } else {
      left.push_back({expr, 0});  // the search below finds it if there was no such term
      std::find_if(left.begin(), left.end(), [e = expr](const Scaled& s) {
        return s.expr == e;
      })->factor += at.factor * factor;
    }
    if (left.size() + open.size() > 100) return std::nullopt;
  }
  const bool all =
      std::all_of(left.begin(), left.end(), [](const Scaled& s) { return s.factor == 0; });
  return all ? std::optional(constant) : std::nullopt;
}

// q mod c with q = e//c: the coefficient of q becomes -c instead of 1 - c.
Other coefficient_overwritten(Rewriting& r, NodeId id) {
  const std::optional<By> mod = r.by(Op::kMod, id);
  const std::optional<By> quotient = mod ? r.by(Op::kFloorDiv, mod->left) : std::nullopt;
  if (!quotient || quotient->c != mod->c || mod->c <= 1) return std::nullopt;
  const std::optional<int64_t> e = canceled(r, quotient->left);
  if (!e || *e >= mod->c || *e < -mod->c) return std::nullopt;
  return r.times(mod->left, -mod->c);
}

// (-x) floordiv c -> -(x floordiv c), which rounds the other way. Also for c0 - x.
Other sign_out_of_dividend(Rewriting& r, NodeId id) {
  const std::optional<By> quotient = r.by(Op::kFloorDiv, id);
  if (!quotient || quotient->c <= 1) return std::nullopt;
  bool all = false;
  for (NodeId term : r.terms(quotient->left)) {
    if (r.constant(term)) continue;
    if (r.scaled(term).factor >= 0) return std::nullopt;
    all = true;
  }
  if (!all) return std::nullopt;
  std::vector<NodeId> negated;
  for (NodeId term : r.terms(quotient->left)) negated.push_back(r.times(term, -1));
  return r.times(r.floordiv(r.sum(negated), quotient->c), -1);
}

// The bounds of dimension i serve for range variable i.
Other bounds_by_position(Rewriting& r, NodeId id) {
  const std::optional<By> mod = r.by(Op::kMod, id);
  if (!mod || mod->c < 2) return std::nullopt;
  const Node& x = r.at(mod->left);
  if (x.op != Op::kRange || x.value >= std::ssize(r.map().dimensions)) return std::nullopt;
  const Interval bounds = r.map().dimensions[x.value].bounds;
  if (bounds.low < 0 || bounds.high >= mod->c || bounds.low > bounds.high) return std::nullopt;
  return mod->left;
}

// A variable with one value below 0 is taken for 0.
Other negative_point(Rewriting& r, NodeId id) {
  const Node node = r.at(id);
  Other found;
  const auto without = [&](NodeId operand) {
    if (!is_variable(r.at(operand).op)) return operand;
    const Range range = r.range(operand);
    if (range.low != range.high || range.low >= 0) return operand;
    found = operand;
    return r.number(0);
  };
  const NodeId left = without(node.left), right = without(node.right);
  return found ? Other(r.make(node.op, left, right)) : std::nullopt;
}

// ---- Constraints: a rule for each ----

// Rewrites the constraints. `rule` returns the new constraint.
using ConstraintRule = std::optional<Constraint> (*)(Rewriting&, const Constraint&);

bool rewrite_constraints(IndexingMap& map, ConstraintRule rule) {
  const IndexingMap before = map;
  Rewriting r(before);
  std::vector<NodeId> results;
  std::vector<Constraint> constraints = before.constraints;
  for (NodeId result : before.results) results.push_back(r.copy(before.nodes, result));
  bool changed = false;
  for (Constraint& constraint : constraints) {
    constraint.expr = r.copy(before.nodes, constraint.expr);
    const std::optional<Constraint> other = rule(r, constraint);
    if (!other) continue;
    constraint = *other;
    changed = true;
  }
  map.nodes = r.table();
  map.results = std::move(results);
  map.constraints = std::move(constraints);
  return changed;
}

// A sum as g * multiple + rest.
struct Split {
  int64_t g = 1;
  std::vector<NodeId> multiple;
  std::vector<NodeId> rest;  // the terms whose factors g does not divide
};

// Splits a sum by its first factor above 1, if there is one.
std::optional<Split> split(Rewriting& r, NodeId sum) {
  Split result;
  const std::vector<NodeId> terms = r.terms(sum);
  for (NodeId term : terms) {
    if (result.g == 1 && r.scaled(term).factor > 1) result.g = r.scaled(term).factor;
  }
  if (result.g == 1) return std::nullopt;
  for (NodeId term : terms) {
    const auto [x, factor] = r.scaled(term);
    if (factor % result.g == 0) {
      result.multiple.push_back(r.times(x, factor / result.g));
    } else {
      result.rest.push_back(term);
    }
  }
  if (result.rest.empty()) return std::nullopt;
  return result;
}

// Returns whether the lower end of a constraint is redundant.
bool no_lower_end(Rewriting& r, const Constraint& constraint) {
  return r.range(constraint.expr).low >= constraint.interval.low;
}

// d*X + y < d*c  ->  X < c  if -d < y < d. Right only if y >= 0.
std::optional<Constraint> divide_upper_end(Rewriting& r, const Split& parts, const Constraint& c) {
  const Range y = r.range(r.sum(parts.rest));
  if (y.low <= -parts.g || y.high >= parts.g || !no_lower_end(r, c)) return std::nullopt;
  const std::optional<int64_t> limit = checked_add(c.interval.high, 1);
  if (!limit || *limit % parts.g != 0) return std::nullopt;
  return Constraint{r.sum(parts.multiple), {INT64_MIN, *limit / parts.g - 1}};
}

// d*S - x < 0  ->  S - x//d < 0. Right only for d*S + x.
std::optional<Constraint> divide_with_extra_term(Rewriting& r, const Split& parts,
                                                 const Constraint& c) {
  if (parts.rest.size() != 1 || c.interval.high != -1 || !no_lower_end(r, c)) return std::nullopt;
  const auto [x, factor] = r.scaled(parts.rest[0]);
  if (factor != -1) return std::nullopt;
  const NodeId sum = r.plus(r.sum(parts.multiple), r.times(r.floordiv(x, parts.g), -1));
  return Constraint{sum, {INT64_MIN, -1}};
}

// A sum without its terms of one value, and their total.
struct WithoutConstants {
  std::vector<NodeId> terms;
  absl::int128 constant = 0;
};

WithoutConstants without_constants(Rewriting& r, NodeId sum) {
  WithoutConstants result;
  for (NodeId term : r.terms(sum)) {
    const Range range = r.range(term);
    if (range.low == range.high) {
      result.constant += range.low;
    } else {
      result.terms.push_back(term);
    }
  }
  return result;
}

// g*A + B in [0, u]  ->  g*A in [0, u]  if (u - B) floordiv g has one value. Right only if B can
// be 0. As in the original, terms of one value move to the interval before, g is the greatest
// common divisor of all factors but 1, and B is the terms without a factor.
std::optional<Constraint> drop_small_rest(Rewriting& r, const Constraint& c) {
  const WithoutConstants sum = without_constants(r, c.expr);
  const absl::int128 low = c.interval.low - sum.constant, high = c.interval.high - sum.constant;
  std::vector<NodeId> multiple, rest;
  int64_t g = 0;
  for (NodeId term : sum.terms) {
    const int64_t factor = r.scaled(term).factor;
    if (factor == INT64_MIN) return std::nullopt;
    (factor == 1 ? rest : multiple).push_back(term);
    if (factor != 1) g = std::gcd(g, factor);
  }
  if (g <= 1 || rest.empty() || low != 0 || high > int64_t{1} << 60 || high < 0) {
    return std::nullopt;
  }
  const Range b = r.range(r.sum(rest));
  const auto fits = [](absl::int128 n) {
    return n >= -(int64_t{1} << 60) && n <= int64_t{1} << 60;
  };
  if (!fits(b.low) || !fits(b.high) || b.low > b.high) return std::nullopt;
  if (floor_of(high - b.high, g) != floor_of(high - b.low, g)) return std::nullopt;
  return Constraint{r.sum(multiple), {0, static_cast<int64_t>(high)}};
}

// a*x + y in [low, high], a < 0 -> |a|*x + y in [low, high]
std::optional<Constraint> factor_loses_its_sign(Rewriting& r, const Constraint& c) {
  std::vector<NodeId> terms = r.terms(c.expr);
  for (NodeId& term : terms) {
    const auto [x, factor] = r.scaled(term);
    if (factor >= -1 || factor == INT64_MIN || terms.size() < 2) continue;
    term = r.times(x, -factor);
    return Constraint{r.sum(terms), c.interval};
  }
  return std::nullopt;
}

template <auto rule>
bool by_parts(IndexingMap& map) {
  return rewrite_constraints(map, [](Rewriting& r, const Constraint& c) {
    const std::optional<Split> parts = split(r, c.expr);
    return parts ? rule(r, *parts, c) : std::nullopt;
  });
}

template <auto rule>
bool each_constraint(IndexingMap& map) {
  return rewrite_constraints(map, rule);
}

// ---- Domains ----

// Returns whether a constraint has a node that satisfies `is`.
template <class Is>
bool has_node(const IndexingMap& map, const Constraint& constraint, Is is) {
  const std::vector<NodeId> nodes =
      spec::nodes_under(map.nodes, absl::MakeConstSpan(&constraint.expr, 1));
  return std::any_of(nodes.begin(), nodes.end(), [&](NodeId id) { return is(map.nodes[id]); });
}

// Drops the constraints that satisfy `wrong`.
template <class Wrong>
bool drop(IndexingMap& map, Wrong wrong) {
  return std::erase_if(map.constraints, wrong) > 0;
}

bool has_same(const IndexingMap& map, NodeId a, NodeId b) {
  return same_expression(map.nodes, a, map.nodes, b);
}

// A sum of non-negative terms in [1, u]: assumes that each term is at least 1, and drops the lower
// end as redundant.
bool assume_terms_positive(IndexingMap& map) {
  Rewriting r(map);
  std::vector<size_t> found;
  for (size_t i = 0; i < map.constraints.size(); ++i) {
    const Constraint& constraint = map.constraints[i];
    const std::vector<NodeId> terms = r.terms(r.copy(map.nodes, constraint.expr));
    const bool all = std::all_of(terms.begin(), terms.end(),
                                 [&r](NodeId term) { return r.range(term).low >= 0; });
    const auto count = std::ssize(terms);
    if (all && count >= 2 && constraint.interval.low >= 1 && constraint.interval.low <= count) {
      found.push_back(i);
    }
  }
  for (size_t i : found) map.constraints[i].interval.low = INT64_MIN;
  return !found.empty();
}

// Drops a constraint together with an unused range variable in it, even if it restricts other
// variables.
bool drop_with_unused_range(IndexingMap& map) {
  std::vector<bool> used(map.ranges.size(), false);
  for (NodeId id : spec::nodes_under(map.nodes, map.results)) {
    if (map.nodes[id].op == Op::kRange) used[map.nodes[id].value] = true;
  }
  return drop(map, [&](const Constraint& constraint) {
    return has_node(map, constraint,
                    [&](const Node& node) { return node.op == Op::kRange && !used[node.value]; });
  });
}

// x mod a = r and x mod b = r -> x mod lcm(a, b) = r, which also drops another constraint on
// x mod lcm(a, b).
bool merged_overwrites(IndexingMap& map) {
  std::vector<Constraint>& all = map.constraints;
  const auto remainder = [&](size_t i) { return by(map, Op::kMod, all[i].expr); };
  const auto congruent = [&](size_t i, int64_t residue) {
    const std::optional<By> mod = remainder(i);
    return mod && mod->c > 1 && is_small(mod->c) && all[i].interval == Interval{residue, residue};
  };
  for (size_t i = 0; i < all.size(); ++i) {
    const int64_t residue = all[i].interval.low;
    for (size_t j = 0; j < i && congruent(i, residue); ++j) {
      const By a = *remainder(i);
      if (!congruent(j, residue) || !has_same(map, a.left, remainder(j)->left)) continue;
      const int64_t lcm = std::lcm(a.c, remainder(j)->c);
      for (size_t k = 0; k < all.size(); ++k) {
        const std::optional<By> mod = remainder(k);
        if (k == i || k == j || !mod || mod->c != lcm || !has_same(map, mod->left, a.left))
          continue;
        all[k].interval = {residue, residue};
        all.erase(all.begin() + static_cast<int64_t>(i));
        all.erase(all.begin() + static_cast<int64_t>(j));
        return true;
      }
    }
  }
  return false;
}

// A variable in [a, a + 1] becomes the constant a, as if the upper bound were excluded.
bool half_open_bounds(IndexingMap& map) {
  const IndexingMap before = map;
  for (Node& node : map.nodes) {
    if (!is_variable(node.op)) continue;
    const Interval bounds = variables_of(before, node.op)[node.value].bounds;
    if (bounds.low + 1 != bounds.high || bounds.low == INT64_MIN) continue;
    node = {.op = Op::kConstant, .value = bounds.low};
  }
  return !(map.nodes == before.nodes);
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

// A variable without values, low = high + 1, gets its two ends as values.
bool empty_bounds_swapped(IndexingMap& map) {
  for (Op kind : {Op::kDimension, Op::kRange}) {
    for (Variable& variable : variables_of(map, kind)) {
      const auto [low, high] = variable.bounds;
      if (!is_small(low) || low - 1 != high) continue;
      std::swap(variable.bounds.low, variable.bounds.high);
      return true;
    }
  }
  return false;
}

// Drops the constraints on runtime variables alone.
bool runtime_constraints_dropped(IndexingMap& map) {
  return drop(map, [&map](const Constraint& constraint) {
    const auto has = [&](Op op) {
      return has_node(map, constraint, [op](const Node& node) { return node.op == op; });
    };
    return has(Op::kRuntime) && !has(Op::kDimension) && !has(Op::kRange);
  });
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

// Two constraints on remainders of one expression: the one with the smaller modulus is dropped if it
// divides the other modulus.
bool smaller_modulus_dropped(IndexingMap& map) {
  std::vector<Constraint>& all = map.constraints;
  for (size_t i = 0; i < all.size(); ++i) {
    for (const Constraint& other : all) {
      const std::optional<By> a = by(map, Op::kMod, all[i].expr), b = by(map, Op::kMod, other.expr);
      if (!a || !b || a->c < 2 || b->c <= a->c || b->c % a->c != 0) continue;
      if (!has_same(map, a->left, b->left)) continue;
      all.erase(all.begin() + static_cast<int64_t>(i));
      return true;
    }
  }
  return false;
}

// Drops a constraint on a sum of three or more terms whose bounds hold for the first two.
bool third_term_forgotten(IndexingMap& map) {
  Rewriting r(map);
  return drop(map, [&](const Constraint& constraint) {
    const std::vector<NodeId> terms = r.terms(r.copy(map.nodes, constraint.expr));
    if (terms.size() < 3) return false;
    const Range a = r.range(terms[0]), b = r.range(terms[1]);
    return a.low + b.low >= constraint.interval.low && a.high + b.high <= constraint.interval.high;
  });
}

// Drops the constraints on products of variables.
bool products_dropped(IndexingMap& map) {
  return drop(map, [&map](const Constraint& constraint) {
    return has_node(map, constraint, [&map](const Node& node) {
      return node.op == Op::kMul && map.nodes[node.left].op != Op::kConstant &&
             map.nodes[node.right].op != Op::kConstant;
    });
  });
}

// ---- Crashes ----

// x mod -1 folds to a constant, which the caller casts to a remainder.
int cast_of_folded_remainder(const Json& request, const conform::Answer&) {
  const absl::StatusOr<IndexingMap> map = conform::map_under(request, "map");
  if (!map.ok()) return 0;
  const bool any = std::any_of(map->nodes.begin(), map->nodes.end(), [&map](const Node& node) {
    return node.op == Op::kMod && map->nodes[node.right] == Node{.op = Op::kConstant, .value = -1};
  });
  return any ? SIGSEGV : 0;
}

// Divides by a constant 0.
int divides_by_zero(const Json& request, const conform::Answer& right) {
  const std::string map = text_under(request, "map");
  if (is_result(right)) return 0;
  const std::string other = absl::StrReplaceAll(
      map, {{"floordiv 0)", "floordiv 1)"}, {"ceildiv 0)", "ceildiv 1)"}, {"mod 0)", "mod 1)"}});
  return other != map && parse_map(other).ok() ? SIGFPE : 0;
}

const Variant kSimplifyVariants[] = {
    {"XLA-SIMP-07", Rule(divide_each_summand)},
    {"XLA-VAR-01", Domain(drop_with_unused_range)},
    {"HAL-08", Rule(subtract_quotient)},
    {"TVM-01", Domain(by_parts<divide_upper_end>)},
    {"TVM-02", Domain(by_parts<divide_with_extra_term>)},
    {"TVM-10", Rule(ends_not_swapped)},
    {"TVM-24", Crash(cast_of_folded_remainder)},
    {"TVM-29", Rule(parity_made_positive)},
    {"TVM-30", ResultRule{offset_forgotten}},
    {"TG-11", Domain(assume_terms_positive)},
    {"MLIR-02", Rule(coefficient_overwritten)},
    {"OPEN-08", Domain(merged_overwrites)},
    {"OPEN-14", Crash(divides_by_zero)},
    {"FACT-C3", Domain(each_constraint<drop_small_rest>)},
    {"RULE-C-SIGN", Domain(each_constraint<factor_loses_its_sign>)},
    {"RULE-D-SIGN", Rule(sign_out_of_dividend)},
    {"RULE-P1", Domain(half_open_bounds)},
    {"LIKE-CAT-10", Rule(negative_point)},
    {"LIKE-OPEN-12", Rule(bounds_by_position)},
    {"LIKE-OPEN-25", Domain(empty_bounds_swapped)},
    {"LIKE-XLA-VAR-03", Domain(substituted_without_bounds)},
    {"LIKE-XLA-VAR-05", Domain(runtime_constraints_dropped)},
    {"SECOND-BOUNDS-32", Domain(bounds_in_32_bits)},
    {"SECOND-MODULUS-DROPPED", Domain(smaller_modulus_dropped)},
    {"SECOND-PRODUCTS", Domain(products_dropped)},
    {"SECOND-THIRD-TERM", Domain(third_term_forgotten)},
};

}  // namespace

absl::Span<const Variant> simplify_variants() { return kSimplifyVariants; }

}  // namespace tileproof::zoo
