// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/loop_run.h"

#include <algorithm>
#include <utility>

#include "spec/hlo/runtime_value.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/hlo/follow_source.h"
#include "verify/prove/hlo/known_elements.h"

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
    // Beyond its type a number wraps, and a large u64 is not known exactly.
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
    const auto operand = [&](size_t k) -> std::optional<int64_t> {
      if (k >= i.operands.size()) return std::nullopt;
      return at({position.calls, i.operands[k].instruction, 0}, depth);
    };
    const auto with_both = [&](const auto& f) -> std::optional<int64_t> {
      const auto a = operand(0), b = operand(1);
      return a && b ? f(*a, *b) : std::nullopt;
    };
    using Number = std::optional<int64_t>;
    switch (i.opcode) {
      case HloOpcode::kBitcast:  // of equal element types, as at() checks the range of both
      case HloOpcode::kBroadcast:
      case HloOpcode::kConvert:
      case HloOpcode::kReshape:
      case HloOpcode::kSlice:
      case HloOpcode::kTranspose:
        return i.opcode == HloOpcode::kBitcast && !same_type(position, i) ? Number() : operand(0);
      case HloOpcode::kAdd:
        return with_both([](int64_t a, int64_t b) { return checked_add(a, b); });
      case HloOpcode::kSubtract:
        return with_both([](int64_t a, int64_t b) { return checked_sub(a, b); });
      case HloOpcode::kMultiply:
        return with_both([](int64_t a, int64_t b) { return checked_mul(a, b); });
      case HloOpcode::kMinimum:
        return with_both([](int64_t a, int64_t b) { return Number(std::min(a, b)); });
      case HloOpcode::kMaximum:
        return with_both([](int64_t a, int64_t b) { return Number(std::max(a, b)); });
      case HloOpcode::kDivide:
        return with_both([](int64_t a, int64_t b) { return a < 0 || b <= 0 ? Number() : a / b; });
      case HloOpcode::kRemainder:
        return with_both([](int64_t a, int64_t b) { return a < 0 || b <= 0 ? Number() : a % b; });
      case HloOpcode::kAnd:
        return with_both([](int64_t a, int64_t b) { return Number(a & b); });
      case HloOpcode::kOr:
        return with_both([](int64_t a, int64_t b) { return Number(a | b); });
      case HloOpcode::kNegate: {
        const auto a = operand(0);
        return a ? checked_sub(0, *a) : std::nullopt;
      }
      case HloOpcode::kNot: {
        const auto a = operand(0);
        const bool is_pred = i.shape->element_type == ElementType::kPred;
        return a && is_pred ? Number(1 - *a) : std::nullopt;
      }
      case HloOpcode::kSelect: {
        const auto predicate = operand(0);
        return predicate ? operand(*predicate != 0 ? 1 : 2) : std::nullopt;
      }
      case HloOpcode::kClamp: {
        const auto low = operand(0), x = operand(1), high = operand(2);
        return low && x && high ? Number(std::min(std::max(*low, *x), *high)) : std::nullopt;
      }
      case HloOpcode::kCompare: {
        const std::string* direction = find_attribute(i.attributes, "direction");
        const std::string* type = find_attribute(i.attributes, "type");
        if (direction == nullptr || (type != nullptr && *type == "UNSIGNED")) return std::nullopt;
        return with_both([&](int64_t a, int64_t b) { return compared(*direction, a, b); });
      }
      default:
        return std::nullopt;
    }
  }

  static std::optional<int64_t> compared(const std::string& direction, int64_t a, int64_t b) {
    if (direction == "LT") return a < b;
    if (direction == "LE") return a <= b;
    if (direction == "GT") return a > b;
    if (direction == "GE") return a >= b;
    if (direction == "EQ") return a == b;
    if (direction == "NE") return a != b;
    return std::nullopt;
  }

  bool same_type(const HloPosition& position, const HloInstruction& i) const {
    const HloInstruction& from = region_.at({position.calls, i.operands[0].instruction, 0});
    return from.shape && from.shape->element_type == i.shape->element_type;
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
