// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/value_numbers.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "impl/hlo/module_indexing.h"
#include "spec/hlo/runtime_value.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/layout/shape_text.h"
#include "verify/prove/hlo/indexing_proof_key.h"

namespace tileproof::verify {
namespace {

constexpr int64_t kMaxDepth = 500;            // of operands of operands
constexpr size_t kMaxCalleeText = 1'000'000;  // letters

bool is_left_out(const HloInstruction& instruction) {
  return absl::StrContains(instruction.literal, "...");  // a constant that is not written
}

// Returns whether the text of the operation and its operands determine the value.
bool is_determined(const HloInstruction& instruction) {
  if (is_left_out(instruction)) return false;
  switch (instruction.opcode) {
    case HloOpcode::kCustomCall:
    case HloOpcode::kInfeed:
    case HloOpcode::kOther:
    case HloOpcode::kRecv:
    case HloOpcode::kRng:
    case HloOpcode::kRngGetAndUpdateState:
      return false;
    default:
      return true;
  }
}

std::optional<std::string> type_text(const HloInstruction& instruction) {
  const auto leaves = instruction.shape ? leaves_of(*instruction.shape)
                                        : absl::StatusOr<Leaves>(absl::UnknownError(""));
  if (!leaves.ok()) return std::nullopt;
  std::string text;
  for (const Leaf& leaf : *leaves) {
    absl::StrAppend(&text, info(leaf.array->element_type).name, dims_text(leaf.dims), " ");
  }
  return text;
}

bool has_one_element(const HloInstruction& instruction) {
  const auto leaves = instruction.shape ? leaves_of(*instruction.shape)
                                        : absl::StatusOr<Leaves>(absl::UnknownError(""));
  if (!leaves.ok() || leaves->size() != 1) return false;
  return std::ranges::all_of(leaves->front().dims, [](int64_t size) { return size == 1; });
}

bool reshapes(HloOpcode opcode) {
  return opcode == HloOpcode::kReshape || opcode == HloOpcode::kBitcast ||
         opcode == HloOpcode::kBroadcast || opcode == HloOpcode::kTranspose ||
         opcode == HloOpcode::kSlice;
}

// Whether the result depends on more of the operands than their values: on the order of their
// elements in memory, or on whatever an unknown operation looks at.
bool depends_on_layouts(HloOpcode opcode) {
  return opcode == HloOpcode::kBitcast || opcode == HloOpcode::kCustomCall ||
         opcode == HloOpcode::kOther;
}

// The text of operations, without their operands.
class OperationText {
 public:
  OperationText(const HloModule& module, Undetermined undetermined)
      : module_(module), undetermined_(undetermined) {}

  // Returns false if it is too long, or refused as its operands do not determine it.
  bool append(const HloComputation& computation, const HloInstruction& instruction, int64_t depth);

  std::string text;
  bool is_undetermined = false;  // something in it is not determined

 private:
  void append_layouts(const HloComputation& computation, const HloInstruction& instruction);
  void append_attributes(const HloInstruction& instruction);
  bool append_callee(const HloComputation& callee, int64_t depth);

  const HloModule& module_;
  Undetermined undetermined_;
};

void OperationText::append_layouts(const HloComputation& computation,
                                   const HloInstruction& instruction) {
  if (!depends_on_layouts(instruction.opcode)) return;
  absl::StrAppend(&text, " ", to_text(*instruction.shape));
  for (const HloOperand& operand : instruction.operands) {
    const SharedShape& shape = computation.instructions[operand.instruction].shape;
    absl::StrAppend(&text, " ", shape ? to_text(*shape) : "?");
  }
}

void OperationText::append_attributes(const HloInstruction& instruction) {
  const bool is_opaque = instruction.opcode == HloOpcode::kCustomCall ||
                         instruction.opcode == HloOpcode::kOther || depends_on_device(instruction);
  if (is_opaque) text += devices_text(module_);
  for (int32_t i = 0; i < std::ssize(instruction.attributes); ++i) {
    const HloAttribute& attribute = instruction.attributes[i];
    // The text of a called computation stands for its name.
    const bool names_callee = std::ranges::count(instruction.calls, i, &HloCall::attribute) > 0;
    const bool matters = is_opaque ? attribute.name != "metadata" : !says_nothing(attribute.name);
    if (names_callee || !matters) continue;
    absl::StrAppend(&text, ", ", attribute.name, "=", attribute.value);
  }
}

bool OperationText::append_callee(const HloComputation& callee, int64_t depth) {
  absl::StrAppend(&text, "{root ", callee.root, "\n");
  for (const HloInstruction& inner : callee.instructions) {
    if (!append(callee, inner, depth + 1)) return false;
    for (const HloOperand& operand : inner.operands) {
      absl::StrAppend(&text, " ", operand.instruction);
    }
    text += "\n";
  }
  text += "}";
  return true;
}

bool OperationText::append(const HloComputation& computation, const HloInstruction& instruction,
                           int64_t depth) {
  if (!is_determined(instruction)) {
    if (undetermined_ == Undetermined::kRefused || is_left_out(instruction)) return false;
    is_undetermined = true;
  }
  const auto type = type_text(instruction);
  if (!type || depth > kMaxDepth || text.size() > kMaxCalleeText) return false;
  absl::StrAppend(&text, instruction.opcode_text, " ", *type, instruction.parameter_number, " ",
                  instruction.literal);
  append_layouts(computation, instruction);
  append_attributes(instruction);
  for (const HloCall& call : instruction.calls) {
    if (call.computation < 0) return false;
    if (!append_callee(module_.computations[call.computation], depth)) return false;
  }
  return true;
}

}  // namespace

bool depends_on_device(const HloInstruction& instruction) {
  return impl::reads_replicas(instruction) || instruction.opcode == HloOpcode::kPartitionId ||
         instruction.opcode == HloOpcode::kRecv || instruction.opcode == HloOpcode::kReplicaId;
}

std::string devices_text(const HloModule& module) {
  std::string text;
  for (const char* name : {"replica_count", "num_partitions"}) {
    const std::string* count = find_attribute(module.attributes, name);
    absl::StrAppend(&text, " ", count == nullptr ? "1" : *count);
  }
  return text;
}

// The position with the same value, if the operation hands it on.
std::optional<HloPosition> ValueNumbers::passed_on(const HloPosition& position) const {
  if (auto across = through_call(region_, position)) return across;
  const HloInstruction& instruction = region_.at(position);
  const auto& instructions = computation_of(position).instructions;
  switch (instruction.opcode) {
    case HloOpcode::kCopy:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kOptBarrier:
    case HloOpcode::kTuple: {
      const auto relation = spec::relation_of_move(
          region_.module, computation_at(region_.module, region_.computation, position.calls),
          position);
      if (!relation || relation->dependences.size() != 1) return std::nullopt;
      const spec::Dependence& from = relation->dependences[0];
      return HloPosition{position.calls, instruction.operands[from.operand].instruction,
                         static_cast<int32_t>(from.leaf)};
    }
    default:
      break;
  }
  if (!reshapes(instruction.opcode) || instruction.operands.size() != 1) return std::nullopt;
  const int32_t operand = instruction.operands[0].instruction;
  const HloInstruction& from = instructions[operand];
  const bool same = has_one_element(instruction) && has_one_element(from) &&
                    from.shape->element_type == instruction.shape->element_type;
  return same ? std::optional(HloPosition{position.calls, operand, 0}) : std::nullopt;
}

HloPosition ValueNumbers::source_of(HloPosition position) const {
  for (int64_t k = 0; k < kMaxDepth; ++k) {
    auto before = passed_on(position);
    if (!before) break;
    position = *std::move(before);
  }
  return position;
}

std::optional<int64_t> ValueNumbers::of(const HloPosition& position, int64_t depth) {
  if (const auto known = known_.find(position); known != known_.end()) return known->second;
  if (depth > kMaxDepth) return std::nullopt;
  const std::optional<HloPosition> before = passed_on(position);
  const auto number = before ? of(*before, depth + 1) : computed(position, depth);
  known_.emplace(position, number);
  return number;
}

std::optional<int64_t> ValueNumbers::computed(const HloPosition& position, int64_t depth) {
  const HloInstruction& instruction = region_.at(position);
  const HloComputation& computation = computation_of(position);
  OperationText operation(region_.module, undetermined_);
  operation.text = absl::StrCat("leaf ", position.leaf, " ");
  if (instruction.opcode == HloOpcode::kParameter) {
    if (!position.calls.empty()) return std::nullopt;  // its caller does not say what it is
    absl::StrAppend(&operation.text, "parameter ", instruction.parameter_number);
  } else if (!operation.append(computation, instruction, 0)) {
    return std::nullopt;
  }
  for (const HloOperand& operand : instruction.operands) {
    const auto& shape = computation.instructions[operand.instruction].shape;
    const auto leaves = shape ? leaves_of(*shape) : absl::StatusOr<Leaves>(absl::UnknownError(""));
    if (!leaves.ok()) return std::nullopt;
    for (int32_t leaf = 0; leaf < std::ssize(*leaves); ++leaf) {
      const auto number = of({position.calls, operand.instruction, leaf}, depth + 1);
      if (!number) return std::nullopt;
      absl::StrAppend(&operation.text, " #", *number);
    }
  }
  const int64_t number = texts_.try_emplace(std::move(operation.text), texts_.size()).first->second;
  if (operation.is_undetermined && !undetermined_numbers_.insert(number).second) {
    return std::nullopt;  // two random numbers may differ
  }
  return number;
}

}  // namespace tileproof::verify
