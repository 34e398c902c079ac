// SPDX-License-Identifier: Apache-2.0
// Known-wrong rules that simplify the domain of a map: its constraints and bounds.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "conform/zoo/rule_parts.h"
#include "conform/zoo/variants.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::zoo {
namespace {

// Arithmetic that wraps in 64 bits.
int64_t wrapped_sum(int64_t a, int64_t b) {
  return static_cast<int64_t>(uint64_t(a) + uint64_t(b));
}
int64_t wrapped_product(int64_t a, int64_t b) {
  return static_cast<int64_t>(uint64_t(a) * uint64_t(b));
}

int64_t floor_of(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

bool same(const IndexingMap& map, NodeId a, NodeId b) {
  return same_expression(map.nodes, a, map.nodes, b);
}

// x mod modulus = residue
struct Congruence {
  NodeId x;
  int64_t modulus, residue;
};

std::optional<Congruence> congruence(const IndexingMap& map, const Constraint& constraint) {
  const std::optional<Rewriting::By> mod = by(map, Op::kMod, constraint.expr);
  if (!mod || mod->c < 2 || mod->c > 1 << 30) return std::nullopt;
  if (constraint.interval.low != constraint.interval.high) return std::nullopt;
  return Congruence{mod->left, mod->c, constraint.interval.low};
}

// Calls `change` for each constraint until it returns true.
template <class Change>
bool any_constraint(IndexingMap& map, Change change) {
  for (size_t i = 0; i < map.constraints.size(); ++i) {
    if (change(map.constraints[i])) return true;
  }
  return false;
}

// Calls `change` for each congruence of a variable. Returns whether any bounds changed.
template <class Change>
bool each_congruent_variable(IndexingMap& map, Change change) {
  bool changed = false;
  for (const Constraint& constraint : map.constraints) {
    const std::optional<Congruence> c = congruence(map, constraint);
    Variable* variable = c ? variable_at(map, c->x) : nullptr;
    if (variable == nullptr) continue;
    const Interval before = variable->bounds;
    change(*c, variable->bounds);
    changed |= !(variable->bounds == before);
  }
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

// Returns whether the lower end of a constraint is redundant.
bool no_lower_end(Rewriting& r, const Constraint& constraint) {
  return r.range(constraint.expr).low >= constraint.interval.low;
}

// d*X + y < d*c  ->  X < c  if -d < y < d. Right only if y >= 0.
std::optional<Constraint> divide_upper_end(Rewriting& r, const Split& parts, const Constraint& c) {
  const Rewriting::Range y = r.range(r.sum(parts.rest));
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
    const Rewriting::Range range = r.range(term);
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
  const Rewriting::Range b = r.range(r.sum(rest));
  const auto fits = [](absl::int128 n) {
    return n >= -(int64_t{1} << 60) && n <= int64_t{1} << 60;
  };
  if (!fits(b.low) || !fits(b.high) || b.low > b.high) return std::nullopt;
  const int64_t least = floor_of(static_cast<int64_t>(high - b.high), g);
  const int64_t most = floor_of(static_cast<int64_t>(high - b.low), g);
  if (least != most) return std::nullopt;
  return Constraint{r.sum(multiple), {0, static_cast<int64_t>(high)}};
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
  const auto uses = [&map](absl::Span<const NodeId> roots, int64_t number) {
    const std::vector<NodeId> nodes = spec::nodes_under(map.nodes, roots);
    return std::any_of(nodes.begin(), nodes.end(), [&](NodeId id) {
      return map.nodes[id].op == Op::kRange && map.nodes[id].value == number;
    });
  };
  size_t before = map.constraints.size();
  for (int64_t number = 0; number < std::ssize(map.ranges); ++number) {
    if (uses(map.results, number)) continue;
    std::erase_if(map.constraints, [&](const Constraint& constraint) {
      return uses(absl::MakeConstSpan(&constraint.expr, 1), number);
    });
  }
  return map.constraints.size() != before;
}

// x mod m = r: moves the ends of the bounds to the next values that are r modulo m, in integers
// that wrap.
void align_ends(const Congruence& c, Interval& bounds) {
  const int64_t up = wrapped_sum(c.residue, wrapped_product(bounds.low, -1)) % c.modulus;
  const int64_t down = wrapped_sum(bounds.high, -c.residue) % c.modulus;
  bounds = {wrapped_sum(bounds.low, up), wrapped_sum(bounds.high, -down)};
}

// The same, but rounds towards zero, which is wrong below 0.
void align_low_end(const Congruence& c, Interval& bounds) {
  const std::optional<int64_t> aligned = checked_add(bounds.low / c.modulus * c.modulus, c.residue);
  if (!aligned) return;
  bounds.low = *aligned >= bounds.low ? *aligned : wrapped_sum(*aligned, c.modulus);
}

void align_high_end(const Congruence& c, Interval& bounds) {
  const std::optional<int64_t> aligned =
      checked_add(bounds.high / c.modulus * c.modulus, c.residue);
  if (!aligned) return;
  bounds.high = *aligned <= bounds.high ? *aligned : wrapped_sum(*aligned, -c.modulus);
}

// x mod a = r and x mod b = r  ->  x mod lcm(a, b) = r. `merge` replaces two congruences, or
// returns false.
template <class Merge>
bool any_two_congruences(IndexingMap& map, Merge merge) {
  for (size_t i = 0; i < map.constraints.size(); ++i) {
    const std::optional<Congruence> a = congruence(map, map.constraints[i]);
    for (size_t j = 0; a && j < i; ++j) {
      const std::optional<Congruence> b = congruence(map, map.constraints[j]);
      if (!b || a->residue != b->residue || !same(map, a->x, b->x)) continue;
      const int64_t lcm = std::lcm(a->modulus, b->modulus);
      if (merge(i, j, Congruence{a->x, lcm, a->residue})) return true;
    }
  }
  return false;
}

void put_merged(IndexingMap& map, size_t i, size_t j, const Congruence& merged) {
  const NodeId modulus = add_constant(map.nodes, merged.modulus);
  map.constraints[j] = {add_operation(map.nodes, Op::kMod, merged.x, modulus),
                        {merged.residue, merged.residue}};
  map.constraints.erase(map.constraints.begin() + static_cast<int64_t>(i));
}

// Does not check that r is a possible residue.
bool merge_any_residue(IndexingMap& map) {
  return any_two_congruences(map, [&map](size_t i, size_t j, const Congruence& merged) {
    if (merged.residue < 0) return false;
    put_merged(map, i, j, merged);
    return true;
  });
}

// Also drops other constraints on x mod lcm(a, b).
bool merged_overwrites(IndexingMap& map) {
  return any_two_congruences(map, [&map](size_t i, size_t j, const Congruence& merged) {
    for (size_t k = 0; k < map.constraints.size(); ++k) {
      const std::optional<Rewriting::By> mod = by(map, Op::kMod, map.constraints[k].expr);
      if (k == i || k == j || !mod || mod->c != merged.modulus || !same(map, mod->left, merged.x)) {
        continue;
      }
      map.constraints[k].interval = {merged.residue, merged.residue};
      map.constraints.erase(map.constraints.begin() + static_cast<int64_t>(std::max(i, j)));
      map.constraints.erase(map.constraints.begin() + static_cast<int64_t>(std::min(i, j)));
      return true;
    }
    return false;
  });
}

// x + c0 = c1  ->  x = c1 - c0, which wraps.
bool move_constant(IndexingMap& map) {
  return any_constraint(map, [&map](Constraint& constraint) {
    const std::optional<Rewriting::By> sum = by(map, Op::kAdd, constraint.expr);
    if (!sum || constraint.interval.low != constraint.interval.high) return false;
    const int64_t value = wrapped_sum(constraint.interval.low, wrapped_product(sum->c, -1));
    constraint = {sum->left, {value, value}};
    return true;
  });
}

// e floordiv k in [low, high]  ->  e in [low*k, (high+1)*k - 1], which wraps if there is no lower
// end.
bool unwrap_quotient(IndexingMap& map) {
  return any_constraint(map, [&map](Constraint& constraint) {
    const std::optional<Rewriting::By> quotient = by(map, Op::kFloorDiv, constraint.expr);
    if (!quotient || quotient->c <= 0) return false;
    const auto [low, high] = constraint.interval;
    constraint = {quotient->left,
                  {wrapped_product(low, quotient->c),
                   wrapped_sum(wrapped_product(wrapped_sum(high, 1), quotient->c), -1)}};
    return true;
  });
}

// e floordiv -k in [low, high]  ->  e floordiv k in [-high, -low]
bool unwrap_negative_quotient(IndexingMap& map) {
  return any_constraint(map, [&map](Constraint& constraint) {
    const std::optional<Rewriting::By> quotient = by(map, Op::kFloorDiv, constraint.expr);
    const auto [low, high] = constraint.interval;
    if (!quotient || quotient->c >= 0) return false;
    const auto small = [](int64_t n) { return n > -(1 << 30) && n < 1 << 30; };
    if (!small(low) || !small(high) || !small(quotient->c)) return false;
    const int64_t k = -quotient->c;
    constraint = {quotient->left, {-high * k, (-low + 1) * k - 1}};
    return true;
  });
}

template <auto change>
bool congruent(IndexingMap& map) {
  return each_congruent_variable(map, change);
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

// e * -k in [low, high]  ->  e in [ceil(-high / k), floor(-low / k)], where -INT64_MIN wraps.
bool divide_by_negative_factor(IndexingMap& map) {
  return any_constraint(map, [&](Constraint& constraint) {
    const std::optional<Rewriting::By> product = by(map, Op::kMul, constraint.expr);
    if (!product || product->c >= 0 || product->c == INT64_MIN) return false;
    const int64_t k = -product->c;
    const int64_t least = wrapped_product(constraint.interval.high, -1);
    const int64_t most = wrapped_product(constraint.interval.low, -1);
    constraint = {product->left, {least / k + (least % k > 0 ? 1 : 0), floor_of(most, k)}};
    return true;
  });
}

const Variant kDomainVariants[] = {
    {"XLA-VAR-01", Domain(drop_with_unused_range)},
    {"HAL-13", Domain(congruent<align_ends>)},
    {"HAL-28", Domain(move_constant)},
    {"TVM-01", Domain(by_parts<divide_upper_end>)},
    {"TVM-02", Domain(by_parts<divide_with_extra_term>)},
    {"TG-11", Domain(assume_terms_positive)},
    {"OPEN-05", Domain(congruent<align_low_end>)},
    {"OPEN-06", Domain(congruent<align_high_end>)},
    {"OPEN-07", Domain(merge_any_residue)},
    {"OPEN-08", Domain(merged_overwrites)},
    {"OPEN-11", Domain(unwrap_quotient)},
    {"FACT-C3", Domain(each_constraint<drop_small_rest>)},
    {"FACT-C4", Domain(divide_by_negative_factor)},
    {"FACT-C5", Domain(unwrap_negative_quotient)},
};

}  // namespace

absl::Span<const Variant> domain_variants() { return kDomainVariants; }

}  // namespace tileproof::zoo
