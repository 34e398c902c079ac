#include "impl/indexing.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "impl/answer.h"
#include "impl/summaries.h"
#include "impl/trace.h"

namespace tileproof::impl {

struct IndexingAnalysis::Memory {
  const HloModule& module;
  Summaries summaries;
  std::vector<char> summarized;
  std::vector<std::unique_ptr<ComputationFlows>> flows;
};

IndexingAnalysis::IndexingAnalysis(const HloModule& module)
    : memory_(std::make_unique<Memory>(Memory{module, {}, {}, {}})) {
  memory_->summaries.resize(module.computations.size());
  memory_->summarized.resize(module.computations.size(), 0);
  memory_->flows.resize(module.computations.size());
}

IndexingAnalysis::~IndexingAnalysis() = default;

namespace {

absl::Status expect_place(const HloModule& module, int32_t computation, int32_t instruction) {
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
  const auto& shapes = view.leaves[instruction].shapes;
  if (0 <= leaf && leaf < std::ssize(shapes)) return absl::OkStatus();
  if (absl::Status has = expect_shape(view, instruction); !has.ok()) return has;
  const HloInstruction& at = view.computation().instructions[instruction];
  return absl::InvalidArgumentError(
      absl::StrCat(at.name, ": expected a leaf below ", shapes.size(), ", found ", leaf));
}

std::vector<int32_t> operands_of(const ComputationView& view, int32_t instruction) {
  std::vector<int32_t> operands;
  for (const HloOperand& operand : view.computation().instructions[instruction].operands) {
    operands.push_back(operand.instruction);
  }
  return operands;
}

// How many leaves each of these instructions has.
std::vector<size_t> leaves_of(const ComputationView& view, const std::vector<int32_t>& of) {
  std::vector<size_t> leaves;
  for (const int32_t instruction : of) leaves.push_back(view.leaves[instruction].shapes.size());
  return leaves;
}

struct InputLeaf {
  int32_t operand = 0;  // or parameter
  int32_t leaf = 0;
  Dims sizes;
};

// The leaf of that number among those of all `inputs`, which lead to the instruction.
absl::StatusOr<InputLeaf> input_leaf(const ComputationView& view, int32_t instruction,
                                     const std::vector<int32_t>& inputs, int32_t number) {
  int32_t before = 0;
  for (size_t k = 0; k < inputs.size(); ++k) {
    const auto count = static_cast<int32_t>(view.leaves[inputs[k]].shapes.size());
    if (0 <= number && number < before + count) {
      const int32_t leaf = number - before;
      return InputLeaf{static_cast<int32_t>(k), leaf,
                       view.sizes[view.first_leaf[inputs[k]] + leaf]};
    }
    before += count;
  }
  return absl::InvalidArgumentError(absl::StrCat(view.computation().instructions[instruction].name,
                                                 ": expected an input below ", before, ", found ",
                                                 number));
}

}  // namespace

absl::StatusOr<ComputationFlows*> IndexingAnalysis::flows_at(int32_t computation,
                                                             int32_t instruction) {
  const absl::Status status = expect_place(memory_->module, computation, instruction);
  if (!status.ok()) return status;
  return &flows_in(memory_->module, computation, memory_->summaries, memory_->summarized,
                   memory_->flows);
}

absl::StatusOr<Indexing> IndexingAnalysis::instruction(int32_t computation, int32_t instruction,
                                                       int32_t leaf) {
  const absl::StatusOr<ComputationFlows*> at = flows_at(computation, instruction);
  if (!at.ok()) return at.status();
  const ComputationView& view = (*at)->view();
  if (absl::Status fits = expect_leaf(view, instruction, leaf); !fits.ok()) return fits;
  const absl::StatusOr<Flows>& found = (*at)->of(instruction, leaf);
  if (!found.ok()) return found.status();
  return answer_of(*found, leaves_of(view, operands_of(view, instruction)));
}

absl::StatusOr<Indexing> IndexingAnalysis::computation(int32_t computation, int32_t instruction,
                                                       int32_t leaf) {
  const absl::StatusOr<ComputationFlows*> at = flows_at(computation, instruction);
  if (!at.ok()) return at.status();
  const ComputationView& view = (*at)->view();
  if (absl::Status fits = expect_leaf(view, instruction, leaf); !fits.ok()) return fits;
  const absl::StatusOr<Flows> found = trace(**at, instruction, leaf);
  if (!found.ok()) return found.status();
  return answer_of(*found, leaves_of(view, parameters_of(view.computation())));
}

absl::StatusOr<std::vector<LeafMaps>> IndexingAnalysis::instruction_outputs(int32_t computation,
                                                                            int32_t instruction,
                                                                            int32_t input) {
  const absl::StatusOr<ComputationFlows*> at = flows_at(computation, instruction);
  if (!at.ok()) return at.status();
  const ComputationView& view = (*at)->view();
  if (absl::Status has = expect_shape(view, instruction); !has.ok()) return has;
  const auto from = input_leaf(view, instruction, operands_of(view, instruction), input);
  if (!from.ok()) return from.status();
  std::vector<IntoLeaf> result;
  for (int32_t leaf = 0; leaf < std::ssize(view.leaves[instruction].shapes); ++leaf) {
    const absl::StatusOr<Flows>& found = (*at)->of(instruction, leaf);
    if (!found.ok()) return found.status();
    result.push_back({&*found, view.sizes[view.first_leaf[instruction] + leaf]});
  }
  return inverse_answer_of(result, from->operand, from->leaf, from->sizes);
}

absl::StatusOr<std::vector<LeafMaps>> IndexingAnalysis::computation_outputs(int32_t computation,
                                                                            int32_t instruction,
                                                                            int32_t input) {
  const absl::StatusOr<ComputationFlows*> at = flows_at(computation, instruction);
  if (!at.ok()) return at.status();
  const ComputationView& view = (*at)->view();
  if (absl::Status has = expect_shape(view, instruction); !has.ok()) return has;
  const auto from = input_leaf(view, instruction, parameters_of(view.computation()), input);
  if (!from.ok()) return from.status();
  std::vector<Flows> traced;
  for (int32_t leaf = 0; leaf < std::ssize(view.leaves[instruction].shapes); ++leaf) {
    absl::StatusOr<Flows> found = trace(**at, instruction, leaf);
    if (!found.ok()) return found.status();
    traced.push_back(*std::move(found));
  }
  std::vector<IntoLeaf> result;
  for (const Flows& flows : traced) {
    const auto leaf = static_cast<int32_t>(result.size());
    result.push_back({&flows, view.sizes[view.first_leaf[instruction] + leaf]});
  }
  return inverse_answer_of(result, from->operand, from->leaf, from->sizes);
}

std::string name_of(const HloModule& module, int32_t computation, const Place& place) {
  std::string name;
  int32_t at = computation;
  for (int32_t call : place.calls) {
    const HloInstruction& instruction = module.computations[at].instructions[call];
    absl::StrAppend(&name, instruction.name, "/");
    at = entered_by(instruction);
  }
  absl::StrAppend(&name, module.computations[at].instructions[place.instruction].name);
  if (place.leaf != 0) absl::StrAppend(&name, "#", place.leaf);
  return name;
}

}  // namespace tileproof::impl
