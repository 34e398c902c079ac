#include "impl/hlo/computation_summaries.h"

namespace tileproof::impl {

int32_t callee_of(const HloInstruction& instruction) {
  switch (instruction.opcode) {
    case HloOpcode::kAsyncStart:
    case HloOpcode::kCall:
    case HloOpcode::kFusion:
      break;
    default:
      return -1;
  }
  for (const char* attribute : {"calls", "to_apply", "called_computations"}) {
    const std::vector<int32_t> called = called_computations(instruction, attribute);
    if (called.size() == 1) return called[0];
  }
  return -1;
}

int32_t computation_at(const HloModule& module, int32_t computation,
                       absl::Span<const int32_t> calls) {
  for (const int32_t call : calls) {
    computation = callee_of(module.computations[computation].instructions[call]);
  }
  return computation;
}

std::optional<HloPosition> argument_in_caller(const HloModule& module, int32_t computation,
                                              HloPosition position) {
  if (position.calls.empty()) return std::nullopt;
  const int32_t at = computation_at(module, computation, position.calls);
  const HloInstruction& parameter = module.computations[at].instructions[position.instruction];
  if (parameter.opcode != HloOpcode::kParameter) return std::nullopt;
  const int32_t call = position.calls.back();
  position.calls.pop_back();
  const int32_t caller = computation_at(module, computation, position.calls);
  const auto& operands = module.computations[caller].instructions[call].operands;
  position.instruction = operands[parameter.parameter_number].instruction;
  return position;
}

Summary summary_of(ComputationDependences& dependences) {
  Summary summary;
  const int32_t root = dependences.view().computation().root;
  const auto leaves = static_cast<int32_t>(dependences.view().leaves[root].shapes.size());
  for (int32_t leaf = 0; leaf < leaves; ++leaf)
    summary.push_back(backward_slice(dependences, root, leaf));
  return summary;
}

ComputationDependences& dependences_in(
    const HloModule& module, int32_t computation, Summaries& summaries,
    std::vector<std::unique_ptr<ComputationDependences>>& dependences) {
  if (dependences[computation]) return *dependences[computation];
  std::vector<char> needed(module.computations.size());
  needed[computation] = true;
  // Callees stand before their callers.
  for (int32_t c = computation; c >= 0; --c) {
    if (!needed[c]) continue;
    for (const HloInstruction& instruction : module.computations[c].instructions) {
      const int32_t callee = callee_of(instruction);
      if (callee >= 0 && summaries[callee].empty()) needed[callee] = true;
    }
  }
  for (int32_t c = 0; c <= computation; ++c) {
    if (!needed[c]) continue;
    if (!dependences[c])
      dependences[c] = std::make_unique<ComputationDependences>(module, c, summaries);
    if (c < computation) summaries[c] = summary_of(*dependences[c]);
  }
  return *dependences[computation];
}

}  // namespace tileproof::impl
