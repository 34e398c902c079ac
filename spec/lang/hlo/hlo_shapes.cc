#include "spec/lang/hlo/hlo_shapes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/hlo/hlo_shape_rules.h"

namespace tileproof {
namespace shape_rules {
namespace {

Result operands_alone_or_together(const Operation& op, int64_t count) {
  std::vector<Shape> parts;
  for (int64_t k = 0; k < count; ++k) {
    Result one = like(op, k);
    if (!one.ok()) return one;
    parts.push_back(*std::move(one));
  }
  if (parts.empty()) return wrong(op, "expected an operand");
  return one_or_tuple(std::move(parts));
}

Result element(const Operation& op) {
  const auto index = TRY(integer_of(op.instruction, "index"));
  if (op.count() != 1 || op.operands[0]->kind != Shape::Kind::kTuple ||
      index >= std::ssize(op.operands[0]->parts)) {
    return wrong(op, absl::StrCat("expected a tuple of more than ", index, " parts"));
  }
  return op.operands[0]->parts[index];
}

Result all_operands(const Operation& op) {
  std::vector<Shape> parts;
  for (const Shape* shape : op.operands) parts.push_back(*shape);
  return tuple(std::move(parts));
}

Result first_operand(const Operation& op) {
  if (op.operands.empty()) return wrong(op, "expected an operand");
  return *op.operands[0];
}

Result branch(const Operation& op) {
  for (const char* attribute : {"true_computation", "branch_computations"}) {
    if (!called_computations(op.instruction, attribute).empty()) return root_of(op, attribute);
  }
  return wrong(op, "expected branches");
}

Result called(const Operation& op) {
  for (const char* attribute : {"calls", "to_apply"}) {
    if (!called_computations(op.instruction, attribute).empty()) return root_of(op, attribute);
  }
  return wrong(op, "expected a computation");
}

Result topk(const Operation& op) {
  const auto k = TRY(integer_of(op.instruction, "k"));
  Result values = like(op, 0);
  if (!values.ok()) return values;
  if (values->rank() == 0) return wrong(op, "expected an array of a rank of at least 1");
  values->dimensions.back() = {Dimension::Kind::kFixed, k};
  Shape places = array(ElementType::kS32, values->dimensions);
  return tuple({*std::move(values), std::move(places)});
}

Result result_of(const Operation& op) {
  switch (op.instruction.opcode) {
    case HloOpcode::kAbs:
    case HloOpcode::kImag:
    case HloOpcode::kReal:
      return part(op);
    case HloOpcode::kAcos:
    case HloOpcode::kAcosh:
    case HloOpcode::kAsin:
    case HloOpcode::kAsinh:
    case HloOpcode::kAtanh:
    case HloOpcode::kCbrt:
    case HloOpcode::kCeil:
    case HloOpcode::kCosh:
    case HloOpcode::kCosine:
    case HloOpcode::kCountLeadingZeros:
    case HloOpcode::kErf:
    case HloOpcode::kExponential:
    case HloOpcode::kExponentialMinusOne:
    case HloOpcode::kFloor:
    case HloOpcode::kLog:
    case HloOpcode::kLogPlusOne:
    case HloOpcode::kLogistic:
    case HloOpcode::kNegate:
    case HloOpcode::kNot:
    case HloOpcode::kPopcnt:
    case HloOpcode::kReducePrecision:
    case HloOpcode::kReverse:
    case HloOpcode::kRoundNearestAfz:
    case HloOpcode::kRoundNearestEven:
    case HloOpcode::kRsqrt:
    case HloOpcode::kSign:
    case HloOpcode::kSine:
    case HloOpcode::kSinh:
    case HloOpcode::kSqrt:
    case HloOpcode::kTan:
    case HloOpcode::kTanh:
    case HloOpcode::kCholesky:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kSelectAndScatter:
      return like(op, 0);
    case HloOpcode::kCopy:
      return op.count() == 1 && op.operands[0]->kind == Shape::Kind::kTuple ? first_operand(op)
                                                                            : like(op, 0);
    case HloOpcode::kAdd:
    case HloOpcode::kAnd:
    case HloOpcode::kAtan2:
    case HloOpcode::kDivide:
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
    case HloOpcode::kMultiply:
    case HloOpcode::kOr:
    case HloOpcode::kPower:
    case HloOpcode::kRemainder:
    case HloOpcode::kShiftLeft:
    case HloOpcode::kShiftRightArithmetic:
    case HloOpcode::kShiftRightLogical:
    case HloOpcode::kSubtract:
    case HloOpcode::kXor:
      return elementwise(op);
    case HloOpcode::kCompare:
    case HloOpcode::kIsFinite:
      return elementwise(op, ElementType::kPred);
    case HloOpcode::kComplex:
      return complex(op);
    case HloOpcode::kClamp:
    case HloOpcode::kSelect:
    case HloOpcode::kTriangularSolve:
      return like(op, 1);
    case HloOpcode::kMap:
      return map(op);
    case HloOpcode::kTranspose:
      return transpose(op);
    case HloOpcode::kSlice:
      return slice(op);
    case HloOpcode::kPad:
      return pad(op);
    case HloOpcode::kConcatenate:
      return concatenate(op);
    case HloOpcode::kDot:
      return dot(op);
    case HloOpcode::kReduce:
      return reduce(op);
    case HloOpcode::kReduceWindow:
      return reduce_window(op);
    case HloOpcode::kConvolution:
      return convolution(op);
    case HloOpcode::kDynamicSlice:
      return dynamic_slice(op);
    case HloOpcode::kGather:
      return gather(op);
    case HloOpcode::kScatter:
      return operands_alone_or_together(op, (op.count() - 1) / 2);
    case HloOpcode::kAllReduce:
    case HloOpcode::kCollectivePermute:
    case HloOpcode::kSort:
      return operands_alone_or_together(op, op.count());
    case HloOpcode::kTopk:
      return topk(op);
    case HloOpcode::kTuple:
      return all_operands(op);
    case HloOpcode::kGetTupleElement:
      return element(op);
    case HloOpcode::kAddDependency:
    case HloOpcode::kDomain:
    case HloOpcode::kOptBarrier:
    case HloOpcode::kWhile:
      return first_operand(op);
    case HloOpcode::kConditional:
      return branch(op);
    case HloOpcode::kCall:
    case HloOpcode::kFusion:
      return called(op);
    case HloOpcode::kAfterAll:
      return array(ElementType::kToken, {});
    case HloOpcode::kGetDimensionSize:
      return array(ElementType::kS32, {});
    case HloOpcode::kPartitionId:
    case HloOpcode::kReplicaId:
      return array(ElementType::kU32, {});
    default:
      return cannot_infer(op);
  }
}

}  // namespace
}  // namespace shape_rules

absl::StatusOr<Shape> inferred_shape(const HloModule& module, const HloComputation& computation,
                                     const HloInstruction& instruction) {
  shape_rules::Operation op{module, instruction, {}};
  for (const HloOperand& operand : instruction.operands) {
    const HloInstruction& from = computation.instructions[operand.instruction];
    const SharedShape& shape = from.shape ? from.shape : operand.shape;
    if (!shape) return shape_rules::wrong(op, absl::StrCat("expected a shape of ", from.name));
    op.operands.push_back(&*shape);
  }
  return shape_rules::result_of(op);
}

namespace {

// Shapes that are found can grow beyond the text: a tuple of two tuples of two tuples, .. In the
// order of the module, none is found that would make all shapes up to there have more parts. (What
// is written counts too, so that the module as it is printed is read as the same.)
constexpr int64_t kMaxParts = int64_t{1} << 20;

// Counts the parts; more than `most` where the shape cannot be written and read.
int64_t parts_of(const Shape& shape, int64_t most, int depth = 0) {
  if (depth >= kMaxNesting / 2 || shape.rank() > kMaxRank) return most + 1;
  int64_t count = 1;
  for (const Shape& part : shape.parts) {
    if (count > most) break;
    count += parts_of(part, most - count, depth + 1);
  }
  return count;
}

// What is written before the names of operands, by the instruction that they name.
std::vector<SharedShape> written_at_uses(const HloComputation& computation) {
  std::vector<SharedShape> written(computation.instructions.size());
  for (const HloInstruction& instruction : computation.instructions) {
    for (const HloOperand& operand : instruction.operands) {
      if (operand.shape) written[operand.instruction] = operand.shape;
    }
  }
  return written;
}

bool lacks_shapes(const HloComputation& computation) {
  return std::ranges::any_of(computation.instructions,
                             [](const HloInstruction& i) { return !i.shape; });
}

}  // namespace

int64_t infer_shapes(HloModule& module) {
  if (std::ranges::none_of(module.computations, lacks_shapes)) return 0;
  int64_t without_shape = 0, left = kMaxParts;
  for (HloComputation& computation : module.computations) {
    const std::vector<SharedShape> written = written_at_uses(computation);
    for (size_t i = 0; i < computation.instructions.size(); ++i) {
      HloInstruction& instruction = computation.instructions[i];
      if (!instruction.shape) {
        absl::StatusOr<Shape> found = inferred_shape(module, computation, instruction);
        if (found.ok() && parts_of(*found, left) <= left &&
            (!written[i] || fits(*found, *written[i]))) {
          instruction.shape = SharedShape(*std::move(found));
        }
      }
      if (instruction.shape) {
        left = std::max<int64_t>(left - parts_of(*instruction.shape, left), 0);
      } else {
        ++without_shape;
      }
    }
  }
  return without_shape;
}

}  // namespace tileproof
