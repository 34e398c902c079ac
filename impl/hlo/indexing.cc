// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/indexing.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "impl/hlo/backward_slice.h"
#include "impl/hlo/computation_summaries.h"
#include "impl/hlo/indexing_result.h"
#include "impl/hlo/offsets/resolve_offsets.h"
#include "impl/hlo/offsets/resolve_source.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/operand_walk.h"

namespace tileproof::impl {

struct IndexingAnalysis::Memory {
  const HloModule& module;
  OperandWalk walk;
  Summaries summaries;
  std::vector<std::unique_ptr<ComputationDependences>> dependences;
};

IndexingAnalysis::IndexingAnalysis(const HloModule& module)
    : memory_(std::make_unique<Memory>(Memory{module, {module, bitcast_fits}, {}, {}})) {
  memory_->summaries.resize(module.computations.size());
  memory_->dependences.resize(module.computations.size());
}

IndexingAnalysis::~IndexingAnalysis() = default;

namespace {

// Known values may split the maps between two arrays into at most so many.
constexpr size_t kMaxKnownCases = 32;

absl::Status expect_position(const HloModule& module, int32_t computation, int32_t instruction) {
  if (computation < 0 || computation >= std::ssize(module.computations)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected a computation below ", module.computations.size(), ", found ", computation));
  }
  const auto count = std::ssize(module.computations[computation].instructions);
  if (instruction < 0 || instruction >= count) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected an instruction below ", count, ", found ", instruction));
  }
  return absl::OkStatus();
}

absl::Status expect_shape(const ComputationView& view, int32_t instruction) {
  const HloInstruction& at = view.computation().instructions[instruction];
  return at.shape ? absl::OkStatus()
                  : absl::InvalidArgumentError(
                        absl::StrCat(at.name, ": expected a shape of the result"));
}

absl::Status expect_leaf(const ComputationView& view, int32_t instruction, int32_t leaf) {
  const Leaves& leaves = view.shapes[instruction].leaves;
  if (0 <= leaf && leaf < std::ssize(leaves)) return absl::OkStatus();
  TRY(expect_shape(view, instruction));
  const HloInstruction& at = view.computation().instructions[instruction];
  return absl::InvalidArgumentError(
      absl::StrCat(at.name, ": expected a leaf below ", leaves.size(), ", found ", leaf));
}

// The instruction at the other end of a dependence: operand or parameter number `number`.
// `parameters` are those of the computation, and needed for them alone.
int32_t input_of(const ComputationView& view, Scope scope, int32_t instruction,
                 const std::vector<int32_t>& parameters, int32_t number) {
  if (scope == Scope::kComputation) return parameters[number];
  return view.computation().instructions[instruction].operands[number].instruction;
}

// The instructions at the other end of the relation: operands, or parameters.
std::vector<int32_t> inputs_of(const ComputationView& view, Scope scope, int32_t instruction) {
  if (scope == Scope::kComputation) return parameters_of(view.computation());
  std::vector<int32_t> operands;
  for (const HloOperand& operand : view.computation().instructions[instruction].operands) {
    operands.push_back(operand.instruction);
  }
  return operands;
}

}  // namespace

const HloModule& IndexingAnalysis::module() const { return memory_->module; }

ComputationDependences& IndexingAnalysis::within(int32_t computation) {
  return dependences_in(memory_->module, computation, memory_->summaries, memory_->dependences);
}

const Summary& IndexingAnalysis::summary(int32_t computation) {
  Summary& found = memory_->summaries[computation];
  if (found.empty()) found = summary_of(within(computation), memory_->summaries);
  return found;
}

absl::Status IndexingAnalysis::expect_valid(Scope scope, int32_t computation, int32_t instruction,
                                            std::optional<int32_t> leaf) {
  const FollowRegion region = region_of(memory_->module, computation, scope);
  return memory_->walk.expect_valid(region.up_to, computation, instruction, leaf);
}

// The instructions and their arrays are valid.
absl::StatusOr<Dependences> IndexingAnalysis::dependences_into(Scope scope, int32_t computation,
                                                               int32_t instruction, int32_t leaf) {
  ComputationDependences& within = *memory_->dependences[computation];
  const auto plain = TRY(scope == Scope::kInstruction ? within.of(instruction, leaf)
                                                      : backward_slice(within, instruction, leaf));
  const ValueRegion region{region_of(memory_->module, computation, scope),
                           [this](int32_t at) { return &this->within(at); }};
  const ComputationView& view = within.view();
  const std::vector<int32_t> parameters =
      scope == Scope::kComputation ? parameters_of(view.computation()) : std::vector<int32_t>();
  const size_t most = kMaxKnownCases / std::max<size_t>(plain.dependences.size(), 1);
  Dependences filled{{}, plain.declared, plain.conservative};
  for (const Dependence& dependence : plain.dependences) {
    const Dims& output = view.sizes[view.first_leaf[instruction] + leaf];
    const int32_t input = input_of(view, scope, instruction, parameters, dependence.operand);
    const Dims& sizes = view.sizes[view.first_leaf[input] + dependence.leaf];
    for (AccessRelationPtr& relation : with_resolved_offsets(region, dependence.relation, output,
                                                             sizes, std::max<size_t>(most, 1))) {
      filled.dependences.push_back({dependence.operand, dependence.leaf, std::move(relation)});
    }
  }
  return filled;
}

absl::StatusOr<Dependences> IndexingAnalysis::dependences(Scope scope, int32_t computation,
                                                          int32_t instruction, int32_t leaf) {
  TRY(expect_position(memory_->module, computation, instruction));
  TRY(expect_leaf(within(computation).view(), instruction, leaf));
  TRY(expect_valid(scope, computation, instruction, leaf));
  return dependences_into(scope, computation, instruction, leaf);
}

absl::StatusOr<Readers> IndexingAnalysis::readers(Scope scope, int32_t computation,
                                                  int32_t instruction) {
  TRY(expect_position(memory_->module, computation, instruction));
  const ComputationView& view = within(computation).view();
  TRY(expect_shape(view, instruction));
  TRY(expect_valid(scope, computation, instruction, std::nullopt));
  Readers found;
  std::vector<int32_t> first;  // the number of the first leaf of each input
  for (const int32_t input : inputs_of(view, scope, instruction)) {
    first.push_back(static_cast<int32_t>(found.inputs.size()));
    for (int32_t leaf = 0; leaf < std::ssize(view.shapes[input].leaves); ++leaf) {
      found.inputs.push_back({&view.sizes[view.first_leaf[input] + leaf], {}});
    }
  }
  for (int32_t leaf = 0; leaf < std::ssize(view.shapes[instruction].leaves); ++leaf) {
    const auto into = TRY(dependences_into(scope, computation, instruction, leaf));
    if (into.declared) found.declared = into.declared;  // then there is one leaf
    for (const auto& [operand, operand_leaf, relation] : into.dependences) {
      found.inputs[first[operand] + operand_leaf].readers.push_back(
          {leaf, &view.sizes[view.first_leaf[instruction] + leaf], relation});
    }
  }
  return found;
}

absl::StatusOr<Indexing> IndexingAnalysis::reads(int32_t computation, int32_t instruction,
                                                 int32_t leaf, Scope scope) {
  const auto found = TRY(dependences(scope, computation, instruction, leaf));
  const ComputationView& view = within(computation).view();
  Indexing all;
  for (const int32_t input : inputs_of(view, scope, instruction)) {
    all.emplace_back(view.shapes[input].leaves.size());
  }
  for (LeafRead& read : answer_of(found, RuntimeVariables::kAll)) {
    all[read.operand][read.leaf] = std::move(read.list);
  }
  return all;
}

absl::StatusOr<std::vector<LeafMaps>> IndexingAnalysis::reached(int32_t computation,
                                                                int32_t instruction, int32_t input,
                                                                Scope scope) {
  const Readers found = TRY(readers(scope, computation, instruction));
  const HloInstruction& at = memory_->module.computations[computation].instructions[instruction];
  if (input < 0 || input >= std::ssize(found.inputs)) {
    return absl::InvalidArgumentError(absl::StrCat(at.name, ": expected an input below ",
                                                   found.inputs.size(), ", found ", input));
  }
  std::vector<LeafMaps> lists(within(computation).view().shapes[instruction].leaves.size());
  for (auto& [leaf, list] :
       inverse_answer_of(found.inputs[input], found.declared, RuntimeVariables::kAll)) {
    lists[leaf] = std::move(list);
  }
  return lists;
}

std::string name_of(const HloModule& module, int32_t computation, const HloPosition& position) {
  std::string name;
  int32_t at = computation;
  for (int32_t call : position.calls) {
    const HloInstruction& instruction = module.computations[at].instructions[call];
    absl::StrAppend(&name, instruction.name, "/");
    at = callee_of(instruction);
  }
  absl::StrAppend(&name, module.computations[at].instructions[position.instruction].name);
  if (position.leaf != 0) absl::StrAppend(&name, "#", position.leaf);
  return name;
}

}  // namespace tileproof::impl
