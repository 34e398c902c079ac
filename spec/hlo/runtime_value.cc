// SPDX-License-Identifier: Apache-2.0
#include "spec/hlo/runtime_value.h"

#include <algorithm>

#include "spec/lang/base/literal_words.h"

namespace tileproof::spec {

std::optional<ElementType> type_of_leaf(const HloInstruction& instruction, int64_t leaf) {
  if (!instruction.shape) return std::nullopt;
  const auto leaves = leaves_of(*instruction.shape);
  if (!leaves.ok() || leaf >= std::ssize(*leaves)) return std::nullopt;
  return (*leaves)[leaf].array->element_type;
}

bool keeps_values(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kBitcast:  // of equal element types; relation_of_move looks at them
    case HloOpcode::kBroadcast:
    case HloOpcode::kConcatenate:
    case HloOpcode::kCopy:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kOptBarrier:
    case HloOpcode::kReshape:
    case HloOpcode::kReverse:
    case HloOpcode::kSlice:
    case HloOpcode::kTranspose:
    case HloOpcode::kTuple:
      return true;
    default:
      return false;
  }
}

std::optional<IntegerRange> integer_range_of(ElementType type) {
  if (type == ElementType::kPred) return IntegerRange{0, 1};
  if (type > ElementType::kU64) return std::nullopt;
  const int bits = info(type).bits;
  const bool is_signed = type <= ElementType::kS64;
  const absl::int128 values = absl::int128(1) << bits;
  const absl::int128 low = is_signed ? -values / 2 : absl::int128(0);
  const absl::int128 high = std::min<absl::int128>(low + values - 1, INT64_MAX);
  return IntegerRange{static_cast<int64_t>(low), static_cast<int64_t>(high)};
}

std::optional<IntegerRange> integer_range_of(const HloInstruction& instruction, int64_t leaf) {
  const std::optional<ElementType> type = type_of_leaf(instruction, leaf);
  return type ? integer_range_of(*type) : std::nullopt;
}

std::optional<AccessRelation> relation_of_move(const HloModule& module, int32_t computation,
                                               const HloPosition& position) {
  const std::vector<HloInstruction>& instructions = module.computations[computation].instructions;
  const HloInstruction& instruction = instructions[position.instruction];
  if (!keeps_values(instruction.opcode)) return std::nullopt;
  auto relation = access_relation_of(module, computation, position.instruction, position.leaf);
  if (!relation.ok() || !relation->conservative.empty()) return std::nullopt;
  const std::optional<ElementType> type = type_of_leaf(instruction, position.leaf);
  for (const Dependence& dependence : relation->dependences) {
    const HloInstruction& operand =
        instructions[instruction.operands[dependence.operand].instruction];
    if (type_of_leaf(operand, dependence.leaf) != type) return std::nullopt;
  }
  return *std::move(relation);
}

std::optional<std::vector<absl::int128>> numbers_of_constant(const HloInstruction& constant) {
  const std::optional<ElementType> type = type_of_leaf(constant, 0);
  const std::optional<IntegerRange> range = integer_range_of(constant, 0);
  const auto written = integers_of_literal(constant.literal);
  if (!range || !written || constant.shape->kind != Shape::Kind::kArray) return std::nullopt;
  const auto leaves = leaves_of(*constant.shape);
  if (element_count(leaves->front().dims) != std::ssize(*written)) return std::nullopt;
  for (const absl::int128 value : *written) {
    const absl::int128 largest = *type == ElementType::kU64 ? absl::int128(absl::Uint128Max() >> 64)
                                                            : absl::int128(range->high);
    if (value < range->low || value > largest) return std::nullopt;
  }
  return written;
}

}  // namespace tileproof::spec
