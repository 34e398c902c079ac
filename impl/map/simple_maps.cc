// SPDX-License-Identifier: Apache-2.0
#include "impl/map/simple_maps.h"

#include <algorithm>
#include <array>
#include <utility>

#include "impl/map/simple_constraints.h"
#include "impl/map/simple_sums.h"

namespace tileproof::impl {
namespace {

// Returns whether the sum with quotients has no cheaper rendering. A sum without quotients has only
// one.
//
// A mod alone, with a factor and a constant: another expression of its values needs as many nodes,
// and larger numbers. Otherwise at most two floors C * (v floordiv c), which could become
//   - a part of a mod with a divisor b, a divisor of C. If c is a multiple of b, or b of c, the mod
//     contains v itself. That costs more, unless another term of v vanishes. For that b must be a
//     multiple of c, so |C| >= c. Other divisors are tried only if the other terms have a floor
//     that contains v.
//   - C * floor((v + c*q*v) / c), if C divides v's own factor.
//   - -C * floor((-v + k) / c), if the constant can move inside. This has two nodes more, unless -C
//     needs no factor, or shares one.
// The constant of an operand is the sum of a remainder and of a constant outside of the floor. If it
// is outside, there are two nodes more.
bool is_cheapest(const SimpleSum& sum) {
  const SimpleTerm& last = sum.terms[0];
  if (sum.count == 1 && last.op == Op::kMod) {
    return last.inner == 0 ||
           (last.inner > 0 && last.inner < last.divisor && last.factor == 1 && sum.constant == 0);
  }
  if (sum.quotients > 2) return false;
  for (const SimpleTerm& term : sum) {
    if (term.divisor == 0) continue;
    if (term.inner != 0 && (sum.quotients > 1 || sum.constant != 0 || term.factor < 0 ||
                            has_factor(sum, -term.factor) || factor_of(sum, term.variable) != 0)) {
      return false;
    }
    if (term.op == Op::kMod) return false;
    const int64_t own = factor_of(sum, term.variable);
    if (own != 0 && (own % term.factor == 0 || magnitude(term.factor) >= term.divisor)) {
      return false;
    }
    if (sum.constant != 0 && (term.factor < 0 || has_factor(sum, -term.factor))) return false;
  }
  return true;
}

// The nodes that were read, if they follow each other: [first, end).
struct Nodes {
  NodeId first = -1;
  NodeId end = -1;

  bool add(NodeId from, NodeId root) {
    if (first < 0) first = end = from;
    if (from != end) return false;
    end = root + 1;
    return true;
  }
};

// Returns whether these are all nodes of the table, in either order.
bool cover(Nodes a, Nodes b, size_t size) {
  if (a.first < 0 && b.first < 0) return size == 0;
  if (a.first < 0) a = {b.end, b.end};
  if (b.first < 0) b = {a.end, a.end};
  const auto end = static_cast<NodeId>(size);
  return (a.first == 0 && a.end == b.first && b.end == end) ||
         (b.first == 0 && b.end == a.first && a.end == end);
}

// What constraints say about sums of several variables, as sets of variables.
struct Assumed {
  struct Sum {
    uint64_t variables;
    bool is_mod;
  };
  std::array<Sum, 8> sums;
  int count = 0;

  bool add(const Sum& sum) {
    if (count == std::ssize(sums)) return false;
    sums[count++] = sum;
    return true;
  }
};

// A bound, after it was written, or a constraint that the bounds imply.
bool is_dropped(const SimpleSum& sum, const Interval& interval) {
  return (sum.count == 1 && sum.modulus == 0) || is_implied(sum, interval);
}

// Reads the constraints once, and tightens bounds.
bool read_constraints(const IndexingMap& map, SimpleReader& reader, Nodes& nodes, Assumed& assumed,
                      bool& changed, bool& reordered) {
  SimpleSum sums[2];
  int kept = 0;
  for (const auto& [root, interval] : map.constraints) {
    SimpleSum& sum = sums[kept % 2];
    if (!reader.read_constraint(root, sum) || !nodes.add(sum.first, root)) return false;
    const bool implied = is_implied(sum, interval);
    const bool is_bound = sum.count == 1 && sum.modulus == 0;
    if (implied || is_bound) reordered = true;
    if (implied) continue;
    if (is_bound) {
      if (!tighten_variable(sum, interval, reader, changed)) return false;
      continue;
    }
    if (sum.constant != 0 || sum.quotients > 0 || sum.changed) return false;
    if (!tighten_sum(sum, interval, reader, changed)) return false;
    if (kept > 0 && !comes_before(sums[1 - kept % 2], sum)) reordered = true;
    ++kept;
    const bool is_point = interval.low == interval.high;
    if ((is_point || sum.modulus != 0) && !assumed.add({sum.variables, sum.modulus != 0})) {
      return false;
    }
  }
  return true;
}

// Returns whether no sum with one value is a part of the result, and no mod can be.
bool is_independent(const SimpleSum& sum, const Assumed& assumed) {
  for (int i = 0; i < assumed.count; ++i) {
    if (assumed.sums[i].is_mod && sum.quotients == 0) continue;
    if ((assumed.sums[i].variables & ~sum.variables) == 0) return false;
  }
  return true;
}

bool read_result(const SimpleReader& reader, NodeId root, const Assumed& assumed, SimpleSum& sum) {
  return reader.read(root, sum) && (sum.quotients == 0 || is_cheapest(sum)) &&
         is_independent(sum, assumed);
}

bool has_points(const IndexingMap& map) {
  bool empty = false;
  for (const auto* variables : {&map.dimensions, &map.ranges, &map.runtime}) {
    for (const Variable& variable : *variables) {
      empty |= variable.bounds.low > variable.bounds.high;
    }
  }
  return !empty;
}

void write_bounds(const SimpleReader& reader, IndexingMap& out) {
  for (const SimpleReader::Narrowed& narrowed : reader) {
    auto number = static_cast<size_t>(narrowed.variable);
    std::vector<Variable>* variables = &out.dimensions;
    for (auto* next : {&out.ranges, &out.runtime}) {
      if (number < variables->size()) break;
      number -= variables->size();
      variables = next;
    }
    (*variables)[number].bounds = {narrowed.low, narrowed.high};
  }
}

// Sorts the constraints in the order of their renderings. No, if two are on one sum.
bool sort_constraints(IndexingMap& map) {
  const SimpleReader reader(map);
  SimpleSum one, other;
  for (size_t i = 1; i < map.constraints.size(); ++i) {
    reader.read_constraint(map.constraints[i].expr, one);
    for (size_t at = i; at > 0; --at) {
      reader.read_constraint(map.constraints[at - 1].expr, other);
      if (comes_before(other, one)) break;
      if (!comes_before(one, other)) return false;
      std::swap(map.constraints[at - 1], map.constraints[at]);
    }
  }
  return true;
}

// Writes the map with tighter bounds, without redundant constraints and with results in normal
// form.
void write_map(const IndexingMap& map, const SimpleReader& reader, IndexingMap& out) {
  out.dimensions = map.dimensions;
  out.ranges = map.ranges;
  out.runtime = map.runtime;
  out.known_empty = false;
  out.nodes.clear();
  out.results.clear();
  out.constraints.clear();
  write_bounds(reader, out);
  SimpleSum sum;
  for (const Constraint& constraint : map.constraints) {
    reader.read_constraint(constraint.expr, sum);
    if (is_dropped(sum, constraint.interval)) continue;
    out.constraints.push_back({write(sum, out.nodes), constraint.interval});
  }
  for (const NodeId root : map.results) {
    reader.read(root, sum);
    out.results.push_back(write(sum, out.nodes));
  }
}

}  // namespace

Simple simplify_simple(const IndexingMap& map, IndexingMap& out) {
  constexpr int kMaxRounds = 4;
  if (map.known_empty || !has_points(map)) return Simple::kNo;
  SimpleReader reader(map);
  Nodes constraints, results;
  Assumed assumed;
  bool changed = true, reordered = false;
  for (int round = 0; changed; ++round) {
    if (round == kMaxRounds) return Simple::kNo;
    changed = false;
    constraints = {};
    assumed.count = 0;
    if (!read_constraints(map, reader, constraints, assumed, changed, reordered)) {
      return Simple::kNo;
    }
  }
  changed = reader.begin() != reader.end() || reordered;
  SimpleSum sum;
  for (const NodeId root : map.results) {
    if (!read_result(reader, root, assumed, sum)) return Simple::kNo;
    if (!results.add(sum.first, root)) return Simple::kNo;
    changed |= sum.changed;
  }
  if (!cover(constraints, results, map.nodes.size())) return Simple::kNo;
  if (!changed) return Simple::kUnchanged;
  write_map(map, reader, out);
  return sort_constraints(out) ? Simple::kChanged : Simple::kNo;
}

}  // namespace tileproof::impl
