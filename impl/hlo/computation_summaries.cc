#include "impl/hlo/computation_summaries.h"

namespace tileproof::impl {

int32_t entered_by(const HloInstruction& instruction) {
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
    computation = entered_by(module.computations[computation].instructions[call]);
  }
  return computation;
}

std::optional<Place> given_by_caller(const HloModule& module, int32_t computation, Place place) {
  if (place.calls.empty()) return std::nullopt;
  const int32_t at = computation_at(module, computation, place.calls);
  const HloInstruction& parameter = module.computations[at].instructions[place.instruction];
  if (parameter.opcode != HloOpcode::kParameter) return std::nullopt;
  const int32_t call = place.calls.back();
  place.calls.pop_back();
  const int32_t caller = computation_at(module, computation, place.calls);
  const auto& operands = module.computations[caller].instructions[call].operands;
  place.instruction = operands[parameter.parameter_number].instruction;
  return place;
}

Summary summary_of(ComputationFlows& flows) {
  Summary summary;
  const int32_t root = flows.view().computation().root;
  const auto leaves = static_cast<int32_t>(flows.view().leaves[root].shapes.size());
  for (int32_t leaf = 0; leaf < leaves; ++leaf) summary.push_back(trace(flows, root, leaf));
  return summary;
}

ComputationFlows& flows_in(const HloModule& module, int32_t computation, Summaries& summaries,
                           std::vector<std::unique_ptr<ComputationFlows>>& flows) {
  if (flows[computation]) return *flows[computation];
  std::vector<char> needed(module.computations.size());
  needed[computation] = true;
  // Callees stand before their callers.
  for (int32_t c = computation; c >= 0; --c) {
    if (!needed[c]) continue;
    for (const HloInstruction& instruction : module.computations[c].instructions) {
      const int32_t callee = entered_by(instruction);
      if (callee >= 0 && summaries[callee].empty()) needed[callee] = true;
    }
  }
  for (int32_t c = 0; c <= computation; ++c) {
    if (!needed[c]) continue;
    if (!flows[c]) flows[c] = std::make_unique<ComputationFlows>(module, c, summaries);
    if (c < computation) summaries[c] = summary_of(*flows[c]);
  }
  return *flows[computation];
}

}  // namespace tileproof::impl
