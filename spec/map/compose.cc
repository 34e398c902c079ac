// SPDX-License-Identifier: Apache-2.0
#include "spec/map/compose.h"

#include <vector>

#include "absl/strings/str_cat.h"

namespace tileproof::spec {
namespace {

// Copies the nodes of `from` to the table of `to`. `leaf(node)` returns the replacement of a leaf.
template <class Leaf>
std::vector<NodeId> copy(const IndexingMap& from, IndexingMap& to, Leaf leaf) {
  std::vector<NodeId> positions;
  for (const Node& node : from.nodes) {
    positions.push_back(is_leaf(node.op) ? leaf(node)
                                         : add_operation(to.nodes, node.op, positions[node.left],
                                                         positions[node.right]));
  }
  return positions;
}

void add_variables(IndexingMap& to, const IndexingMap& from, Op kind) {
  for (const Variable& variable : variables_of(from, kind)) {
    variables_of(to, kind).push_back({variable.bounds, ""});
  }
}

void add_constraints(IndexingMap& to, const IndexingMap& from,
                     const std::vector<NodeId>& positions) {
  for (const Constraint& constraint : from.constraints) {
    to.constraints.push_back({positions[constraint.expr], constraint.interval});
  }
}

}  // namespace

absl::StatusOr<IndexingMap> compose(const IndexingMap& first, const IndexingMap& second) {
  if (first.results.size() != second.dimensions.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected the first map to have ", second.dimensions.size(),
        " results, one for each dimension of the second, found ", first.results.size()));
  }
  IndexingMap out;
  add_variables(out, first, Op::kDimension);
  for (const IndexingMap* map : {&second, &first}) {
    add_variables(out, *map, Op::kRange);
    add_variables(out, *map, Op::kRuntime);
  }
  const auto leaf_of_first = [&](const Node& node) {
    if (node.op == Op::kConstant) return add_constant(out.nodes, node.value);
    const bool dimension = node.op == Op::kDimension;
    const int64_t before = dimension ? 0 : std::ssize(variables_of(second, node.op));
    return add_variable(out.nodes, node.op, before + node.value);
  };
  const std::vector<NodeId> of_first = copy(first, out, leaf_of_first);
  const auto leaf_of_second = [&](const Node& node) {
    if (node.op == Op::kDimension) return of_first[first.results[node.value]];
    if (node.op == Op::kConstant) return add_constant(out.nodes, node.value);
    return add_variable(out.nodes, node.op, node.value);
  };
  const std::vector<NodeId> of_second = copy(second, out, leaf_of_second);
  for (NodeId result : second.results) out.results.push_back(of_second[result]);
  for (size_t i = 0; i < second.dimensions.size(); ++i) {
    out.constraints.push_back({of_first[first.results[i]], second.dimensions[i].bounds});
  }
  add_constraints(out, first, of_first);
  add_constraints(out, second, of_second);
  return out;
}

}  // namespace tileproof::spec
