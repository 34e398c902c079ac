// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/loop_run.h"

#include <string>
#include <utility>

#include "spec/hlo/integer_arithmetic.h"
#include "spec/hlo/runtime_value.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/hlo/follow_source.h"
#include "verify/prove/hlo/known_predicate.h"

namespace tileproof::verify {
namespace {

// Values that depend on more than so many others are unknown.
constexpr int64_t kMaxSteps = 2000;
constexpr int64_t kMaxDepth = 200;

bool has_one_element(const HloInstruction& instruction, int64_t leaf) {
  if (!instruction.shape) return false;
  const auto leaves = leaves_of(*instruction.shape);
  return leaves.ok() && leaf < std::ssize(*leaves) && element_count((*leaves)[leaf].dims) == 1;
}

// Evaluates integers.
class Evaluation {
 public:
  Evaluation(const HloModule& module, int32_t computation, const LoopState& state)
      : region_{module, computation}, state_(state) {}

  std::optional<int64_t> at(const HloPosition& position, int64_t depth = 0) {
    if (--steps_ < 0 || depth > kMaxDepth) return std::nullopt;
    const HloInstruction& i = region_.at(position);
    if (!has_one_element(i, position.leaf)) return std::nullopt;
    const std::optional<int64_t> value = evaluated(position, i, depth + 1);
    const auto type = spec::integer_range_of(i, position.leaf);
    // A u64 beyond int64 is not known exactly.
    const bool fits =
        value && type && type->low <= *value && *value <= type->high && *value != INT64_MAX;
    return fits ? value : std::nullopt;
  }

 private:
  std::optional<int64_t> evaluated(const HloPosition& position, const HloInstruction& i,
                                   int64_t depth) {
    if (i.opcode == HloOpcode::kParameter && position.calls.empty()) {
      const auto known = state_.find(position.leaf);
      return known == state_.end() ? std::nullopt : std::optional(known->second);
    }
    if (auto across = through_call(region_, position)) return at(*across, depth);
    if (i.opcode == HloOpcode::kConstant) {
      const auto elements = elements_of_constant(i);
      return elements ? std::optional(elements->front()) : std::nullopt;
    }
    if (i.opcode == HloOpcode::kIota) return 0;
    const HloComputation& within =
        region_.module
            .computations[computation_at(region_.module, region_.computation, position.calls)];
    if (const auto from = spec::handed_on(region_.module, within, i, position.leaf)) {
      return at({position.calls, i.operands[from->operand].instruction, from->leaf}, depth);
    }
    return computed(position, i, depth);
  }

  std::optional<int64_t> computed(const HloPosition& position, const HloInstruction& i,
                                  int64_t depth) {
    if (i.operands.empty()) return std::nullopt;
    std::vector<std::optional<int64_t>> operands;
    for (const HloOperand& operand : i.operands) {
      operands.push_back(at({position.calls, operand.instruction, 0}, depth));
    }
    const bool copies = i.opcode != HloOpcode::kBitcast && spec::keeps_values(i.opcode);
    if (copies && operands.size() == 1) return operands[0];
    const auto type = spec::type_of_leaf(i, position.leaf);
    const auto from =
        spec::type_of_leaf(region_.at({position.calls, i.operands[0].instruction, 0}), 0);
    const std::string* direction = find_attribute(i.attributes, "direction");
    if (!type || !from) return std::nullopt;
    return spec::evaluated(i.opcode, *type, *from, direction == nullptr ? "" : *direction,
                           operands);
  }

  FollowRegion region_;
  const LoopState& state_;
  int64_t steps_ = kMaxSteps;
};

}  // namespace

std::optional<int64_t> integer_at(const HloModule& module, int32_t computation,
                                  const HloPosition& position, const LoopState& state) {
  return Evaluation(module, computation, state).at(position);
}

LoopState first_state(const op::While& loop) {
  const HloModule& module = *loop.module;
  const auto within = static_cast<int32_t>(loop.within - module.computations.data());
  const HloInstruction& operand = loop.within->instructions[loop.operand];
  LoopState state;
  if (!operand.shape) return state;
  const auto leaves = leaves_of(*operand.shape);
  if (!leaves.ok()) return state;
  for (int32_t leaf = 0; leaf < std::ssize(*leaves); ++leaf) {
    // A parameter of the computation around the loop is not in the empty state.
    const auto value = integer_at(module, within, {{}, loop.operand, leaf}, {});
    if (value) state[leaf] = *value;
  }
  return state;
}

std::optional<LoopRun> run_loop(const op::While& loop) {
  const HloModule& module = *loop.module;
  const HloComputation& body = module.computations[loop.body];
  const HloComputation& condition = module.computations[loop.condition];
  LoopRun run{{first_state(loop)}};
  while (true) {
    const LoopState& state = run.states.back();
    const auto goes_on = integer_at(module, loop.condition, {{}, condition.root, 0}, state);
    if (!goes_on) return std::nullopt;
    if (*goes_on == 0) return run;
    if (run.trips() == kMaxTrips) return std::nullopt;
    LoopState next;
    for (const auto& [leaf, value] : state) {
      const auto stepped =
          integer_at(module, loop.body, {{}, body.root, static_cast<int32_t>(leaf)}, state);
      if (stepped) next[leaf] = *stepped;
    }
    run.states.push_back(std::move(next));
  }
}

}  // namespace tileproof::verify
