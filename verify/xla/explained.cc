#include "verify/xla/explained.h"

#include <algorithm>

namespace tileproof::xla {
namespace {

constexpr absl::string_view kHidden = "hidden";

// The array that a source is an element of.
SourceArray array_of(const std::vector<SourceArray>& arrays, int64_t number) {
  return *std::find_if(arrays.begin(), arrays.end(), [number](const SourceArray& array) {
    return number < array.first + array.count;
  });
}

// Whether of each input of a reduction at most one element is wanted.
bool at_most_one_each(const std::vector<SourceArray>& arrays, int64_t inputs,
                      const std::vector<int64_t>& wanted) {
  std::vector<int64_t> seen(static_cast<size_t>(inputs), 0);
  for (const int64_t number : wanted) {
    const int64_t operand = array_of(arrays, number).parameter;
    if (operand < inputs && ++seen[operand] > 1) return false;
  }
  return true;
}

}  // namespace

absl::string_view explanation(const Question& question, bool changes, int64_t element,
                              const std::vector<int64_t>& wanted, int64_t number) {
  const HloModule& module = question.module;
  const HloComputation& entry = module.computations[module.entry];
  const HloInstruction& root = entry.instructions[entry.root];
  const bool alone = entry.instructions.size() == root.operands.size() + 1;
  if (!alone) return "";
  const auto arrays = source_arrays(module);
  const SourceArray array = array_of(*arrays, number);
  if (changes && question.offsets.count(array.parameter) > 0) return kHidden;
  switch (root.opcode) {
    case HloOpcode::kReduce:
    case HloOpcode::kReduceWindow: {
      if (changes) return kHidden;
      const int64_t inputs = std::ssize(root.operands) / 2;
      const bool init = array.parameter >= inputs;
      return init && at_most_one_each(*arrays, inputs, wanted) ? "init-is-identity" : "";
    }
    case HloOpcode::kScatter:
      if (changes) return kHidden;
      return offset_operands(module, module.entry, entry.root).empty() ? "scatter-without-indices"
                                                                       : "";
    case HloOpcode::kMap:
      return changes ? kHidden : "";
    case HloOpcode::kSelectAndScatter:
      return array.parameter == 0 && number - array.first == element ? kHidden : "";
    default:
      return "";
  }
}

}  // namespace tileproof::xla
