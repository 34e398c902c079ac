// SPDX-License-Identifier: Apache-2.0
// Custom calls. Some targets only say something to the compiler: how an array is divided among
// devices, in which memory it is, which layout it has. They return their operand. Others are topk
// under another name.
#include <string>
#include <unordered_set>

#include "absl/strings/str_cat.h"
#include "impl/hlo/operations/operation_handler.h"

namespace tileproof::impl {
namespace {

// Whether the calls of this name return their operand.
bool returns_operand(const std::string& target) {
  static const auto* const names = new std::unordered_set<std::string>{
      // Division among devices: XLA's sharding custom calls, and those of Shardy.
      "Sharding",
      "SPMDFullToShardShape",
      "SPMDShardToFullShape",
      "ShardBarrierFrom",
      "ShardBarrierTo",
      "xla.sdy.FuncResultSharding",
      // Memory: XLA's host offloading, and buffers.
      "annotate_device_placement",
      "MoveToDevice",
      "MoveToHost",
      "Pin",
      "Unpin",
      // Layouts: XLA's layout assignment.
      "LayoutConstraint",
  };
  return names->contains(target);
}

// The array whose lines a call ranks: its only operand, if the two results have shorter lines.
const Dims* ranked_by(const std::string& target, const OperationContext& context) {
  if (target != "TopK" && target != "__gpu$TopK") return nullptr;
  if (context.operands() != 1) return nullptr;
  const Leaves& from = context.view.shapes[context.operand(0)].leaves;
  const Leaves& to = context.view.shapes[context.position].leaves;
  if (from.size() != 1 || to.size() != 2 || from[0].dims.empty()) return nullptr;
  for (const Leaf& part : to) {
    Dims longer = part.dims;
    if (longer.empty() || longer.back() > from[0].dims.back()) return nullptr;
    longer.back() = from[0].dims.back();
    if (longer != from[0].dims) return nullptr;
  }
  return &context.sizes({0, 0});
}

}  // namespace

absl::StatusOr<Dependences> dependences_of(const op::CustomCall& call,
                                           const OperationContext& context) {
  if (call.is_like_operand && returns_operand(call.target)) {
    Dependences dependences;
    add_identity(context, dependences, {0, context.leaf});
    return dependences;
  }
  if (const Dims* ranked = ranked_by(call.target, context)) {
    return dependences_of(op::TopK{*ranked}, context);
  }
  const std::string name = call.target.empty() ? "" : absl::StrCat(" \"", call.target, "\"");
  return conservatively(context, absl::StrCat("custom-call", name, ": opaque"));
}

}  // namespace tileproof::impl
