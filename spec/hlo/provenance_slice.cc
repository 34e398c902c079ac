// SPDX-License-Identifier: Apache-2.0
// The sources, and the instructions that lead from them to a result.
#include <algorithm>
#include <limits>

#include "spec/hlo/provenance_interpreter.h"
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
  int64_t next = 0;
  for (const Leaves& leaves : inputs) {
    source_dims_.emplace_back();
    first_source_.emplace_back();
    for (const Leaf& leaf : leaves) {
      source_dims_.back().push_back(leaf.dims);
      first_source_.back().push_back(next);
      // Leaves that are too large to enumerate get no numbers: reading them is an error.
      const std::optional<int64_t> count = element_count(leaf.dims);
      if (count && *count <= limits_.elements) next += *count;
    }
  }
  if (next > std::numeric_limits<uint32_t>::max()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("too large to enumerate: ", next, " elements of operands"));
  }
  return absl::OkStatus();
}

absl::StatusOr<ValuePtr> Interpreter::sources(const HloInstruction& owner, int32_t operand,
                                              int64_t leaf, const Dims& dims) {
  if (operand >= std::ssize(source_dims_)) {
    return absl::InvalidArgumentError(absl::StrCat(owner.name, ": expected an operand ", operand));
  }
  const std::optional<int64_t> count = element_count(dims);
  if (!count || *count > limits_.elements) {
    return too_large(owner, absl::StrCat("operand ", operand, " of ", dims_text(dims)));
  }
  work_ -= *count;
  TRY(check_work(owner));
  auto value = std::make_shared<Value>(Value{dims, {}});
  for (int64_t e = 0; e < *count; ++e) {
    value->sets.push_back(sets_.single(static_cast<uint32_t>(first_source_[operand][leaf] + e)));
  }
  return value;
}

// ---- Needed instructions ----

namespace {

bool is_empty(const Dims& dims) { return std::ranges::count(dims, 0) > 0; }

// Leaves out the dependences that no pair of elements is in, because the result, the operand or the
// loop has none. What they lead to is not needed, and may be invalid.
absl::Status erase_empty(const HloComputation& within, const HloInstruction& at, int64_t leaf,
                         std::vector<Dependence>& dependences) {
  if (dependences.empty()) return absl::OkStatus();
  const Leaves results = TRY(leaves_of(*at.shape));
  const std::vector<Leaves> operands = TRY(operand_leaves(within, at));
  std::erase_if(dependences, [&](const Dependence& one) {
    return is_empty(results[leaf].dims) || is_empty(one.ranges) ||
           is_empty(operands[one.operand][one.leaf].dims);
  });
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<AccessRelation> Interpreter::relation_of(int32_t computation, int32_t instruction,
                                                        int64_t leaf) {
  const HloComputation& within = module_.computations[computation];
  const HloInstruction& at = within.instructions[instruction];
  auto known = checked_.find({computation, instruction});
  if (known == checked_.end()) {
    known = checked_.emplace(std::pair(computation, instruction), checked_op(module_, within, at))
                .first;
  }
  if (!known->second.ok()) return known->second.status();
  AccessRelation relation = TRY(access_relation_of(at, *known->second, leaf));
  TRY(erase_empty(within, at, leaf, relation.dependences));
  const bool is_question = computation == computation_ && scope_ == Scope::kInstruction;
  if (is_question) return relation;  // operands are outside
  return with_known_predicate(module_, computation, instruction, std::move(relation));
}

absl::StatusOr<std::vector<LeafOf>> Interpreter::operands_needed(const HloInstruction& instruction,
                                                                 const AccessRelation& relation,
                                                                 int64_t depth) {
  std::vector<LeafOf> result;
  for (const Dependence& dependence : relation.dependences) {
    result.emplace_back(static_cast<int32_t>(dependence.operand), dependence.leaf);
  }
  if (relation.loop) {
    for (const int64_t leaf : TRY(loop_leaves(*relation.loop, depth))) {
      result.emplace_back(0, leaf);
    }
    return result;
  }
  if ((relation.callee || !relation.branches.empty()) && depth >= limits_.depth) {
    return too_large(instruction, absl::StrCat("calls nest deeper than ", limits_.depth));
  }
  for (const Branch& branch : relation.branches) {
    const auto used = TRY(parameters_needed(branch.computation, branch.leaf, depth + 1));
    for (const auto& [parameter, leaf] : used) result.emplace_back(branch.operand, leaf);
  }
  if (!relation.callee) return result;
  const Callee& callee = *relation.callee;
  auto parameters = TRY(parameters_needed(callee.computation, callee.leaf, depth + 1));
  result.insert(result.end(), parameters.begin(), parameters.end());
  return result;
}

absl::StatusOr<std::vector<Needed>> Interpreter::needed_for(int32_t computation,
                                                            int32_t instruction, int64_t leaf,
                                                            int64_t depth) {
  const HloComputation& within = module_.computations[computation];
  std::map<int32_t, std::set<int64_t>, std::greater<>> wanted = {{instruction, {leaf}}};
  std::vector<Needed> result;
  while (!wanted.empty()) {
    const auto [position, leaves] = std::move(*wanted.begin());
    wanted.erase(wanted.begin());
    for (const int64_t one : leaves) {
      AccessRelation relation = TRY(relation_of(computation, position, one));
      const auto operands = TRY(operands_needed(within.instructions[position], relation, depth));
      for (const auto& [operand, operand_leaf] : operands) {
        wanted[within.instructions[position].operands[operand].instruction].insert(operand_leaf);
      }
      work_ -= std::ssize(operands) + 1;
      TRY(check_work(within.instructions[position]));
      result.push_back({position, one, std::move(relation)});
    }
  }
  std::reverse(result.begin(), result.end());
  return result;
}

absl::StatusOr<std::set<LeafOf>> Interpreter::parameters_needed(int32_t computation, int64_t leaf,
                                                                int64_t depth) {
  const auto known = parameters_needed_.find({computation, leaf});
  if (known != parameters_needed_.end()) return known->second;
  const HloComputation& within = module_.computations[computation];
  const auto needed = TRY(needed_for(computation, within.root, leaf, depth));
  std::set<LeafOf> result;
  for (const Needed& one : needed) {
    const HloInstruction& i = within.instructions[one.instruction];
    if (i.opcode == HloOpcode::kParameter) {
      result.emplace(static_cast<int32_t>(i.parameter_number), one.leaf);
    }
  }
  parameters_needed_[{computation, leaf}] = result;
  return result;
}

}  // namespace tileproof::spec
