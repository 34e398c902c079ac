// SPDX-License-Identifier: Apache-2.0
// Prints HLO values as text.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof {
namespace {

void append_attributes(std::string& out, const std::vector<HloAttribute>& attributes) {
  for (const HloAttribute& attribute : attributes) {
    absl::StrAppend(&out, ", ", attribute.name, "=", attribute.value);
  }
}

void append_operands(std::string& out, const HloComputation& computation,
                     const HloInstruction& instruction) {
  if (instruction.opcode == HloOpcode::kParameter) {
    absl::StrAppend(&out, instruction.parameter_number);
    return;
  }
  out += instruction.literal;
  absl::string_view separator = "";
  for (const HloOperand& operand : instruction.operands) {
    absl::StrAppend(&out, std::exchange(separator, ", "));
    if (operand.shape) absl::StrAppend(&out, to_text(*operand.shape), " ");
    absl::StrAppend(&out, "%", computation.instructions[operand.instruction].name);
  }
}

void append_instruction(std::string& out, const HloComputation& computation, int32_t index) {
  const HloInstruction& instruction = computation.instructions[index];
  absl::StrAppend(&out, index == computation.root ? "ROOT %" : "%", instruction.name, " = ");
  if (instruction.shape) absl::StrAppend(&out, to_text(*instruction.shape), " ");
  absl::StrAppend(&out, instruction.opcode_text, "(");
  append_operands(out, computation, instruction);
  out += ')';
  append_attributes(out, instruction.attributes);
}

void append_instructions(std::string& out, const HloComputation& computation,
                         absl::string_view indent) {
  for (int32_t i = 0; i < std::ssize(computation.instructions); ++i) {
    absl::StrAppend(&out, indent);
    append_instruction(out, computation, i);
    out += '\n';
  }
}

void append_computation(std::string& out, const HloComputation& computation) {
  if (computation.name.empty()) return append_instructions(out, computation, "");
  absl::StrAppend(&out, computation.is_entry ? "ENTRY %" : "%", computation.name);
  if (computation.signature) {
    out += " (";
    absl::string_view separator = "";
    for (const auto& [name, shape] : computation.signature->parameters) {
      absl::StrAppend(&out, std::exchange(separator, ", "), name, ": ", to_text(*shape));
    }
    absl::StrAppend(&out, ") -> ", to_text(*computation.signature->result));
  }
  out += " {\n";
  append_instructions(out, computation, "  ");
  out += '}';
  append_attributes(out, computation.attributes);
  out += '\n';
}

void append_module(std::string& out, const HloModule& module) {
  if (module.has_header) {
    absl::StrAppend(&out, "HloModule ", module.name);
    append_attributes(out, module.attributes);
    out += '\n';
  }
  for (const HloSection& section : module.sections) {
    absl::StrAppend(&out, out.empty() ? "" : "\n", section.name, "\n");
    for (const auto& [number, text] : section.entries) {
      absl::StrAppend(&out, number, " ", text, "\n");
    }
  }
  for (const HloComputation& computation : module.computations) {
    if (!out.empty()) out += '\n';
    append_computation(out, computation);
  }
}

}  // namespace

std::string to_text(const HloModule& module) {
  std::string out;
  append_module(out, module);
  return out;
}

std::string to_text(const std::vector<HloModule>& modules) {
  std::string out;
  for (const HloModule& module : modules) {
    if (!out.empty()) out += "\n// -----\n\n";
    append_module(out, module);
  }
  return out;
}

std::string to_text(const HloComputation& computation) {
  std::string out;
  append_computation(out, computation);
  return out;
}

std::string to_text(const HloComputation& computation, int32_t instruction) {
  std::string out;
  append_instruction(out, computation, instruction);
  return out;
}

}  // namespace tileproof
