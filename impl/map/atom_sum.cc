// SPDX-License-Identifier: Apache-2.0
#include "impl/map/atom_sum.h"

#include <algorithm>

#include "spec/lang/base/checked_arithmetic.h"

namespace tileproof::impl {
namespace {

// Returns whether AtomSums has such atoms: variables and divisions by a positive constant.
bool is_readable_atom(const ExprTable& nodes, const Node& node) {
  if (node.op == Op::kDimension) return true;
  if (node.op != Op::kFloorDiv && node.op != Op::kMod) return false;
  const Node& divisor = nodes[node.right];
  return divisor.op == Op::kConstant && divisor.value >= 1;
}

}  // namespace

bool add_multiple(AtomSum& to, const AtomSum& from, int64_t times) {
  const auto constant = checked_mul(from.constant, times);
  const auto sum = constant ? checked_add(to.constant, *constant) : std::nullopt;
  if (!sum) return false;
  to.constant = *sum;
  for (const auto& [atom, factor] : from.factors) {
    const auto scaled = checked_mul(factor, times);
    const auto both = scaled ? checked_add(to.factors[atom], *scaled) : std::nullopt;
    if (!both) return false;
    to.factors[atom] = *both;
    if (*both == 0) to.factors.erase(atom);
  }
  return true;
}

std::optional<AtomSum> sum_as_written(const ExprTable& nodes, NodeId root) {
  const Node& node = nodes[root];
  AtomSum sum;
  if (node.op == Op::kConstant) {
    sum.constant = node.value;
    return sum;
  }
  if (node.op == Op::kAdd || node.op == Op::kMul) {
    const auto left = sum_as_written(nodes, node.left), right = sum_as_written(nodes, node.right);
    if (!left || !right) return std::nullopt;
    if (node.op == Op::kAdd) {
      sum = *left;
      return add_multiple(sum, *right, 1) ? std::optional(sum) : std::nullopt;
    }
    const bool swap = left->factors.empty();
    if (swap || right->factors.empty()) {
      const bool fine = swap ? add_multiple(sum, *right, left->constant)
                             : add_multiple(sum, *left, right->constant);
      return fine ? std::optional(sum) : std::nullopt;
    }
  }
  sum.factors[root] = 1;
  return sum;
}

AtomSums::AtomSums(const IndexingMap& map) : map_(map) {
  TreeNumbers trees;
  numbers_ = trees.of(map.nodes, static_cast<NodeId>(map.nodes.size()));
  for (NodeId id = 0; id < std::ssize(map.nodes); ++id) positions_.try_emplace(numbers_[id], id);
}

std::optional<AtomSum> AtomSums::of(NodeId root) const {
  if (map_.dimensions.size() > 64 || tree_size(map_.nodes, root) > kMaxSumTree) return std::nullopt;
  std::optional<AtomSum> sum = sum_of(root);
  return sum && is_readable(*sum) ? sum : std::nullopt;
}

std::optional<AtomSum> AtomSums::sum_of(NodeId id) const {
  const std::optional<AtomSum> written = sum_as_written(map_.nodes, id);
  if (!written) return std::nullopt;
  AtomSum sum{.constant = written->constant};
  for (const auto& [part, factor] : written->factors) {
    if (!is_readable_atom(map_.nodes, map_.nodes[part]) ||
        !add_multiple(sum, {.factors = {{numbers_[part], 1}}}, factor)) {
      return std::nullopt;
    }
  }
  return sum;
}

bool AtomSums::is_readable(const AtomSum& sum) const {
  return std::ranges::all_of(sum.factors, [this](const auto& term) {
    const Node& at = node(term.first);
    if (at.op == Op::kDimension) return true;
    const std::optional<AtomSum> inner = sum_of(at.left);
    return inner && is_readable(*inner);
  });
}

uint64_t AtomSums::variables(NodeId atom) const {
  const Node& at = node(atom);
  if (at.op == Op::kDimension) return uint64_t{1} << at.value;
  const std::optional<AtomSum> inner = sum_of(at.left);
  uint64_t found = 0;
  for (const auto& [part, factor] : inner->factors) found |= variables(part);
  return found;
}

}  // namespace tileproof::impl
