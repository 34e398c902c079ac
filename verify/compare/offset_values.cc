#include "verify/compare/offset_values.h"

#include <utility>

#include "impl/hlo/computation_summaries.h"
#include "spec/hlo/access_relation.h"
#include "spec/lang/hlo/hlo_opcode.h"

namespace tileproof::verify {

int64_t value_of(const spec::HloElement& position, const RuntimeChoice& choice) {
  return choice.all ? *choice.all : spec::arbitrary_value(position, choice.seed, choice.near);
}

OffsetValues::OffsetValues(const HloModule& module, int32_t computation, spec::Scope scope,
                           const spec::Provenance& provenance, RuntimeChoice choice)
    : module_(module), computation_(computation), scope_(scope), choice_(choice) {
  for (const spec::RuntimeRead& read : provenance.reads) known_[read.source] = read.value;
}

int64_t OffsetValues::of(const impl::HloPosition& position, std::vector<int64_t> index) const {
  std::vector<int32_t> path = position.calls;
  spec::HloElement at{computation_in(path), position.instruction, position.leaf, std::move(index)};
  while (!(scope_ == spec::Scope::kInstruction && path.empty()) && follow(path, at)) {
  }
  const auto found = known_.find(at);
  return found != known_.end() ? found->second : value_of(at, choice_);
}

int32_t OffsetValues::computation_in(const std::vector<int32_t>& path) const {
  return impl::computation_at(module_, computation_, path);
}

// Follows the value one step back. Returns false if this instruction computes it.
bool OffsetValues::follow(std::vector<int32_t>& path, spec::HloElement& at) const {
  const HloInstruction& instruction =
      module_.computations[at.computation].instructions[at.instruction];
  if (instruction.opcode == HloOpcode::kParameter && !path.empty()) {
    const int32_t call = path.back();
    path.pop_back();
    at.computation = computation_in(path);
    const HloInstruction& caller = module_.computations[at.computation].instructions[call];
    at.instruction = caller.operands[instruction.parameter_number].instruction;
    return true;
  }
  if (!only_moves_elements(instruction.opcode)) return false;
  const auto relation = spec::access_relation_of(module_, at.computation, at.instruction, at.leaf);
  if (!relation.ok()) return false;
  for (const spec::Dependence& dependence : relation->dependences) {
    if (!dependence.ranges.empty()) continue;
    auto reached = spec::reach(dependence, spec::IterationPoint<int64_t>{at.index, {}, {}});
    if (!reached.in_domain) continue;
    at.instruction = instruction.operands[dependence.operand].instruction;
    at.leaf = dependence.leaf;
    at.index = std::move(reached.index);
    return true;
  }
  return false;
}

}  // namespace tileproof::verify
