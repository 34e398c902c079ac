// SPDX-License-Identifier: Apache-2.0
// The sources, and the instructions that lead from them to a result.
#include <algorithm>
#include <limits>
#include <utility>

#include "spec/hlo/runtime_value.h"
#include "spec/hlo/term_interpreter.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"

namespace tileproof::spec {

// ---- Sources ----

absl::StatusOr<std::vector<Leaves>> inputs_of(const HloModule& module, int32_t computation,
                                              int32_t instruction, Scope scope) {
  const HloComputation& within = module.computations[computation];
  if (scope == Scope::kInstruction) {
    return operand_leaves(within, within.instructions[instruction]);
  }
  std::vector<Leaves> inputs;
  for (const int32_t parameter : parameters_of(within)) {
    const SharedShape& shape = within.instructions[parameter].shape;
    if (!shape) return absl::InvalidArgumentError("expected a shape of each parameter");
    inputs.push_back(TRY(leaves_of(*shape)));
  }
  return inputs;
}

absl::Status Interpreter::count_sources(const std::vector<Leaves>& inputs) {
  int64_t all = 0;
  for (const Leaves& leaves : inputs) {
    source_dims_.emplace_back();
    for (const Leaf& leaf : leaves) {
      source_dims_.back().push_back(leaf.dims);
      // Leaves that are too large to enumerate do not count: reading them is an error.
      const std::optional<int64_t> count = element_count(leaf.dims);
      if (count && *count <= limits_.elements) all += *count;
    }
  }
  if (all > std::numeric_limits<uint32_t>::max()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("too large to enumerate: ", all, " elements of operands"));
  }
  return absl::OkStatus();
}

// An array whose elements are sources.
absl::StatusOr<ArrayPtr> Interpreter::source(const HloInstruction& owner, int32_t computation,
                                             int32_t instruction, int32_t operand, int64_t leaf) {
  if (operand >= std::ssize(source_dims_)) {
    return absl::InvalidArgumentError(absl::StrCat(owner.name, ": expected an operand ", operand));
  }
  const Dims& dims = source_dims_[operand][leaf];
  const std::optional<int64_t> count = element_count(dims);
  if (!count || *count > limits_.elements) {
    return too_large(owner, absl::StrCat("operand ", operand, " of ", dims_text(dims)));
  }
  work_ -= *count;
  TRY(check_work(owner));
  auto array = std::make_shared<TermArray>(dims);
  array->origin = new_origin({.computation = computation}, instruction, leaf, dims);
  const SharedShape& shape = module_.computations[computation].instructions[instruction].shape;
  const SymbolId name = terms_.symbol(
      {.text = leaf == 0 ? absl::StrCat("p", operand) : absl::StrCat("p", operand, ".", leaf),
       .opcode = HloOpcode::kParameter,
       .type = shape ? TRY(leaves_of(*shape))[leaf].array->element_type : ElementType::kOpaque,
       .operand = operand,
       .leaf = static_cast<int32_t>(leaf)});
  const auto known = source_values_.find(leaf);
  for (int64_t e = 0; e < *count; ++e) {
    array->terms.push_back(terms_.element(
        name, e, known == source_values_.end() ? std::nullopt : std::optional(known->second[e])));
  }
  return array;
}

// ---- Steps ----

namespace {

bool is_empty(const Dims& dims) { return std::ranges::count(dims, 0) > 0; }

// Whether a pair of elements may be in the dependence: the result, the operand and the loop have some.
// What an empty one leads to is not needed.
bool may_read(const CheckedOp& op, int64_t leaf, const Dependence& one) {
  return !is_empty(op.result[leaf].dims) && !is_empty(one.ranges) &&
         !is_empty(op.operands[one.operand][one.leaf].dims);
}

}  // namespace

absl::StatusOr<TermStepPtr> Interpreter::step_of(int32_t computation, int32_t instruction,
                                                 int64_t leaf, int64_t depth) {
  const auto position = std::pair(computation, LeafOf{instruction, leaf});
  const auto known = steps_.find(position);
  if (known != steps_.end()) return known->second;
  const HloComputation& within = module_.computations[computation];
  const HloInstruction& at = within.instructions[instruction];
  auto checked = checked_.find({computation, instruction});
  if (checked == checked_.end()) {
    checked = checked_.emplace(std::pair(computation, instruction), checked_op(module_, within, at))
                  .first;
  }
  if (!checked->second.ok()) return checked->second.status();
  const CheckedOp& op = *checked->second;
  AccessRelation relation = TRY(access_relation_of(at, op, leaf));
  std::vector<LeafOf> operands;
  for (const Dependence& one : relation.dependences) {
    if (may_read(op, leaf, one)) operands.emplace_back(static_cast<int32_t>(one.operand), one.leaf);
  }
  TRY(add_operands_inside(at, relation, depth, operands));
  Meaning meaning = meaning_of(module_, at, op, relation, leaf, values_ == nullptr);
  auto step = std::make_shared<TermStep>(
      TermStep{.instruction = instruction,
               .leaf = leaf,
               .at = &at,
               .dims = op.result[leaf].dims,
               .type = op.result[leaf].array->element_type,
               .relation = std::move(relation),
               .operands = std::move(operands),
               .rule = meaning.rule,
               .symbol = values_ == nullptr ? terms_.symbol(std::move(meaning.symbol))
                                            : terms_.new_symbol(std::move(meaning.symbol)),
               .number = meaning.number,
               .order = std::move(meaning.order),
               .arrays = meaning.arrays,
               .swaps = meaning.swaps,
               .unlike = meaning.unlike,
               .keeps_origin = meaning.keeps_origin,
               .shows = meaning.shows,
               .meets_devices =
                   devices_ != nullptr && meets_devices(module_, at, computation_meets_devices_)});
  return steps_.emplace(position, std::move(step)).first->second;
}

absl::Status Interpreter::add_operands_inside(const HloInstruction& instruction,
                                              const AccessRelation& relation, int64_t depth,
                                              std::vector<LeafOf>& result) {
  if (relation.loop) {
    for (const int64_t leaf : TRY(loop_leaves(*relation.loop, depth))) {
      result.emplace_back(0, leaf);
    }
    return absl::OkStatus();
  }
  if ((relation.callee || !relation.branches.empty()) && depth >= limits_.depth) {
    return too_large(instruction, absl::StrCat("calls nest deeper than ", limits_.depth));
  }
  for (const Branch& branch : relation.branches) {
    const auto used = TRY(parameters_needed(branch.computation, branch.leaf, depth + 1));
    for (const auto& [parameter, leaf] : used) result.emplace_back(branch.operand, leaf);
  }
  if (!relation.callee) return absl::OkStatus();
  const Callee& callee = *relation.callee;
  auto parameters = TRY(parameters_needed(callee.computation, callee.leaf, depth + 1));
  result.insert(result.end(), parameters.begin(), parameters.end());
  return absl::OkStatus();
}

absl::StatusOr<const std::vector<TermStepPtr>*> Interpreter::steps_to(
    int32_t computation, const std::vector<LeafOf>& results, int64_t depth) {
  const auto known = plans_.find({computation, results});
  if (known != plans_.end()) return &known->second;
  std::map<int32_t, std::set<int64_t>, std::greater<>> wanted;
  for (const auto& [instruction, leaf] : results) wanted[instruction].insert(leaf);
  std::vector<TermStepPtr> steps;
  while (!wanted.empty()) {
    const auto [position, leaves] = std::move(*wanted.begin());
    wanted.erase(wanted.begin());
    for (const int64_t leaf : leaves) {
      TermStepPtr step = TRY(step_of(computation, position, leaf, depth));
      for (const auto& [operand, operand_leaf] : step->operands) {
        wanted[step->at->operands[operand].instruction].insert(operand_leaf);
      }
      work_ -= std::ssize(step->operands) + 1;
      TRY(check_work(*step->at));
      steps.push_back(std::move(step));
    }
  }
  std::reverse(steps.begin(), steps.end());
  return &(plans_[{computation, results}] = std::move(steps));
}

absl::StatusOr<std::set<LeafOf>> Interpreter::parameters_needed(int32_t computation, int64_t leaf,
                                                                int64_t depth) {
  const auto known = parameters_needed_.find({computation, leaf});
  if (known != parameters_needed_.end()) return known->second;
  const HloComputation& within = module_.computations[computation];
  const auto* steps = TRY(steps_to(computation, {{within.root, leaf}}, depth));
  std::set<LeafOf> result;
  for (const TermStepPtr& step : *steps) {
    if (step->at->opcode == HloOpcode::kParameter) {
      result.emplace(static_cast<int32_t>(step->at->parameter_number), step->leaf);
    }
  }
  parameters_needed_[{computation, leaf}] = result;
  return result;
}

// Whether the body of a loop hands on a leaf of the state.
bool Interpreter::is_handed_on(int32_t body, int64_t leaf) {
  const auto [known, is_new] = handed_on_.try_emplace({body, leaf});
  if (is_new) known->second = passes_through(module_, body, leaf);
  return known->second;
}

// Whether a leaf of a loop's state has the same values in all iterations: the body hands it on, and it
// has one element type.
bool Interpreter::is_same_throughout(int32_t computation, const TermStep& step, int64_t leaf) {
  const op::While& loop = step.relation.loop->loop;
  if (!is_handed_on(loop.body, leaf)) return false;
  const HloComputation& body = module_.computations[loop.body];
  const HloInstruction& first = module_.computations[computation].instructions[loop.operand];
  const HloInstruction& inside = body.instructions[parameters_of(body)[0]];
  const auto type = type_of_leaf(*step.at, leaf);
  return type == type_of_leaf(first, leaf) && type == type_of_leaf(inside, leaf);
}

// The leaves of the state that a leaf of the last state needs of the first, or may need.
absl::StatusOr<std::set<int64_t>> Interpreter::loop_leaves(const Loop& loop, int64_t depth) {
  const op::While& at = loop.loop;
  const auto known = loop_leaves_.find({at, loop.leaf});
  if (known != loop_leaves_.end()) return known->second;
  std::set<int64_t> leaves = {loop.leaf};
  if (is_handed_on(at.body, loop.leaf)) return leaves;
  if (depth >= limits_.depth) {
    return absl::ResourceExhaustedError(
        absl::StrCat("while: too large to enumerate: calls nest deeper than ", limits_.depth));
  }
  const auto tested = TRY(parameters_needed(at.condition, 0, depth + 1));
  for (const auto& [parameter, leaf] : tested) leaves.insert(leaf);
  std::vector<int64_t> open(leaves.begin(), leaves.end());
  while (!open.empty()) {
    const int64_t leaf = open.back();
    open.pop_back();
    const auto needed = TRY(parameters_needed(at.body, leaf, depth + 1));
    for (const auto& [parameter, before] : needed) {
      if (leaves.insert(before).second) open.push_back(before);
    }
  }
  loop_leaves_[{at, loop.leaf}] = leaves;
  return leaves;
}

}  // namespace tileproof::spec
