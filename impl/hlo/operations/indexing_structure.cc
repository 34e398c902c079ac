// SPDX-License-Identifier: Apache-2.0
// Operations that pass values on as they are: tuples, calls, copies, asynchronous operations. And
// operations without structure.
#include <utility>

#include "impl/hlo/access_relation_limits.h"
#include "impl/hlo/operations/operation_handler.h"

namespace tileproof::impl {

absl::StatusOr<Dependences> dependences_of(const op::Forward& forward,
                                           const OperationContext& context) {
  Dependences dependences;
  const std::optional<OperandLeaf>& from = forward.from[context.leaf];
  if (from) add_identity(context, dependences, *from);
  return dependences;
}

namespace {

// The relation with its runtime values as the caller sees them. The caller may pass one operand for
// several parameters. Null if no pair is left.
AccessRelationPtr seen_by_caller(const OperationContext& context, const HloComputation& computation,
                                 const AccessRelationPtr& relation, const Dims& operand) {
  if (relation->runtime.empty()) return relation;
  AccessRelation copy = *relation;
  for (RuntimeValue& value : copy.runtime) {
    HloPosition& position = value.position;
    const HloInstruction* own =  // null: an instruction of a computation further inside
        position.calls.empty() ? &computation.instructions[position.instruction] : nullptr;
    if (own != nullptr && own->opcode == HloOpcode::kParameter) {
      position.instruction = context.operand(static_cast<int32_t>(own->parameter_number));
    } else {
      position.calls.insert(position.calls.begin(), context.position);
    }
  }
  if (merge_runtime(copy)) return simplified(std::move(copy), context.output, operand);
  return finish(std::move(copy), context.output, operand);
}

}  // namespace

// The result leaf is the same leaf of the root of the computation.
absl::StatusOr<Dependences> dependences_of(const op::Call& call, const OperationContext& context) {
  const HloComputation& computation = context.view.module->computations[call.computation];
  const absl::StatusOr<Dependences>& inside = context.summaries[call.computation][context.leaf];
  if (!inside.ok()) return wrong(context, inside.status().message());
  Dependences dependences{{}, inside->declared, inside->conservative};
  for (const Dependence& dependence : inside->dependences) {
    const OperandLeaf from{dependence.operand, dependence.leaf};
    AccessRelationPtr seen =
        seen_by_caller(context, computation, dependence.relation, context.sizes(from));
    if (seen) dependences.dependences.push_back({from.operand, from.leaf, std::move(seen)});
  }
  return dependences;
}

// (operands, results, contexts)
absl::StatusOr<Dependences> dependences_of(const op::Start& start,
                                           const OperationContext& context) {
  Dependences dependences;
  const auto count = static_cast<int32_t>(start.operands.size());
  if (context.leaf < count) {
    add_identity(context, dependences, start.operands[context.leaf]);
    return dependences;
  }
  OperationContext inside = context;
  inside.leaf -= count;
  const CheckedOp* started = start.operation.get();
  if (started == nullptr || inside.leaf >= std::ssize(started->result)) return dependences;
  return dependences_of(started->operation, inside);
}

absl::StatusOr<Dependences> dependences_of(const op::Source&, const OperationContext&) {
  return Dependences{};
}

absl::StatusOr<Dependences> dependences_of(const op::Token&, const OperationContext&) {
  return Dependences{};
}

absl::StatusOr<Dependences> dependences_of(const op::GetDimensionSize&, const OperationContext&) {
  return Dependences{};
}

// Each random number depends on all parameters of the distribution.
absl::StatusOr<Dependences> dependences_of(const op::Rng&, const OperationContext& context) {
  return conservatively(context, "");
}

absl::StatusOr<Dependences> dependences_of(const op::Opaque& opaque,
                                           const OperationContext& context) {
  return conservatively(context, opaque.reason);
}

}  // namespace tileproof::impl
