// SPDX-License-Identifier: Apache-2.0
#include "impl/map/divisors/variable_divisors.h"

#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "impl/map/simplify.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/interval.h"
#include "spec/lang/map/variable_divisors.h"

namespace tileproof::impl {
namespace {

// An operation that became the range variable `first + its number`.
struct Replaced {
  Op op;
  NodeId dividend;  // a node of the map with the new variables
  NodeId divisor;   // another one
  Interval bounds;
};

// The map with new variables, whose dividends and divisors are further results.
struct Abstract {
  IndexingMap map;
  std::vector<Replaced> replaced;
};

// Nothing if the values of an operation do not fit 64 bits.
std::optional<Abstract> abstracted(const IndexingMap& map) {
  Abstract abstract{map, {}};
  IndexingMap& made = abstract.map;
  made.nodes.clear();
  std::vector<NodeId> copied;
  std::map<std::tuple<Op, NodeId, NodeId, int64_t>, NodeId> known;  // a node with this content
  const auto add = [&](const Node& node) {
    const auto [found, is_new] = known.try_emplace({node.op, node.left, node.right, node.value},
                                                   static_cast<NodeId>(made.nodes.size()));
    if (is_new) made.nodes.push_back(node);
    return found->second;
  };
  std::map<std::tuple<Op, NodeId, NodeId>, int64_t> numbers;  // of operations that are variables
  for (const Node& node : map.nodes) {
    Node copy = node;
    if (is_variable(node.op)) {  // a variable of one value is a constant
      const Interval bounds = variables_of(map, node.op)[node.value].bounds;
      if (bounds.low == bounds.high) copy = {.op = Op::kConstant, .value = bounds.low};
    }
    if (!is_leaf(node.op)) {
      copy.left = copied[node.left];
      copy.right = copied[node.right];
    }
    if (is_leaf(node.op) || !is_division(node.op) || made.nodes[copy.right].op == Op::kConstant) {
      copied.push_back(add(copy));
      continue;
    }
    const auto [number, is_new] =
        numbers.try_emplace({copy.op, copy.left, copy.right}, std::ssize(abstract.replaced));
    if (is_new) {
      IndexingMap one = made;
      one.nodes.push_back(copy);
      const std::optional<Interval> bounds =
          interval_of(one, static_cast<NodeId>(one.nodes.size()) - 1);
      if (!bounds) return std::nullopt;
      abstract.replaced.push_back({copy.op, copy.left, copy.right, *bounds});
      made.ranges.push_back({*bounds, ""});
    }
    copied.push_back(add({.op = Op::kRange, .value = std::ssize(map.ranges) + number->second}));
  }
  for (NodeId& result : made.results) result = copied[result];
  for (Constraint& constraint : made.constraints) constraint.expr = copied[constraint.expr];
  for (const Replaced& one : abstract.replaced)
    made.results.insert(made.results.end(), {one.dividend, one.divisor});
  // The names of the new variables must be no others; names do not matter for what follows.
  for (const Op kind : kVariableKinds) {
    for (Variable& variable : variables_of(made, kind)) variable.name.clear();
  }
  return abstract;
}

// Puts the operations back in place of their variables.
class Restorer {
 public:
  Restorer(const IndexingMap& given, const Abstract& abstract, const IndexingMap& simple)
      : given_(given),
        abstract_(abstract),
        simple_(simple),
        of_simple_{simple.nodes, std::vector<NodeId>(simple.nodes.size(), -1)},
        of_abstract_{abstract.map.nodes, std::vector<NodeId>(abstract.map.nodes.size(), -1)} {}

  IndexingMap restored() {
    const auto results = static_cast<int64_t>(given_.results.size());
    const auto ranges = static_cast<int64_t>(given_.ranges.size());
    for (int64_t i = 0; i < results; ++i)
      made_.results.push_back(copy(of_simple_, simple_.results[i]));
    for (const Constraint& constraint : simple_.constraints)
      made_.constraints.push_back({copy(of_simple_, constraint.expr), constraint.interval});
    for (const Op kind : kVariableKinds) {
      variables_of(made_, kind) = variables_of(given_, kind);
      for (size_t i = 0; i < variables_of(given_, kind).size(); ++i)
        variables_of(made_, kind)[i].bounds = variables_of(simple_, kind)[i].bounds;
    }
    // Bounds that became smaller are constraints.
    for (size_t k = 0; k < abstract_.replaced.size(); ++k) {
      const Interval bounds = simple_.ranges[static_cast<size_t>(ranges) + k].bounds;
      if (!(bounds == abstract_.replaced[k].bounds))
        made_.constraints.push_back({operation(static_cast<int64_t>(k)), bounds});
    }
    return std::move(made_);
  }

 private:
  // Expressions that are copied from a table: the copy of each node, or -1.
  struct Source {
    const ExprTable& nodes;
    std::vector<NodeId> copied;
  };

  // Dividends come before the operations that use them, so this ends.
  NodeId operation(int64_t k) {
    const Replaced& one = abstract_.replaced[k];
    const size_t at = given_.results.size() + 2 * static_cast<size_t>(k);
    const NodeId dividend = copy(of_simple_, simple_.results[at]);
    // The divisor stays as it is if its simple form does not show that it is not 0.
    const NodeId by = simple_.results[at + 1];
    const auto bounds = interval_of(simple_, by);
    const bool keeps = is_variable(abstract_.map.nodes[one.divisor].op) || !bounds ||
                       (bounds->low <= 0 && bounds->high >= 0);
    const NodeId divisor = keeps ? copy(of_abstract_, one.divisor) : copy(of_simple_, by);
    return add_operation(made_.nodes, one.op, dividend, divisor);
  }

  NodeId copy(Source& from, NodeId id) {
    if (from.copied[id] >= 0) return from.copied[id];
    const Node& node = from.nodes[id];
    const int64_t first = std::ssize(given_.ranges);
    NodeId made;
    if (node.op == Op::kRange && node.value >= first) {
      made = operation(node.value - first);
    } else if (node.op == Op::kConstant) {
      made = add_constant(made_.nodes, node.value);
    } else if (is_leaf(node.op)) {
      made = add_variable(made_.nodes, node.op, node.value);
    } else {
      const NodeId left = copy(from, node.left), right = copy(from, node.right);
      made = add_operation(made_.nodes, node.op, left, right);
    }
    return from.copied[id] = made;
  }

  const IndexingMap& given_;
  const Abstract& abstract_;
  const IndexingMap& simple_;
  IndexingMap made_;
  Source of_simple_, of_abstract_;
};

}  // namespace

namespace {

absl::StatusOr<IndexingMap> simplified_once(const IndexingMap& map) {
  if (!has_variable_divisors(map)) return simplify(map);
  const std::optional<Abstract> abstract = abstracted(map);
  if (!abstract) return map;
  const IndexingMap simple = TRY(simplify(abstract->map));
  if (simple.known_empty) {
    IndexingMap empty = map;
    empty.known_empty = true;
    return empty;
  }
  return Restorer(map, *abstract, simple).restored();
}

}  // namespace

// Dividends that become the same are one variable in the next pass.
absl::StatusOr<IndexingMap> simplify_with_variable_divisors(const IndexingMap& map) {
  constexpr int kPasses = 4;
  IndexingMap simple = TRY(simplified_once(map));
  for (int pass = 1; pass < kPasses && has_variable_divisors(simple); ++pass) {
    IndexingMap next = TRY(simplified_once(simple));
    if (next == simple) break;
    simple = std::move(next);
  }
  return simple;
}

}  // namespace tileproof::impl
