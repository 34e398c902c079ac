// SPDX-License-Identifier: Apache-2.0
#include "spec/map/map_evaluation.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"

namespace tileproof::spec {
namespace {

absl::Status check_counts(const IndexingMap& map, const Point& point) {
  for (const Op kind : kVariableKinds) {
    const size_t needed = variables_of(map, kind).size();
    const size_t given = values_of(point, kind).size();
    if (needed == given) continue;
    const char* what = kind == Op::kDimension ? "dimension"
                       : kind == Op::kRange   ? "range"
                                              : "runtime";
    return absl::InvalidArgumentError(absl::StrCat("expected a value for each of the ", needed, " ",
                                                   what, " variables, found ", given));
  }
  return absl::OkStatus();
}

bool within_bounds(const IndexingMap& map, const Point& point) {
  for (Op kind : kVariableKinds) {
    const std::vector<Variable>& variables = variables_of(map, kind);
    for (size_t i = 0; i < variables.size(); ++i) {
      const int64_t value = values_of(point, kind)[i];
      if (value < variables[i].bounds.low || value > variables[i].bounds.high) return false;
    }
  }
  return true;
}

absl::Status too_large(absl::string_view what, size_t number, const IndexingMap& map,
                       const Point& point) {
  return absl::OutOfRangeError(
      absl::StrCat(what, " ", number, " leaves the integers at ", to_text(map, point)));
}

}  // namespace

const std::vector<int64_t>& values_of(const Point& point, Op kind) {
  if (kind == Op::kDimension) return point.dims;
  return kind == Op::kRange ? point.ranges : point.runtime;
}

std::vector<int64_t>& values_of(Point& point, Op kind) {
  if (kind == Op::kDimension) return point.dims;
  return kind == Op::kRange ? point.ranges : point.runtime;
}

std::vector<NodeId> nodes_under(const ExprTable& table, absl::Span<const NodeId> roots) {
  std::vector<bool> needed(table.size());
  for (NodeId root : roots) needed[root] = true;
  std::vector<NodeId> nodes;
  for (auto id = static_cast<NodeId>(table.size()); id-- > 0;) {
    if (!needed[id]) continue;
    nodes.push_back(id);
    if (is_leaf(table[id].op)) continue;
    needed[table[id].left] = true;
    needed[table[id].right] = true;
  }
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

std::string to_text(const IndexingMap& map, const Point& point) {
  std::string text;
  for (Op kind : kVariableKinds) {
    const std::vector<int64_t>& values = values_of(point, kind);
    for (size_t i = 0; i < values.size(); ++i) {
      absl::StrAppend(&text, text.empty() ? "" : ", ", name_of(map, kind, i), " = ", values[i]);
    }
  }
  return text.empty() ? "the only point" : text;
}

absl::StatusOr<bool> in_domain(const IndexingMap& map, const Point& point) {
  TRY(check_counts(map, point));
  if (map.known_empty || !within_bounds(map, point)) return false;
  std::vector<NodeId> roots;
  for (const Constraint& constraint : map.constraints) roots.push_back(constraint.expr);
  const std::vector<Exact> values =
      evaluate_expressions<Exact>(map.nodes, roots, ExactAtPoint{point});
  std::optional<size_t> unknown;
  for (size_t i = 0; i < values.size(); ++i) {
    const Interval& interval = map.constraints[i].interval;
    if (!values[i].value) {
      unknown = i;
    } else if (*values[i].value < interval.low || *values[i].value > interval.high) {
      return false;
    }
  }
  if (unknown) return too_large("constraint", *unknown, map, point);
  return true;
}

absl::StatusOr<std::optional<std::vector<int64_t>>> evaluate(const IndexingMap& map,
                                                             const Point& point) {
  bool inside = TRY(in_domain(map, point));
  if (!inside) return std::nullopt;
  const std::vector<Exact> values =
      evaluate_expressions<Exact>(map.nodes, map.results, ExactAtPoint{point});
  std::vector<int64_t> results;
  for (size_t i = 0; i < values.size(); ++i) {
    const std::optional<int64_t> result = to_int64(values[i]);
    if (!result) return too_large("result", i, map, point);
    results.push_back(*result);
  }
  return results;
}

std::optional<int64_t> box_size(const IndexingMap& map) {
  if (map.known_empty) return 0;
  Exact size = exact(1);
  for (Op kind : kVariableKinds) {
    for (const Variable& variable : variables_of(map, kind)) {
      if (variable.bounds.low > variable.bounds.high) return 0;
      size = size * (exact(variable.bounds.high) - exact(variable.bounds.low) + exact(1));
    }
  }
  return to_int64(size);
}

absl::Status for_each_box_point(const IndexingMap& map, int64_t budget,
                                absl::FunctionRef<bool(const Point&)> visit) {
  const std::optional<int64_t> size = box_size(map);
  if (!size || *size > budget) {
    return absl::ResourceExhaustedError(
        absl::StrCat("expected at most ", budget, " points within the bounds, found ",
                     size ? absl::StrCat(*size) : "more than fit in an int64"));
  }
  if (*size == 0) return absl::OkStatus();
  Point point;
  for (Op kind : kVariableKinds) {
    for (const Variable& variable : variables_of(map, kind)) {
      values_of(point, kind).push_back(variable.bounds.low);
    }
  }
  const auto next = [&](Op kind) {
    return next_point(variables_of(map, kind), values_of(point, kind), &Variable::bounds);
  };
  while (visit(point) && (next(Op::kRuntime) || next(Op::kRange) || next(Op::kDimension))) {
  }
  return absl::OkStatus();
}

absl::Status for_each_point(
    const IndexingMap& map, int64_t budget,
    absl::FunctionRef<bool(const Point&, const std::vector<int64_t>&)> visit) {
  absl::Status failed;
  absl::Status status = for_each_box_point(map, budget, [&](const Point& point) {
    absl::StatusOr<std::optional<std::vector<int64_t>>> results = evaluate(map, point);
    failed = results.status();
    if (!results.ok()) return false;
    return !*results || visit(point, **results);
  });
  return status.ok() ? failed : status;
}

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
