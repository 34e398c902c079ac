// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/operations/known_predicate.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "impl/hlo/offsets/resolve_source.h"
#include "impl/hlo/operations/known_values.h"
#include "impl/hlo/reached_leaves.h"
#include "spec/lang/hlo/hlo_attributes.h"

namespace tileproof::impl {
namespace {

constexpr char kTooManyCases[] = "a select with a predicate of too many cases";

AccessRelationPtr marked(const AccessRelationPtr& relation, const Dims& output) {
  AccessRelation inexact = *relation;
  inexact.inexact = true;
  inexact.reason = kTooManyCases;
  return finish(std::move(inexact), output, output);
}

}  // namespace

std::optional<Dependences> with_known_predicate(ComputationDependences& within, int32_t select,
                                                const Dependences& plain) {
  const ComputationView& view = within.view();
  const HloInstruction& at = view.computation().instructions[select];
  if (!plain.conservative.empty() || at.operands.size() != 3) return std::nullopt;
  const Dims& output = view.sizes[view.first_leaf[select]];
  const int32_t predicate = at.operands[0].instruction;
  if (has_no_elements(output) || view.shapes[predicate].leaves.size() != 1) return std::nullopt;
  const Dims& sizes = view.sizes[view.first_leaf[predicate]];
  const auto known =
      conditions_at(within.values(), {{}, predicate, 0}, output,
                    sizes == output ? identity_relation(output) : universe_relation(output, sizes));
  if (!known) return std::nullopt;
  Dependences result{{}, plain.declared, plain.conservative};
  for (const Dependence& dependence : plain.dependences) {
    if (dependence.operand == 0) {
      result.dependences.push_back(dependence);
      continue;
    }
    if (known->gave_up) {
      result.dependences.push_back(
          {dependence.operand, dependence.leaf, marked(dependence.relation, output)});
      continue;
    }
    for (const IndexingMap& where : dependence.operand == 1 ? known->yes : known->no) {
      AccessRelation relation = *dependence.relation;
      IndexingMap map = where;
      for (size_t d = 0; d < output.size(); ++d) {
        map.results.push_back(add_variable(map.nodes, Op::kDimension, static_cast<int64_t>(d)));
      }
      relation.map = std::move(map);
      relation.identity = relation.universe = relation.onto = false;
      AccessRelationPtr part = simplified(std::move(relation), output, output);
      if (part) result.dependences.push_back({dependence.operand, dependence.leaf, part});
    }
  }
  return result;
}

std::optional<int32_t> operand_of_loop(ComputationDependences& within, OperandLeaf state) {
  const HloInstruction& at = within.view().computation().instructions[state.operand];
  const auto leaves = std::ssize(within.view().shapes[state.operand].leaves);
  if (at.opcode != HloOpcode::kWhile || state.leaf >= leaves) return std::nullopt;
  const absl::StatusOr<Dependences>& step = within.of(state.operand, state.leaf);
  if (!step.ok() || !step->conservative.empty()) return std::nullopt;
  ComputationDependences& body = within.inside(called_computations(at, "body")[0]);
  const ComputationView& view = body.view();
  const std::vector<HloInstruction>& inside = view.computation().instructions;
  const auto shape_of = [&](int32_t i) { return view.shapes[i].shape; };
  const auto type = element_type_of(at, state.leaf);
  OperandLeaf here{view.computation().root, state.leaf};
  while (inside[here.operand].opcode != HloOpcode::kParameter) {
    const HloInstruction& i = inside[here.operand];
    if (element_type_of(i, here.leaf) != type || !body.of(here.operand, here.leaf).ok()) {
      return std::nullopt;
    }
    const auto from = forwarded_leaf(i, here.leaf, shape_of);
    if (!from) return std::nullopt;
    here = {i.operands[from->operand].instruction, from->leaf};
  }
  const int32_t operand = at.operands[0].instruction;
  const HloInstruction& first = within.view().computation().instructions[operand];
  const bool is_same = here.leaf == state.leaf &&
                       element_type_of(inside[here.operand], here.leaf) == type &&
                       element_type_of(first, state.leaf) == type;
  return is_same ? std::optional(operand) : std::nullopt;
}

std::optional<int32_t> operand_at(ComputationDependences& within, int32_t call, OperandLeaf from) {
  const HloInstruction& at = within.view().computation().instructions[call];
  if (at.opcode == HloOpcode::kWhile) return operand_of_loop(within, {call, from.leaf});
  if (from.operand >= std::ssize(at.operands)) return std::nullopt;
  return at.operands[from.operand].instruction;
}

std::vector<OperandLeaf> deciding_in(const Summary& summary) {
  const auto valid = std::ranges::find_if(summary, [](const auto& leaf) { return leaf.ok(); });
  return valid == summary.end() ? std::vector<OperandLeaf>() : (*valid)->reached->deciding;
}

int32_t run_with_operands(const HloInstruction& at) {
  switch (at.opcode) {
    case HloOpcode::kCall:
    case HloOpcode::kFusion:
      return callee_of(at);
    case HloOpcode::kWhile: {
      const std::vector<int32_t> body = called_computations(at, "body");
      return body.size() == 1 ? body[0] : -1;
    }
    default:
      return -1;
  }
}

std::vector<OperandLeaf> deciding_parameters(ComputationDependences& within,
                                             const Summaries& summaries) {
  std::vector<OperandLeaf> found;
  const auto add = [&](int32_t instruction, int32_t leaf) {
    for (const OperandLeaf& one : parameters_of_value(within, {instruction, leaf})) {
      if (std::ranges::find(found, one) == found.end()) found.push_back(one);
    }
  };
  const std::vector<HloInstruction>& instructions = within.view().computation().instructions;
  for (int32_t position = 0; position < std::ssize(instructions); ++position) {
    const HloInstruction& i = instructions[position];
    if (i.opcode == HloOpcode::kSelect && i.operands.size() == 3) add(i.operands[0].instruction, 0);
    const int32_t run = run_with_operands(i);
    if (run < 0) continue;
    for (const OperandLeaf& one : deciding_in(summaries[run])) {
      if (const auto operand = operand_at(within, position, one)) add(*operand, one.leaf);
    }
  }
  return found;
}

bool decides(ComputationDependences& within, int32_t call,
             const std::vector<OperandLeaf>& parameters) {
  return std::ranges::any_of(parameters, [&](const OperandLeaf& one) {
    const auto operand = operand_at(within, call, one);
    return operand && !is_anything(within, {*operand, one.leaf});
  });
}

}  // namespace tileproof::impl
