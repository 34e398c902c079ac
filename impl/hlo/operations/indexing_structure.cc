// Operations that pass values on as they are: tuples, calls, copies, asynchronous ones; and which
// definition each operation has.
#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "impl/hlo/access_relation_limits.h"
#include "impl/hlo/computation_summaries.h"
#include "impl/hlo/operations/operation_handler.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {

std::vector<OperandLeaf> operand_leaves(const Operation& op) {
  std::vector<OperandLeaf> leaves;
  for (int32_t k = 0; k < op.operands(); ++k) {
    const auto count = static_cast<int32_t>(op.leaves(k).shapes.size());
    for (int32_t leaf = 0; leaf < count; ++leaf) leaves.push_back({k, leaf});
  }
  return leaves;
}

absl::StatusOr<Dependences> passed(const Operation& op, int32_t operand, int32_t leaf) {
  if (operand >= op.operands() || leaf >= std::ssize(op.leaves(operand).shapes)) {
    return wrong(op, "expected an operand for part ", op.leaf, " of the result");
  }
  const Dims& sizes = op.sizes(operand, leaf);
  if (sizes != op.output) {
    return wrong(op, "expected part ", op.leaf, " of the result to be [", absl::StrJoin(sizes, ","),
                 "], found [", absl::StrJoin(op.output, ","), "]");
  }
  Dependences dependences;
  add_identity(op, dependences, operand, leaf);
  return dependences;
}

absl::StatusOr<Dependences> tuple_dependences(const Operation& op) {
  const std::vector<OperandLeaf> leaves = operand_leaves(op);
  if (std::ssize(leaves) != op.leaf_count()) {
    return wrong(op, "expected a tuple of ", leaves.size(), " arrays, found ", op.leaf_count());
  }
  return passed(op, leaves[op.leaf].operand, leaves[op.leaf].leaf);
}

absl::StatusOr<Dependences> element_dependences(const Operation& op) {
  TRY(expect_operands(op, 1, 1));
  const auto index = TRY(integer_of(op.instruction, "index"));
  const std::vector<int32_t>& parts = op.leaves(0).parts;
  if (index >= std::ssize(parts) - 1) {
    return wrong(op, "expected a part ", index, " of the operand");
  }
  if (parts[index + 1] - parts[index] != op.leaf_count()) {
    return wrong(op, "expected a result of the shape of part ", index);
  }
  return passed(op, 0, parts[index] + op.leaf);
}

// The leaf of the only operand, or of the first of two; the others carry no values.
absl::StatusOr<Dependences> pass_dependences(const Operation& op) {
  const int64_t operands = op.opcode() == HloOpcode::kAddDependency ? 2 : 1;
  TRY(expect_operands(op, operands, operands));
  if (std::ssize(op.leaves(0).shapes) != op.leaf_count()) {
    return wrong(op, "expected a result of the shape of the operand");
  }
  return passed(op, 0, op.leaf);
}

namespace {

// The parameters of the computation have the sizes of the operands.
absl::Status expect_parameters(const Operation& op, const HloComputation& computation) {
  const std::vector<int32_t> parameters = parameters_of(computation);
  if (std::ssize(parameters) != op.operands()) {
    return wrong(op, "expected ", parameters.size(), " operands, found ", op.operands());
  }
  for (int32_t k = 0; k < op.operands(); ++k) {
    const SharedShape& shape = computation.instructions[parameters[k]].shape;
    if (!shape) return wrong(op, "expected a shape of parameter ", k);
    const auto same = [](const Shape* a, const Shape* b) {
      const auto x = sizes_of(*a), y = sizes_of(*b);  // those of operands are known
      return x.ok() && *x == *y;
    };
    if (!std::ranges::equal(leaves_of(*shape).shapes, op.leaves(k).shapes, same)) {
      return wrong(op, "expected operand ", k, " of the shape of the parameter of ",
                   computation.name);
    }
  }
  return absl::OkStatus();
}

// The relation's runtime values as seen from the caller, who may give one operand for several
// parameters. Nothing (nullptr) where no pair is left.
AccessRelationPtr seen_by_caller(const Operation& op, const HloComputation& computation,
                                 const AccessRelationPtr& relation, const Dims& operand) {
  if (relation->runtime.empty()) return relation;
  AccessRelation copy = *relation;
  for (RuntimeValue& value : copy.runtime) {
    HloPosition& position = value.position;
    const HloInstruction* own =  // where it is no instruction of a computation further inside
        position.calls.empty() ? &computation.instructions[position.instruction] : nullptr;
    if (own != nullptr && own->opcode == HloOpcode::kParameter) {
      position.instruction = op.instruction.operands[own->parameter_number].instruction;
    } else {
      position.calls.insert(position.calls.begin(), op.position);
    }
  }
  if (merge_runtime(copy)) return simplified(std::move(copy), op.output, operand);
  return finish(std::move(copy), op.output, operand);
}

// The result leaf is leaf `leaf` of the root of the computation.
absl::StatusOr<Dependences> entered(const Operation& op, int32_t position, int32_t leaf) {
  const HloComputation& computation = op.view.module->computations[position];
  TRY(expect_parameters(op, computation));
  const SharedShape& root = computation.instructions[computation.root].shape;
  const Leaves leaves = root ? leaves_of(*root) : Leaves{};
  const bool there = leaf < std::ssize(leaves.shapes);
  const auto sizes = there ? sizes_of(*leaves.shapes[leaf]) : absl::StatusOr<Dims>(Dims{});
  if (!there || !sizes.ok() || *sizes != op.output) {
    return wrong(op, "expected part ", op.leaf, " of the result to be that of the root of ",
                 computation.name);
  }
  const absl::StatusOr<Dependences>& inside = op.summaries[position][leaf];
  if (!inside.ok()) return wrong(op, inside.status().message());
  Dependences dependences{{}, inside->declared, inside->conservative};
  for (const Dependence& dependence : inside->dependences) {
    AccessRelationPtr seen = seen_by_caller(op, computation, dependence.relation,
                                            op.sizes(dependence.operand, dependence.leaf));
    if (seen)
      dependences.dependences.push_back({dependence.operand, dependence.leaf, std::move(seen)});
  }
  return dependences;
}

}  // namespace

absl::StatusOr<Dependences> call_dependences(const Operation& op) {
  const int32_t computation = callee_of(op.instruction);
  if (computation >= 0) return entered(op, computation, op.leaf);
  return conservatively(
      op, absl::StrCat(op.instruction.opcode_text, " of a computation that is not in the text"));
}

// (copy, operand, context)
absl::StatusOr<Dependences> copy_start_dependences(const Operation& op) {
  TRY(expect_operands(op, 1, 1));
  const auto count = static_cast<int32_t>(op.leaves(0).shapes.size());
  if (op.leaf < 2 * count) return passed(op, 0, op.leaf % count);
  return Dependences{};
}

absl::StatusOr<Dependences> copy_done_dependences(const Operation& op) {
  return passed(op, 0, op.leaf);
}

// `add-start(a, b)` with a result (operands, results, ..): the operation itself gives the results.
static absl::StatusOr<Dependences> wrapped_start(const Operation& op, int32_t before) {
  const Shape& shape = *op.instruction.shape;
  if (shape.parts.size() < 2) {
    return wrong(op, "expected a result that is (operands, results, ..)");
  }
  HloInstruction inner = op.instruction;
  inner.opcode = wrapped_opcode(op.instruction.opcode_text);
  inner.opcode_text = std::string(name_of(inner.opcode));
  inner.shape = SharedShape(shape.parts[1]);
  const Leaves leaves = leaves_of(*inner.shape);
  const int32_t leaf = op.leaf - before;
  if (leaf >= std::ssize(leaves.shapes)) return Dependences{};
  return dependences_of(
      Operation{op.view, op.position, leaf, op.summaries, inner, leaves, op.output});
}

// ((operands), results, contexts)
absl::StatusOr<Dependences> async_start_dependences(const Operation& op) {
  const std::vector<OperandLeaf> before = operand_leaves(op);
  const auto count = static_cast<int32_t>(before.size());
  if (op.leaf < count) return passed(op, before[op.leaf].operand, before[op.leaf].leaf);
  const HloOpcode wrapped = wrapped_opcode(op.instruction.opcode_text);
  if (wrapped != HloOpcode::kOther && wrapped != HloOpcode::kAsyncStart) {
    return wrapped_start(op, count);
  }
  const int32_t computation = callee_of(op.instruction);
  if (computation < 0) {
    return conservatively(op, "async-start of a computation that is not in the text");
  }
  const HloComputation& inside = op.view.module->computations[computation];
  const SharedShape& root = inside.instructions[inside.root].shape;
  if (!root) return wrong(op, "expected a shape of the root of ", inside.name);
  TRY(expect_parameters(op, inside));
  const int32_t leaf = op.leaf - count;
  if (leaf >= std::ssize(leaves_of(*root).shapes)) return Dependences{};
  return entered(op, computation, leaf);
}

// The second part of (operands, results, ..).
absl::StatusOr<Dependences> start_done_dependences(const Operation& op) {
  TRY(expect_operands(op, 1, 1));
  const std::vector<int32_t>& parts = op.leaves(0).parts;
  if (parts.size() < 3) return wrong(op, "expected an operand that is (operands, results, ..)");
  if (parts[2] - parts[1] != std::ssize(op.result.shapes)) {
    return wrong(op, "expected a result of the shape of part 1 of the operand");
  }
  return passed(op, 0, parts[1] + op.leaf);
}

absl::StatusOr<Dependences> async_done_dependences(const Operation& op) {
  TRY(expect_operands(op, 1, 1));
  const HloOperand& operand = op.instruction.operands[0];
  const SharedShape& own = op.view.computation().instructions[operand.instruction].shape;
  const Shape& start = own ? *own : *operand.shape;
  if (start.parts.empty() || start.parts[0].kind != Shape::Kind::kTuple) {
    return wrong(op, "expected an operand that is ((operands), results, ..)");
  }
  return start_done_dependences(op);
}

namespace {

absl::StatusOr<Dependences> elementwise_dependences_of(const Operation& op, int64_t operands) {
  const absl::Status status = expect_operands(op, operands, operands);
  return status.ok() ? elementwise_dependences(op) : status;
}

absl::StatusOr<Dependences> known_count_dependences(const Operation& op) {
  return elementwise_dependences_of(op, elementwise_operands(op.opcode()));
}

absl::StatusOr<Dependences> clamp_or_select_dependences(const Operation& op) {
  return elementwise_dependences_of(op, 3);
}

absl::StatusOr<Dependences> copy_dependences(const Operation& op) {
  TRY(expect_operands(op, 1, 1));
  return op.result.parts.empty() ? elementwise_dependences(op) : pass_dependences(op);
}

// The array's own element, and its size.
absl::StatusOr<Dependences> set_size_dependences(const Operation& op) {
  TRY(expect_operands(op, 2, 2));
  TRY(operand_sizes(op, 0));
  Dependences dependences = TRY(passed(op, 0, 0));
  TRY(add_scalar(op, dependences, 1));
  return dependences;
}

// The parameters of a distribution.
absl::StatusOr<Dependences> everywhere_dependences(const Operation& op) {
  return conservatively(op, "");
}

absl::StatusOr<Dependences> no_dependences(const Operation&) { return Dependences{}; }

std::string reason_of(const HloInstruction& instruction) {
  switch (instruction.opcode) {
    case HloOpcode::kWhile:
      return "while: the body runs any number of times";
    case HloOpcode::kConditional:
      return "conditional: the branch is chosen at run time";
    case HloOpcode::kOther:
      return absl::StrCat(instruction.opcode_text, ": an unknown operation");
    case HloOpcode::kCustomCall: {
      const std::string* target = find_attribute(instruction.attributes, "custom_call_target");
      return absl::StrCat("custom-call", target == nullptr ? "" : absl::StrCat(" ", *target),
                          ": opaque");
    }
    default:
      return absl::StrCat(instruction.opcode_text, ": an operation on whole arrays");
  }
}

absl::StatusOr<Dependences> unstructured_dependences(const Operation& op) {
  return conservatively(op, reason_of(op.instruction));
}

// Of elementwise operations their family says so.
bool gives_array(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kBitcast:
    case HloOpcode::kBitcastConvert:
    case HloOpcode::kBroadcast:
    case HloOpcode::kConcatenate:
    case HloOpcode::kConvolution:
    case HloOpcode::kDot:
    case HloOpcode::kDynamicReshape:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kGather:
    case HloOpcode::kPad:
    case HloOpcode::kReshape:
    case HloOpcode::kReverse:
    case HloOpcode::kSelectAndScatter:
    case HloOpcode::kSetDimensionSize:
    case HloOpcode::kSlice:
    case HloOpcode::kTranspose:
      return true;
    default:
      return false;
  }
}

OperationHandler* handler_of(HloOpcode opcode) {
  if (elementwise_operands(opcode) > 0) return known_count_dependences;
  switch (opcode) {
    case HloOpcode::kClamp:
    case HloOpcode::kSelect:
      return clamp_or_select_dependences;
    case HloOpcode::kMap:
      return elementwise_dependences;
    case HloOpcode::kCopy:
      return copy_dependences;
    case HloOpcode::kBroadcast:
      return broadcast_dependences;
    case HloOpcode::kTranspose:
      return transpose_dependences;
    case HloOpcode::kReverse:
      return reverse_dependences;
    case HloOpcode::kSlice:
      return slice_dependences;
    case HloOpcode::kPad:
      return pad_dependences;
    case HloOpcode::kConcatenate:
      return concatenate_dependences;
    case HloOpcode::kReshape:
    case HloOpcode::kDynamicReshape:
      return reshape_dependences;
    case HloOpcode::kBitcast:
      return bitcast_dependences;
    case HloOpcode::kBitcastConvert:
      return bitcast_convert_dependences;
    case HloOpcode::kSetDimensionSize:
      return set_size_dependences;
    case HloOpcode::kDot:
      return dot_dependences;
    case HloOpcode::kReduce:
      return reduce_dependences;
    case HloOpcode::kSort:
    case HloOpcode::kTopk:
      return sort_dependences;
    case HloOpcode::kReduceWindow:
      return reduce_window_dependences;
    case HloOpcode::kConvolution:
      return convolution_dependences;
    case HloOpcode::kSelectAndScatter:
      return select_and_scatter_dependences;
    case HloOpcode::kDynamicSlice:
      return dynamic_slice_dependences;
    case HloOpcode::kDynamicUpdateSlice:
      return dynamic_update_slice_dependences;
    case HloOpcode::kGather:
      return gather_dependences;
    case HloOpcode::kScatter:
      return scatter_dependences;
    case HloOpcode::kTuple:
      return tuple_dependences;
    case HloOpcode::kGetTupleElement:
      return element_dependences;
    case HloOpcode::kAddDependency:
    case HloOpcode::kAsyncUpdate:
    case HloOpcode::kDomain:
    case HloOpcode::kOptBarrier:
      return pass_dependences;
    case HloOpcode::kCall:
    case HloOpcode::kFusion:
      return call_dependences;
    case HloOpcode::kCopyStart:
      return copy_start_dependences;
    case HloOpcode::kCopyDone:
      return copy_done_dependences;
    case HloOpcode::kAsyncStart:
      return async_start_dependences;
    case HloOpcode::kAllGatherDone:
    case HloOpcode::kCollectivePermuteDone:
      return start_done_dependences;
    case HloOpcode::kAsyncDone:
      return async_done_dependences;
    case HloOpcode::kAllGather:
      return all_gather_dependences;
    case HloOpcode::kAllGatherStart:
      return all_gather_start_dependences;
    case HloOpcode::kAllReduce:
    case HloOpcode::kCollectiveBroadcast:
      return all_reduce_dependences;
    case HloOpcode::kAllReduceStart:
      return all_reduce_start_dependences;
    case HloOpcode::kAllReduceDone:
      return all_reduce_done_dependences;
    case HloOpcode::kReduceScatter:
      return reduce_scatter_dependences;
    case HloOpcode::kAllToAll:
      return all_to_all_dependences;
    case HloOpcode::kCollectivePermute:
      return permute_dependences;
    case HloOpcode::kCollectivePermuteStart:
      return permute_start_dependences;
    case HloOpcode::kRng:
      return everywhere_dependences;
    case HloOpcode::kAfterAll:
    case HloOpcode::kConstant:
    case HloOpcode::kGetDimensionSize:
    case HloOpcode::kInfeed:
    case HloOpcode::kIota:
    case HloOpcode::kOutfeed:
    case HloOpcode::kParameter:
    case HloOpcode::kPartitionId:
    case HloOpcode::kReplicaId:
    case HloOpcode::kRngGetAndUpdateState:
    case HloOpcode::kSendDone:
      return no_dependences;
    default:
      return unstructured_dependences;
  }
}

}  // namespace

absl::StatusOr<Dependences> dependences_of(const Operation& op) {
  if (!op.result.parts.empty() && gives_array(op.opcode())) {
    return wrong(op, "expected the result to be an array, found a tuple");
  }
  return handler_of(op.opcode())(op);
}

absl::StatusOr<Dependences> dependences_of(const ComputationView& view, int32_t position,
                                           int32_t leaf, const Summaries& summaries) {
  const HloInstruction& instruction = view.computation().instructions[position];
  const auto complaint = [&](absl::string_view message) {
    return absl::InvalidArgumentError(absl::StrCat(instruction.name, ": ", message));
  };
  const Leaves& result = view.leaves[position];
  if (!instruction.shape) return complaint("expected a shape of the result");
  bool unknown = view.has_unknown[position] != 0;
  for (const HloOperand& operand : instruction.operands) {
    const HloInstruction& from = view.computation().instructions[operand.instruction];
    if (!from.shape && !operand.shape) {
      return complaint(absl::StrCat("expected a shape of ", from.name));
    }
    unknown |= view.has_unknown[operand.instruction] != 0;
  }
  if (unknown) return complaint("expected dimensions of known size, found ?");
  const Dims& sizes = view.sizes[view.first_leaf[position] + leaf];
  return dependences_of(Operation{view, position, leaf, summaries, instruction, result, sizes});
}

}  // namespace tileproof::impl
