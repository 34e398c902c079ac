// SPDX-License-Identifier: Apache-2.0
// Loops: the body is interpreted once for each iteration.
#include <utility>

#include "spec/hlo/provenance_interpreter.h"
#include "spec/lang/base/try.h"

namespace tileproof::spec {

const std::optional<LoopRun>& Interpreter::run_of(const op::While& loop) {
  const auto [known, is_new] = runs_.try_emplace(loop);
  if (is_new) known->second = run_loop(loop);
  return known->second;
}

// The leaves of the state that a leaf of the last state needs of the first, or may need.
absl::StatusOr<std::set<int64_t>> Interpreter::loop_leaves(const Loop& loop, int64_t depth) {
  const op::While& at = loop.loop;
  std::set<int64_t> leaves = {loop.leaf};
  if (passes_through(module_, at.body, loop.leaf)) return leaves;
  if (depth >= limits_.depth) {
    return absl::ResourceExhaustedError(
        absl::StrCat("while: too large to enumerate: calls nest deeper than ", limits_.depth));
  }
  const auto tested = TRY(parameters_needed(at.condition, 0, depth + 1));  // it must be valid
  if (!run_of(at)) {
    for (const auto& [parameter, leaf] : tested) leaves.insert(leaf);
  }
  std::vector<int64_t> open(leaves.begin(), leaves.end());
  while (!open.empty()) {
    const int64_t leaf = open.back();
    open.pop_back();
    const auto needed = TRY(parameters_needed(at.body, leaf, depth + 1));
    for (const auto& [parameter, before] : needed) {
      if (leaves.insert(before).second) open.push_back(before);
    }
  }
  return leaves;
}

absl::StatusOr<ValuePtr> Interpreter::iterate(const Frame& frame, const Needed& needed,
                                              const Operands& operands, int64_t depth) {
  const HloInstruction& instruction = at(frame, needed.instruction);
  const Loop& loop = *needed.relation.loop;
  if (passes_through(module_, loop.loop.body, loop.leaf)) return operands.at({0, loop.leaf});
  const std::set<int64_t> leaves = TRY(loop_leaves(loop, depth));
  const std::optional<LoopRun>& run = run_of(loop.loop);
  if (!run) {
    conservative_.insert(absl::StrCat(instruction.name, ": ", kUnknownLoop));
    std::vector<SetId> ids;
    for (const int64_t leaf : leaves) {
      ids.push_back(all_sources_of(*operands.at({0, leaf})));
    }
    const Value& same = *operands.at({0, loop.leaf});
    auto value = std::make_shared<Value>(Value{same.dims, {}});
    value->sets.assign(same.sets.size(), sets_.united(ids, work_));
    TRY(check_work(instruction));
    return value;
  }
  Operands state;
  for (const int64_t leaf : leaves) state[{0, leaf}] = operands.at({0, leaf});
  const int32_t root = module_.computations[loop.loop.body].root;
  const bool is_outermost = frame.caller == nullptr && scope_ == Scope::kInstruction;
  const CallSite site{frame.site, frame.computation, needed.instruction};
  for (int64_t iteration = 0; iteration < run->trips(); ++iteration) {
    const Frame inner{.computation = loop.loop.body,
                      .caller = &frame,
                      .call = needed.instruction,
                      .kind = Frame::Kind::kIteration,
                      .run = &*run,
                      .iteration = iteration,
                      .site = is_outermost ? nullptr : &site};
    Operands next;
    for (const int64_t leaf : leaves) {
      next[{0, leaf}] = TRY(interpret(inner, root, leaf, state, depth + 1));
    }
    state = std::move(next);
  }
  return state.at({0, loop.leaf});
}

}  // namespace tileproof::spec
