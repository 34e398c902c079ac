// SPDX-License-Identifier: Apache-2.0
#include "impl/map/simple_maps.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "impl/map/domain/constraint.h"
#include "impl/map/normal_form/normal_form.h"
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

Range range_of(const SimpleTerm& term) {
  const Wide a = Wide{term.low} * term.factor, b = Wide{term.high} * term.factor;
  return {std::min(a, b), std::max(a, b)};
}

Range range_of(const SimpleSum& sum) {
  Range all{0, 0};
  for (const SimpleTerm& term : sum) {
    const Range own = range_of(term);
    all = {all.low + own.low, all.high + own.high};
  }
  return all;
}

// Returns whether the constraint's sum is in normal form: no common factor, the factor of its first
// variable is positive.
bool is_scaled_down(const SimpleSum& sum) {
  int64_t g = 0;
  const SimpleTerm* first = &sum.terms[0];
  for (const SimpleTerm& term : sum) {
    g = std::gcd(g, term.factor);
    if (term.variable < first->variable) first = &term;
  }
  return g == 1 && first->factor > 0;
}

// Returns whether the part B of the sum g*A + B stays in a constraint (drop_part of
// impl/map/domain/constraint.cc, for one g; B has the factors that g does not divide).
bool keeps_part(const SimpleSum& sum, const Range& range, const Range& all, int64_t g) {
  Range part{0, 0};
  for (const SimpleTerm& term : sum) {
    if (term.factor % g == 0) continue;
    const Range own = range_of(term);
    part = {part.low + own.low, part.high + own.high};
  }
  const bool low_decided =
      ceil_wide(range.low - part.low, g) == ceil_wide(range.low - part.high, g);
  const bool high_decided =
      floor_wide(range.high - part.high, g) == floor_wide(range.high - part.low, g);
  return (!low_decided && range.low > all.low) || (!high_decided && range.high < all.high);
}

// The same for all g that drop_part tries, if at most two factors are no units.
bool keeps_parts(const SimpleSum& sum, const Range& range, const Range& all) {
  int64_t one = 1, other = 1;
  for (const SimpleTerm& term : sum) {
    const int64_t g = magnitude(term.factor);
    if (g == 1) continue;
    if (other != 1) return false;
    other = one;
    one = g;
  }
  const int64_t both = std::gcd(one, other);
  for (const int64_t g : {one, other, both}) {
    if (g > 1 && !keeps_part(sum, range, all, g)) return false;
  }
  return true;
}

// Returns whether the constraint says no more than the bounds do.
bool is_implied(const SimpleSum& sum, const Interval& interval) {
  if (sum.modulus != 0 || sum.quotients > 0) return false;
  const Range all = range_of(sum);
  return interval.low <= all.low + sum.constant && all.high + sum.constant <= interval.high;
}

// Writes the bounds of the only variable: of f * v + k, or f * (v floordiv c) + k, in the interval.
bool tighten_variable(const SimpleSum& sum, const Interval& interval, SimpleReader& reader,
                      bool& changed) {
  const SimpleTerm& term = sum.terms[0];
  if (term.op == Op::kMod || term.inner != 0) return false;
  const Wide low = Wide{interval.low} - sum.constant, high = Wide{interval.high} - sum.constant;
  const Wide f = term.factor;
  Range own = f > 0 ? Range{ceil_wide(low, f), floor_wide(high, f)}
                    : Range{ceil_wide(-high, -f), floor_wide(-low, -f)};
  if (term.divisor != 0) own = {own.low * term.divisor, own.high * term.divisor + term.divisor - 1};
  own = {std::max<Wide>(own.low, term.low), std::min<Wide>(own.high, term.high)};
  if (own.low > own.high) return false;
  if (own == Range{term.low, term.high}) return true;
  changed = true;
  return reader.narrow(term.variable, static_cast<int64_t>(own.low),
                       static_cast<int64_t>(own.high));
}

// Returns whether the bounds are those that the sum and its interval leave. Otherwise writes
// tighter ones, if all factors are units. (With other factors, parts may be dropped within looser
// bounds, which gives other bounds.)
bool tighten(const SimpleSum& sum, const Interval& interval, SimpleReader& reader, bool& changed) {
  const Range all = range_of(sum);
  const Range range{std::max<Wide>(interval.low, all.low), std::min<Wide>(interval.high, all.high)};
  if (range.low > range.high) return false;  // a contradiction
  if (range.low != interval.low || range.high != interval.high) return false;
  for (const SimpleTerm& term : sum) {
    const Range own = range_of(term);
    const Wide low = range.low - (all.high - own.high), high = range.high - (all.low - own.low);
    if (low <= own.low && high >= own.high) continue;
    const bool units = std::all_of(sum.begin(), sum.end(), [](const SimpleTerm& other) {
      return magnitude(other.factor) == 1;
    });
    Range left{std::max(low, own.low), std::min(high, own.high)};
    if (term.factor < 0) left = {-left.high, -left.low};
    if (!units || !reader.narrow(term.variable, static_cast<int64_t>(left.low),
                                 static_cast<int64_t>(left.high))) {
      return false;
    }
    changed = true;
  }
  return changed || keeps_parts(sum, range, all);
}

// Gives the variable bounds with these residues modulo b. Then nothing else can tighten them.
bool pull_bounds(const SimpleTerm& term, int64_t b, const Interval& residues, SimpleReader& reader,
                 bool& changed) {
  const Range bounds = pull_to_residues({term.low, term.high}, b, {residues.low, residues.high});
  if (bounds == Range{term.low, term.high}) return true;
  changed = true;
  return reader.narrow(term.variable, static_cast<int64_t>(bounds.low),
                       static_cast<int64_t>(bounds.high));
}

// Reads sum mod b in an interval, with factors 1. If one variable has b values or more, floor(sum / b)
// stays an atom, and the sum has all residues.
bool read_congruence(const SimpleSum& sum, int64_t b, const Interval& residues,
                     SimpleReader& reader, bool& changed) {
  if (residues.low < 0 || residues.low > residues.high || residues.high >= b ||
      residues.high - residues.low == b - 1) {
    return false;
  }
  bool wide = false;
  for (const SimpleTerm& term : sum) {
    if (term.factor != 1) return false;
    wide |= Wide{term.high} - term.low >= b;
  }
  if (!wide) return false;
  if (sum.count == 1) return pull_bounds(sum.terms[0], b, residues, reader, changed);
  // sum - b * floor(sum / b) in the interval tightens nothing (tighten in domain/constraint.cc).
  const Range all = range_of(sum);
  const Wide first = floor_wide(all.low, b) * b, last = floor_wide(all.high, b) * b;
  if (last > all.high - residues.low || first < all.low - residues.high) return false;
  for (const SimpleTerm& term : sum) {
    if (residues.low - (all.high - first - term.high) > term.low ||
        residues.high - (all.low - last - term.low) < term.high) {
      return false;
    }
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
    if (!reader.read_constraint(root, sum) ||
        (!reader.validated() && !nodes.add(sum.first, root))) {
      return false;
    }
    if (is_dropped(sum, interval)) reordered = true;
    if (is_implied(sum, interval)) continue;
    if (sum.count == 1 && sum.modulus == 0) {
      if (!tighten_variable(sum, interval, reader, changed)) return false;
      continue;
    }
    if (sum.constant != 0 || sum.quotients > 0 || sum.changed) return false;
    if (sum.modulus != 0) {
      if (sum.count < 1 || !read_congruence(sum, sum.modulus, interval, reader, changed)) {
        return false;
      }
    } else if (sum.count < 2 || !is_scaled_down(sum) || !tighten(sum, interval, reader, changed)) {
      return false;
    }
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
  const SimpleReader reader(map, /*validated=*/true);
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

Simple simplify_simple(const IndexingMap& map, Validated validated, IndexingMap& out) {
  constexpr int kMaxRounds = 4;
  if (map.known_empty || !has_points(map)) return Simple::kNo;
  SimpleReader reader(map, validated == Validated::kYes);
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
    if (!reader.validated() && !results.add(sum.first, root)) return Simple::kNo;
    changed |= sum.changed;
  }
  if (!reader.validated() && !cover(constraints, results, map.nodes.size())) return Simple::kNo;
  if (!changed) return Simple::kUnchanged;
  write_map(map, reader, out);
  return sort_constraints(out) ? Simple::kChanged : Simple::kNo;
}

}  // namespace tileproof::impl
