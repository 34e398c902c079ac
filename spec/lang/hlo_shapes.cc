#include "spec/lang/hlo_shapes.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/checked.h"
#include "spec/lang/cursor.h"
#include "spec/lang/hlo_attributes.h"

namespace tileproof {
namespace {

using Result = absl::StatusOr<Shape>;
using Dimensions = std::vector<Dimension>;

struct Operation {
  const HloModule& module;
  const HloInstruction& instruction;
  std::vector<const Shape*> operands;

  int64_t count() const { return std::ssize(operands); }
};

absl::Status wrong(const Operation& op, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(op.instruction.name, ": ", what));
}

absl::Status not_told(const Operation& op) {
  return wrong(op, absl::StrCat("expected a shape of the result: ", op.instruction.opcode_text,
                                " may have several"));
}

Shape array(ElementType type, Dimensions dimensions) {
  Shape shape;
  shape.element_type = type;
  shape.dimensions = std::move(dimensions);
  return shape;
}

Shape tuple(std::vector<Shape> parts) {
  Shape shape;
  shape.kind = Shape::Kind::kTuple;
  shape.parts = std::move(parts);
  return shape;
}

// One shape alone, several as a tuple.
Shape one_or_tuple(std::vector<Shape> parts) {
  return parts.size() == 1 ? std::move(parts.front()) : tuple(std::move(parts));
}

absl::StatusOr<const Shape*> array_operand(const Operation& op, int64_t k) {
  if (k < op.count() && op.operands[k]->kind == Shape::Kind::kArray) return op.operands[k];
  return wrong(op, absl::StrCat("expected an array as operand ", k));
}

absl::StatusOr<int64_t> fixed(const Operation& op, const Dimension& dimension) {
  if (dimension.kind == Dimension::Kind::kFixed) return dimension.size;
  return wrong(op, "expected a shape of the result: an operand's dimension is not of fixed size");
}

// ---- Operations on arrays ----

// The array without its layout, of another element type where one is given.
Result like(const Operation& op, int64_t k, std::optional<ElementType> type = std::nullopt) {
  const auto from = array_operand(op, k);
  if (!from.ok()) return from.status();
  return array(type.value_or((*from)->element_type), (*from)->dimensions);
}

// Elementwise, of operands 0, 1, ..: a dimension that is bounded in one of them is in the result.
Result elementwise(const Operation& op, std::optional<ElementType> type = std::nullopt) {
  Result result = like(op, 0, type);
  for (int64_t k = 1; result.ok() && k < op.count(); ++k) {
    const auto other = array_operand(op, k);
    if (!other.ok()) return other.status();
    if ((*other)->rank() != result->rank()) return wrong(op, "expected operands of one rank");
    for (int64_t d = 0; d < result->rank(); ++d) {
      if ((*other)->dimensions[d].kind == Dimension::Kind::kBounded) {
        result->dimensions[d] = (*other)->dimensions[d];
      }
    }
  }
  return result;
}

// The real type of the parts of a complex one; other types as they are.
ElementType part_of(ElementType type) {
  if (type == ElementType::kC64) return ElementType::kF32;
  return type == ElementType::kC128 ? ElementType::kF64 : type;
}

Result part(const Operation& op) {
  const auto from = array_operand(op, 0);
  if (!from.ok()) return from.status();
  return like(op, 0, part_of((*from)->element_type));
}

Result complex(const Operation& op) {
  const auto from = array_operand(op, 0);
  if (!from.ok()) return from.status();
  const ElementType type = (*from)->element_type;
  if (type != ElementType::kF32 && type != ElementType::kF64) return not_told(op);
  return elementwise(op, type == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128);
}

absl::StatusOr<Shape> root_of(const Operation& op, absl::string_view attribute) {
  const std::vector<int32_t> called = called_computations(op.instruction, attribute);
  if (called.empty() || called[0] < 0) {
    return wrong(op, absl::StrCat("expected ", attribute, " of a computation that is in the text"));
  }
  const HloComputation& computation = op.module.computations[called[0]];
  const SharedShape& shape = computation.instructions[computation.root].shape;
  if (!shape) return wrong(op, absl::StrCat("expected a shape of the root of ", computation.name));
  return *shape;
}

Result map(const Operation& op) {
  const Result root = root_of(op, "to_apply");
  if (!root.ok()) return root.status();
  if (root->kind != Shape::Kind::kArray) return not_told(op);
  return elementwise(op, root->element_type);
}

Result transpose(const Operation& op) {
  const auto from = array_operand(op, 0);
  if (!from.ok()) return from.status();
  const auto order = integers_of(op.instruction, "dimensions", {});
  if (!order.ok()) return order.status();
  Dimensions dimensions;
  for (const int64_t d : *order) {
    if (d >= (*from)->rank()) return wrong(op, "expected dimensions below the rank");
    dimensions.push_back((*from)->dimensions[d]);
  }
  if (std::ssize(dimensions) != (*from)->rank()) return wrong(op, "expected every dimension");
  return array((*from)->element_type, std::move(dimensions));
}

Result slice(const Operation& op) {
  const auto from = array_operand(op, 0);
  if (!from.ok()) return from.status();
  const auto limits = slice_of(op.instruction);
  if (!limits.ok()) return limits.status();
  Dimensions dimensions;
  for (const SliceLimits& l : *limits) {
    const auto length = checked_sub(l.limit, l.start);
    if (!length || *length < 0) return wrong(op, "expected limits of at least the starts");
    const int64_t size = *length / l.stride + (*length % l.stride != 0 ? 1 : 0);
    dimensions.push_back({Dimension::Kind::kFixed, size});
  }
  return array((*from)->element_type, std::move(dimensions));
}

// Of a dimension that is dilated and padded; 0 where that is less than nothing.
std::optional<int64_t> padded(int64_t size, int64_t dilation, int64_t low, int64_t high) {
  std::optional<int64_t> whole = size == 0 ? size : checked_mul(size - 1, dilation);
  if (whole && size > 0) whole = checked_add(*whole, 1);
  if (whole) whole = checked_add(*whole, low);
  if (whole) whole = checked_add(*whole, high);
  if (whole) whole = std::max<int64_t>(*whole, 0);
  return whole;
}

Result pad(const Operation& op) {
  const auto from = array_operand(op, 0);
  if (!from.ok()) return from.status();
  const auto limits = padding_of(op.instruction);
  if (!limits.ok()) return limits.status();
  if (std::ssize(*limits) != (*from)->rank()) return wrong(op, "expected padding of the rank");
  Dimensions dimensions;
  for (size_t d = 0; d < limits->size(); ++d) {
    const PadLimits& l = (*limits)[d];
    const auto size = fixed(op, (*from)->dimensions[d]);
    if (!size.ok()) return size.status();
    const auto dilation = checked_add(l.interior, 1);
    const auto whole = dilation ? padded(*size, *dilation, l.low, l.high) : std::nullopt;
    if (!whole) return wrong(op, "expected sizes that fit 64 signed bits");
    dimensions.push_back({Dimension::Kind::kFixed, *whole});
  }
  return array((*from)->element_type, std::move(dimensions));
}

Result concatenate(const Operation& op) {
  Result result = like(op, 0);
  const auto along = integers_of(op.instruction, "dimensions");
  if (!along.ok()) return along.status();
  if (!result.ok()) return result;
  if (along->size() != 1 || along->front() >= result->rank()) {
    return wrong(op, "expected one dimension below the rank");
  }
  const int64_t d = along->front();
  int64_t whole = 0;
  for (int64_t k = 0; k < op.count(); ++k) {
    const auto part_at = array_operand(op, k);
    if (!part_at.ok()) return part_at.status();
    if ((*part_at)->rank() != result->rank()) return wrong(op, "expected operands of one rank");
    const auto size = fixed(op, (*part_at)->dimensions[d]);
    if (!size.ok()) return size.status();
    const auto sum = checked_add(whole, *size);
    if (!sum) return wrong(op, "expected a size that fits 64 signed bits");
    whole = *sum;
  }
  result->dimensions[d].size = whole;
  return result;
}

// The elements of the dimensions named are no more.
absl::StatusOr<Dimensions> without(const Operation& op, const Dimensions& dimensions,
                                   const std::vector<int64_t>& gone) {
  Dimensions left;
  for (int64_t d = 0; d < std::ssize(dimensions); ++d) {
    if (std::ranges::find(gone, d) == gone.end()) left.push_back(dimensions[d]);
  }
  if (std::ssize(left) + std::ssize(gone) != std::ssize(dimensions)) {
    return wrong(op, "expected different dimensions below the rank");
  }
  return left;
}

// ---- Sums ----

Result dot(const Operation& op) {
  const auto lhs = array_operand(op, 0), rhs = array_operand(op, 1);
  if (!lhs.ok()) return lhs.status();
  if (!rhs.ok()) return rhs.status();
  const auto numbers = dot_numbers_of(op.instruction);
  if (!numbers.ok()) return numbers.status();
  if ((*lhs)->element_type != (*rhs)->element_type) return not_told(op);
  Dimensions dimensions;
  for (const int64_t d : numbers->lhs_batch) {
    if (d >= (*lhs)->rank()) return wrong(op, "expected batch dimensions below the rank");
    dimensions.push_back((*lhs)->dimensions[d]);
  }
  const auto append = [&](const Shape& from, std::vector<int64_t> gone,
                          const std::vector<int64_t>& summed) -> absl::Status {
    gone.insert(gone.end(), summed.begin(), summed.end());
    const auto left = without(op, from.dimensions, gone);
    if (!left.ok()) return left.status();
    dimensions.insert(dimensions.end(), left->begin(), left->end());
    return absl::OkStatus();
  };
  absl::Status status = append(**lhs, numbers->lhs_batch, numbers->lhs_contracting);
  status.Update(append(**rhs, numbers->rhs_batch, numbers->rhs_contracting));
  if (!status.ok()) return status;
  return array((*lhs)->element_type, std::move(dimensions));
}

// The arrays, then a start for each; the types are those that the reducer gives.
absl::StatusOr<std::vector<ElementType>> reduced_types(const Operation& op) {
  const Result root = root_of(op, "to_apply");
  if (!root.ok()) return root.status();
  std::vector<ElementType> types;
  if (root->kind == Shape::Kind::kArray) return std::vector{root->element_type};
  for (const Shape& one : root->parts) types.push_back(one.element_type);
  return types;
}

Result of_types(const Operation& op, const Dimensions& dimensions) {
  const auto types = reduced_types(op);
  if (!types.ok()) return types.status();
  if (2 * std::ssize(*types) != op.count()) return wrong(op, "expected a start for each array");
  std::vector<Shape> parts;
  for (const ElementType type : *types) parts.push_back(array(type, dimensions));
  return one_or_tuple(std::move(parts));
}

Result reduce(const Operation& op) {
  const auto from = array_operand(op, 0);
  if (!from.ok()) return from.status();
  const auto gone = integers_of(op.instruction, "dimensions");
  if (!gone.ok()) return gone.status();
  const auto left = without(op, (*from)->dimensions, *gone);
  if (!left.ok()) return left.status();
  return of_types(op, *left);
}

// ---- Windows ----

absl::StatusOr<int64_t> positions(const Operation& op, const WindowDimension& w, int64_t size) {
  const auto whole = padded(size, w.lhs_dilate, w.pad_low, w.pad_high);
  const auto reach = w.size < 1 ? std::nullopt : checked_mul(w.size - 1, w.rhs_dilate);
  if (!whole || !reach) return wrong(op, "expected a window that fits 64 signed bits");
  return *whole <= *reach ? 0 : (*whole - *reach - 1) / w.stride + 1;
}

Result reduce_window(const Operation& op) {
  const auto from = array_operand(op, 0);
  if (!from.ok()) return from.status();
  auto window = window_of(op.instruction);
  if (!window.ok()) return window.status();
  if (window->empty()) window->resize((*from)->dimensions.size());
  if (std::ssize(*window) != (*from)->rank()) return wrong(op, "expected a window of the rank");
  Dimensions dimensions = (*from)->dimensions;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if ((*window)[d] == WindowDimension{}) continue;
    const auto size = fixed(op, dimensions[d]);
    if (!size.ok()) return size.status();
    const auto found = positions(op, (*window)[d], *size);
    if (!found.ok()) return found.status();
    dimensions[d].size = *found;
  }
  return of_types(op, dimensions);
}

Result convolution(const Operation& op) {
  const auto input = array_operand(op, 0), kernel = array_operand(op, 1);
  if (!input.ok()) return input.status();
  if (!kernel.ok()) return kernel.status();
  const auto n = dim_labels_of(op.instruction);
  if (!n.ok()) return n.status();
  auto window = window_of(op.instruction);
  if (!window.ok()) return window.status();
  const auto groups = integer_of(op.instruction, "batch_group_count", 1);
  if (!groups.ok()) return groups.status();
  const size_t spatial = n->output_spatial.size();
  if (window->empty()) window->resize(spatial);
  const bool fits = n->input_rank == (*input)->rank() && n->kernel_rank == (*kernel)->rank() &&
                    n->output_rank == static_cast<int64_t>(spatial) + 2 &&
                    n->input_spatial.size() == spatial && window->size() == spatial &&
                    *groups >= 1 && (*input)->element_type == (*kernel)->element_type;
  if (!fits) return wrong(op, "expected arrays and a window of the ranks of dim_labels");
  Dimensions dimensions(spatial + 2);
  const auto batch = fixed(op, (*input)->dimensions[n->input_batch]);
  if (!batch.ok()) return batch.status();
  dimensions[n->output_batch].size = *batch / *groups;
  dimensions[n->output_feature] = (*kernel)->dimensions[n->kernel_output_feature];
  for (size_t k = 0; k < spatial; ++k) {
    const auto size = fixed(op, (*input)->dimensions[n->input_spatial[k]]);
    if (!size.ok()) return size.status();
    const auto found = positions(op, (*window)[k], *size);
    if (!found.ok()) return found.status();
    dimensions[n->output_spatial[k]].size = *found;
  }
  return array((*input)->element_type, std::move(dimensions));
}

// ---- Offsets and indices ----

Result dynamic_slice(const Operation& op) {
  const auto from = array_operand(op, 0);
  if (!from.ok()) return from.status();
  const auto sizes = integers_of(op.instruction, "dynamic_slice_sizes");
  if (!sizes.ok()) return sizes.status();
  return make_array((*from)->element_type, *sizes);
}

Result gather(const Operation& op) {
  const auto from = array_operand(op, 0), indices = array_operand(op, 1);
  if (!from.ok()) return from.status();
  if (!indices.ok()) return indices.status();
  const auto n = gather_numbers_of(op.instruction);
  if (!n.ok()) return n.status();
  Dimensions batch = (*indices)->dimensions;
  if (n->index_vector_dim < std::ssize(batch)) batch.erase(batch.begin() + n->index_vector_dim);
  std::vector<int64_t> gone = n->collapsed_slice_dims;
  gone.insert(gone.end(), n->operand_batching_dims.begin(), n->operand_batching_dims.end());
  const auto window =
      without(op, make_array((*from)->element_type, n->slice_sizes).dimensions, gone);
  if (!window.ok()) return window.status();
  if (window->size() != n->offset_dims.size()) return wrong(op, "expected offset_dims to fit");
  Dimensions dimensions;
  size_t next_batch = 0, next_window = 0;
  for (size_t d = 0; d < batch.size() + window->size(); ++d) {
    const bool offset = std::ranges::count(n->offset_dims, static_cast<int64_t>(d)) > 0;
    if (offset ? next_window == window->size() : next_batch == batch.size()) {
      return wrong(op, "expected offset_dims below the rank");
    }
    dimensions.push_back(offset ? (*window)[next_window++] : batch[next_batch++]);
  }
  return array((*from)->element_type, std::move(dimensions));
}

// ---- What is passed on ----

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
  const auto index = integer_of(op.instruction, "index");
  if (!index.ok()) return index.status();
  if (op.count() != 1 || op.operands[0]->kind != Shape::Kind::kTuple ||
      *index >= std::ssize(op.operands[0]->parts)) {
    return wrong(op, absl::StrCat("expected a tuple of more than ", *index, " parts"));
  }
  return op.operands[0]->parts[*index];
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
  const auto k = integer_of(op.instruction, "k");
  if (!k.ok()) return k.status();
  Result values = like(op, 0);
  if (!values.ok()) return values;
  if (values->rank() == 0) return wrong(op, "expected an array of a rank of at least 1");
  values->dimensions.back() = {Dimension::Kind::kFixed, *k};
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
      return not_told(op);
  }
}

}  // namespace

absl::StatusOr<Shape> inferred_shape(const HloModule& module, const HloComputation& computation,
                                     const HloInstruction& instruction) {
  Operation op{module, instruction, {}};
  for (const HloOperand& operand : instruction.operands) {
    const HloInstruction& from = computation.instructions[operand.instruction];
    const SharedShape& shape = from.shape ? from.shape : operand.shape;
    if (!shape) return wrong(op, absl::StrCat("expected a shape of ", from.name));
    op.operands.push_back(&*shape);
  }
  return result_of(op);
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
        Result found = inferred_shape(module, computation, instruction);
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
