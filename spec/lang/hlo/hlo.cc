// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/hlo.h"

#include <algorithm>
#include <cstddef>

namespace tileproof {

const std::string* find_attribute(const std::vector<HloAttribute>& attributes,
                                  absl::string_view name) {
  for (const HloAttribute& attribute : attributes) {
    if (attribute.name == name) return &attribute.value;
  }
  return nullptr;
}

std::vector<int32_t> called_computations(const HloInstruction& instruction,
                                         absl::string_view name) {
  std::vector<int32_t> result;
  for (const HloCall& call : instruction.calls) {
    if (instruction.attributes[call.attribute].name == name) result.push_back(call.computation);
  }
  return result;
}

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
    int32_t called = -1;
    int64_t count = 0;
    for (const HloCall& call : instruction.calls) {
      if (instruction.attributes[call.attribute].name != attribute) continue;
      called = call.computation;
      ++count;
    }
    if (count == 1) return called;
  }
  return -1;
}

std::vector<int32_t> entered_computations(const HloInstruction& instruction) {
  std::vector<int32_t> entered;
  const auto add = [&](int32_t computation) {
    if (computation >= 0) entered.push_back(computation);
  };
  add(callee_of(instruction));
  if (instruction.opcode == HloOpcode::kWhile || instruction.opcode == HloOpcode::kConditional) {
    for (const HloCall& call : instruction.calls) add(call.computation);
  }
  return entered;
}

int32_t computation_at(const HloModule& module, int32_t computation,
                       absl::Span<const int32_t> calls) {
  for (const int32_t call : calls) {
    computation = callee_of(module.computations[computation].instructions[call]);
  }
  return computation;
}

std::vector<int32_t> parameters_of(const HloComputation& computation) {
  std::vector<int32_t> indices;
  for (size_t i = 0; i < computation.instructions.size(); ++i) {
    if (computation.instructions[i].opcode == HloOpcode::kParameter) {
      indices.push_back(static_cast<int32_t>(i));
    }
  }
  std::sort(indices.begin(), indices.end(), [&](int32_t a, int32_t b) {
    return computation.instructions[a].parameter_number <
           computation.instructions[b].parameter_number;
  });
  return indices;
}

int32_t find_instruction(const HloComputation& computation, absl::string_view name) {
  for (size_t i = 0; i < computation.instructions.size(); ++i) {
    if (computation.instructions[i].name == name) return static_cast<int32_t>(i);
  }
  return -1;
}

int64_t instruction_count(const HloModule& module) {
  int64_t count = 0;
  for (const HloComputation& c : module.computations) count += std::ssize(c.instructions);
  return count;
}

}  // namespace tileproof
