// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/computation_summaries.h"

#include "impl/hlo/operations/known_predicate.h"
#include "impl/hlo/reached_leaves.h"

namespace tileproof::impl {

Summary summary_of(ComputationDependences& dependences, const Summaries& summaries) {
  Summary summary;
  const int32_t root = dependences.view().computation().root;
  const auto leaves = static_cast<int32_t>(dependences.view().shapes[root].leaves.size());
  std::vector<ReachedLeaves> reached = reached_leaves(dependences, summaries);
  const std::vector<OperandLeaf> deciding = deciding_parameters(dependences, summaries);
  for (int32_t leaf = 0; leaf < leaves; ++leaf) {
    summary.push_back(backward_slice(dependences, root, leaf));
    if (!summary.back().ok()) continue;
    reached[leaf].deciding = deciding;
    summary.back()->reached = std::make_shared<const ReachedLeaves>(std::move(reached[leaf]));
  }
  return summary;
}

ComputationDependences& dependences_in(
    const HloModule& module, int32_t computation, Summaries& summaries,
    std::vector<std::unique_ptr<ComputationDependences>>& dependences) {
  if (dependences[computation]) return *dependences[computation];
  std::vector<char> needed(module.computations.size());
  needed[computation] = true;
  // Callees stand before their callers.
  for (int32_t c = computation; c >= 0; --c) {
    if (!needed[c]) continue;
    for (const HloInstruction& instruction : module.computations[c].instructions) {
      for (const int32_t callee : entered_computations(instruction)) {
        if (summaries[callee].empty()) needed[callee] = true;
      }
    }
  }
  for (int32_t c = 0; c <= computation; ++c) {
    if (!needed[c]) continue;
    if (!dependences[c])
      dependences[c] = std::make_unique<ComputationDependences>(module, c, summaries);
    if (c < computation) summaries[c] = summary_of(*dependences[c], summaries);
  }
  return *dependences[computation];
}

}  // namespace tileproof::impl
