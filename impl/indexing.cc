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
IndexingAnalysis::IndexingAnalysis(IndexingAnalysis&&) noexcept = default;
IndexingAnalysis& IndexingAnalysis::operator=(IndexingAnalysis&&) noexcept = default;

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

absl::Status expect_leaf(const ComputationView& view, int32_t instruction, int32_t leaf) {
  const auto& shapes = view.leaves[instruction].shapes;
  if (0 <= leaf && leaf < std::ssize(shapes)) return absl::OkStatus();
  const HloInstruction& at = view.computation().instructions[instruction];
  return absl::InvalidArgumentError(
      at.shape ? absl::StrCat(at.name, ": expected a leaf below ", shapes.size(), ", found ", leaf)
               : absl::StrCat(at.name, ": expected a shape of the result"));
}

}  // namespace

absl::StatusOr<Indexing> IndexingAnalysis::instruction(int32_t computation, int32_t instruction,
                                                       int32_t leaf) {
  const absl::Status status = expect_place(memory_->module, computation, instruction);
  if (!status.ok()) return status;
  ComputationFlows& flows = flows_in(memory_->module, computation, memory_->summaries,
                                     memory_->summarized, memory_->flows);
  const ComputationView& view = flows.view();
  if (absl::Status fits = expect_leaf(view, instruction, leaf); !fits.ok()) return fits;
  const absl::StatusOr<Flows>& found = flows.of(instruction, leaf);
  if (!found.ok()) return found.status();
  std::vector<size_t> leaves;
  for (const HloOperand& operand : view.computation().instructions[instruction].operands) {
    leaves.push_back(view.leaves[operand.instruction].shapes.size());
  }
  return answer_of(*found, leaves);
}

absl::StatusOr<Indexing> IndexingAnalysis::computation(int32_t computation, int32_t instruction,
                                                       int32_t leaf) {
  const absl::Status status = expect_place(memory_->module, computation, instruction);
  if (!status.ok()) return status;
  ComputationFlows& flows = flows_in(memory_->module, computation, memory_->summaries,
                                     memory_->summarized, memory_->flows);
  const ComputationView& view = flows.view();
  if (absl::Status fits = expect_leaf(view, instruction, leaf); !fits.ok()) return fits;
  const absl::StatusOr<Flows> found = trace(flows, instruction, leaf);
  if (!found.ok()) return found.status();
  std::vector<size_t> leaves;
  for (int32_t parameter : parameters_of(view.computation())) {
    leaves.push_back(view.leaves[parameter].shapes.size());
  }
  return answer_of(*found, leaves);
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
