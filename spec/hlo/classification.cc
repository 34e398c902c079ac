// SPDX-License-Identifier: Apache-2.0
#include "spec/hlo/classification.h"

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "spec/hlo/access_relation.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/operand_walk.h"

namespace tileproof::spec {
namespace {

Classification::Kind worse(Classification::Kind a, Classification::Kind b) {
  for (const Classification::Kind kind :
       {Classification::Kind::kRefused, Classification::Kind::kBeyond,
        Classification::Kind::kConservative, Classification::Kind::kDefined}) {
    if (a == kind || b == kind) return kind;
  }
  return Classification::Kind::kNoDataflow;
}

// Merges `part` into `whole`, which keeps the reason of the worst so far.
void merge(Classification& whole, const Classification& part) {
  if (worse(whole.kind, part.kind) != whole.kind) whole = part;
}

Classification refused(const absl::Status& error) {
  return {
      absl::IsOutOfRange(error) ? Classification::Kind::kBeyond : Classification::Kind::kRefused,
      std::string(error.message())};
}

// `computations`: what entering each computation means.
Classification classified(const HloModule& module, int32_t computation, int32_t position,
                          const CheckedOp& op, const std::vector<Classification>& computations) {
  const HloInstruction& instruction = module.computations[computation].instructions[position];
  Classification whole;
  std::optional<bool> runs;
  for (int64_t part = 0; part < std::ssize(op.result); ++part) {
    const absl::StatusOr<AccessRelation> relation = access_relation_of(instruction, op, part);
    if (!relation.ok()) return refused(relation.status());
    if (!relation->conservative.empty())
      merge(whole, {Classification::Kind::kConservative, relation->conservative});
    if (!relation->dependences.empty()) merge(whole, {Classification::Kind::kDefined, ""});
    if (relation->callee) merge(whole, computations[relation->callee->computation]);
    for (const Branch& branch : relation->branches) merge(whole, computations[branch.computation]);
    if (relation->loop) {
      const op::While& loop = relation->loop->loop;
      if (passes_through(*loop.module, loop.body, part)) {
        merge(whole, {Classification::Kind::kDefined, ""});
        continue;
      }
      if (!runs) runs = is_counted(module, computation, position);
      merge(whole, *runs ? computations[loop.body]
                         : Classification{Classification::Kind::kConservative, kUnknownLoop});
    }
  }
  return whole;
}

}  // namespace

std::vector<std::vector<Classification>> classify(const HloModule& module) {
  std::vector<std::vector<Classification>> result;
  std::vector<Classification> computations;
  OperandWalk walk(module, bitcast_fits);
  for (const HloComputation& computation : module.computations) {
    const auto number = static_cast<int32_t>(result.size());
    std::vector<Classification>& list = result.emplace_back();
    Classification& whole =
        computations.emplace_back(Classification{Classification::Kind::kDefined, ""});
    for (const HloInstruction& instruction : computation.instructions) {
      const auto position = static_cast<int32_t>(std::ssize(list));
      const absl::Status valid =
          walk.expect_valid(FollowRegion::UpTo::kOperands, number, position, std::nullopt);
      list.push_back(valid.ok()
                         ? classified(module, number, position,
                                      *checked_op(module, computation, instruction), computations)
                         : refused(valid));
      if (valid.ok()) merge(whole, list.back());  // else the callers that need it are refused
    }
  }
  return result;
}

}  // namespace tileproof::spec
