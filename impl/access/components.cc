// SPDX-License-Identifier: Apache-2.0
#include "impl/access/components.h"

#include <algorithm>
#include <utility>

#include "impl/map/extraction/render_expr.h"
#include "impl/map/groups.h"
#include "impl/map/variables.h"

namespace tileproof::impl {
namespace {

Component with_variables(const IndexingMap& map, std::vector<int64_t> variables) {
  Component component{std::move(variables), {}, {}};
  for (const int64_t v : component.variables)
    component.map.dimensions.push_back({map.dimensions[v].bounds, ""});
  return component;
}

void add_result(const IndexingMap& map, int32_t result, Component& to) {
  to.results.push_back(result);
  to.map.results.push_back(copy_tree(map.nodes, map.results[result], to.map.nodes));
}

// Numbers the variables as dimensions of the component.
void renumber(Component& component) {
  for (Node& node : component.map.nodes) {
    if (node.op != Op::kDimension) continue;
    node.value =
        std::ranges::lower_bound(component.variables, node.value) - component.variables.begin();
  }
}

}  // namespace

std::vector<Component> components_of(const IndexingMap& map, absl::Span<const int64_t> together) {
  Groups groups(map.dimensions.size());
  const auto tie = [&groups](const auto& variables) {
    for (const int64_t v : variables) groups.tie(v, variables[0]);
    return variables.empty() ? int64_t{-1} : int64_t{variables[0]};
  };
  tie(together);
  std::vector<int64_t> of_result, of_constraint;  // one of its variables; -1: it has none
  for (const NodeId result : map.results) of_result.push_back(tie(variables_under(map, result)));
  for (const Constraint& constraint : map.constraints)
    of_constraint.push_back(tie(variables_under(map, constraint.expr)));
  std::vector<Component> components;
  const auto count = std::ssize(map.dimensions);
  for (int64_t group = 0; group < count; ++group) {
    if (groups.of(group) != group) continue;
    std::vector<int64_t> variables;
    for (int64_t v = 0; v < count; ++v) {
      if (groups.of(v) == group) variables.push_back(v);
    }
    const auto is_own = [&](int64_t variable) {
      return variable >= 0 && groups.of(variable) == group;
    };
    Component component = with_variables(map, std::move(variables));
    for (size_t i = 0; i < map.results.size(); ++i) {
      if (is_own(of_result[i])) add_result(map, static_cast<int32_t>(i), component);
    }
    for (size_t i = 0; i < map.constraints.size(); ++i) {
      if (!is_own(of_constraint[i])) continue;
      const auto& [expr, interval] = map.constraints[i];
      component.map.constraints.push_back(
          {copy_tree(map.nodes, expr, component.map.nodes), interval});
    }
    renumber(component);
    components.push_back(std::move(component));
  }
  for (size_t i = 0; i < map.results.size(); ++i) {
    if (of_result[i] >= 0) continue;
    components.emplace_back();
    add_result(map, static_cast<int32_t>(i), components.back());
  }
  return components;
}

}  // namespace tileproof::impl
