// SPDX-License-Identifier: Apache-2.0
#include "generate/map/mutate_map.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "generate/choose/limits.h"
#include "generate/map/generate_map.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/map/map_text.h"

namespace tileproof {
namespace {

constexpr int64_t kMostNodes = limits::kMutatedNodes.most;

int64_t mutate_value(Choose& choose, int64_t value) {
  switch (choose(9)) {
    case 0:
    case 1:
      return checked_add(value, 1).value_or(0);
    case 2:
    case 3:
      return checked_sub(value, 1).value_or(0);
    case 4:
      return checked_mul(value, 2).value_or(value);
    case 5:
      return value / 2;
    case 6:
      return checked_mul(value, -1).value_or(0);
    case 7:
      return choose.between(-16, 16);
    default: {
      const int64_t power = int64_t{1} << choose(63);
      return choose.chance(1, 2) ? power : checked_add(value, power).value_or(-power);
    }
  }
}

// Returns a variable of the map, or `otherwise` if it has none.
Node some_variable(Choose& choose, const IndexingMap& map, Node otherwise) {
  int64_t count = 0;
  for (Op kind : kVariableKinds) count += std::ssize(variables_of(map, kind));
  if (count == 0) return otherwise;
  int64_t number = choose(count);
  for (Op kind : kVariableKinds) {
    const int64_t here = std::ssize(variables_of(map, kind));
    if (number < here) return {.op = kind, .value = number};
    number -= here;
  }
  return otherwise;
}

// Replaces every use of `from` by `to`, which comes before it in the table.
void redirect(IndexingMap& map, NodeId from, NodeId to) {
  for (Node& node : map.nodes) {
    if (is_leaf(node.op)) continue;
    if (node.left == from) node.left = to;
    if (node.right == from) node.right = to;
  }
  std::ranges::replace(map.results, from, to);
  for (Constraint& constraint : map.constraints) {
    if (constraint.expr == from) constraint.expr = to;
  }
}

void mutate_operation(Choose& choose, IndexingMap& map, NodeId id) {
  static const std::vector<Op> kOperations = {Op::kAdd, Op::kMul, Op::kFloorDiv, Op::kMod,
                                              Op::kCeilDiv};
  Node& node = map.nodes[id];
  switch (choose(6)) {
    case 0:
      return std::swap(node.left, node.right);
    case 1:
      return redirect(map, id, choose.chance(1, 2) ? node.left : node.right);
    case 2:
      node.left = static_cast<NodeId>(choose(id));
      return;
    case 3:
      node.right = static_cast<NodeId>(choose(id));
      return;
    default:
      node.op = choose.pick(kOperations);
  }
}

void mutate_node(Choose& choose, IndexingMap& map) {
  if (map.nodes.empty()) return;
  const auto id = static_cast<NodeId>(choose(std::ssize(map.nodes)));
  Node& node = map.nodes[id];
  if (!is_leaf(node.op)) return mutate_operation(choose, map, id);
  if (node.op == Op::kConstant && !choose.chance(1, 8)) {
    node.value = mutate_value(choose, node.value);
  } else if (choose.chance(1, 4)) {
    node = {.op = Op::kConstant, .value = choose.between(-8, 8)};
  } else {
    node = some_variable(choose, map, node);
  }
}

// Returns an operation on a root and a constant or an existing node.
NodeId wrapped(Choose& choose, IndexingMap& map, NodeId root) {
  static const std::vector<Op> kOperations = {Op::kAdd, Op::kMod, Op::kFloorDiv, Op::kMul,
                                              Op::kCeilDiv};
  const Op op = choose.pick(kOperations);
  if (op == Op::kAdd && choose.chance(1, 2)) {
    const auto other = static_cast<NodeId>(choose(std::ssize(map.nodes)));
    return add_operation(map.nodes, op, root, other);
  }
  const NodeId constant = add_constant(map.nodes, mutate_value(choose, choose.between(1, 9)));
  return add_operation(map.nodes, op, root, constant);
}

NodeId some_root(Choose& choose, IndexingMap& map) {
  if (map.nodes.empty()) {
    const Node leaf = some_variable(choose, map, {.op = Op::kConstant, .value = 1});
    map.nodes.push_back(leaf);
  }
  return static_cast<NodeId>(choose(std::ssize(map.nodes)));
}

void mutate_interval(Choose& choose, Interval& interval) {
  int64_t& end = choose.chance(1, 2) ? interval.low : interval.high;
  end = mutate_value(choose, end);
}

void mutate_constraints(Choose& choose, IndexingMap& map) {
  std::vector<Constraint>& constraints = map.constraints;
  if (constraints.empty() ||
      (std::ssize(constraints) < limits::kMapConstraints.most && choose.chance(1, 4))) {
    const int64_t low = choose.between(-4, 4);
    const NodeId root = some_root(choose, map);
    const NodeId expr = choose.chance(1, 2) ? root : wrapped(choose, map, root);
    constraints.push_back({expr, {low, low + choose(20)}});
    return;
  }
  const int64_t at = choose(std::ssize(constraints));
  if (choose.chance(1, 4)) {
    constraints.erase(constraints.begin() + at);
  } else if (choose.chance(1, 3)) {
    constraints[at].expr = wrapped(choose, map, constraints[at].expr);
  } else {
    mutate_interval(choose, constraints[at].interval);
  }
}

void mutate_bounds(Choose& choose, IndexingMap& map) {
  const Node variable = some_variable(choose, map, {});
  if (variable.op == Op::kConstant) return;
  mutate_interval(choose, variables_of(map, variable.op)[variable.value].bounds);
}

void mutate_results(Choose& choose, IndexingMap& map) {
  std::vector<NodeId>& results = map.results;
  if (results.empty() || (std::ssize(results) < limits::kMapResults.most && choose.chance(1, 4))) {
    results.push_back(some_root(choose, map));
    return;
  }
  const int64_t at = choose(std::ssize(results));
  if (choose.chance(1, 3)) {
    results.erase(results.begin() + at);
  } else {
    std::swap(results[at], results[choose(std::ssize(results))]);
  }
}

void mutate_variables(Choose& choose, IndexingMap& map) {
  std::vector<Variable>& variables = variables_of(map, kVariableKinds[choose(3)]);
  if (!variables.empty() && choose.chance(1, 2)) {
    variables.pop_back();  // if it is in use, `acceptable` rejects the map
  } else if (std::ssize(variables) <= limits::kMapDimensions.most) {
    variables.push_back({{0, choose(9)}, ""});
  }
}

void mutate_expressions(Choose& choose, IndexingMap& map) {
  if (!map.results.empty() && choose.chance(1, 6)) {
    NodeId& result = map.results[choose(std::ssize(map.results))];
    result = wrapped(choose, map, result);
  } else {
    mutate_node(choose, map);
  }
}

// Tries a few changes until one gives a valid map.
template <class Change>
void change_validly(IndexingMap& map, const Change& change) {
  constexpr int kTries = 8;
  for (int i = 0; i < kTries; ++i) {
    IndexingMap changed = map;
    change(changed);
    if (!acceptable(changed)) continue;
    map = std::move(changed);
    return;
  }
}

void change_meaning(Choose& choose, IndexingMap& map) {
  switch (choose(6)) {
    case 0:
      return mutate_bounds(choose, map);
    case 1:
      return mutate_constraints(choose, map);
    default:
      return mutate_expressions(choose, map);
  }
}

class IdentityRewriter {
 public:
  IdentityRewriter(Choose& choose, const ExprTable& from) : choose_(choose), from_(from) {}

  // Returns the rewritten nodes. `places` receives the new position of each old node.
  ExprTable run(std::vector<NodeId>& places) {
    for (const Node& node : from_) {  // keep expressions without variables: they may be divisors
      constant_.push_back(is_leaf(node.op) ? node.op == Op::kConstant
                                           : constant_[node.left] && constant_[node.right]);
    }
    for (const Node& node : from_) {
      if (is_leaf(node.op)) {
        table_.push_back(node);
        places.push_back(last());
        continue;
      }
      const NodeId x = places[node.left], y = places[node.right];
      // Keep a divisor constant.
      if (constant_[places.size()]) {
        places.push_back(op(node.op, x, y));
        continue;
      }
      const NodeId result = from_[node.right].op == Op::kConstant && node.op != Op::kAdd
                                ? by_constant(node.op, x, from_[node.right].value, y)
                                : operation(node.op, x, y);
      places.push_back(choose_.chance(1, 4) ? detour(result) : result);
    }
    return std::move(table_);
  }

 private:
  NodeId last() const { return static_cast<NodeId>(table_.size() - 1); }
  NodeId constant(int64_t value) { return add_constant(table_, value); }
  NodeId op(Op kind, NodeId x, NodeId y) { return add_operation(table_, kind, x, y); }
  NodeId by(Op kind, NodeId x, int64_t c) { return op(kind, x, constant(c)); }

  NodeId operation(Op kind, NodeId x, NodeId y) {
    const bool commutes = kind == Op::kAdd || kind == Op::kMul;
    return commutes && choose_.chance(1, 2) ? op(kind, y, x) : op(kind, x, y);
  }

  NodeId by_constant(Op kind, NodeId x, int64_t c, NodeId c_node) {
    if (kind == Op::kMul) return times(x, c, c_node);
    if (c <= 0 || c > 1 << 20 || kind == Op::kCeilDiv || choose_.chance(1, 2)) {
      return op(kind, x, c_node);
    }
    return kind == Op::kMod ? mod(x, c) : floordiv(x, c);
  }

  NodeId times(NodeId x, int64_t c, NodeId c_node) {
    const Node node = table_[x];
    if (node.op != Op::kAdd || choose_.chance(1, 2)) return op(Op::kMul, x, c_node);
    return op(Op::kAdd, by(Op::kMul, node.left, c), by(Op::kMul, node.right, c));
  }

  // Returns a small factor of c above 1, or 1 if there is none.
  static int64_t factor(int64_t c) {
    for (int64_t a = 2; a < 12; ++a) {
      if (c % a == 0 && c > a) return a;
    }
    return 1;
  }

  NodeId floordiv(NodeId x, int64_t c) {
    const int64_t a = factor(c);
    if (a > 1 && choose_.chance(1, 2)) return by(Op::kFloorDiv, by(Op::kFloorDiv, x, a), c / a);
    const int64_t k = choose_.between(1, 3);
    return by(Op::kAdd, by(Op::kFloorDiv, by(Op::kAdd, x, c * k), c), -k);
  }

  NodeId mod(NodeId x, int64_t c) {
    const int64_t a = factor(c);
    if (a > 1 && choose_.chance(1, 2)) {
      const NodeId high = by(Op::kMod, by(Op::kFloorDiv, x, a), c / a);
      return op(Op::kAdd, by(Op::kMod, x, a), by(Op::kMul, high, a));
    }
    if (choose_.chance(1, 2)) return by(Op::kMod, by(Op::kAdd, x, c * choose_.between(1, 3)), c);
    return op(Op::kAdd, x, by(Op::kMul, by(Op::kFloorDiv, x, c), -c));
  }

  NodeId detour(NodeId x) {
    const int64_t c = choose_.between(2, 9);
    switch (choose_(4)) {
      case 0:
        return by(Op::kAdd, by(Op::kAdd, x, c), -c);
      case 1: {
        const auto y = static_cast<NodeId>(choose_(std::ssize(table_)));
        return op(Op::kAdd, op(Op::kAdd, x, y), by(Op::kMul, y, -1));
      }
      case 2: {
        const NodeId high = by(Op::kMul, by(Op::kFloorDiv, x, c), c);
        return op(Op::kAdd, high, by(Op::kMod, x, c));
      }
      default:
        return by(Op::kFloorDiv, by(Op::kMul, x, c), c);
    }
  }

  Choose& choose_;
  const ExprTable& from_;
  ExprTable table_;
  std::vector<char> constant_;  // for each old node: there is no variable under it
};

}  // namespace

bool acceptable(const IndexingMap& map) {
  if (!validate(map).ok()) return false;
  int64_t nodes = 0;
  for (NodeId result : map.results)
    nodes = checked_add(nodes, tree_size(map.nodes, result)).value_or(INT64_MAX);
  for (const Constraint& constraint : map.constraints)
    nodes = checked_add(nodes, tree_size(map.nodes, constraint.expr)).value_or(INT64_MAX);
  return nodes <= kMostNodes && std::ssize(map.nodes) <= kMostNodes;
}

void mutate_meaning(Choose& choose, IndexingMap& map) {
  change_validly(map, [&](IndexingMap& changed) { change_meaning(choose, changed); });
}

void mutate_map(Choose& choose, IndexingMap& map) {
  change_validly(map, [&](IndexingMap& changed) {
    switch (choose(8)) {
      case 0:
        return mutate_variables(choose, changed);
      case 1:
        return mutate_results(choose, changed);
      default:
        return change_meaning(choose, changed);
    }
  });
}

IndexingMap rewrite_by_identities(Choose& choose, const IndexingMap& map) {
  IndexingMap out = map;
  std::vector<NodeId> places;
  out.nodes = IdentityRewriter(choose, map.nodes).run(places);
  for (NodeId& result : out.results) result = places[result];
  for (Constraint& constraint : out.constraints) constraint.expr = places[constraint.expr];
  return out;
}

IndexingMap any_map(Choose& choose) {
  if (choose.chance(1, 4)) return generate_related(choose);
  switch (choose(8)) {
    case 0:
    case 1:
      return generate_chain(choose, {.points = 256}).map;
    case 2:
      return generate_map(choose, {.points = 256, .extremes = true});
    case 3: {
      IndexingMap map = generate_chain(choose, {.points = 256}).map;
      mutate_map(choose, map);
      return parse_map(to_text(map)).value_or(map);  // drops unused nodes
    }
    default:
      return generate_map(choose, {.points = 256});
  }
}

}  // namespace tileproof
