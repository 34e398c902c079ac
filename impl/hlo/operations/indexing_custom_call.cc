// SPDX-License-Identifier: Apache-2.0
// Custom calls. Some targets only say something to the compiler: how an array is divided among
// devices, in which memory it is, which layout it has. They return their operand.
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

}  // namespace

absl::StatusOr<Dependences> dependences_of(const op::CustomCall& call,
                                           const OperationContext& context) {
  if (call.is_like_operand && returns_operand(call.target)) {
    Dependences dependences;
    add_identity(context, dependences, {0, context.leaf});
    return dependences;
  }
  const std::string name = call.target.empty() ? "" : absl::StrCat(" \"", call.target, "\"");
  return conservatively(context, absl::StrCat("custom-call", name, ": opaque"));
}

}  // namespace tileproof::impl
