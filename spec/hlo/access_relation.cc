#include "spec/hlo/access_relation.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/hlo/access_relation_parts.h"
#include "spec/lang/base/try.h"

namespace tileproof::spec {
namespace {

absl::Status append_leaves(const Shape& shape, std::vector<Leaf>& leaves) {
  if (shape.kind != Shape::Kind::kArray) {
    for (const Shape& part : shape.parts) {
      TRY(append_leaves(part, leaves));
    }
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

// What an operation without element structure, or without one that is written down, is called.
std::string reason_of(const HloInstruction& instruction) {
  switch (instruction.opcode) {
    case HloOpcode::kWhile:
      return "while: its body may run any number of times";
    case HloOpcode::kConditional:
      return "conditional: which branch runs is known at run time";
    case HloOpcode::kCustomCall: {
      const std::string* target = find_attribute(instruction.attributes, "custom_call_target");
      return absl::StrCat("custom-call", target == nullptr ? "" : absl::StrCat(" ", *target),
                          ": opaque");
    }
    case HloOpcode::kOther:
      return absl::StrCat(instruction.opcode_text, ": an operation that is not known");
    default:
      return absl::StrCat(instruction.opcode_text, ": works on whole arrays");
  }
}

absl::StatusOr<AccessRelation> nothing(const Operation&, int64_t) { return AccessRelation{}; }

absl::StatusOr<AccessRelation> unstructured(const Operation& op, int64_t) {
  return conservative(op, reason_of(op.instruction));
}

absl::StatusOr<AccessRelation> copy(const Operation& op, int64_t leaf) {
  TRY(expect_operands(op, 1, 1));
  return op.instruction.shape->kind == Shape::Kind::kTuple ? pass(op, leaf) : elementwise(op, leaf);
}

absl::StatusOr<AccessRelation> elementwise_of_known_count(const Operation& op, int64_t leaf) {
  const int64_t operands = elementwise_operands(op.instruction.opcode);
  const absl::Status status = expect_operands(op, operands, operands);
  return status.ok() ? elementwise(op, leaf) : status;
}

// The definition of each operation.
Definition* definition_of(HloOpcode opcode) {
  if (elementwise_operands(opcode) > 0) return elementwise_of_known_count;
  switch (opcode) {
    case HloOpcode::kMap:
      return elementwise;
    case HloOpcode::kSelect:
      return select_between;
    case HloOpcode::kClamp:
      return clamp_between;
    case HloOpcode::kCopy:
      return copy;
    case HloOpcode::kBroadcast:
      return broadcast;
    case HloOpcode::kTranspose:
      return transpose;
    case HloOpcode::kReverse:
      return reverse_order;
    case HloOpcode::kReshape:
      return reshape;
    case HloOpcode::kDynamicReshape:
      return dynamic_reshape;
    case HloOpcode::kSetDimensionSize:
      return set_dimension_size;
    case HloOpcode::kBitcast:
      return bitcast;
    case HloOpcode::kBitcastConvert:
      return bitcast_convert;
    case HloOpcode::kSlice:
      return slice;
    case HloOpcode::kPad:
      return pad;
    case HloOpcode::kConcatenate:
      return concatenate;
    case HloOpcode::kDot:
      return dot;
    case HloOpcode::kReduce:
      return reduce;
    case HloOpcode::kSort:
      return sort;
    case HloOpcode::kTopk:
      return topk;
    case HloOpcode::kReduceWindow:
      return reduce_window;
    case HloOpcode::kConvolution:
      return convolution;
    case HloOpcode::kSelectAndScatter:
      return select_and_scatter;
    case HloOpcode::kDynamicSlice:
      return dynamic_slice;
    case HloOpcode::kDynamicUpdateSlice:
      return dynamic_update_slice;
    case HloOpcode::kGather:
      return gather;
    case HloOpcode::kScatter:
      return scatter;
    case HloOpcode::kAllGather:
      return all_gather;
    case HloOpcode::kAllReduce:
    case HloOpcode::kCollectiveBroadcast:
      return all_reduce;
    case HloOpcode::kAllReduceStart:
      return all_reduce_start;
    case HloOpcode::kAllReduceDone:
      return all_reduce_done;
    case HloOpcode::kReduceScatter:
      return reduce_scatter;
    case HloOpcode::kAllToAll:
      return all_to_all;
    case HloOpcode::kCollectivePermute:
      return collective_permute;
    case HloOpcode::kAllGatherStart:
      return all_gather_start;
    case HloOpcode::kCollectivePermuteStart:
      return collective_permute_start;
    case HloOpcode::kAllGatherDone:
    case HloOpcode::kCollectivePermuteDone:
      return start_done;
    case HloOpcode::kTuple:
      return tuple;
    case HloOpcode::kGetTupleElement:
      return get_tuple_element;
    case HloOpcode::kOptBarrier:
    case HloOpcode::kDomain:
    case HloOpcode::kAddDependency:
      return pass;
    case HloOpcode::kFusion:
    case HloOpcode::kCall:
      return call;
    case HloOpcode::kCopyStart:
      return copy_start;
    case HloOpcode::kCopyDone:
      return copy_done;
    case HloOpcode::kAsyncStart:
      return async_start;
    case HloOpcode::kAsyncUpdate:
      return async_update;
    case HloOpcode::kAsyncDone:
      return async_done;
    case HloOpcode::kRng:  // the parameters of a distribution
      return everywhere;
    case HloOpcode::kParameter:
    case HloOpcode::kConstant:
    case HloOpcode::kIota:
    case HloOpcode::kPartitionId:
    case HloOpcode::kReplicaId:
    case HloOpcode::kAfterAll:
    case HloOpcode::kInfeed:
    case HloOpcode::kOutfeed:
    case HloOpcode::kSendDone:
    case HloOpcode::kGetDimensionSize:
    case HloOpcode::kRngGetAndUpdateState:
      return nothing;
    default:
      return unstructured;
  }
}

}  // namespace

absl::StatusOr<std::vector<Leaf>> leaves_of(const Shape& shape) {
  std::vector<Leaf> leaves;
  TRY(append_leaves(shape, leaves));
  return leaves;
}

absl::StatusOr<Operation> operation_of(const HloModule& module, const HloComputation& computation,
                                       const HloInstruction& instruction) {
  const auto complaint = [&](absl::string_view message) {
    return absl::InvalidArgumentError(absl::StrCat(instruction.name, ": ", message));
  };
  if (!instruction.shape) return complaint("expected a shape of the result");
  Operation op{module, instruction, {}, {}, {}};
  absl::StatusOr<std::vector<Leaf>> result = leaves_of(*instruction.shape);
  if (!result.ok()) return complaint(result.status().message());
  op.result = *std::move(result);
  for (const HloOperand& operand : instruction.operands) {
    const HloInstruction& from = computation.instructions[operand.instruction];
    const SharedShape& shape = from.shape ? from.shape : operand.shape;
    if (!shape) return complaint(absl::StrCat("expected a shape of ", from.name));
    absl::StatusOr<std::vector<Leaf>> leaves = leaves_of(*shape);
    if (!leaves.ok()) return complaint(absl::StrCat(from.name, ": ", leaves.status().message()));
    op.operand_shapes.push_back(&*shape);
    op.operands.push_back(*std::move(leaves));
  }
  return op;
}

absl::StatusOr<AccessRelation> access_relation_of(const Operation& op, int64_t leaf) {
  return definition_of(op.instruction.opcode)(op, leaf);
}

absl::StatusOr<AccessRelation> access_relation_of(const HloModule& module, int32_t computation,
                                                  int32_t instruction, int64_t leaf) {
  const HloComputation& within = module.computations[computation];
  const Operation op = TRY(operation_of(module, within, within.instructions[instruction]));
  if (leaf < 0 || leaf >= std::ssize(op.result)) {
    return expected(op, absl::StrCat("a leaf below ", op.result.size(), ", found ", leaf));
  }
  return access_relation_of(op, leaf);
}

namespace {

Classification::Kind worse(Classification::Kind a, Classification::Kind b) {
  using Kind = Classification::Kind;
  for (Kind kind : {Kind::kRefused, Kind::kBeyond, Kind::kConservative, Kind::kDefined}) {
    if (a == kind || b == kind) return kind;
  }
  return Kind::kNoDataflow;
}

// Takes `add` into `whole`, whose reason is that of the worst so far.
void take(Classification& whole, const Classification& add) {
  const Classification::Kind kind = worse(whole.kind, add.kind);
  if (kind != whole.kind) whole = add;
}

Classification classify(const Operation& op, const std::vector<Classification>& computations) {
  using Kind = Classification::Kind;
  Classification whole;
  for (int64_t leaf = 0; leaf < std::ssize(op.result); ++leaf) {
    const absl::StatusOr<AccessRelation> relation = access_relation_of(op, leaf);
    if (!relation.ok()) {
      return {absl::IsOutOfRange(relation.status()) ? Kind::kBeyond : Kind::kRefused,
              std::string(relation.status().message())};
    }
    if (!relation->conservative.empty()) take(whole, {Kind::kConservative, relation->conservative});
    if (!relation->dependences.empty()) take(whole, {Kind::kDefined, ""});
    if (relation->callee) take(whole, computations[relation->callee->computation]);
  }
  return whole;
}

}  // namespace

std::vector<std::vector<Classification>> classify(const HloModule& module) {
  std::vector<std::vector<Classification>> result;
  std::vector<Classification> computations;  // what entering one means
  for (const HloComputation& computation : module.computations) {
    std::vector<Classification>& list = result.emplace_back();
    Classification& whole =
        computations.emplace_back(Classification{Classification::Kind::kDefined, ""});
    for (const HloInstruction& instruction : computation.instructions) {
      const absl::StatusOr<Operation> op = operation_of(module, computation, instruction);
      list.push_back(op.ok() ? classify(*op, computations)
                             : Classification{Classification::Kind::kRefused,
                                              std::string(op.status().message())});
      take(whole, list.back());
    }
  }
  return result;
}

}  // namespace tileproof::spec
