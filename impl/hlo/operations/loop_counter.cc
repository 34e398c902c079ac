// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/operations/loop_counter.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "impl/hlo/leaf_shapes.h"
#include "impl/hlo/offsets/resolve_source.h"
#include "impl/hlo/reached_leaves.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/literal_words.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/follow_source.h"

namespace tileproof::impl {
namespace {

using State = std::map<int32_t, Affine>;
constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();
constexpr int64_t kMaxSteps = 500;

std::optional<int64_t> value_at(const Affine& x, int64_t k) {
  const auto grown = checked_mul(x.step, k);
  return grown ? checked_add(x.first, *grown) : std::nullopt;
}

std::optional<Affine> sum(const Affine& a, const Affine& b, int64_t sign) {
  const auto first = sign > 0 ? checked_add(a.first, b.first) : checked_sub(a.first, b.first);
  const auto step = sign > 0 ? checked_add(a.step, b.step) : checked_sub(a.step, b.step);
  return first && step ? std::optional(Affine{*first, *step}) : std::nullopt;
}

std::optional<Affine> product(const Affine& a, const Affine& b) {
  if (a.step != 0 && b.step != 0) return std::nullopt;
  const Affine& x = a.step != 0 ? a : b;
  const int64_t factor = a.step != 0 ? b.first : a.first;
  const auto first = checked_mul(x.first, factor), step = checked_mul(x.step, factor);
  return first && step ? std::optional(Affine{*first, *step}) : std::nullopt;
}

// The comparison as d < 0, d <= 0, d == 0 or d != 0.
struct Comparison {
  enum class Kind : uint8_t { kBelow, kAtMost, kEqual, kDifferent };
  Kind kind = Kind::kBelow;
  Affine difference;
};

class CounterEvaluation {
 public:
  // The values for iterations 0 to `last`; kUnbounded if it is not known yet.
  CounterEvaluation(const HloModule& module, int32_t computation, const State& state, int64_t last,
                    LoopMemory& memory)
      : region_{module, computation}, state_(state), last_(last), valid_(memory.valid) {}

  std::optional<Affine> at(const HloPosition& position) {
    if (--steps_ < 0) return std::nullopt;
    const HloInstruction& i = region_.at(position);
    if (!is_one_integer(i, position.leaf)) return std::nullopt;
    const std::optional<Affine> value = evaluated(position, i);
    return value && fits(*value, i, position.leaf) ? value : std::nullopt;
  }

  // Comparisons that all hold where the position is true (false, if negated): behind calls, copies, not,
  // and, or, where one side of an or is known.
  using Comparisons = std::optional<std::vector<Comparison>>;
  Comparisons comparisons(HloPosition position, bool negated = false) {
    while (--steps_ >= 0) {
      const HloInstruction& i = region_.at(position);
      if (i.opcode == HloOpcode::kCompare) {
        std::optional<Comparison> one = compared(position, i);
        if (one && negated) one = opposite(*one);
        return one ? Comparisons({*one}) : std::nullopt;
      }
      const bool is_pred = i.shape && i.shape->element_type == ElementType::kPred;
      if (i.opcode == HloOpcode::kAnd || i.opcode == HloOpcode::kOr) {
        return is_pred ? of_both(position, i, negated) : std::nullopt;
      }
      if (i.opcode == HloOpcode::kConstant) return known(at(position), negated);
      if (i.opcode == HloOpcode::kNot && is_pred && i.operands.size() == 1) {
        negated = !negated;
        position = {position.calls, i.operands[0].instruction, 0};
        continue;
      }
      const auto before = before_of(position, i);
      if (!before) return std::nullopt;
      position = *before;
    }
    return std::nullopt;
  }

 private:
  static bool is_one_integer(const HloInstruction& i, int32_t leaf) {
    if (!i.shape) return false;
    const Shape* array = leaf_of(*i.shape, leaf);
    if (array == nullptr || !integers_in(array->element_type)) return false;
    return std::ranges::all_of(array->dimensions,
                               [](const Dimension& dimension) { return dimension.size == 1; });
  }

  bool fits(const Affine& value, const HloInstruction& i, int32_t leaf) const {
    const Interval type = *integers_in(*element_type_of(i, leaf));
    for (const int64_t k : {int64_t{0}, last_ == kUnbounded ? 0 : last_}) {
      const auto x = value_at(value, k);
      if (!x || *x < type.low || *x > type.high || *x == INT64_MAX) return false;
    }
    return true;
  }

  static std::optional<Comparison> opposite(const Comparison& c) {
    using Kind = Comparison::Kind;
    if (c.kind == Kind::kEqual) return Comparison{Kind::kDifferent, c.difference};
    if (c.kind == Kind::kDifferent) return Comparison{Kind::kEqual, c.difference};
    const auto difference = sum({0, 0}, c.difference, -1);
    if (!difference) return std::nullopt;
    return Comparison{c.kind == Kind::kBelow ? Kind::kAtMost : Kind::kBelow, *difference};
  }

  // What always holds, or never.
  static Comparisons known(const std::optional<Affine>& value, bool negated) {
    if (!value || value->step != 0) return std::nullopt;
    if ((value->first != 0) != negated) return std::vector<Comparison>{};
    return std::vector<Comparison>{{Comparison::Kind::kBelow, {0, 0}}};
  }

  Comparisons of_both(const HloPosition& position, const HloInstruction& i, bool negated) {
    if (i.operands.size() != 2) return std::nullopt;
    auto a = comparisons({position.calls, i.operands[0].instruction, 0}, negated);
    auto b = comparisons({position.calls, i.operands[1].instruction, 0}, negated);
    if (!a || !b) return std::nullopt;
    if ((i.opcode == HloOpcode::kAnd) != negated) {
      a->insert(a->end(), b->begin(), b->end());
      return a;
    }
    const auto never = [](const Comparison& c) {
      return c.kind == Comparison::Kind::kBelow && c.difference.first == 0 &&
             c.difference.step == 0;
    };
    if (a->empty() || std::ranges::any_of(*b, never)) return a;
    if (b->empty() || std::ranges::any_of(*a, never)) return b;
    return std::nullopt;
  }

  // The position that has the same value, of a call, a copy, or a part of a tuple.
  std::optional<HloPosition> before_of(const HloPosition& position, const HloInstruction& i) const {
    if (auto across = through_call(region_, position)) return across;
    const auto from = forwarded_leaf(i, position.leaf, [&](int32_t operand) -> const Shape* {
      const SharedShape& shape = region_.at({position.calls, operand, 0}).shape;
      return shape ? &*shape : nullptr;
    });
    if (!from || !is_valid(position, i)) return std::nullopt;
    return HloPosition{position.calls, i.operands[from->operand].instruction, from->leaf};
  }

  // What comes before the loop may be invalid, and then has no value.
  bool is_valid(const HloPosition& position, const HloInstruction& i) const {
    if (i.opcode == HloOpcode::kCopy) return true;
    const auto [known, is_new] = valid_.try_emplace(&i, false);
    if (is_new) {
      const int32_t at = computation_at(region_.module, region_.computation, position.calls);
      known->second = checked_op(region_.module, region_.module.computations[at], i).ok();
    }
    return known->second;
  }

  std::optional<Affine> evaluated(const HloPosition& position, const HloInstruction& i) {
    if (i.opcode == HloOpcode::kParameter && position.calls.empty()) {
      const auto known = state_.find(position.leaf);
      return known == state_.end() ? std::nullopt : std::optional(known->second);
    }
    if (!is_valid(position, i)) return std::nullopt;
    if (i.opcode == HloOpcode::kConstant) return constant(i);
    if (i.opcode == HloOpcode::kIota) return Affine{};
    if (const auto before = before_of(position, i)) return at(*before);
    const auto operand = [&](size_t k) -> std::optional<Affine> {
      if (k >= i.operands.size()) return std::nullopt;
      return at({position.calls, i.operands[k].instruction, 0});
    };
    switch (i.opcode) {
      case HloOpcode::kBroadcast:
      case HloOpcode::kConvert:
      case HloOpcode::kReshape:
      case HloOpcode::kSlice:
      case HloOpcode::kTranspose:
        return operand(0);
      case HloOpcode::kNegate: {
        const auto a = operand(0);
        return a ? sum({0, 0}, *a, -1) : std::nullopt;
      }
      case HloOpcode::kAnd:
      case HloOpcode::kOr:
      case HloOpcode::kNot:
      case HloOpcode::kDivide:
      case HloOpcode::kRemainder:
        return of_constants(i, operand(0), i.operands.size() > 1 ? operand(1) : operand(0));
      case HloOpcode::kAdd:
      case HloOpcode::kSubtract:
      case HloOpcode::kMultiply:
      case HloOpcode::kMinimum:
      case HloOpcode::kMaximum: {
        if (i.shape->element_type == ElementType::kPred) return std::nullopt;
        const auto a = operand(0), b = operand(1);
        if (!a || !b) return std::nullopt;
        if (i.opcode == HloOpcode::kAdd) return sum(*a, *b, 1);
        if (i.opcode == HloOpcode::kSubtract) return sum(*a, *b, -1);
        if (i.opcode == HloOpcode::kMultiply) return product(*a, *b);
        const auto difference = sum(*a, *b, -1);
        if (!difference) return std::nullopt;
        const auto less = outcome({Comparison::Kind::kBelow, *difference});
        if (!less) return std::nullopt;
        return *less == (i.opcode == HloOpcode::kMinimum) ? a : b;
      }
      case HloOpcode::kSelect: {
        const auto predicate = operand(0);
        if (!predicate || predicate->step != 0) return std::nullopt;
        return operand(predicate->first != 0 ? 1 : 2);
      }
      case HloOpcode::kCompare: {
        const auto known = compared(position, i);
        const auto holds = known ? outcome(*known) : std::nullopt;
        return holds ? std::optional(Affine{*holds ? 1 : 0, 0}) : std::nullopt;
      }
      default:
        return std::nullopt;
    }
  }

  // Operations of which only what they make of constants is known.
  static std::optional<Affine> of_constants(const HloInstruction& i, const std::optional<Affine>& x,
                                            const std::optional<Affine>& y) {
    if (!x || !y || x->step != 0 || y->step != 0) return std::nullopt;
    const int64_t a = x->first, b = y->first;
    const bool divides = a >= 0 && b > 0;
    switch (i.opcode) {
      case HloOpcode::kAnd:
        return Affine{a & b, 0};
      case HloOpcode::kOr:
        return Affine{a | b, 0};
      case HloOpcode::kDivide:
        return divides ? std::optional(Affine{a / b, 0}) : std::nullopt;
      case HloOpcode::kRemainder:
        return divides ? std::optional(Affine{a % b, 0}) : std::nullopt;
      default:  // not
        if (i.shape->element_type != ElementType::kPred) return std::nullopt;
        return Affine{1 - a, 0};
    }
  }

  static std::optional<Affine> constant(const HloInstruction& i) {
    const auto written = integers_of_literal(i.literal);
    if (!written || written->size() != 1) return std::nullopt;
    // A u64 of 2^63 and more becomes negative, which does not fit its type.
    return Affine{static_cast<int64_t>(written->front()), 0};
  }

  std::optional<Comparison> compared(const HloPosition& position, const HloInstruction& i) {
    const std::string* direction = find_attribute(i.attributes, "direction");
    const std::string* type = find_attribute(i.attributes, "type");
    if (direction == nullptr || i.operands.size() != 2) return std::nullopt;
    if (type != nullptr && *type == "UNSIGNED") return std::nullopt;
    const auto a = at({position.calls, i.operands[0].instruction, 0});
    const auto b = at({position.calls, i.operands[1].instruction, 0});
    if (!a || !b) return std::nullopt;
    const bool swapped = *direction == "GT" || *direction == "GE";
    const auto difference = swapped ? sum(*b, *a, -1) : sum(*a, *b, -1);
    if (!difference) return std::nullopt;
    using Kind = Comparison::Kind;
    if (*direction == "LT" || *direction == "GT") return Comparison{Kind::kBelow, *difference};
    if (*direction == "LE" || *direction == "GE") return Comparison{Kind::kAtMost, *difference};
    if (*direction == "EQ") return Comparison{Kind::kEqual, *difference};
    if (*direction == "NE") return Comparison{Kind::kDifferent, *difference};
    return std::nullopt;
  }

  // Whether it holds in all iterations, or in none.
  std::optional<bool> outcome(const Comparison& c) const {
    if (last_ == kUnbounded && c.difference.step != 0) return std::nullopt;
    const auto high = value_at(c.difference, last_ == kUnbounded ? 0 : last_);
    if (!high) return std::nullopt;
    const auto all = [&](const auto& test) { return test(c.difference.first) && test(*high); };
    using Kind = Comparison::Kind;
    switch (c.kind) {
      case Kind::kBelow:
        if (all([](int64_t d) { return d < 0; })) return true;
        if (all([](int64_t d) { return d >= 0; })) return false;
        return std::nullopt;
      case Kind::kAtMost:
        if (all([](int64_t d) { return d <= 0; })) return true;
        if (all([](int64_t d) { return d > 0; })) return false;
        return std::nullopt;
      default: {
        const bool negated = c.kind == Kind::kDifferent;
        if (all([](int64_t d) { return d == 0; })) return !negated;
        const bool apart =
            all([](int64_t d) { return d < 0; }) || all([](int64_t d) { return d > 0; });
        return apart ? std::optional(negated) : std::nullopt;
      }
    }
  }

  FollowRegion region_;
  const State& state_;
  int64_t last_;
  int64_t steps_ = kMaxSteps;
  std::map<const HloInstruction*, bool>& valid_;
};

// The first iteration in which it does not hold.
std::optional<absl::int128> first_failure(const Comparison& c) {
  const absl::int128 first = c.difference.first, step = c.difference.step;
  using Kind = Comparison::Kind;
  switch (c.kind) {
    case Kind::kBelow:
    case Kind::kAtMost: {
      const bool holds = c.kind == Kind::kAtMost ? first <= 0 : first < 0;
      if (!holds) return 0;
      if (step <= 0) return std::nullopt;
      return c.kind == Kind::kAtMost ? -(first / step) + 1 : -((first + 1) / step) + 1;
    }
    case Kind::kEqual:
      if (first != 0) return 0;
      return step != 0 ? std::optional<absl::int128>(1) : std::nullopt;
    default:
      if (first == 0) return 0;
      if (step == 0 || first % step != 0 || -first / step < 0) return std::nullopt;
      return -first / step;
  }
}

// The constants that the loop starts with: what its operand is in the computation around it.
State first_values(const op::While& loop, LoopMemory& memory) {
  const HloModule& module = *loop.module;
  const auto within = static_cast<int32_t>(loop.within - module.computations.data());
  const SharedShape& shape = loop.within->instructions[loop.operand].shape;
  State first;
  if (!shape) return first;
  const auto leaves = leaf_count(*shape);
  for (int32_t leaf = 0; leaf < leaves; ++leaf) {
    const State none;
    const auto value =
        CounterEvaluation(module, within, none, 0, memory).at({{}, loop.operand, leaf});
    if (value) first[leaf] = *value;
  }
  return first;
}

}  // namespace

std::optional<LoopCounters> counters_of(const op::While& loop) {
  const HloModule& module = *loop.module;
  const int32_t root = module.computations[loop.body].root;
  LoopCounters counters;
  LoopMemory& memory = *counters.memory;
  const State first = first_values(loop, memory);
  State constants;
  for (const bool only_constants : {true, false}) {
    for (const auto& [leaf, value] : first) {
      if (constants.contains(leaf)) continue;
      State own = constants;
      own[leaf] = {0, 1};  // the value before the iteration
      const auto next =
          CounterEvaluation(module, loop.body, own, kUnbounded, memory).at({{}, root, leaf});
      if (!next || next->step != 1 || (only_constants && next->first != 0)) continue;
      counters.state[leaf] = {value.first, next->first};
      if (next->first == 0) constants[leaf] = value;
    }
  }
  const HloPosition test{{}, module.computations[loop.condition].root, 0};
  const auto condition =
      CounterEvaluation(module, loop.condition, counters.state, kUnbounded, memory)
          .comparisons(test);
  if (!condition) return std::nullopt;
  std::optional<absl::int128> trips;
  for (const Comparison& one : *condition) {
    const auto failure = first_failure(one);
    if (failure && (!trips || *failure < *trips)) trips = failure;
  }
  if (!trips || *trips > kMaxLoopTrips) return std::nullopt;
  counters.trips = static_cast<int64_t>(*trips);
  // No number on the way leaves its type, also in the last test.
  const LoopCounters all = counters;
  std::erase_if(counters.state, [&](const auto& counter) {
    if (counters.trips == 0) return false;
    return !affine_at(loop, all, {{}, root, counter.first});
  });
  memory.affine.clear();  // found with more counters
  if (!CounterEvaluation(module, loop.condition, counters.state, counters.trips, memory)
           .comparisons(test)) {
    return std::nullopt;
  }
  return counters;
}

std::optional<Affine> affine_at(const op::While& loop, const LoopCounters& counters,
                                const HloPosition& position) {
  LoopMemory& memory = *counters.memory;
  const auto [known, is_new] = memory.affine.try_emplace(position);
  if (is_new) {
    known->second =
        CounterEvaluation(*loop.module, loop.body, counters.state, counters.trips - 1, memory)
            .at(position);
  }
  return known->second;
}

}  // namespace tileproof::impl
