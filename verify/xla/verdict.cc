// SPDX-License-Identifier: Apache-2.0
#include "verify/xla/verdict.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>

#include "spec/lang/hlo/hlo_attributes.h"

namespace tileproof::xla {

int judge_lines(absl::StatusOr<Verdict> (*judge)(absl::string_view line)) {
  using Kind = Verdict::Kind;
  std::map<Kind, int64_t> kinds;
  std::map<std::string, int64_t> known;
  int64_t unread = 0;
  for (std::string line; std::getline(std::cin, line);) {
    if (line.find("\"text\"") == std::string::npos) continue;  // the line with the version
    const absl::StatusOr<Verdict> judged = judge(line);
    if (!judged.ok()) {
      ++unread;
      std::cout << "not judged: " << judged.status().message() << "\n  " << line << "\n";
      continue;
    }
    ++kinds[judged->kind];
    if (judged->kind == Kind::kKnown) ++known[judged->name];
    if (judged->kind == Kind::kDifferent) std::cout << "DIFFERENT " << judged->difference << "\n";
  }
  for (const auto& [name, count] : known) std::printf("%8ld  known: %s\n", count, name.c_str());
  std::printf(
      "%ld accepted by both, %ld refused by both, %ld different, %ld without an answer, "
      "%ld not judged\n",
      kinds[Kind::kBothAccept], kinds[Kind::kBothRefuse], kinds[Kind::kDifferent],
      kinds[Kind::kUnanswered], unread);
  if (kinds[Kind::kDifferent] > 0) return 1;
  return unread > 0 || kinds[Kind::kBothAccept] == 0 ? 2 : 0;
}

namespace {

constexpr absl::string_view kHidden = "hidden";

// Returns the array that contains a source.
SourceArray array_of(const std::vector<SourceArray>& arrays, int64_t number) {
  return *std::find_if(arrays.begin(), arrays.end(), [number](const SourceArray& array) {
    return number < array.first + array.count;
  });
}

// The wanted elements of each input of a reduction: the most, and whether input `leaf` has one.
struct Wanted {
  int64_t most = 0;
  bool own = false;
};
Wanted wanted_of(const std::vector<SourceArray>& arrays, int64_t inputs, int64_t leaf,
                 const std::vector<int64_t>& wanted) {
  std::vector<int64_t> seen(static_cast<size_t>(inputs), 0);
  for (const int64_t number : wanted) {
    const int64_t operand = array_of(arrays, number).parameter;
    if (operand < inputs) ++seen[operand];
  }
  return {*std::max_element(seen.begin(), seen.end()), seen[leaf] > 0};
}

// Returns the size of the lines that a sort or topk works along.
int64_t line_of(const HloInstruction& root, const SourceArray& array) {
  const auto dimensions = integers_of(root, "dimensions");
  if (root.opcode == HloOpcode::kTopk || !dimensions.ok()) return array.dims.back();
  return array.dims[dimensions->front()];
}

}  // namespace

absl::string_view explanation(const Question& question, bool changes, int64_t leaf, int64_t element,
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
      const Wanted seen = wanted_of(*arrays, inputs, leaf, wanted);
      const int64_t decisive = seen.own ? leaf : inputs + leaf;
      return seen.most <= 1 && array.parameter != decisive ? "init-is-identity" : "";
    }
    case HloOpcode::kScatter:
    case HloOpcode::kMap:
      return changes ? kHidden : "";
    case HloOpcode::kSort:
    case HloOpcode::kTopk:
      return changes && line_of(root, array) == 1 ? kHidden : "";
    case HloOpcode::kSelectAndScatter:
      if (!changes || array.parameter != 0) return "";
      return number - array.first == element || array.shape->element_type == ElementType::kPred
                 ? kHidden
                 : "";
    default:
      return "";
  }
}

bool scatters_without_indices(const Question& question) {
  const HloModule& module = question.module;
  const HloComputation& entry = module.computations[module.entry];
  return entry.instructions[entry.root].opcode == HloOpcode::kScatter &&
         offset_operands(module, module.entry, entry.root).empty();
}

}  // namespace tileproof::xla
