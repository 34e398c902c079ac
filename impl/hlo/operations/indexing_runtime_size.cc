// SPDX-License-Identifier: Apache-2.0
// Operations on arrays with sizes that are known only at run time: `f32[<=4]`.
#include <algorithm>
#include <variant>

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

template <class... Operations>
bool is_one_of(const op::Any& operation) {
  return (std::holds_alternative<Operations>(operation) || ...);
}

// The operations that read the same index for every size, if the element exists. All others may read
// another one.
bool ignores_sizes(const op::Any& operation) {
  if (const auto* start = std::get_if<op::Start>(&operation)) {
    return start->operation == nullptr || ignores_sizes(start->operation->operation);
  }
  return is_one_of<op::Elementwise, op::Broadcast, op::Transpose, op::SetDimensionSize, op::Bitcast,
                   op::BitcastConvert, op::Slice, op::AllReduce, op::CollectivePermute, op::Forward,
                   op::Call, op::While, op::Conditional, op::CustomCall>(operation);
}

// Returns whether the operation has other dependences for other sizes, or may have.
bool depends_on_sizes(const op::Any& operation, const OperationContext& context) {
  if (is_one_of<op::Reshape, op::DynamicReshape>(operation)) {
    return has_bounded_stride(*leaves_of_operand(context, 0)[0].array) ||
           has_bounded_stride(*context.view.shapes[context.position].leaves[0].array);
  }
  return !ignores_sizes(operation) && has_bounded_operand(context);
}

}  // namespace

std::string runtime_size_reason(const op::Any& operation, const OperationContext& context,
                                const Dependences& dependences) {
  const bool depends =
      is_one_of<op::GetDimensionSize>(operation)
          ? is_bounded_size(context)
          : !dependences.dependences.empty() && depends_on_sizes(operation, context);
  if (!depends || !dependences.conservative.empty()) return "";
  return absl::StrCat(context.instruction().opcode_text, ": a size is known only at run time");
}

}  // namespace tileproof::impl
