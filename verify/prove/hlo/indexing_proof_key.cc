// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/indexing_proof_key.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"
#include "verify/prove/hlo/loop_run.h"

namespace tileproof::verify {

bool has_callee(HloOpcode opcode) {
  return opcode == HloOpcode::kFusion || opcode == HloOpcode::kCall ||
         opcode == HloOpcode::kAsyncStart || opcode == HloOpcode::kWhile ||
         opcode == HloOpcode::kConditional;
}

bool says_nothing(const std::string& attribute) {
  for (const char* name : {"metadata", "backend_config", "frontend_attributes", "sharding",
                           "channel_id", "calls", "to_apply", "called_computations"}) {
    if (attribute == name) return true;
  }
  return false;
}

namespace {

// What the loop starts with: it decides how often it runs.
void append_state(const HloModule& module, const HloComputation& computation,
                  const HloInstruction& instruction, std::string& text) {
  const auto op = checked_op(module, computation, instruction);
  const auto* loop = op.ok() ? std::get_if<op::While>(&op->operation) : nullptr;
  if (loop == nullptr) return;
  for (const auto& [leaf, value] : first_state(*loop)) {
    absl::StrAppend(&text, "state ", leaf, " ", value, "\n");
  }
}

void append_instruction(const HloModule& module, const HloComputation& computation,
                        const HloInstruction& instruction, std::string& text) {
  absl::StrAppend(&text, instruction.opcode_text, " ",
                  instruction.shape ? to_text(*instruction.shape) : "?", " ",
                  instruction.parameter_number, " ", instruction.literal, "(");
  for (const HloOperand& operand : instruction.operands) {
    const SharedShape& shape = computation.instructions[operand.instruction].shape;
    absl::StrAppend(&text,
                    shape           ? to_text(*shape)
                    : operand.shape ? to_text(*operand.shape)
                                    : "?",
                    " ");
  }
  for (const HloAttribute& attribute : instruction.attributes) {
    if (!says_nothing(attribute.name)) {
      absl::StrAppend(&text, ", ", attribute.name, "=", attribute.value);
    }
  }
  text += ")\n";
  if (!has_callee(instruction.opcode)) return;
  if (instruction.opcode == HloOpcode::kWhile) append_state(module, computation, instruction, text);
  for (const HloCall& call : instruction.calls) {
    if (call.computation < 0) continue;
    const HloComputation& callee = module.computations[call.computation];
    absl::StrAppend(&text, "{root ", callee.root, "\n");
    for (const HloInstruction& inner : callee.instructions) {
      for (const HloOperand& operand : inner.operands) {
        absl::StrAppend(&text, operand.instruction, " ");
      }
      append_instruction(module, callee, inner, text);
    }
    text += "}\n";
  }
}

// Names the source of a runtime value by its operand.
void append_source(const HloInstruction& instruction, const impl::RuntimeSource& source,
                   std::string& text) {
  absl::StrAppend(&text, " rt ",
                  absl::StrJoin(source.position.calls.begin() + !source.position.calls.empty(),
                                source.position.calls.end(), "/"),
                  ":");
  if (source.position.calls.empty()) {
    for (size_t k = 0; k < instruction.operands.size(); ++k) {
      if (instruction.operands[k].instruction == source.position.instruction) {
        absl::StrAppend(&text, "operand ", k, " ");
      }
    }
  } else {
    absl::StrAppend(&text, source.position.instruction);
  }
  absl::StrAppend(&text, "#", source.position.leaf, " ", source.feasible.low, " ",
                  source.feasible.high, " ", to_text(source.map), "\n");
}

// A repeated operand identifies elements, which changes the question.
void append_repeated(const HloInstruction& instruction, std::string& text) {
  for (size_t k = 0; k < instruction.operands.size(); ++k) {
    for (size_t j = 0; j < k; ++j) {
      if (instruction.operands[k].instruction == instruction.operands[j].instruction) {
        absl::StrAppend(&text, j, "=", k, " ");
      }
    }
  }
}

}  // namespace

std::string instruction_text(const HloModule& module, const HloComputation& computation,
                             const HloInstruction& instruction) {
  std::string text;
  append_instruction(module, computation, instruction, text);
  append_repeated(instruction, text);
  return text;
}

std::string maps_text(const HloInstruction& instruction,
                      const std::vector<impl::MapsBetween>& maps) {
  std::string text;
  for (const auto& [operand, leaf, list] : maps) {
    absl::StrAppend(&text, operand, "#", leaf, list->inexact ? " inexact " : " ", list->reason,
                    "\n");
    for (const impl::IndexedMap& map : list->maps) {
      absl::StrAppend(&text, to_text(map.map), "\n");
      for (const impl::RuntimeSource& source : map.runtime) {
        append_source(instruction, source, text);
      }
    }
  }
  return text;
}

}  // namespace tileproof::verify
