#include "impl/region.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "impl/operation.h"
#include "spec/lang/checked.h"

namespace tileproof::impl {
namespace {

using Sizes = std::vector<int64_t>;

absl::StatusOr<std::vector<Sizes>> sizes_of_leaves(const HloInstruction& at) {
  if (!at.shape) {
    return absl::InvalidArgumentError(absl::StrCat(at.name, ": expected a shape of the result"));
  }
  std::vector<Sizes> arrays;
  for (const Shape* leaf : leaves_of(*at.shape).shapes) {
    const absl::StatusOr<Dims> sizes = sizes_of(*leaf);
    if (!sizes.ok()) return sizes.status();
    arrays.push_back(*sizes);
    std::optional<int64_t> elements = 1;
    for (int64_t size : arrays.back()) {
      if (elements) elements = checked_mul(*elements, size);
    }
    if (has_no_elements(arrays.back())) elements = 0;
    if (!elements) {
      return absl::OutOfRangeError(absl::StrCat(at.name, ": expected at most 2^63 - 1 elements"));
    }
  }
  return arrays;
}

}  // namespace

absl::StatusOr<std::vector<std::vector<Sizes>>> sizes_read(const HloModule& module,
                                                           int32_t computation, int32_t instruction,
                                                           Region region) {
  const HloComputation& in = module.computations[computation];
  std::vector<int32_t> operands;
  if (region == Region::kComputation) {
    operands = parameters_of(in);
  } else {
    for (const HloOperand& operand : in.instructions[instruction].operands) {
      operands.push_back(operand.instruction);
    }
  }
  std::vector<std::vector<Sizes>> arrays;
  for (int32_t operand : operands) {
    absl::StatusOr<std::vector<Sizes>> leaves = sizes_of_leaves(in.instructions[operand]);
    if (!leaves.ok()) return leaves.status();
    arrays.push_back(*std::move(leaves));
  }
  return arrays;
}

absl::StatusOr<Sizes> sizes_of_result(const HloModule& module, int32_t computation,
                                      int32_t instruction, int32_t leaf) {
  const HloInstruction& at = module.computations[computation].instructions[instruction];
  const absl::StatusOr<std::vector<Sizes>> leaves = sizes_of_leaves(at);
  if (!leaves.ok()) return leaves.status();
  if (leaf >= 0 && leaf < std::ssize(*leaves)) return (*leaves)[leaf];
  return absl::InvalidArgumentError(
      absl::StrCat(at.name, ": expected a leaf below ", leaves->size(), ", found ", leaf));
}

absl::StatusOr<Indexing> indexing_in(IndexingAnalysis& analysis, Region region, int32_t computation,
                                     int32_t instruction, int32_t leaf) {
  return region == Region::kInstruction ? analysis.instruction(computation, instruction, leaf)
                                        : analysis.computation(computation, instruction, leaf);
}

}  // namespace tileproof::impl
