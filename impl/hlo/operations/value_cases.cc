// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/operations/value_cases.h"

#include <algorithm>
#include <utility>

#include "impl/map/simplify.h"

namespace tileproof::impl {
namespace {

using Alternatives = std::vector<IndexingMap>;

NodeId difference(ExprTable& nodes, NodeId a, NodeId b) {
  return add_operation(nodes, Op::kAdd, a, add_product(nodes, b, -1));
}

// What a number is that is made of two, of which not both are known.
NodeId unknown(NodeId a, NodeId b) {
  return a == Case::kAnything || b == Case::kAnything ? Case::kAnything : Case::kLost;
}

// Both conditions; nothing if they contradict each other. The nodes of `b` move by `shift`.
struct Both {
  IndexingMap map;
  NodeId shift = 0;
};
std::optional<Both> both(const IndexingMap& a, const IndexingMap& b) {
  Both result{a};
  result.shift = append_nodes(result.map.nodes, b.nodes);
  for (size_t d = 0; d < a.dimensions.size(); ++d) {
    Interval& bounds = result.map.dimensions[d].bounds;
    const Interval& other = b.dimensions[d].bounds;
    bounds = {std::max(bounds.low, other.low), std::min(bounds.high, other.high)};
    if (bounds.low > bounds.high) return std::nullopt;
  }
  for (const Constraint& c : b.constraints) {
    const bool is_known = std::ranges::any_of(a.constraints, [&](const Constraint& known) {
      return known.interval == c.interval && same_expression(a.nodes, known.expr, b.nodes, c.expr);
    });
    if (is_known) continue;
    if (!require(result.map, c.expr + result.shift, c.interval)) return std::nullopt;
  }
  return result;
}

Alternatives both(const Alternatives& a, const Alternatives& b) {
  Alternatives result;
  for (const IndexingMap& x : a) {
    for (const IndexingMap& y : b) {
      if (auto one = both(x, y)) result.push_back(std::move(one->map));
    }
  }
  return result;
}

// One or the other. A condition that always holds absorbs the others.
Alternatives either(Alternatives a, Alternatives b, const Dims& sizes) {
  for (IndexingMap& map : b) {
    if (a.size() == 1 && is_box(a[0], sizes)) break;
    if (is_box(map, sizes)) a.clear();
    a.push_back(std::move(map));
  }
  return a;
}

Cases predicate_of(Alternatives yes, Alternatives no) {
  Cases cases;
  for (const bool is_yes : {true, false}) {
    for (IndexingMap& map : is_yes ? yes : no) {
      const NodeId value = add_constant(map.nodes, is_yes ? 1 : 0);
      cases.push_back({std::move(map), value});
    }
  }
  return cases;
}

// Wherever the array has an element.
Cases all_lost(const Dims& sizes) {
  Cases cases(1);
  cases[0].value = Case::kLost;
  for (const int64_t size : sizes) cases[0].map.dimensions.push_back({{0, size - 1}, ""});
  return cases;
}

// Calls visit(conditions, a, b, found) for the values of two operands, where both are possible. An
// operand that may be anything decides alone.
template <class Visit>
Cases of_pairs(const Cases& a, const Cases& b, const Dims& sizes, size_t most, const Visit& visit) {
  if (all_are(a, Case::kAnything)) return a;
  if (all_are(b, Case::kAnything)) return b;
  Cases found;
  for (const Case& x : a) {
    for (const Case& y : b) {
      std::optional<Both> joint = both(x.map, y.map);
      if (!joint) continue;
      if (x.value < 0 || y.value < 0) {
        found.push_back({std::move(joint->map), unknown(x.value, y.value)});
      } else {
        visit(std::move(joint->map), x.value, y.value + joint->shift, found);
      }
      if (found.size() > 2 * most) return all_lost(sizes);
    }
  }
  return found;
}

// The intervals of `a - b` for which a comparison is true, and for which it is false.
struct Sides {
  std::vector<Interval> yes, no;
};
Sides sides_of(const std::string& direction) {
  const Interval below{INT64_MIN, -1}, not_above{INT64_MIN, 0};
  const Interval above{1, INT64_MAX}, not_below{0, INT64_MAX};
  if (direction == "LT") return {{below}, {not_below}};
  if (direction == "LE") return {{not_above}, {above}};
  if (direction == "GT") return {{above}, {not_above}};
  if (direction == "GE") return {{not_below}, {below}};
  const Sides equal{{{0, 0}}, {below, above}};
  return direction == "EQ" ? equal : Sides{equal.no, equal.yes};
}

NodeId combination(HloOpcode opcode, IndexingMap& map, NodeId a, NodeId b) {
  if (opcode == HloOpcode::kAdd) return add_operation(map.nodes, Op::kAdd, a, b);
  if (opcode == HloOpcode::kSubtract) return difference(map.nodes, a, b);
  const auto x = values_of(map, a), y = values_of(map, b);
  if (!x || !y) return Case::kLost;
  const bool are_points = x->low == x->high && y->low == y->high;
  if (opcode == HloOpcode::kAnd || opcode == HloOpcode::kOr) {
    if (!are_points) return Case::kLost;
    const bool is_and = opcode == HloOpcode::kAnd;
    return add_constant(map.nodes, is_and ? x->low & y->low : x->low | y->low);
  }
  if (opcode == HloOpcode::kMultiply) {
    if (x->low == x->high) return add_product(map.nodes, b, x->low);
    return y->low == y->high ? add_product(map.nodes, a, y->low) : Case::kLost;
  }
  if (x->low < 0 || y->low != y->high || y->low <= 0) return Case::kLost;
  const Op op = opcode == HloOpcode::kDivide ? Op::kFloorDiv : Op::kMod;
  return add_operation(map.nodes, op, a, add_constant(map.nodes, y->low));
}

}  // namespace

Cases everywhere(const AccessRelation& at, NodeId value) {
  Cases cases = {{at.map, value}};
  cases[0].map.results.clear();
  return cases;
}

bool all_are(const Cases& cases, NodeId value) {
  return std::ranges::all_of(cases, [value](const Case& one) { return one.value == value; });
}

bool any_is(const Cases& cases, NodeId value) {
  return std::ranges::any_of(cases, [value](const Case& one) { return one.value == value; });
}

NodeId add_product(ExprTable& nodes, NodeId x, int64_t factor) {
  return add_operation(nodes, Op::kMul, x, add_constant(nodes, factor));
}

std::optional<Interval> values_of(const IndexingMap& map, NodeId expression) {
  const absl::StatusOr<Interval> range = range_of(map, expression);
  return range.ok() ? std::optional(*range) : std::nullopt;
}

bool require(IndexingMap& map, NodeId expression, Interval interval) {
  const std::optional<Interval> all = values_of(map, expression);
  if (all && (all->high < interval.low || interval.high < all->low)) return false;
  if (all && interval.low <= all->low && all->high <= interval.high) return true;
  map.constraints.push_back({expression, interval});
  return true;
}

PredicateConditions conditions_of(const Cases& predicate, const Dims& sizes) {
  PredicateConditions conditions;
  for (const Case& one : predicate) {
    const bool is_known = one.value >= 0, is_yes = is_known && one.map.nodes[one.value].value != 0;
    if (is_yes || !is_known) conditions.yes = either(std::move(conditions.yes), {one.map}, sizes);
    if (!is_yes) conditions.no = either(std::move(conditions.no), {one.map}, sizes);
  }
  return conditions;
}

Cases absorbed(const Cases& predicate, const Dims& sizes) {
  if (any_is(predicate, Case::kLost)) return predicate;
  PredicateConditions conditions = conditions_of(predicate, sizes);
  const auto is_always = [&](const Alternatives& all) {
    return all.size() == 1 && is_box(all[0], sizes);
  };
  if (is_always(conditions.yes) && is_always(conditions.no)) {
    return {{std::move(conditions.yes[0]), Case::kAnything}};
  }
  return predicate_of(std::move(conditions.yes), std::move(conditions.no));
}

Cases combined(HloOpcode opcode, const Cases& a, const Cases& b, const Dims& sizes, size_t most) {
  return of_pairs(a, b, sizes, most, [&](IndexingMap map, NodeId x, NodeId y, Cases& found) {
    const NodeId value = combination(opcode, map, x, y);
    found.push_back({std::move(map), value});
  });
}

Cases nearest(bool smaller, const Cases& a, const Cases& b, const Dims& sizes, size_t most) {
  return of_pairs(a, b, sizes, most, [&](IndexingMap map, NodeId x, NodeId y, Cases& found) {
    const NodeId gap = difference(map.nodes, x, y);
    if (!values_of(map, gap)) return found.push_back({std::move(map), Case::kLost});
    IndexingMap first = map, second = std::move(map);
    const Interval below{INT64_MIN, -1}, above{0, INT64_MAX};
    if (require(first, gap, smaller ? below : above)) found.push_back({std::move(first), x});
    if (require(second, gap, smaller ? above : below)) found.push_back({std::move(second), y});
  });
}

Cases compared(const std::string& direction, const Cases& a, const Cases& b, const Dims& sizes,
               size_t most) {
  const Sides sides = sides_of(direction);
  return of_pairs(a, b, sizes, most, [&](IndexingMap map, NodeId x, NodeId y, Cases& found) {
    const NodeId gap = difference(map.nodes, x, y);
    if (!values_of(map, gap)) return found.push_back({std::move(map), Case::kLost});
    for (const bool is_yes : {true, false}) {
      for (const Interval& side : is_yes ? sides.yes : sides.no) {
        IndexingMap part = map;
        if (!require(part, gap, side)) continue;
        const NodeId value = add_constant(part.nodes, is_yes ? 1 : 0);
        found.push_back({std::move(part), value});
      }
    }
  });
}

Cases negated(Cases cases) {
  for (auto& [map, value] : cases) {
    if (value >= 0) value = add_product(map.nodes, value, -1);
  }
  return cases;
}

Cases negated_predicate(Cases cases) {
  for (auto& [map, value] : cases) {
    if (value >= 0) value = add_constant(map.nodes, 1 - map.nodes[value].value);
  }
  return cases;
}

Cases from_0_on(Cases cases) {
  for (auto& [map, value] : cases) {
    const auto all = value >= 0 ? values_of(map, value) : Interval{0, 0};
    if (!all || all->low < 0) value = Case::kLost;
  }
  return cases;
}

Cases chosen(const Cases& predicate, const Cases& if_true, const Cases& if_false,
             const Dims& sizes) {
  if (all_are(if_true, Case::kAnything) && all_are(if_false, Case::kAnything)) return if_true;
  const PredicateConditions conditions = conditions_of(predicate, sizes);
  const bool is_lost = any_is(predicate, Case::kLost);
  Cases found;
  for (const bool is_yes : {true, false}) {
    for (const Case& one : is_yes ? if_true : if_false) {
      for (const IndexingMap& where : is_yes ? conditions.yes : conditions.no) {
        auto joint = both(one.map, where);
        if (joint) found.push_back({std::move(joint->map), is_lost ? Case::kLost : one.value});
      }
    }
  }
  return found;
}

Cases logical(HloOpcode opcode, const Cases& a, const Cases& b, const Dims& sizes) {
  if (all_are(a, Case::kAnything) && all_are(b, Case::kAnything)) return a;
  if (any_is(a, Case::kLost) || any_is(b, Case::kLost)) return all_lost(sizes);
  const PredicateConditions x = conditions_of(a, sizes), y = conditions_of(b, sizes);
  if (opcode == HloOpcode::kAnd) {
    return predicate_of(both(x.yes, y.yes), either(x.no, y.no, sizes));
  }
  if (opcode == HloOpcode::kOr) {
    return predicate_of(either(x.yes, y.yes, sizes), both(x.no, y.no));
  }
  return predicate_of(either(both(x.yes, y.no), both(x.no, y.yes), sizes),
                      either(both(x.yes, y.yes), both(x.no, y.no), sizes));
}

}  // namespace tileproof::impl
