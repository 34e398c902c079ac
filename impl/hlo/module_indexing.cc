#include "impl/hlo/module_indexing.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "impl/hlo/backward_slice.h"
#include "impl/hlo/computation_summaries.h"

namespace tileproof::impl {
namespace {

FlowKind kind_of(const Flows& flows) {
  const auto is_inexact = [](const Flow& flow) { return flow.relation->inexact; };
  if (!flows.conservative.empty() || std::ranges::any_of(flows.flows, is_inexact)) {
    return FlowKind::kConservative;
  }
  return flows.flows.empty() ? FlowKind::kNoFlow : FlowKind::kMapped;
}

std::string reason_of(const Flows& flows) {
  if (!flows.conservative.empty()) return flows.conservative;
  for (const Flow& flow : flows.flows) {
    if (flow.relation->inexact) return flow.relation->reason;
  }
  return "";
}

void take(FlowClass& whole, const absl::StatusOr<Flows>& flows) {
  const FlowKind kind = flows.ok() ? kind_of(*flows) : FlowKind::kRefused;
  if (kind <= whole.kind) return;
  whole.kind = kind;
  whole.reason = flows.ok() ? reason_of(*flows) : std::string(flows.status().message());
}

void count(FlowCounts& counts, FlowKind kind) {
  switch (kind) {
    case FlowKind::kMapped:
      ++counts.mapped;
      break;
    case FlowKind::kConservative:
      ++counts.conservative;
      break;
    case FlowKind::kNoFlow:
      ++counts.no_flow;
      break;
    default:
      ++counts.refused;
  }
}

FlowClass class_of(ComputationFlows& flows, int32_t instruction, ModuleIndexing& result) {
  FlowClass whole;
  const auto leaves = static_cast<int32_t>(flows.view().leaves[instruction].shapes.size());
  const HloInstruction& at = flows.view().computation().instructions[instruction];
  if (!at.shape) {
    return {FlowKind::kRefused, absl::StrCat(at.name, ": expected a shape of the result")};
  }
  for (int32_t leaf = 0; leaf < leaves; ++leaf) {
    const absl::StatusOr<Flows>& found = flows.of(instruction, leaf);
    if (found.ok()) result.maps += std::ssize(found->flows);
    take(whole, found);
    // The other leaves of an operation on whole arrays are the same.
    whole.whole = found.ok() && !found->conservative.empty();
    if (whole.whole) break;
  }
  return whole;
}

// The root of a computation that nothing enters.
FlowClass class_of_root(ComputationFlows& flows, int64_t max_work, ModuleIndexing& result) {
  FlowClass whole;
  const int32_t root = flows.view().computation().root;
  const auto leaves = static_cast<int32_t>(flows.view().leaves[root].shapes.size());
  int64_t work = 0;
  for (int32_t leaf = 0; leaf < leaves; ++leaf) {
    if (work > max_work) {
      result.leaves_left_out += leaves - leaf;
      break;
    }
    const absl::StatusOr<Flows> traced = trace(flows, root, leaf, &work);
    if (traced.ok()) result.composed_maps += std::ssize(traced->flows);
    take(whole, traced);
  }
  return whole;
}

FlowClass class_of_summary(const Summary& summary, ModuleIndexing& result) {
  FlowClass whole;
  for (const absl::StatusOr<Flows>& leaf : summary) {
    if (leaf.ok()) result.composed_maps += std::ssize(leaf->flows);
    take(whole, leaf);
  }
  return whole;
}

}  // namespace

ModuleIndexing index_module(const HloModule& module) {
  return index_module(module, [](int32_t, int32_t, const FlowClass&) {});
}

ModuleIndexing index_module(const HloModule& module, FlowVisitor visit, int64_t max_root_work) {
  ModuleIndexing result;
  std::vector<char> entered(module.computations.size(), 0);
  for (const HloComputation& computation : module.computations) {
    for (const HloInstruction& instruction : computation.instructions) {
      if (const int32_t callee = entered_by(instruction); callee >= 0) entered[callee] = 1;
    }
  }
  Summaries summaries(module.computations.size());
  for (int32_t c = 0; c < std::ssize(module.computations); ++c) {
    ComputationFlows flows(module, c, summaries);
    const auto count_of = std::ssize(module.computations[c].instructions);
    for (int32_t i = 0; i < count_of; ++i) {
      const FlowClass found = class_of(flows, i, result);
      count(result.instructions, found.kind);
      if (found.kind == FlowKind::kConservative) ++result.conservative[found.reason];
      visit(c, i, found);
    }
    FlowClass root;
    if (entered[c]) {
      summaries[c] = summary_of(flows);
      root = class_of_summary(summaries[c], result);
    } else {
      root = class_of_root(flows, max_root_work, result);
    }
    count(result.computations, root.kind);
  }
  return result;
}

}  // namespace tileproof::impl
