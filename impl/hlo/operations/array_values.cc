// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/operations/array_values.h"

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "impl/hlo/offsets/resolve_source.h"
#include "impl/hlo/reached_leaves.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/hlo/hlo_known.h"

namespace tileproof::impl {
namespace {

constexpr int64_t kMostKnownArrays = 200;  // arrays on the way, and operations in a tree of them
constexpr int64_t kMostListed = 64;        // elements of a constant that differ

using KnownRange = std::optional<Interval>;

KnownRange known_range(const ArrayValues& values) {
  return is_anything(values) ? KnownRange() : KnownRange(values.range);
}

// Of an array beyond the limits: more is known than the reader says.
ArrayValues given_up() {
  ArrayValues values;
  values.gave_up = true;
  return values;
}

bool is_free(const ArrayValues& one) { return is_anything(one) && !one.gave_up; }

// What an operation gives that is not followed. The reader gives up, unless an operand may be
// anything in truth. `one_decides`: operands that it gave up on may be enough.
ArrayValues unknown(const std::vector<ArrayValues>& operands, bool one_decides) {
  const bool any_given_up = std::ranges::any_of(
      operands, [](const ArrayValues& one) { return is_anything(one) && one.gave_up; });
  const bool any_free = std::ranges::any_of(operands, is_free);
  return !any_free || (one_decides && any_given_up) ? given_up() : ArrayValues();
}

KnownRange hull(const KnownRange& a, const KnownRange& b) {
  if (!a || !b) return a ? a : b;
  return Interval{std::min(a->low, b->low), std::max(a->high, b->high)};
}

KnownRange ordered(std::optional<int64_t> x, std::optional<int64_t> y) {
  if (!x || !y) return std::nullopt;
  return Interval{std::min(*x, *y), std::max(*x, *y)};
}

KnownRange arithmetic(HloOpcode opcode, const Interval& a, const Interval& b) {
  switch (opcode) {
    case HloOpcode::kAdd:
      return ordered(checked_add(a.low, b.low), checked_add(a.high, b.high));
    case HloOpcode::kSubtract:
      return ordered(checked_sub(a.low, b.high), checked_sub(a.high, b.low));
    case HloOpcode::kMultiply: {
      if (!is_point(a) && !is_point(b)) return std::nullopt;
      const int64_t factor = is_point(a) ? a.low : b.low;
      const Interval& x = is_point(a) ? b : a;
      return ordered(checked_mul(x.low, factor), checked_mul(x.high, factor));
    }
    case HloOpcode::kDivide:
    case HloOpcode::kRemainder: {
      if (a.low < 0 || !is_point(b) || b.low <= 0) return std::nullopt;
      const bool divides = opcode == HloOpcode::kDivide;
      return divides ? Interval{a.low / b.low, a.high / b.low}
                     : Interval{0, std::min(a.high, b.low - 1)};
    }
    default:
      return std::nullopt;
  }
}

bool is_arithmetic(HloOpcode opcode) { return arithmetic(opcode, {0, 0}, {1, 1}).has_value(); }

// How many operands an operation has whose result may be known.
size_t operands_of(HloOpcode opcode, bool is_predicate) {
  switch (opcode) {
    case HloOpcode::kSelect:
      return 3;
    case HloOpcode::kConvert:
      return 1;
    case HloOpcode::kNot:
      return is_predicate ? 1 : 0;
    case HloOpcode::kAnd:
    case HloOpcode::kOr:
    case HloOpcode::kXor:
    case HloOpcode::kCompare:
      return is_predicate ? 2 : 0;
    case HloOpcode::kClamp:
      return is_predicate ? 0 : 3;
    case HloOpcode::kNegate:
      return is_predicate ? 0 : 1;
    case HloOpcode::kMinimum:
    case HloOpcode::kMaximum:
      return is_predicate ? 0 : 2;
    default:
      return !is_predicate && is_arithmetic(opcode) ? 2 : 0;
  }
}

// Whether an operation makes numbers of numbers, though the reader does not follow it.
bool makes_numbers(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAbs:
    case HloOpcode::kAdd:  // of predicates: or
    case HloOpcode::kAnd:
    case HloOpcode::kBitcast:
    case HloOpcode::kBitcastConvert:
    case HloOpcode::kCountLeadingZeros:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kGather:
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
    case HloOpcode::kMultiply:
    case HloOpcode::kNot:
    case HloOpcode::kOr:
    case HloOpcode::kPad:
    case HloOpcode::kPopcnt:
    case HloOpcode::kShiftLeft:
    case HloOpcode::kShiftRightArithmetic:
    case HloOpcode::kShiftRightLogical:
    case HloOpcode::kSign:
    case HloOpcode::kXor:
      return true;
    default:
      return false;
  }
}

class ArrayReader {
 public:
  // With `called`, parameters are what they are at the call that runs the computation.
  explicit ArrayReader(ComputationDependences& within, bool called = false)
      : within_(within),
        region_{*within.view().module, within.view().position},
        called_(called && within.caller().within != nullptr) {}

  // What a leaf is. It may be anything if it has too many arrays on the way. What may be anything
  // at the call is what it is at any call.
  static ArrayValues at_call(ComputationDependences& within, OperandLeaf leaf) {
    bool gave_up = false;
    for (const bool called : {true, false}) {
      ArrayReader reader(within, called);
      ArrayValues values = reader.of({{}, leaf.operand, leaf.leaf});
      if (reader.has_too_many()) values = given_up();
      gave_up = values.gave_up = gave_up || values.gave_up;
      if (!is_anything(values)) return values;
      if (!reader.called_) break;
    }
    return gave_up ? given_up() : ArrayValues();
  }

  bool has_too_many() const { return std::ssize(seen_) > kMostKnownArrays; }

  const std::vector<OperandLeaf>& parameters() const { return parameters_; }

  ArrayValues of(HloPosition position) {
    while (auto across = same_as(position)) position = *std::move(across);
    const auto [at, is_new] = seen_.try_emplace(position);
    if (is_new) at->second = has_too_many() ? given_up() : fitting(position);
    return at->second;
  }

 private:
  ComputationDependences& around(const HloPosition& position) {
    return within_.inside(computation_at(region_.module, region_.computation, position.calls));
  }

  // The position on the other side of a call, or before a loop.
  std::optional<HloPosition> same_as(const HloPosition& position) {
    if (auto across = through_call(region_, position)) return across;
    const auto operand = operand_of_loop(around(position), {position.instruction, position.leaf});
    if (!operand) return std::nullopt;
    return HloPosition{position.calls, *operand, position.leaf};
  }

  ArrayValues fitting(const HloPosition& position) {
    ComputationDependences& here = around(position);
    const ComputationView& view = here.view();
    const HloInstruction& i = region_.at(position);
    const std::optional<ElementType> element = element_type_of(i, position.leaf);
    const auto type = element ? integers_in(*element) : std::nullopt;
    if (!type) return {};
    if (i.opcode == HloOpcode::kParameter && position.calls.empty()) {
      const OperandLeaf from{static_cast<int32_t>(i.parameter_number), position.leaf};
      parameters_.push_back(from);
      return called_ ? argument(within_.caller(), from) : ArrayValues();
    }
    ArrayValues values = known(here, position, i, *element == ElementType::kPred);
    if (is_anything(values)) return values;
    if (values.range.low < type->low || values.range.high > type->high ||
        values.range.high == INT64_MAX) {
      return given_up();
    }
    values.is_predicate = *element == ElementType::kPred;
    values.sizes = view.sizes[view.first_leaf[position.instruction] + position.leaf];
    for (const ArrayValues& one : values.operands) {
      values.operations += one.operations;
      values.gave_up = values.gave_up || one.gave_up;
    }
    return values.operations > kMostKnownArrays ? given_up() : values;
  }

  // What the operand of the call is, or the state of the loop in each iteration. Made once.
  ArrayValues argument(const Caller& caller, OperandLeaf from) {
    const auto [known, is_new] =
        within_.arguments().try_emplace(std::pair(from.operand, from.leaf));
    if (!is_new) return *std::static_pointer_cast<const ArrayValues>(known->second);
    ArrayValues values;
    if (const auto operand = operand_at(*caller.within, caller.call, from)) {
      values = at_call(*caller.within, {*operand, from.leaf});
    }
    known->second = std::make_shared<const ArrayValues>(values);
    return values;
  }

  ArrayValues known(ComputationDependences& here, const HloPosition& position,
                    const HloInstruction& i, bool is_predicate) {
    if (i.opcode == HloOpcode::kIota) return iota(here.view(), position, i, is_predicate);
    if (i.opcode == HloOpcode::kConstant) return constant(here.view(), position, i);
    const absl::StatusOr<Dependences>& step = here.of(position.instruction, position.leaf);
    if (!step.ok() || !step->conservative.empty()) return {};
    ArrayValues values = moves_elements(i.opcode)
                             ? moved(here.view(), position, i, *step)
                             : computed(here.view(), position, i, is_predicate);
    return is_free(values) && makes_numbers(i.opcode) ? not_followed(position, i) : values;
  }

  // An update or padding may be known where the rest of the array is not.
  ArrayValues not_followed(const HloPosition& position, const HloInstruction& i) {
    std::vector<ArrayValues> operands;
    for (const HloOperand& operand : i.operands) {
      operands.push_back(of({position.calls, operand.instruction, 0}));
    }
    if (i.opcode == HloOpcode::kPad || i.opcode == HloOpcode::kDynamicUpdateSlice) {
      if (is_free(operands[0]) && is_free(operands[1])) return {};
      operands.erase(operands.begin(), operands.begin() + 2);
    }
    return unknown(operands, false);
  }

  static ArrayValues iota(const ComputationView& view, const HloPosition& position,
                          const HloInstruction& i, bool is_predicate) {
    const Dims& sizes = view.sizes[view.first_leaf[position.instruction]];
    const auto dimension = integer_of(i, "iota_dimension");
    if (is_predicate || !dimension.ok() || *dimension < 0 || *dimension >= std::ssize(sizes)) {
      return {};
    }
    ArrayValues values{.kind = ValuesKind::kIota, .dimension = *dimension};
    values.range = {0, std::max<int64_t>(sizes[*dimension] - 1, 0)};
    return values;
  }

  static ArrayValues constant(const ComputationView& view, const HloPosition& position,
                              const HloInstruction& i) {
    auto elements = integers_of_constant(i);
    const auto count = element_count(view.sizes[view.first_leaf[position.instruction]]);
    if (!elements || elements->empty() || count != std::ssize(*elements)) return {};
    const auto [least, most] = std::ranges::minmax(*elements);
    if (least == most) elements->resize(1);
    if (std::ssize(*elements) > kMostListed) return given_up();
    ArrayValues values{.kind = ValuesKind::kListed, .elements = *std::move(elements)};
    values.range = {least, most};
    return values;
  }

  ArrayValues moved(const ComputationView& view, const HloPosition& position,
                    const HloInstruction& i, const Dependences& step) {
    ArrayValues values{.kind = ValuesKind::kMoved};
    KnownRange range;
    const auto element = element_type_of(i, position.leaf);
    for (const Dependence& dependence : step.dependences) {
      const int32_t operand = i.operands[dependence.operand].instruction;
      const HloPosition from{position.calls, operand, dependence.leaf};
      const ShapeLeaves& shape = view.shapes[operand];
      if (shape.leaves[dependence.leaf].array->element_type != element) return {};
      ArrayValues one = of(from);
      range = hull(range, known_range(one));
      const bool is_again = std::ranges::any_of(
          std::span(step.dependences.data(), values.moves.size()), [&](const Dependence& before) {
            return before.operand == dependence.operand && before.leaf == dependence.leaf;
          });
      if (is_again) one.operations = 0;  // another case of the same operand
      values.moves.push_back(dependence.relation);
      values.operands.push_back(std::move(one));
    }
    if (values.operands.empty()) return {};
    if (!range) return unknown(values.operands, true);
    // A bitcast may show what was padding: any value.
    const Dims& sizes = view.sizes[view.first_leaf[position.instruction] + position.leaf];
    for (const AccessRelationPtr& move : values.moves) {
      const bool lacks = i.opcode == HloOpcode::kBitcast && !is_total(*move, sizes);
      if (lacks || move->inexact || !move->runtime.empty()) values.gave_up = true;
    }
    values.range = *range;
    return values;
  }

  static bool is_total(const AccessRelation& move, const Dims& sizes) {
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (move.map.dimensions[d].bounds != Interval{0, sizes[d] - 1}) return false;
    }
    return move.map.constraints.empty();
  }

  ArrayValues computed(const ComputationView& view, const HloPosition& position,
                       const HloInstruction& i, bool is_predicate) {
    ArrayValues values{.kind = ValuesKind::kComputed, .opcode = i.opcode};
    const size_t count = operands_of(i.opcode, is_predicate);
    if (count == 0 || i.operands.size() != count) return {};
    if (i.opcode == HloOpcode::kCompare) {
      const std::string* direction = find_attribute(i.attributes, "direction");
      if (direction == nullptr || !is_known_value(i.opcode, "direction", *direction)) return {};
      values.direction = *direction;
    }
    const Dims& output = view.sizes[view.first_leaf[position.instruction]];
    for (const HloOperand& operand : i.operands) {
      ArrayValues one = of({position.calls, operand.instruction, 0});
      if (!is_anything(one) && one.sizes != output) {  // a scalar for all elements
        ArrayValues same{
            .kind = ValuesKind::kMoved, .is_predicate = one.is_predicate, .range = one.range};
        same.sizes = output;
        same.operations = one.operations;
        same.gave_up = one.gave_up;
        same.moves.push_back(universe_relation(output, one.sizes));
        same.operands.push_back(std::move(one));
        one = std::move(same);
      }
      values.operands.push_back(std::move(one));
    }
    const KnownRange range =
        is_predicate ? predicate(i, values.operands) : integer(i.opcode, values.operands);
    const bool one_decides =
        i.opcode == HloOpcode::kSelect || (is_predicate && i.opcode != HloOpcode::kCompare);
    if (!range) return unknown(values.operands, one_decides);
    values.range = *range;
    return values;
  }

  static KnownRange integer(HloOpcode opcode, const std::vector<ArrayValues>& operands) {
    const KnownRange first = known_range(operands[0]);
    if (opcode == HloOpcode::kSelect)
      return hull(known_range(operands[1]), known_range(operands[2]));
    if (std::ranges::any_of(operands, is_anything)) return std::nullopt;
    if (opcode == HloOpcode::kConvert) return first;
    if (opcode == HloOpcode::kNegate) {
      return ordered(checked_sub(0, first->low), checked_sub(0, first->high));
    }
    if (is_arithmetic(opcode)) return arithmetic(opcode, *first, operands[1].range);
    KnownRange all = first;
    for (const ArrayValues& one : operands) all = hull(all, one.range);
    return all;
  }

  static KnownRange predicate(const HloInstruction& i, const std::vector<ArrayValues>& operands) {
    if (std::ranges::all_of(operands, is_anything)) return std::nullopt;
    if (i.opcode != HloOpcode::kCompare) return Interval{0, 1};
    const std::string* type = find_attribute(i.attributes, "type");
    if (std::ranges::any_of(operands, is_anything)) return std::nullopt;
    const bool negative = operands[0].range.low < 0 || operands[1].range.low < 0;
    if (type != nullptr && *type != "SIGNED" && negative) return std::nullopt;
    return Interval{0, 1};
  }

  ComputationDependences& within_;
  FollowRegion region_;
  bool called_;
  std::map<HloPosition, ArrayValues> seen_;
  std::vector<OperandLeaf> parameters_;
};

}  // namespace

std::optional<int32_t> operand_of_loop(ComputationDependences& within, OperandLeaf state) {
  const HloInstruction& at = within.view().computation().instructions[state.operand];
  const auto leaves = std::ssize(within.view().shapes[state.operand].leaves);
  if (at.opcode != HloOpcode::kWhile || state.leaf >= leaves) return std::nullopt;
  const absl::StatusOr<Dependences>& step = within.of(state.operand, state.leaf);
  if (!step.ok() || !step->conservative.empty()) return std::nullopt;
  ComputationDependences& body = within.inside(called_computations(at, "body")[0]);
  const ComputationView& view = body.view();
  const std::vector<HloInstruction>& inside = view.computation().instructions;
  const auto shape_of = [&](int32_t i) { return view.shapes[i].shape; };
  const auto type = element_type_of(at, state.leaf);
  OperandLeaf here{view.computation().root, state.leaf};
  while (inside[here.operand].opcode != HloOpcode::kParameter) {
    const HloInstruction& i = inside[here.operand];
    if (element_type_of(i, here.leaf) != type || !body.of(here.operand, here.leaf).ok()) {
      return std::nullopt;
    }
    const auto from = forwarded_leaf(i, here.leaf, shape_of);
    if (!from) return std::nullopt;
    here = {i.operands[from->operand].instruction, from->leaf};
  }
  const int32_t operand = at.operands[0].instruction;
  const HloInstruction& first = within.view().computation().instructions[operand];
  const bool is_same = here.leaf == state.leaf &&
                       element_type_of(inside[here.operand], here.leaf) == type &&
                       element_type_of(first, state.leaf) == type;
  return is_same ? std::optional(operand) : std::nullopt;
}

std::optional<int32_t> operand_at(ComputationDependences& within, int32_t call, OperandLeaf from) {
  const HloInstruction& at = within.view().computation().instructions[call];
  if (at.opcode == HloOpcode::kWhile) return operand_of_loop(within, {call, from.leaf});
  if (from.operand >= std::ssize(at.operands)) return std::nullopt;
  return at.operands[from.operand].instruction;
}

std::optional<ArrayValues> values_of(ComputationDependences& within, OperandLeaf array) {
  ArrayValues values = ArrayReader::at_call(within, array);
  if (is_anything(values) && !values.gave_up) return std::nullopt;
  return values;
}

std::vector<OperandLeaf> parameters_of_values(ComputationDependences& within, OperandLeaf array) {
  ArrayReader reader(within);
  reader.of({{}, array.operand, array.leaf});
  return reader.parameters();
}

}  // namespace tileproof::impl
