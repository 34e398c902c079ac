#include "spec/lang/hlo/checked_op.h"

#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/checked_op_parts.h"

namespace tileproof {
namespace check {
namespace {

struct Row {
  HloOpcode opcode;
  Check* check;
};

// The check of each operation. Those like `add` are missing, as all their operands have the
// dimensions of the result: elementwise_operands says how many (spec/lang/hlo/hlo_opcode.h).
constexpr Row kRows[] = {
    {HloOpcode::kAddDependency, add_dependency},
    {HloOpcode::kAfterAll, token},
    {HloOpcode::kAllGather, all_gather},
    {HloOpcode::kAllGatherDone, done},
    {HloOpcode::kAllGatherStart, all_gather_start},
    {HloOpcode::kAllReduce, all_reduce},
    {HloOpcode::kAllReduceDone, all_reduce_done},
    {HloOpcode::kAllReduceStart, all_reduce_start},
    {HloOpcode::kAllToAll, all_to_all},
    {HloOpcode::kAsyncDone, async_done},
    {HloOpcode::kAsyncStart, async_start},
    {HloOpcode::kAsyncUpdate, same_leaves},
    {HloOpcode::kBatchNormGrad, opaque},
    {HloOpcode::kBatchNormInference, opaque},
    {HloOpcode::kBatchNormTraining, opaque},
    {HloOpcode::kBitcast, bitcast},
    {HloOpcode::kBitcastConvert, bitcast_convert},
    {HloOpcode::kBroadcast, broadcast},
    {HloOpcode::kCall, call},
    {HloOpcode::kCholesky, opaque},
    {HloOpcode::kClamp, clamp},
    {HloOpcode::kCollectiveBroadcast, all_reduce},
    {HloOpcode::kCollectivePermute, collective_permute},
    {HloOpcode::kCollectivePermuteDone, done},
    {HloOpcode::kCollectivePermuteStart, collective_permute_start},
    {HloOpcode::kConcatenate, concatenate},
    {HloOpcode::kConditional, opaque},
    {HloOpcode::kConstant, source},
    {HloOpcode::kConvolution, convolution},
    {HloOpcode::kCopy, copy},
    {HloOpcode::kCopyDone, copy_done},
    {HloOpcode::kCopyStart, copy_start},
    {HloOpcode::kCustomCall, opaque},
    {HloOpcode::kDomain, same_leaves},
    {HloOpcode::kDot, dot},
    {HloOpcode::kDynamicReshape, dynamic_reshape},
    {HloOpcode::kDynamicSlice, dynamic_slice},
    {HloOpcode::kDynamicUpdateSlice, dynamic_update_slice},
    {HloOpcode::kFft, opaque},
    {HloOpcode::kFusion, call},
    {HloOpcode::kGather, gather},
    {HloOpcode::kGetDimensionSize, get_dimension_size},
    {HloOpcode::kGetTupleElement, get_tuple_element},
    {HloOpcode::kInfeed, source},
    {HloOpcode::kIota, source},
    {HloOpcode::kMap, map},
    {HloOpcode::kOptBarrier, same_leaves},
    {HloOpcode::kOutfeed, token},
    {HloOpcode::kPad, pad},
    {HloOpcode::kParameter, source},
    {HloOpcode::kPartitionId, source},
    {HloOpcode::kRaggedAllToAll, opaque},
    {HloOpcode::kRaggedDot, opaque},
    {HloOpcode::kRecv, opaque},
    {HloOpcode::kRecvDone, opaque},
    {HloOpcode::kReduce, reduce},
    {HloOpcode::kReduceScatter, reduce_scatter},
    {HloOpcode::kReduceWindow, reduce_window},
    {HloOpcode::kReplicaId, source},
    {HloOpcode::kReshape, reshape},
    {HloOpcode::kReverse, reverse},
    {HloOpcode::kRng, rng},
    {HloOpcode::kRngBitGenerator, opaque},
    {HloOpcode::kRngGetAndUpdateState, source},
    {HloOpcode::kScaledDot, opaque},
    {HloOpcode::kScan, opaque},
    {HloOpcode::kScatter, scatter},
    {HloOpcode::kSelect, select},
    {HloOpcode::kSelectAndScatter, select_and_scatter},
    {HloOpcode::kSend, opaque},
    {HloOpcode::kSendDone, token},
    {HloOpcode::kSetDimensionSize, set_dimension_size},
    {HloOpcode::kSlice, slice},
    {HloOpcode::kSort, sort},
    {HloOpcode::kTopk, topk},
    {HloOpcode::kTranspose, transpose},
    {HloOpcode::kTriangularSolve, opaque},
    {HloOpcode::kTuple, tuple},
    {HloOpcode::kWhile, opaque},
    {HloOpcode::kOther, opaque},
};

constexpr size_t kOpcodeCount = static_cast<size_t>(HloOpcode::kOther) + 1;

// By opcode.
constexpr std::array<Check*, kOpcodeCount> kChecks = [] {
  std::array<Check*, kOpcodeCount> checks{};
  for (Check*& check : checks) check = known_elementwise;
  for (const Row& row : kRows) checks[static_cast<size_t>(row.opcode)] = row.check;
  return checks;
}();

absl::Status append_leaves(const Shape& shape, Leaves& leaves) {
  if (shape.kind != Shape::Kind::kArray) {
    for (const Shape& part : shape.parts) TRY(append_leaves(part, leaves));
    return absl::OkStatus();
  }
  Leaf leaf{{}, &shape};
  for (const Dimension& dimension : shape.dimensions) {
    if (dimension.kind == Dimension::Kind::kUnbounded) {
      return absl::InvalidArgumentError("expected dimensions of known size, found ?");
    }
    leaf.dims.push_back(dimension.size);
  }
  if (!has_elements(shape.element_type)) leaf.dims = {0};
  leaves.push_back(std::move(leaf));
  return absl::OkStatus();
}

// The leaves of the shape of `name`, an operand or the instruction itself.
absl::StatusOr<Leaves> known_leaves(const HloInstruction& instruction, const std::string& name,
                                    const SharedShape& shape) {
  const std::string prefix = absl::StrCat(instruction.name, ": ",
                                          name == instruction.name ? "" : absl::StrCat(name, ": "));
  if (!shape) return absl::InvalidArgumentError(absl::StrCat(prefix, "expected a shape"));
  absl::StatusOr<Leaves> leaves = leaves_of(*shape);
  if (leaves.ok()) return leaves;
  return absl::InvalidArgumentError(absl::StrCat(prefix, leaves.status().message()));
}

}  // namespace

absl::StatusOr<CheckedOp> checked(Instruction in) {
  op::Any operation = TRY(kChecks[static_cast<size_t>(in.opcode)](in));
  return CheckedOp{in.opcode, std::move(in.operands), std::move(in.result), std::move(operation)};
}

}  // namespace check

absl::StatusOr<Leaves> leaves_of(const Shape& shape) {
  Leaves leaves;
  TRY(check::append_leaves(shape, leaves));
  return leaves;
}

absl::StatusOr<CheckedOp> checked_op(const HloModule& module, const HloComputation& computation,
                                     const HloInstruction& instruction) {
  const SharedShape& result = instruction.shape;
  check::Instruction in{
      module, instruction, instruction.opcode, instruction.opcode_text, {}, nullptr, {}, {}};
  in.result = TRY(check::known_leaves(instruction, instruction.name, result));
  in.result_shape = &*result;
  for (const HloOperand& operand : instruction.operands) {
    const HloInstruction& from = computation.instructions[operand.instruction];
    const SharedShape& shape = from.shape ? from.shape : operand.shape;
    in.operands.push_back(TRY(check::known_leaves(instruction, from.name, shape)));
    in.operand_shapes.push_back(&*shape);
  }
  return check::checked(std::move(in));
}

}  // namespace tileproof
