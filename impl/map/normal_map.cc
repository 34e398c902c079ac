// SPDX-License-Identifier: Apache-2.0
#include "impl/map/normal_map.h"

#include <algorithm>
#include <array>

#include "absl/container/inlined_vector.h"
#include "impl/map/domain/constraint.h"
#include "impl/map/normal_form/normalize.h"

namespace tileproof::impl {
namespace {

constexpr int kTermsOfSum = 8;
constexpr int kMostTightenings = 4;
using Bounds = absl::InlinedVector<Interval, 32>;  // of dimensions, ranges, runtime variables

// factor * v, factor * ((v + inner) floordiv divisor) or factor * ((v + inner) mod divisor).
struct Term {
  uint64_t key = 0;  // orders terms as extraction writes them (compare_renderings)
  int64_t factor = 1;
  int64_t divisor = 0;  // 0: the variable itself
  int64_t inner = 0;    // no multiple of the divisor, unless 0
  int32_t variable = 0;
  bool is_mod = false;
};

struct Sum {
  std::array<Term, kTermsOfSum> terms;
  int count = 0;
  int quotients = 0;  // terms with a divisor
  int64_t constant = 0;
  int64_t modulus = 0;     // of a constraint `sum mod modulus`; 0: none
  uint64_t variables = 0;  // their numbers modulo 64, as bits
  uint64_t key = 0;        // orders the constraint among others

  const Term* begin() const { return terms.data(); }
  const Term* end() const { return terms.data() + count; }
};

bool is_small(int64_t x) { return -(int64_t{1} << 31) < x && x < int64_t{1} << 31; }

// Returns whether the table is valid, each node is a part of an expression, and each quotient is one of
// a variable, perhaps plus a constant. (Chains of reshapes have others, and are left here at once.)
bool has_usual_nodes(const IndexingMap& map) {
  absl::InlinedVector<char, 64> used(map.nodes.size(), 0);
  for (NodeId id = 0; id < std::ssize(map.nodes); ++id) {
    const Node& node = map.nodes[id];
    if (!node.is_computed) return false;
    if (is_variable(node.op) &&
        static_cast<uint64_t>(node.value) >= variables_of(map, node.op).size()) {
      return false;
    }
    if (is_leaf(node.op)) continue;
    if (!operands_precede(node, id)) return false;
    used[node.left] = used[node.right] = 1;
    const Node &left = map.nodes[node.left], &right = map.nodes[node.right];
    if (!is_division(node.op)) continue;
    if (node.op == Op::kCeilDiv || right.op != Op::kConstant || right.value <= 0 ||
        (!is_variable(left.op) && left.op != Op::kAdd)) {
      return false;
    }
  }
  for (const NodeId root : map.results) used[root] = 1;
  for (const Constraint& constraint : map.constraints) used[constraint.expr] = 1;
  return std::ranges::count(used, 0) == 0;
}

// Reads `left op constant`, and steps to the left operand.
bool step_left(const ExprTable& nodes, NodeId& id, int64_t& number) {
  const Node& right = nodes[nodes[id].right];
  if (right.op != Op::kConstant || !is_small(right.value)) return false;
  number = right.value;
  id = nodes[id].left;
  return true;
}

bool read_term(const IndexingMap& map, NodeId id, Term& term) {
  const ExprTable& nodes = map.nodes;
  if (nodes[id].op == Op::kMul &&
      (!step_left(nodes, id, term.factor) || term.factor == 0 || term.factor == 1)) {
    return false;
  }
  term.is_mod = nodes[id].op == Op::kMod;
  if (term.is_mod || nodes[id].op == Op::kFloorDiv) {
    if (!step_left(nodes, id, term.divisor) || term.divisor < 2) return false;
    if (nodes[id].op == Op::kAdd &&
        (!step_left(nodes, id, term.inner) || term.inner % term.divisor == 0)) {
      return false;
    }
  }
  if (!is_variable(nodes[id].op)) return false;
  term.variable = variable_atom(map, nodes[id].op, nodes[id].value);
  const uint64_t rank = term.divisor == 0 ? 2 : term.is_mod ? 0 : 1;
  term.key = uint64_t{nodes[id].op != Op::kDimension} << 63 | uint64_t{term.factor == 1} << 62 |
             rank << 60 | static_cast<uint32_t>(term.variable);
  return true;
}

// Returns whether nothing adds up with the terms before: their order is the only one, no factor but 1
// and no variable occurs again. A variable may be in a quotient and outside of it.
bool joins(const Sum& sum, const Term& term) {
  return (sum.count == 0 || sum.terms[sum.count - 1].key < term.key) &&
         std::none_of(sum.begin(), sum.end(), [&](const Term& other) {
           return (other.factor == term.factor && term.factor != 1) ||
                  (other.variable == term.variable && (other.divisor == 0) == (term.divisor == 0));
         });
}

bool read_sum(const IndexingMap& map, NodeId id, Sum& sum) {
  const ExprTable& nodes = map.nodes;
  if (nodes[id].op == Op::kConstant) return sum.constant = nodes[id].value, true;
  if (nodes[id].op == Op::kAdd && nodes[nodes[id].right].op == Op::kConstant &&
      (!step_left(nodes, id, sum.constant) || sum.constant == 0)) {
    return false;
  }
  std::array<NodeId, kTermsOfSum> summands;  // the last first
  int count = 0;
  for (; nodes[id].op == Op::kAdd; id = nodes[id].left) {
    if (count == kTermsOfSum - 1) return false;
    summands[count++] = nodes[id].right;
  }
  summands[count++] = id;
  while (count > 0) {
    Term& term = sum.terms[sum.count];
    if (!read_term(map, summands[--count], term) || !joins(sum, term)) return false;
    sum.variables |= uint64_t{1} << (term.variable & 63);
    sum.quotients += term.divisor != 0;
    ++sum.count;
  }
  return true;
}

// A congruence of a sum of variables, or a sum of two or more variables and their negatives.
bool read_constraint(const IndexingMap& map, NodeId id, Sum& sum) {
  if (map.nodes[id].op == Op::kMod && !step_left(map.nodes, id, sum.modulus)) return false;
  if (!read_sum(map, id, sum) || sum.quotients > 0 || sum.constant != 0) return false;
  if (sum.modulus == 0 ? sum.count < 2 : sum.count < 1 || sum.modulus < 2) return false;
  const Term* first = std::ranges::min_element(sum, {}, &Term::variable);
  const bool has_dimension = sum.begin()->key >> 63 == 0;
  sum.key =
      sum.modulus == 0 ? sum.begin()->key : uint64_t{!has_dimension} << 63 | uint64_t{1} << 62;
  return first->factor == 1 && std::ranges::all_of(sum, [&](const Term& term) {
           return term.factor == 1 || (term.factor == -1 && sum.modulus == 0);
         });
}

// The order in which constraints are written.
bool comes_before(const Sum& a, const Sum& b) {
  if (a.key != b.key || (a.modulus == 0) != (b.modulus == 0)) return a.key < b.key;
  const auto is_less = [](const Term& x, const Term& y) {
    return x.key != y.key ? x.key < y.key : x.factor < y.factor;
  };
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), is_less);
}

Range range_of(const Term& term, const Bounds& bounds) {
  const Interval& own = bounds[term.variable];
  return scaled({own.low, own.high}, term.factor);
}

Range range_of(const Sum& sum, const Bounds& bounds) {
  Range all;
  for (const Term& term : sum) {
    const Range own = range_of(term, bounds);
    all = {all.low + own.low, all.high + own.high};
  }
  return all;
}

// No, if no value is left, or only one: then the variable is a constant in its constraints.
bool narrow(const Range& by, Interval& own, bool& changed) {
  const Interval before = own;
  if (by.low > own.low) own.low = static_cast<int64_t>(std::min<Wide>(by.low, own.high));
  if (by.high < own.high) own.high = static_cast<int64_t>(std::max<Wide>(by.high, own.low));
  changed |= !(own == before);
  return own.low < own.high;
}

// What the sum and its interval leave for each variable. No, if the interval is implied or too wide.
bool tighten_sum(const Sum& sum, const Interval& in, Bounds& bounds, bool& changed) {
  const Range all = range_of(sum, bounds);
  if (in.low > in.high || in.low < all.low || in.high > all.high || Range{in.low, in.high} == all) {
    return false;
  }
  return std::ranges::all_of(sum, [&](const Term& term) {
    const Range own = range_of(term, bounds);
    const Range left{in.low - (all.high - own.high), in.high - (all.low - own.low)};
    return narrow(scaled(left, term.factor), bounds[term.variable], changed);
  });
}

// A variable with b values or more gives the sum all residues, and the floor of the sum stays an atom.
// The bounds of one variable become such residues; those of several must be tight already (tighten in
// domain/constraint.cc for sum - b * floor(sum / b)).
bool tighten_congruence(const Sum& sum, const Interval& in, Bounds& bounds, bool& changed) {
  const Wide b = sum.modulus;
  const bool is_wide = std::ranges::any_of(sum, [&](const Term& term) {
    return Wide{bounds[term.variable].high} - bounds[term.variable].low >= b;
  });
  if (!is_wide || in.low < 0 || in.low > in.high || in.high >= b || in.high - in.low == b - 1) {
    return false;
  }
  const Range all = range_of(sum, bounds);
  if (sum.count == 1) {
    const Range pulled = pull_to_residues(all, sum.modulus, {in.low, in.high});
    return narrow(pulled, bounds[sum.begin()->variable], changed);
  }
  const Wide first = floor_wide(all.low, b) * b, last = floor_wide(all.high, b) * b;
  if (last > all.high - in.low || first < all.low - in.high) return false;
  return std::ranges::all_of(sum, [&](const Term& term) {
    const Interval& own = bounds[term.variable];
    return own.low < own.high && in.low - (all.high - first - own.high) <= own.low &&
           in.high - (all.low - last - own.low) >= own.high;
  });
}

struct ReadConstraint {
  Constraint constraint;
  Sum sum;
};
using Constraints = absl::InlinedVector<ReadConstraint, 4>;

// Reads the constraints, sorts them, and tightens bounds until nothing changes.
bool read_constraints(const IndexingMap& map, Constraints& constraints, Bounds& bounds,
                      bool& is_same) {
  constraints.reserve(map.constraints.size());
  for (const Constraint& constraint : map.constraints) {
    constraints.push_back({constraint, {}});
    if (!read_constraint(map, constraint.expr, constraints.back().sum)) return false;
  }
  const auto not_before = [](const ReadConstraint& a, const ReadConstraint& b) {
    return !comes_before(a.sum, b.sum);
  };
  if (std::ranges::adjacent_find(constraints, not_before) != constraints.end()) {
    is_same = false;
    std::ranges::sort(constraints, comes_before, &ReadConstraint::sum);
    if (std::ranges::adjacent_find(constraints, not_before) != constraints.end()) return false;
  }
  bool changed = !constraints.empty();
  for (int round = 0; changed; ++round) {
    if (round == kMostTightenings) return false;
    changed = false;
    for (const auto& [constraint, sum] : constraints) {
      const auto& tighten = sum.modulus == 0 ? tighten_sum : tighten_congruence;
      if (!tighten(sum, constraint.interval, bounds, changed)) return false;
    }
    is_same &= !changed;
  }
  return true;
}

// Returns whether no sum with one value is a part of the result, and no mod of a constraint can be.
bool is_independent(const Sum& sum, const Constraints& constraints) {
  return std::ranges::none_of(constraints, [&](const ReadConstraint& other) {
    const bool counts = other.sum.modulus != 0
                            ? sum.quotients > 0
                            : other.constraint.interval.low == other.constraint.interval.high;
    return counts && (other.sum.variables & ~sum.variables) == 0;
  });
}

// The factor of the variable outside of quotients; 0 if it does not occur.
int64_t factor_of(const Sum& sum, int32_t variable) {
  for (const Term& term : sum) {
    if (term.divisor == 0 && term.variable == variable) return term.factor;
  }
  return 0;
}

// Returns whether the sum with quotients has no cheaper rendering. A sum without has only one.
//
// A mod alone, with a positive factor and a constant: another expression of its values needs as many nodes,
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
bool is_cheapest(const Sum& sum) {
  const Term& only = *sum.begin();
  if (sum.count == 1 && only.is_mod) {
    if (only.inner == 0) return only.factor > 0;
    return only.inner > 0 && only.inner < only.divisor && only.factor == 1 && sum.constant == 0;
  }
  return sum.quotients <= 2 && std::ranges::all_of(sum, [&](const Term& term) {
           if (term.divisor == 0) return true;
           const int64_t own = factor_of(sum, term.variable);
           const bool turns =
               term.factor < 0 || std::ranges::count(sum, -term.factor, &Term::factor);
           if (term.is_mod || (turns && (sum.constant != 0 || term.inner != 0))) return false;
           if (term.inner != 0) return sum.quotients == 1 && sum.constant == 0 && own == 0;
           return own == 0 || (own % term.factor != 0 && std::abs(term.factor) < term.divisor);
         });
}

bool is_normal(const Sum& sum, const Bounds& bounds) {
  return (sum.quotients == 0 || is_cheapest(sum)) &&
         std::ranges::all_of(sum, [&](const Term& term) {
           const auto [low, high] = bounds[term.variable];
           if (low == high || term.divisor == 0) return low < high;
           // For two values, drop-small-part may find a cell for a multiple of v.
           return is_small(low) && is_small(high) && high - low >= 2 &&
                  floor_quotient(low + term.inner, term.divisor) <
                      floor_quotient(high + term.inner, term.divisor);
         });
}

bool read_results(const IndexingMap& map, const Constraints& constraints, const Bounds& bounds,
                  bool& is_same) {
  return std::ranges::all_of(map.results, [&](NodeId root) {
    const Node& node = map.nodes[root];
    if (is_variable(node.op)) {
      const Interval& own = bounds[variable_atom(map, node.op, node.value)];
      is_same &= own.low < own.high;
      return true;
    }
    Sum sum;
    return read_sum(map, root, sum) && is_normal(sum, bounds) && is_independent(sum, constraints);
  });
}

void write(const IndexingMap& map, const Constraints& constraints, const Bounds& bounds,
           IndexingMap& out) {
  out = map;
  const Interval* next = bounds.data();
  for (const Op kind : kVariableKinds) {
    for (Variable& variable : variables_of(out, kind)) variable.bounds = *next++;
  }
  for (size_t i = 0; i < constraints.size(); ++i) out.constraints[i] = constraints[i].constraint;
  // A variable with one value is a part of nothing else.
  for (const NodeId root : map.results) {
    const Node& node = map.nodes[root];
    if (!is_variable(node.op)) continue;
    const Interval& own = bounds[variable_atom(map, node.op, node.value)];
    if (own.low == own.high) out.nodes[root] = {.op = Op::kConstant, .value = own.low};
  }
}

}  // namespace

const IndexingMap* simplify_normal(const IndexingMap& map, IndexingMap& out) {
  if (map.known_empty || !has_usual_nodes(map)) return nullptr;
  Bounds bounds;
  for (const Op kind : kVariableKinds) {
    for (const Variable& variable : variables_of(map, kind)) {
      if (variable.bounds.low > variable.bounds.high) return nullptr;
      bounds.push_back(variable.bounds);
    }
  }
  Constraints constraints;
  bool is_same = true;
  if (!read_constraints(map, constraints, bounds, is_same) ||
      !read_results(map, constraints, bounds, is_same)) {
    return nullptr;
  }
  if (is_same) return &map;
  write(map, constraints, bounds, out);
  return &out;
}

}  // namespace tileproof::impl
