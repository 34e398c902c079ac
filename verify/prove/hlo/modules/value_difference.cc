// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/value_difference.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/hlo/checked_op.h"

namespace tileproof::verify {
namespace {

constexpr int kMostOperands = 500;  // of operands of operands
constexpr size_t kMostLetters = 40;

using Texts = std::pair<std::string, std::string>;

std::optional<Texts> if_unlike(Texts texts) {
  return texts.first == texts.second ? std::nullopt : std::optional(std::move(texts));
}

struct Operation {
  const HloComputation& computation;
  const HloInstruction& instruction;
};

// The texts of both operations, with the first attribute that differs.
Texts texts_of(const Operation& a, const Operation& b) {
  Texts texts = {operation_text(a.computation, a.instruction),
                 operation_text(b.computation, b.instruction)};
  for (const HloAttribute& one : a.instruction.attributes) {
    const auto& others = b.instruction.attributes;
    const auto other = std::ranges::find(others, one.name, &HloAttribute::name);
    if (texts.first != texts.second || other == others.end() || other->value == one.value) continue;
    absl::StrAppend(&texts.first, ", ", one.name, "=", one.value);
    absl::StrAppend(&texts.second, ", ", other->name, "=", other->value);
  }
  return texts;
}

// The first instruction of one computation that is another in the other one.
std::optional<Texts> difference_in(const HloComputation& a, const HloComputation& b) {
  const size_t count = std::min(a.instructions.size(), b.instructions.size());
  for (size_t i = 0; i < count; ++i) {
    const HloInstruction &x = a.instructions[i], &y = b.instructions[i];
    const bool same_operands = std::ranges::equal(
        x.operands, y.operands, {}, &HloOperand::instruction, &HloOperand::instruction);
    const bool same = x.opcode_text == y.opcode_text && x.literal == y.literal &&
                      x.parameter_number == y.parameter_number && same_operands;
    const bool same_attributes = std::ranges::equal(x.attributes, y.attributes, {},
                                                    &HloAttribute::value, &HloAttribute::value);
    if (same && (same_attributes || !x.calls.empty())) continue;
    if (auto texts = if_unlike(texts_of({a, x}, {b, y}))) return texts;
  }
  return std::nullopt;
}

std::optional<Texts> difference_of_callees(const ValueNumbers& left, const HloInstruction& a,
                                           const ValueNumbers& right, const HloInstruction& b) {
  for (size_t k = 0; k < std::min(a.calls.size(), b.calls.size()); ++k) {
    const int32_t x = a.calls[k].computation, y = b.calls[k].computation;
    if (x < 0 || y < 0) continue;
    auto texts = difference_in(left.module().computations[x], right.module().computations[y]);
    if (texts) return texts;
  }
  return std::nullopt;
}

// The first array of an operand that is not known to be the same value.
std::optional<std::pair<HloPosition, HloPosition>> different_operand(ValueNumbers& left,
                                                                     const HloPosition& at_left,
                                                                     ValueNumbers& right,
                                                                     const HloPosition& at_right) {
  const Operation a{left.computation_of(at_left), left.at(at_left)};
  const Operation b{right.computation_of(at_right), right.at(at_right)};
  for (size_t k = 0; k < a.instruction.operands.size(); ++k) {
    const int32_t x = a.instruction.operands[k].instruction;
    const int32_t y = b.instruction.operands[k].instruction;
    const auto& shape = a.computation.instructions[x].shape;
    const auto leaves = shape ? leaves_of(*shape) : absl::StatusOr<Leaves>(absl::UnknownError(""));
    for (int32_t leaf = 0; leaves.ok() && leaf < std::ssize(*leaves); ++leaf) {
      const HloPosition p{at_left.calls, x, leaf}, q{at_right.calls, y, leaf};
      const auto number = left.of(p);
      if (!number || number != right.of(q)) return std::pair(p, q);
    }
  }
  return std::nullopt;
}

}  // namespace

std::string operation_text(const HloComputation& computation, const HloInstruction& instruction) {
  if (instruction.opcode == HloOpcode::kConstant) {
    return absl::StrCat(instruction.name, " = ", instruction.literal.substr(0, kMostLetters));
  }
  std::vector<std::string> operands;
  for (const HloOperand& operand : instruction.operands) {
    const HloInstruction& one = computation.instructions[operand.instruction];
    const bool is_short = one.opcode == HloOpcode::kConstant && one.literal.size() <= 20;
    operands.push_back(is_short ? one.literal : one.name);
  }
  if (instruction.opcode == HloOpcode::kParameter) {
    operands.push_back(absl::StrCat(instruction.parameter_number));
  }
  return absl::StrCat(instruction.name, " = ", instruction.opcode_text, "(",
                      absl::StrJoin(operands, ", "), ")");
}

std::optional<Texts> first_difference(ValueNumbers& left, HloPosition left_position,
                                      ValueNumbers& right, HloPosition right_position) {
  for (int k = 0; k < kMostOperands; ++k) {
    left_position = left.source_of(std::move(left_position));
    right_position = right.source_of(std::move(right_position));
    const Operation a{left.computation_of(left_position), left.at(left_position)};
    const Operation b{right.computation_of(right_position), right.at(right_position)};
    const HloInstruction &x = a.instruction, &y = b.instruction;
    if (x.opcode_text != y.opcode_text || x.literal != y.literal ||
        x.parameter_number != y.parameter_number || x.operands.size() != y.operands.size()) {
      return if_unlike(texts_of(a, b));
    }
    auto operands = different_operand(left, left_position, right, right_position);
    if (!operands) {
      auto texts = difference_of_callees(left, x, right, y);
      return texts ? texts : if_unlike(texts_of(a, b));
    }
    left_position = std::move(operands->first);
    right_position = std::move(operands->second);
  }
  return std::nullopt;
}

}  // namespace tileproof::verify
