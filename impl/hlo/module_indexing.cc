// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/module_indexing.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "impl/hlo/backward_slice.h"

namespace tileproof::impl {
namespace {

bool is_collective(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAllGather:
    case HloOpcode::kAllGatherStart:
    case HloOpcode::kAllReduce:
    case HloOpcode::kAllReduceStart:
    case HloOpcode::kAllToAll:
    case HloOpcode::kCollectiveBroadcast:
    case HloOpcode::kCollectivePermute:
    case HloOpcode::kCollectivePermuteStart:
    case HloOpcode::kRaggedAllToAll:
    case HloOpcode::kReduceScatter:
      return true;
    default:
      return false;
  }
}

DataflowKind kind_of(const Dependences& dependences) {
  const auto is_inexact = [](const Dependence& dependence) { return dependence.relation->inexact; };
  if (!dependences.conservative.empty() ||
      std::ranges::any_of(dependences.dependences, is_inexact)) {
    return DataflowKind::kConservative;
  }
  return dependences.dependences.empty() ? DataflowKind::kNoDataflow : DataflowKind::kMapped;
}

std::string reason_of(const Dependences& dependences) {
  if (!dependences.conservative.empty()) return dependences.conservative;
  for (const Dependence& dependence : dependences.dependences) {
    if (dependence.relation->inexact) return dependence.relation->reason;
  }
  return "";
}

void take(DataflowClass& whole, const absl::StatusOr<Dependences>& dependences) {
  const DataflowKind kind = dependences.ok() ? kind_of(*dependences) : DataflowKind::kRefused;
  if (kind <= whole.kind) return;
  whole.kind = kind;
  whole.reason =
      dependences.ok() ? reason_of(*dependences) : std::string(dependences.status().message());
}

void count(DataflowCounts& counts, DataflowKind kind) {
  switch (kind) {
    case DataflowKind::kMapped:
      ++counts.mapped;
      break;
    case DataflowKind::kConservative:
      ++counts.conservative;
      break;
    case DataflowKind::kNoDataflow:
      ++counts.no_dataflow;
      break;
    default:
      ++counts.refused;
  }
}

// Refused if a leaf depends on an invalid instruction.
void take(DataflowClass& whole, const absl::Status& valid) {
  if (!valid.ok()) whole = {DataflowKind::kRefused, std::string(valid.message())};
}

DataflowClass class_of(ComputationDependences& dependences, int32_t instruction,
                       ModuleIndexing& result) {
  DataflowClass whole;
  const auto leaves = static_cast<int32_t>(dependences.view().shapes[instruction].leaves.size());
  const HloInstruction& at = dependences.view().computation().instructions[instruction];
  if (!at.shape) {
    return {DataflowKind::kRefused, absl::StrCat(at.name, ": expected a shape of the result")};
  }
  for (int32_t leaf = 0; leaf < leaves; ++leaf) {
    const absl::StatusOr<Dependences>& found = dependences.of(instruction, leaf);
    if (found.ok()) result.maps += std::ssize(found->dependences);
    take(whole, found);
    // The other leaves of an operation on whole arrays are the same.
    whole.whole = found.ok() && !found->conservative.empty();
    if (whole.whole) break;
  }
  return whole;
}

// The root of a computation that nothing calls.
DataflowClass class_of_root(ComputationDependences& dependences, int64_t max_work,
                            ModuleIndexing& result) {
  DataflowClass whole;
  const int32_t root = dependences.view().computation().root;
  const auto leaves = static_cast<int32_t>(dependences.view().shapes[root].leaves.size());
  int64_t work = 0;
  for (int32_t leaf = 0; leaf < leaves; ++leaf) {
    if (work > max_work) {
      result.leaves_left_out += leaves - leaf;
      break;
    }
    const absl::StatusOr<Dependences> traced = backward_slice(dependences, root, leaf, &work);
    if (traced.ok()) result.composed_maps += std::ssize(traced->dependences);
    take(whole, traced);
  }
  return whole;
}

DataflowClass class_of_summary(const Summary& summary, ModuleIndexing& result) {
  DataflowClass whole;
  for (const absl::StatusOr<Dependences>& leaf : summary) {
    if (leaf.ok()) result.composed_maps += std::ssize(leaf->dependences);
    take(whole, leaf);
  }
  return whole;
}

}  // namespace

bool reads_replicas(const HloInstruction& instruction) {
  return is_collective(instruction.opcode) ||
         (instruction.opcode == HloOpcode::kAsyncStart &&
          is_collective(wrapped_opcode(instruction.opcode_text)));
}

ModuleIndexing index_module(const HloModule& module) {
  return index_module(module, [](int32_t, int32_t, const DataflowClass&) {});
}

ModuleIndexing index_module(const HloModule& module, DataflowVisitor visit, int64_t max_root_work) {
  IndexingAnalysis analysis(module);
  return index_module(analysis, visit, max_root_work);
}

ModuleIndexing index_module(IndexingAnalysis& analysis, DataflowVisitor visit,
                            int64_t max_root_work) {
  const HloModule& module = analysis.module();
  ModuleIndexing result;
  std::vector<char> entered(module.computations.size(), 0);
  for (const HloComputation& computation : module.computations) {
    for (const HloInstruction& instruction : computation.instructions) {
      for (const int32_t callee : entered_computations(instruction)) entered[callee] = 1;
    }
  }
  std::vector<char> has_refused(module.computations.size(), 0);  // also inside of calls
  for (int32_t c = 0; c < std::ssize(module.computations); ++c) {
    ComputationDependences& dependences = analysis.within(c);
    const auto count_of = std::ssize(module.computations[c].instructions);
    for (int32_t i = 0; i < count_of; ++i) {
      DataflowClass found = class_of(dependences, i, result);
      bool is_refused = dependences.view().shapes[i].leaves.empty();
      for (const int32_t callee : entered_computations(module.computations[c].instructions[i])) {
        is_refused = is_refused || has_refused[callee];
      }
      if (is_refused) take(found, analysis.expect_valid(Scope::kInstruction, c, i, std::nullopt));
      has_refused[c] |= is_refused || found.kind == DataflowKind::kRefused;
      count(result.instructions, found.kind);
      if (found.kind == DataflowKind::kConservative) ++result.conservative[found.reason];
      visit(c, i, found);
    }
    DataflowClass root = entered[c] ? class_of_summary(analysis.summary(c), result)
                                    : class_of_root(dependences, max_root_work, result);
    const int32_t position = module.computations[c].root;
    if (has_refused[c]) {
      take(root, analysis.expect_valid(Scope::kComputation, c, position, std::nullopt));
    }
    count(result.computations, root.kind);
  }
  return result;
}

}  // namespace tileproof::impl
