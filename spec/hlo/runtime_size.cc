// SPDX-License-Identifier: Apache-2.0
#include "spec/hlo/runtime_size.h"

#include <algorithm>
#include <variant>

#include "absl/strings/str_cat.h"
#include "spec/lang/hlo/hlo_attributes.h"

namespace tileproof::spec {
namespace {

bool is_dynamic(const Dimension& dimension) { return dimension.kind != Dimension::Kind::kFixed; }

bool has_dynamic(const Leaves& leaves) {
  return std::ranges::any_of(leaves, [](const Leaf& leaf) {
    return std::ranges::any_of(leaf.array->dimensions, is_dynamic);
  });
}

// A reshape keeps the row-major number of an element. The size of the first dimension does not
// change it: (i, j) of f32[<=4,3] is number 3 * i + j for every size.
bool numbers_are_fixed(const Leaf& leaf) {
  const std::vector<Dimension>& dimensions = leaf.array->dimensions;
  for (size_t d = 1; d < dimensions.size(); ++d) {
    if (is_dynamic(dimensions[d])) return false;
  }
  return true;
}

template <class... Operations>
bool is_one_of(const op::Any& operation) {
  return (std::holds_alternative<Operations>(operation) || ...);
}

// The operations that read an element at the same index for every size, if they read it at all.
bool ignores_sizes(const op::Any& operation) {
  if (const auto* start = std::get_if<op::Start>(&operation)) {
    return !start->operation || ignores_sizes(start->operation->operation);
  }
  return is_one_of<op::Elementwise, op::Broadcast, op::Transpose, op::SetDimensionSize, op::Bitcast,
                   op::BitcastConvert, op::Slice, op::AllReduce, op::CollectivePermute, op::Forward,
                   op::Call, op::While, op::Conditional, op::CustomCall>(operation);
}

bool reads_dynamic_size(const HloInstruction& instruction, const CheckedOp& op) {
  if (!std::holds_alternative<op::GetDimensionSize>(op.operation)) return false;
  const int64_t asked = integers_of(instruction, "dimensions")->front();  // checked: it has one
  return is_dynamic(op.operands[0][0].array->dimensions[asked]);
}

}  // namespace

std::string runtime_size_reason(const HloInstruction& instruction, const CheckedOp& op,
                                const AccessRelation& relation) {
  const bool reshapes = is_one_of<op::Reshape, op::DynamicReshape>(op.operation);
  const bool depends =
      reshapes ? !numbers_are_fixed(op.operands[0][0]) || !numbers_are_fixed(op.result[0])
               : !ignores_sizes(op.operation) && std::ranges::any_of(op.operands, has_dynamic);
  const bool moves = depends && !relation.dependences.empty() && relation.conservative.empty();
  if (!moves && !reads_dynamic_size(instruction, op)) return "";
  return absl::StrCat(instruction.opcode_text, ": a size is known only at run time");
}

}  // namespace tileproof::spec
