// SPDX-License-Identifier: Apache-2.0
#include "impl/map/compose.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "impl/map/normal_form/normalize.h"
#include "impl/map/variable_names.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

void append(std::vector<Variable>& to, const std::vector<Variable>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Drops the names of `second` if there is a conflict, and all names if that is not enough.
void keep_names_distinct(IndexingMap& composed, const IndexingMap& second) {
  if (names_are_distinct(composed)) return;
  for (size_t i = 0; i < second.ranges.size(); ++i) composed.ranges[i].name.clear();
  for (size_t i = 0; i < second.runtime.size(); ++i) composed.runtime[i].name.clear();
  if (!names_are_distinct(composed)) clear_names(composed);
}

// Appends the nodes of `second` with its dimensions replaced by the results of `first`, whose nodes
// are in the table already. Returns the positions of the nodes of `second`.
std::vector<NodeId> substitute(ExprTable& table, const std::vector<NodeId>& results,
                               const IndexingMap& second) {
  std::vector<NodeId> positions;
  positions.reserve(second.nodes.size());
  for (Node node : second.nodes) {
    if (node.op == Op::kDimension) {
      positions.push_back(results[node.value]);
      continue;
    }
    if (!is_leaf(node.op)) {
      node.left = positions[node.left];
      node.right = positions[node.right];
    }
    table.push_back(node);
    positions.push_back(static_cast<NodeId>(table.size() - 1));
  }
  return positions;
}

}  // namespace

absl::StatusOr<IndexingMap> compose(const IndexingMap& first, const IndexingMap& second) {
  for (const IndexingMap* map : {&first, &second}) {
    TRY(validate_map(*map));
  }
  const bool empty = first.known_empty || second.known_empty;
  if (!empty && first.results.size() != second.dimensions.size()) {
    return absl::InvalidArgumentError(absl::StrCat("expected a first map with ",
                                                   second.dimensions.size(), " results, found ",
                                                   first.results.size()));
  }
  IndexingMap out;
  out.dimensions = first.dimensions;
  out.ranges = second.ranges;
  append(out.ranges, first.ranges);
  out.runtime = second.runtime;
  append(out.runtime, first.runtime);
  keep_names_distinct(out, second);
  if (empty) return no_points(out);

  out.nodes = first.nodes;
  for (Node& node : out.nodes) {
    if (node.op == Op::kRange) node.value += std::ssize(second.ranges);
    if (node.op == Op::kRuntime) node.value += std::ssize(second.runtime);
  }
  const std::vector<NodeId> positions = substitute(out.nodes, first.results, second);
  for (NodeId result : second.results) out.results.push_back(positions[result]);
  for (const Constraint& constraint : second.constraints) {
    out.constraints.push_back({positions[constraint.expr], constraint.interval});
  }
  for (const Constraint& constraint : first.constraints) out.constraints.push_back(constraint);
  for (size_t i = 0; i < second.dimensions.size(); ++i) {
    out.constraints.push_back({first.results[i], second.dimensions[i].bounds});
  }
  return out;
}

}  // namespace tileproof::impl
