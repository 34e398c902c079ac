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

std::vector<int32_t> parameters_of(const HloComputation& computation) {
  std::vector<int32_t> places;
  for (size_t i = 0; i < computation.instructions.size(); ++i) {
    if (computation.instructions[i].opcode == HloOpcode::kParameter) {
      places.push_back(static_cast<int32_t>(i));
    }
  }
  std::sort(places.begin(), places.end(), [&](int32_t a, int32_t b) {
    return computation.instructions[a].parameter_number <
           computation.instructions[b].parameter_number;
  });
  return places;
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
