// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/analysis_scope.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "impl/hlo/operations/operation_handler.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

using Sizes = std::vector<int64_t>;

// The sizes of the leaves of the instruction's result, which has this shape.
absl::StatusOr<std::vector<Sizes>> sizes_of_leaves(const HloInstruction& at,
                                                   const SharedShape& shape) {
  if (!shape) {
    return absl::InvalidArgumentError(absl::StrCat(at.name, ": expected a shape of the result"));
  }
  std::vector<Sizes> arrays;
  for (Leaf& leaf : TRY(leaves_of(*shape))) {
    if (!element_count(leaf.dims)) {
      return absl::OutOfRangeError(absl::StrCat(at.name, ": expected at most 2^63 - 1 elements"));
    }
    arrays.push_back(std::move(leaf.dims));
  }
  return arrays;
}

}  // namespace

absl::StatusOr<std::vector<std::vector<Sizes>>> sizes_read(const HloModule& module,
                                                           int32_t computation, int32_t instruction,
                                                           Scope scope) {
  const HloComputation& in = module.computations[computation];
  std::vector<HloOperand> read;
  if (scope == Scope::kComputation) {
    for (int32_t parameter : parameters_of(in)) read.push_back({parameter, {}});
  } else {
    read = in.instructions[instruction].operands;
  }
  std::vector<std::vector<Sizes>> arrays;
  for (const HloOperand& operand : read) {
    const HloInstruction& from = in.instructions[operand.instruction];
    arrays.push_back(TRY(sizes_of_leaves(from, from.shape ? from.shape : operand.shape)));
  }
  return arrays;
}

absl::StatusOr<Sizes> sizes_of_result(const HloModule& module, int32_t computation,
                                      int32_t instruction, int32_t leaf) {
  const HloInstruction& at = module.computations[computation].instructions[instruction];
  const std::vector<Sizes> leaves = TRY(sizes_of_leaves(at, at.shape));
  if (leaf >= 0 && leaf < std::ssize(leaves)) return leaves[leaf];
  return absl::InvalidArgumentError(
      absl::StrCat(at.name, ": expected a leaf below ", leaves.size(), ", found ", leaf));
}

}  // namespace tileproof::impl
