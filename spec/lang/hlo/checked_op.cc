// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/checked_op.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/operations/checked_op_parts.h"
#include "spec/lang/hlo/operations/opcode_rules.h"

namespace tileproof {
namespace check {
namespace {

void append_leaves(const Shape& shape, ShapeLeaves& all) {
  if (shape.kind != Shape::Kind::kArray) {
    for (const Shape& part : shape.parts) append_leaves(part, all);
    return;
  }
  Leaf leaf{{}, &shape};
  bool has_unknown = false;
  leaf.dims.reserve(shape.dimensions.size());
  for (const Dimension& dimension : shape.dimensions) {
    has_unknown |= dimension.kind == Dimension::Kind::kUnbounded;
    leaf.dims.push_back(dimension.size);
  }
  if (has_unknown) leaf.dims.clear();
  if (!has_elements(shape.element_type)) leaf.dims = {0};
  all.has_unknown |= has_unknown;
  all.leaves.push_back(std::move(leaf));
}

constexpr char kUnknownSize[] = "expected dimensions of known size, found ?";

// OK if the shape of `name`, an operand or the instruction itself, is known.
absl::Status expect_known(const HloInstruction& instruction, const std::string& name,
                          const ShapeLeaves& shape) {
  if (shape.shape != nullptr && !shape.has_unknown) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(instruction.name, ": ", name == instruction.name ? "" : absl::StrCat(name, ": "),
                   shape.shape == nullptr ? "expected a shape" : kUnknownSize));
}

}  // namespace

absl::StatusOr<op::Any> checked(const Instruction& in) { return rules_of(in.opcode).check(in); }

std::shared_ptr<const CheckedOp> checked_op_of(const Instruction& in, op::Any operation) {
  CheckedOp op{in.opcode, {}, {in.result.begin(), in.result.end()}, std::move(operation)};
  for (const auto& leaves : in.operands) op.operands.emplace_back(leaves.begin(), leaves.end());
  return std::make_shared<const CheckedOp>(std::move(op));
}

namespace {

absl::StatusOr<op::Any> operation_of(const HloModule& module, const HloComputation& computation,
                                     const HloInstruction& instruction, const ShapeLeaves& result,
                                     absl::Span<const ShapeLeaves* const> operands) {
  TRY(expect_known(instruction, instruction.name, result));
  Instruction in{module, computation,  instruction, instruction.opcode, instruction.opcode_text,
                 {},     result.shape, {},          result.leaves};
  for (size_t k = 0; k < operands.size(); ++k) {
    const HloInstruction& from = computation.instructions[instruction.operands[k].instruction];
    TRY(expect_known(instruction, from.name, *operands[k]));
    in.operands.push_back(operands[k]->leaves);
    in.operand_shapes.push_back(operands[k]->shape);
  }
  return checked(in);
}

}  // namespace
}  // namespace check

ShapeLeaves shape_leaves_of(const Shape& shape) {
  ShapeLeaves all{&shape, {}};
  check::append_leaves(shape, all);
  return all;
}

std::vector<ShapeLeaves> shapes_of(const HloComputation& computation) {
  std::vector<ShapeLeaves> shapes(computation.instructions.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    const HloInstruction& at = computation.instructions[i];
    if (at.shape) shapes[i] = shape_leaves_of(*at.shape);
    for (const HloOperand& operand : at.operands) {
      ShapeLeaves& shape = shapes[operand.instruction];
      if (operand.shape && shape.shape == nullptr) shape = shape_leaves_of(*operand.shape);
    }
  }
  return shapes;
}

absl::StatusOr<Leaves> leaves_of(const Shape& shape) {
  ShapeLeaves all = shape_leaves_of(shape);
  if (all.has_unknown) return absl::InvalidArgumentError(check::kUnknownSize);
  return std::move(all.leaves);
}

absl::StatusOr<op::Any> checked_operation(const HloModule& module,
                                          const HloComputation& computation, int32_t instruction,
                                          absl::Span<const ShapeLeaves> shapes) {
  const HloInstruction& at = computation.instructions[instruction];
  std::vector<const ShapeLeaves*> operands;
  for (const HloOperand& operand : at.operands) operands.push_back(&shapes[operand.instruction]);
  const ShapeLeaves absent;
  return check::operation_of(module, computation, at, at.shape ? shapes[instruction] : absent,
                             operands);
}

namespace {

ShapeLeaves leaves_of_operand(const HloComputation& computation, const HloOperand& operand) {
  const SharedShape& defined = computation.instructions[operand.instruction].shape;
  const SharedShape& shape = defined ? defined : operand.shape;
  return shape ? shape_leaves_of(*shape) : ShapeLeaves();
}

}  // namespace

absl::StatusOr<std::vector<Leaves>> operand_leaves(const HloComputation& computation,
                                                   const HloInstruction& instruction) {
  std::vector<Leaves> operands;
  for (const HloOperand& operand : instruction.operands) {
    ShapeLeaves leaves = leaves_of_operand(computation, operand);
    const std::string& name = computation.instructions[operand.instruction].name;
    TRY(check::expect_known(instruction, name, leaves));
    operands.push_back(std::move(leaves.leaves));
  }
  return operands;
}

absl::StatusOr<CheckedOp> checked_op(const HloModule& module, const HloComputation& computation,
                                     const HloInstruction& instruction) {
  ShapeLeaves result = instruction.shape ? shape_leaves_of(*instruction.shape) : ShapeLeaves();
  std::vector<ShapeLeaves> operands;
  for (const HloOperand& operand : instruction.operands) {
    operands.push_back(leaves_of_operand(computation, operand));
  }
  std::vector<const ShapeLeaves*> pointers;
  for (const ShapeLeaves& operand : operands) pointers.push_back(&operand);
  op::Any operation = TRY(check::operation_of(module, computation, instruction, result, pointers));
  CheckedOp op{instruction.opcode, {}, std::move(result.leaves), std::move(operation)};
  for (ShapeLeaves& operand : operands) op.operands.push_back(std::move(operand.leaves));
  return op;
}

}  // namespace tileproof
