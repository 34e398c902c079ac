// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/offsets/resolve_offsets.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "impl/hlo/access_relation_limits.h"
#include "impl/hlo/backward_slice.h"
#include "impl/hlo/offsets/resolve_source.h"
#include "impl/map/simplify.h"

namespace tileproof::impl {
namespace {

// The element that a runtime variable reads, followed to where its value comes from. Its index is a
// function of the output index and of the range variables, which count as further dimensions here.
struct Read {
  ElementAt<AccessRelationPtr> element;  // the relation's conditions say where it is this element
  Dims variables;                        // sizes of the dimensions
};

// Nothing where the index of the element depends on runtime variables itself.
std::optional<Read> read_of(const AccessRelation& relation, size_t variable, const Dims& output,
                            const ValueRegion& region) {
  const HloPosition& position = relation.runtime[variable].position;
  const ComputationDependences* dependences =
      region.follow.is_outside(position) ? nullptr : region.at(position);
  if (dependences == nullptr) return std::nullopt;
  const ComputationView& view = dependences->view();
  size_t first = relation.rank;
  for (size_t i = 0; i < variable; ++i) first += relation.runtime[i].rank;
  const RuntimeValue& value = relation.runtime[variable];
  const auto results = relation.map.results.begin() + static_cast<std::ptrdiff_t>(first);
  AccessRelation at;
  at.rank = value.rank;
  at.map.results.assign(results, results + value.rank);
  at.map.dimensions = relation.map.dimensions;
  at.map.nodes = relation.map.nodes;
  Dims variables = output;
  for (const Variable& range : relation.map.ranges) {
    at.map.dimensions.push_back(range);
    variables.push_back(range.bounds.high + 1);
  }
  std::vector<char> fixed;
  for (Node& node : at.map.nodes) {
    const bool leaf = is_leaf(node.op);
    fixed.push_back(leaf ? node.op != Op::kRuntime : fixed[node.left] && fixed[node.right]);
    if (node.op == Op::kRange)
      node = {.op = Op::kDimension, .value = node.value + std::ssize(output)};
    if (node.op == Op::kRuntime) node = {};
  }
  for (NodeId result : at.map.results) {
    if (!fixed[result]) return std::nullopt;
  }
  const int32_t number = view.first_leaf[value.position.instruction] + value.position.leaf;
  AccessRelationPtr done = finish(std::move(at), variables, view.sizes[number]);
  return Read{{value.position, std::move(done)}, std::move(variables)};
}

// The value among the feasible ones, and those above and below, which are clamped. Returns false if
// its range is not known.
bool add_clamped(const Case& known, Interval feasible, Cases& cases) {
  const std::optional<Interval> range = values_of(known.map, known.value);
  if (!range) return false;
  const auto within = [&](int64_t low, int64_t high) {
    Case part = known;
    if (Interval{low, high} != *range) part.map.constraints.push_back({known.value, {low, high}});
    return part;
  };
  const auto add_end = [&](int64_t low, int64_t high, int64_t end) {
    Case part = within(low, high);
    part.value = add_constant(part.map.nodes, end);
    cases.push_back(std::move(part));
  };
  const int64_t low = std::max(range->low, feasible.low);
  const int64_t high = std::min(range->high, feasible.high);
  if (low <= high) cases.push_back(within(low, high));
  if (range->high > feasible.high) {
    add_end(std::max(range->low, feasible.high + 1), range->high, feasible.high);
  }
  if (range->low < feasible.low) {
    add_end(range->low, std::min(range->high, feasible.low - 1), feasible.low);
  }
  return true;
}

using ElementMoves = std::vector<OperandElement<AccessRelationPtr>>;

// The elements of operands that have the value. Nothing if the operation makes another value, or is
// not known well enough.
std::optional<ElementMoves> moves_to(const ValueRegion& region, const Dims& variables,
                                     const ElementAt<AccessRelationPtr>& element) {
  const HloPosition& position = element.position;
  const HloInstruction& instruction = region.follow.at(position);
  ComputationDependences* dependences =
      moves_elements(instruction.opcode) ? region.at(position) : nullptr;
  if (dependences == nullptr) return std::nullopt;
  const absl::StatusOr<Dependences>& step = dependences->of(position.instruction, position.leaf);
  if (!step.ok() || !step->conservative.empty()) return std::nullopt;
  const ComputationView& view = dependences->view();
  const Dims& between = view.sizes[view.first_leaf[position.instruction] + position.leaf];
  const ElementType type =
      view.shapes[position.instruction].leaves[position.leaf].array->element_type;
  const bool may_lose = instruction.opcode == HloOpcode::kBitcast;
  ElementMoves moves;
  for (const Dependence& dependence : step->dependences) {
    if (may_lose && !is_box(dependence.relation->map, between)) return std::nullopt;
    const int32_t operand = instruction.operands[dependence.operand].instruction;
    if (view.shapes[operand].leaves[dependence.leaf].array->element_type != type)
      return std::nullopt;
    const Dims& sizes = view.sizes[view.first_leaf[operand] + dependence.leaf];
    AccessRelationPtr moved =
        compose(element.index, dependence.relation, variables, between, sizes);
    if (!moved) continue;
    if (moved->inexact) return std::nullopt;
    moves.push_back({dependence.operand, dependence.leaf, std::move(moved)});
  }
  return moves;
}

// All that the value may be, where that is known and at most so many cases.
std::optional<Cases> cases_of(const ValueRegion& region, const Read& read, Interval feasible,
                              size_t most) {
  const auto values =
      values_at(region, read.element.position, read.variables, read.element.index, most);
  if (!values) return std::nullopt;
  Cases cases;
  for (const Case& known : *values) {
    if (!add_clamped(known, feasible, cases)) return std::nullopt;
  }
  return cases.size() <= most ? std::optional(std::move(cases)) : std::nullopt;
}

// Appends the nodes of the map of a `Read`, whose further dimensions are the ranges of the relation.
// Returns by how much their positions grow.
NodeId append_read(IndexingMap& map, const ExprTable& more) {
  const NodeId shift = append_nodes(map.nodes, more);
  const int64_t dimensions = std::ssize(map.dimensions);
  for (auto node = map.nodes.begin() + shift; node != map.nodes.end(); ++node) {
    if (node->op == Op::kDimension && node->value >= dimensions) {
      *node = {.op = Op::kRange, .value = node->value - dimensions};
    }
  }
  return shift;
}

// The relation where the conditions of the case hold, with its value.
AccessRelation filled(AccessRelation relation, size_t variable, const Case& known,
                      const Dims& variables) {
  const NodeId shift = append_read(relation.map, known.map.nodes);
  for (const Constraint& constraint : known.map.constraints) {
    relation.map.constraints.push_back({constraint.expr + shift, constraint.interval});
  }
  for (size_t d = 0; d < variables.size(); ++d) {
    const NodeId node =
        append_read(relation.map, {{.op = Op::kDimension, .value = static_cast<int64_t>(d)}});
    relation.map.constraints.push_back({node, known.map.dimensions[d].bounds});
  }
  return with_value(std::move(relation), static_cast<int32_t>(variable), known.value + shift);
}

// Whether it is one element for all values of the variables, or is at the same index as before.
bool is_plain_move(const AccessRelationPtr& before, const AccessRelationPtr& after) {
  if (after == before) return true;
  const IndexingMap& map = after->map;
  return map.dimensions == before->map.dimensions && map.constraints.empty() &&
         map.ranges.empty() && std::ranges::all_of(map.results, [&map](NodeId result) {
           return map.nodes[result].op == Op::kConstant;
         });
}

// The relation with the elements that its runtime variables read followed through copies and what
// else moves them, so that equal values are read from one element. An element is followed as far as
// it stays at its index or is one and the same.
AccessRelationPtr with_followed_offsets(const ValueRegion& region,
                                        const AccessRelationPtr& relation, const Dims& output,
                                        const Dims& operand) {
  AccessRelation followed = *relation;
  bool changed = false;
  for (size_t i = 0; i < relation->runtime.size(); ++i) {
    const std::optional<Read> read = read_of(followed, i, output, region);
    if (!read) continue;
    using From = OperandElement<AccessRelationPtr>;
    const auto move = [&](const ElementAt<AccessRelationPtr>& at) -> std::optional<From> {
      std::optional<ElementMoves> moves = moves_to(region, read->variables, at);
      if (!moves || moves->size() != 1 || !is_plain_move(at.index, moves->front().index)) {
        return std::nullopt;
      }
      return std::move(moves->front());
    };
    int64_t steps = kMaxFollowSteps;
    const auto end = follow_source(region.follow, read->element, move, steps);
    if (!end || end->position == read->element.position) continue;
    changed = true;
    RuntimeValue& value = followed.runtime[i];
    value.position = end->position;
    if (end->index == read->element.index) continue;
    const NodeId shift = append_read(followed.map, end->index->map.nodes);
    std::vector<NodeId>& results = followed.map.results;
    const auto first = results.begin() + static_cast<std::ptrdiff_t>(first_results(followed)[i]);
    results.insert(results.erase(first, first + value.rank), end->index->map.results.begin(),
                   end->index->map.results.end());
    value.rank = end->index->rank;
    const size_t from = first_results(followed)[i];
    for (int32_t k = 0; k < value.rank; ++k) results[from + k] += shift;
  }
  return changed ? simplified(std::move(followed), output, operand) : relation;
}

// The relation by the values of the first of its variables of which they are known; nothing where
// there is none.
std::optional<std::vector<AccessRelationPtr>> split(const ValueRegion& region,
                                                    const AccessRelation& relation,
                                                    const Dims& output, const Dims& operand,
                                                    size_t most) {
  for (size_t i = 0; i < relation.runtime.size(); ++i) {
    const std::optional<Read> read = read_of(relation, i, output, region);
    if (!read) continue;
    const auto cases = cases_of(region, *read, relation.runtime[i].feasible, most);
    if (!cases) continue;
    std::vector<AccessRelationPtr> parts;
    for (const Case& known : *cases) {
      AccessRelationPtr part =
          simplified(filled(relation, i, known, read->variables), output, operand);
      if (part) parts.push_back(std::move(part));
    }
    const auto is_worse = [&relation](const AccessRelationPtr& part) {
      return part->inexact != relation.inexact;
    };
    if (std::ranges::none_of(parts, is_worse)) return parts;
  }
  return std::nullopt;
}

}  // namespace

std::vector<AccessRelationPtr> with_resolved_offsets(const ValueRegion& region,
                                                     const AccessRelationPtr& relation,
                                                     const Dims& output, const Dims& operand,
                                                     size_t most) {
  std::vector<AccessRelationPtr> open = {relation}, done;
  while (!open.empty()) {
    AccessRelationPtr now = std::move(open.back());
    open.pop_back();
    const size_t others = open.size() + done.size();
    auto parts = split(region, *now, output, operand, most - others);
    if (parts) {
      open.insert(open.end(), parts->rbegin(), parts->rend());
    } else if (auto followed = with_followed_offsets(region, now, output, operand)) {
      done.push_back(std::move(followed));
    }
  }
  return done;
}

}  // namespace tileproof::impl
