// SPDX-License-Identifier: Apache-2.0
#include "impl/access/coalescing_split.h"

#include <bit>
#include <numeric>
#include <utility>

#include "impl/map/atom_sum.h"
#include "impl/map/extraction/render_expr.h"

namespace tileproof::impl {
namespace {

uint64_t variables_in(const AtomSums& sums, const AtomSum& sum) {
  uint64_t found = 0;
  for (const auto& [atom, factor] : sum.factors) found |= sums.variables(atom);
  return found;
}

class Groups {
 public:
  explicit Groups(size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), int64_t{0});
  }
  int64_t of(int64_t v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }
  void tie(int64_t a, int64_t b) { parent_[of(a)] = of(b); }
  void tie(uint64_t variables) {
    for (int64_t v = 0; v < std::ssize(parent_); ++v) {
      if (variables >> v & 1) tie(v, std::countr_zero(variables));
    }
  }

 private:
  std::vector<int64_t> parent_;
};

// The terms and constraints of one group. Constant terms go to the threads.
Part part_of(const IndexingMap& map, const AtomSums& sums, const AtomSum& sum,
             const std::vector<std::optional<AtomSum>>& constraints, Groups& groups, int64_t group,
             bool with_constant) {
  Part part;
  std::vector<int64_t> numbers(map.dimensions.size());
  for (int64_t v = 0; v < std::ssize(map.dimensions); ++v) {
    if (groups.of(v) != group) continue;
    numbers[v] = std::ssize(part.variables);
    part.variables.push_back(v);
    part.map.dimensions.push_back({map.dimensions[v].bounds, ""});
  }
  ExprTable& nodes = part.map.nodes;
  const auto is_own = [&](uint64_t variables) {
    return groups.of(std::countr_zero(variables)) == group;
  };
  NodeId total = add_constant(nodes, with_constant ? sum.constant : 0);
  for (const auto& [atom, factor] : sum.factors) {
    if (!is_own(sums.variables(atom))) continue;
    const NodeId term =
        add_operation(nodes, Op::kMul, copy_tree(map.nodes, sums.position(atom), nodes),
                      add_constant(nodes, factor));
    total = add_operation(nodes, Op::kAdd, total, term);
  }
  part.map.results = {total};
  for (size_t i = 0; i < map.constraints.size(); ++i) {
    if (!is_own(variables_in(sums, *constraints[i]))) continue;
    part.map.constraints.push_back(
        {copy_tree(map.nodes, map.constraints[i].expr, nodes), map.constraints[i].interval});
  }
  for (Node& node : nodes) {
    if (node.op == Op::kDimension) node.value = numbers[node.value];
  }
  return part;
}

// For a part with the variable v: the factor, if the part is factor * v. An atom of v alone is v or
// contains it.
std::optional<int64_t> factor_of(const AtomSums& sums, const AtomSum& sum, const Part& part,
                                 int64_t v) {
  if (part.variables.size() > 1 || !part.map.constraints.empty()) return std::nullopt;
  int64_t found = 0;
  for (const auto& [atom, factor] : sum.factors) {
    if (sums.variables(atom) != uint64_t{1} << v) continue;
    if (sums.node(atom).op != Op::kDimension) return std::nullopt;
    found = factor;
  }
  return found;
}

}  // namespace

std::optional<Split> split(const IndexingMap& map, const ThreadDimensions& threads) {
  const AtomSums sums(map);
  const std::optional<AtomSum> sum = sums.of(map.results[0]);
  if (!sum) return std::nullopt;
  Groups groups(map.dimensions.size());
  int64_t first = -1;
  for (int64_t thread : threads) {
    if (thread < 0) continue;
    if (first < 0) first = thread;
    groups.tie(thread, first);
  }
  // An atom without variables, after simplification, is a constant beyond 64 bits: it belongs to no
  // part.
  for (const auto& [atom, factor] : sum->factors) {
    if (sums.variables(atom) == 0) return std::nullopt;
    groups.tie(sums.variables(atom));
  }
  std::vector<std::optional<AtomSum>> constraints;
  for (const Constraint& constraint : map.constraints) {
    constraints.push_back(sums.of(constraint.expr));
    if (!constraints.back() || variables_in(sums, *constraints.back()) == 0) return std::nullopt;
    groups.tie(variables_in(sums, *constraints.back()));
  }
  Split result;
  const int64_t with_threads = first < 0 ? -1 : groups.of(first);
  result.threads = part_of(map, sums, *sum, constraints, groups, with_threads, true);
  for (int64_t v = 0; v < std::ssize(map.dimensions); ++v) {
    if (groups.of(v) != v || v == with_threads) continue;
    Part part = part_of(map, sums, *sum, constraints, groups, v, false);
    const std::optional<int64_t> factor = factor_of(sums, *sum, part, v);
    result.rest.push_back({std::move(part), factor});
  }
  return result;
}

Split unsplit(const IndexingMap& map) {
  Split result;
  result.threads.map = map;
  for (int64_t v = 0; v < std::ssize(map.dimensions); ++v) result.threads.variables.push_back(v);
  return result;
}

}  // namespace tileproof::impl
