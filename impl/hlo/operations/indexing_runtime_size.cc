// SPDX-License-Identifier: Apache-2.0
// Operations on arrays with sizes that are known only at run time: `f32[<=4]`.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "impl/hlo/operations/operation_handler.h"

namespace tileproof::impl {
namespace {

bool is_bounded(const Dimension& dimension) { return dimension.kind == Dimension::Kind::kBounded; }

// Strides depend on the sizes of all dimensions but the first.
bool has_bounded_stride(const Shape& array) {
  const auto& dimensions = array.dimensions;
  return !dimensions.empty() && std::any_of(dimensions.begin() + 1, dimensions.end(), is_bounded);
}

const Leaves& leaves_of_operand(const OperationContext& context, int32_t k) {
  return context.view.shapes[context.operand(k)].leaves;
}

bool has_bounded_operand(const OperationContext& context) {
  for (int32_t k = 0; k < context.operands(); ++k) {
    for (const Leaf& leaf : leaves_of_operand(context, k)) {
      if (std::ranges::any_of(leaf.array->dimensions, is_bounded)) return true;
    }
  }
  return false;
}

// Returns whether the size that a get-dimension-size asks for is bounded.
bool is_bounded_size(const OperationContext& context) {
  const auto dimensions = integers_of(context.instruction(), "dimensions");
  if (!dimensions.ok() || dimensions->size() != 1) return has_bounded_operand(context);
  return is_bounded(leaves_of_operand(context, 0)[0].array->dimensions[dimensions->front()]);
}

// Returns whether the operation has other dependences for other sizes, or may have.
bool depends_on_sizes(const OperationContext& context) {
  switch (context.instruction().opcode) {
    case HloOpcode::kDynamicReshape:
    case HloOpcode::kReshape:
      return has_bounded_stride(*leaves_of_operand(context, 0)[0].array) ||
             has_bounded_stride(*context.view.shapes[context.position].leaves[0].array);
    case HloOpcode::kAllGather:
    case HloOpcode::kAllGatherStart:
    case HloOpcode::kAllToAll:
    case HloOpcode::kConcatenate:
    case HloOpcode::kConvolution:
    case HloOpcode::kDot:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kGather:
    case HloOpcode::kPad:
    case HloOpcode::kReduce:
    case HloOpcode::kReduceScatter:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kReverse:
    case HloOpcode::kScatter:
    case HloOpcode::kSelectAndScatter:
    case HloOpcode::kSort:
    case HloOpcode::kTopk:
      return has_bounded_operand(context);
    default:
      return false;
  }
}

}  // namespace

std::string runtime_size_reason(const OperationContext& context, const Dependences& dependences) {
  const bool depends = context.instruction().opcode == HloOpcode::kGetDimensionSize
                           ? is_bounded_size(context)
                           : !dependences.dependences.empty() && depends_on_sizes(context);
  if (!depends || !dependences.conservative.empty()) return "";
  return absl::StrCat(context.instruction().opcode_text, ": a size is known only at run time");
}

}  // namespace tileproof::impl
