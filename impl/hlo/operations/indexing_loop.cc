// SPDX-License-Identifier: Apache-2.0
// Loops and conditionals.
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "impl/hlo/operations/loop_closed_form.h"
#include "impl/hlo/operations/loop_counter.h"
#include "impl/hlo/operations/operation_handler.h"
#include "impl/hlo/operations/unrolled_loop.h"

namespace tileproof::impl {
namespace {

constexpr char kAnyNumber[] = "while: the body's map is not followed through the loop";
constexpr char kOffsets[] = "conditional: offsets inside of a branch";

// The leaf of a root in a summary; the error names the instruction of the context.
absl::StatusOr<const Dependences*> leaf_of(const OperationContext& context, int32_t computation,
                                           int32_t leaf) {
  const absl::StatusOr<Dependences>& found = context.summaries[computation][leaf];
  if (!found.ok()) return wrong(context, found.status().message());
  return &*found;
}

// The counters of the loop, found once for all of its leaves.
SharedCounters counters_for(const OperationContext& context, const op::While& loop) {
  if (context.counters != nullptr && *context.counters) return *context.counters;
  auto found = std::make_shared<const std::optional<LoopCounters>>(
      counters_of(loop, *context.view.dependences));
  if (context.counters != nullptr) *context.counters = found;
  return found;
}

}  // namespace

// A leaf that the body hands on stays as it is. Others have a closed form if the loop runs a known
// number of times and does what scans do, or runs few times. Else everything flows that can get
// there.
absl::StatusOr<Dependences> dependences_of(const op::While& loop, const OperationContext& context) {
  Dependences dependences;
  const OperandLeaf own{0, context.leaf};
  {
    const absl::StatusOr<Dependences>& body = context.summaries[loop.body][context.leaf];
    if (body.ok() && body->reached->handed_on == own) {
      add_identity(context, dependences, own);
      return dependences;
    }
  }
  std::set<int32_t> reached = {context.leaf};
  const absl::StatusOr<const Dependences*> test = leaf_of(context, loop.condition, 0);
  if (!test.ok()) return test.status();
  const SharedCounters counters = counters_for(context, loop);
  if (!*counters) {
    for (const OperandLeaf& from : (*test)->reached->leaves) reached.insert(from.leaf);
  }
  std::vector<int32_t> open(reached.begin(), reached.end());
  while (!open.empty()) {
    const int32_t leaf = open.back();
    open.pop_back();
    const absl::StatusOr<const Dependences*> body = leaf_of(context, loop.body, leaf);
    if (!body.ok()) return body.status();
    for (const OperandLeaf& from : (*body)->reached->leaves) {
      if (reached.insert(from.leaf).second) open.push_back(from.leaf);
    }
  }
  if (*counters) {
    if (auto exact = loop_closed_form(loop, **counters, context)) return *std::move(exact);
    if (auto exact = unrolled_loop(loop, **counters, context)) return *std::move(exact);
  }
  for (const int32_t leaf : reached) add_universe(context, dependences, {0, leaf}, kAnyNumber);
  return dependences;
}

// The union of the branches, whose parameters are operands 1, 2, .., and the predicate.
absl::StatusOr<Dependences> dependences_of(const op::Conditional& conditional,
                                           const OperationContext& context) {
  Dependences dependences;
  add_universe(context, dependences, {0, 0});
  for (size_t k = 0; k < conditional.branches.size(); ++k) {
    const auto operand = static_cast<int32_t>(k + 1);
    const absl::StatusOr<const Dependences*> branch =
        leaf_of(context, conditional.branches[k], context.leaf);
    if (!branch.ok()) return branch.status();
    for (const Dependence& dependence : (*branch)->dependences) {
      const OperandLeaf from{operand, dependence.leaf};
      if (dependence.relation->runtime.empty()) {
        dependences.dependences.push_back({operand, dependence.leaf, dependence.relation});
      } else {
        add_universe(context, dependences, from, kOffsets);
      }
    }
  }
  return dependences;
}

}  // namespace tileproof::impl
