// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/offsets/runtime_terms.h"

#include <algorithm>

#include "impl/map/visit_nodes.h"
#include "spec/lang/base/checked_arithmetic.h"

namespace tileproof::impl {

std::vector<bool> runtime_used(const IndexingMap& map) {
  std::vector<bool> used(map.runtime.size(), false);
  visit_nodes(map.nodes, roots_of(map), [&used](NodeId, const Node& node) {
    if (node.op == Op::kRuntime) used[node.value] = true;
  });
  return used;
}

bool uses(const IndexingMap& map, NodeId root, Op kind) {
  bool found = false;
  visit_nodes(map.nodes, {root}, [&](NodeId, const Node& node) { found |= node.op == kind; });
  return found;
}

std::optional<std::map<int64_t, int64_t>> runtime_terms(const IndexingMap& map, NodeId root) {
  using Terms = std::map<int64_t, int64_t>;
  const Node& node = map.nodes[root];
  if (!uses(map, root, Op::kRuntime)) return Terms();
  if (node.op == Op::kRuntime) return Terms{{node.value, 1}};
  if (node.op == Op::kAdd) {
    auto left = runtime_terms(map, node.left);
    const auto right = runtime_terms(map, node.right);
    if (!left || !right) return std::nullopt;
    for (const auto& [variable, factor] : *right) {
      const auto both = checked_add((*left)[variable], factor);
      if (!both) return std::nullopt;
      (*left)[variable] = *both;
      if (*both == 0) left->erase(variable);
    }
    return left;
  }
  if (node.op != Op::kMul) return std::nullopt;
  const bool swap = map.nodes[node.left].op == Op::kConstant;
  const Node& factor = map.nodes[swap ? node.left : node.right];
  auto terms = runtime_terms(map, swap ? node.right : node.left);
  if (factor.op != Op::kConstant || !terms) return std::nullopt;
  for (auto& [variable, times] : *terms) {
    const auto product = checked_mul(times, factor.value);
    if (!product) return std::nullopt;
    times = *product;
  }
  return terms;
}

IndexingMap with_runtime(const IndexingMap& map, absl::Span<const int64_t> values) {
  IndexingMap fixed = map;
  for (Node& node : fixed.nodes) {
    if (node.op == Op::kRuntime) node = {.op = Op::kConstant, .value = values[node.value]};
  }
  fixed.runtime.clear();
  return fixed;
}

bool is_uniform(const RuntimeSource& source) {
  return std::ranges::all_of(source.map.results, [&source](NodeId result) {
    return source.map.nodes[result].op == Op::kConstant;
  });
}

}  // namespace tileproof::impl
