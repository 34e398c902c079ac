// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/operations/known_values.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "impl/hlo/backward_slice.h"
#include "impl/hlo/offsets/resolve_source.h"
#include "impl/hlo/operations/known_predicate.h"
#include "impl/map/simplify.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/hlo/hlo_known.h"

namespace tileproof::impl {
namespace {

// Arrays that are looked at, once for each case.
constexpr int64_t kMostSteps = 500, kMostStepsOfPredicate = 200;
// Elements of a constant, unless all are equal.
constexpr int64_t kMostElements = 4096, kMostElementsOfPredicate = 64;
constexpr size_t kMostAlternatives = 24;

using Through = ValueRegion::Through;

// ---- Operations

enum class Rule : uint8_t {
  kNone,      // the result may be anything
  kMoved,     // each element is one of an operand
  kComputed,  // followed element by element
  kNumbers,   // made of numbers, but not followed
};

Rule rule_of(HloOpcode opcode, bool is_predicate) {
  if (moves_elements(opcode)) return Rule::kMoved;
  switch (opcode) {
    case HloOpcode::kAdd:
    case HloOpcode::kAnd:
    case HloOpcode::kCompare:
    case HloOpcode::kConvert:
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
    case HloOpcode::kMultiply:
    case HloOpcode::kOr:
    case HloOpcode::kSelect:
      return Rule::kComputed;
    case HloOpcode::kNot:
    case HloOpcode::kXor:
      return is_predicate ? Rule::kComputed : Rule::kNumbers;
    case HloOpcode::kClamp:
    case HloOpcode::kDivide:
    case HloOpcode::kNegate:
    case HloOpcode::kRemainder:
    case HloOpcode::kSubtract:
      return is_predicate ? Rule::kNone : Rule::kComputed;
    case HloOpcode::kAbs:
    case HloOpcode::kBitcastConvert:
    case HloOpcode::kCountLeadingZeros:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kGather:
    case HloOpcode::kPad:
    case HloOpcode::kPopcnt:
    case HloOpcode::kPower:
    case HloOpcode::kShiftLeft:
    case HloOpcode::kShiftRightArithmetic:
    case HloOpcode::kShiftRightLogical:
    case HloOpcode::kSign:
      return Rule::kNumbers;
    default:
      return Rule::kNone;
  }
}

// The same operation of predicates: true is more than false, and twice true is true.
HloOpcode as_logic(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAdd:
    case HloOpcode::kMaximum:
      return HloOpcode::kOr;
    case HloOpcode::kMinimum:
    case HloOpcode::kMultiply:
      return HloOpcode::kAnd;
    default:
      return opcode;
  }
}

// The number modulo the size of the type, as XLA counts: 0, .., 127, -128, .. for s8.
NodeId wrapped(ExprTable& nodes, NodeId number, Interval type) {
  const NodeId size = add_constant(nodes, type.high - type.low + 1);
  const NodeId rest = add_operation(nodes, Op::kMod, number, size);
  if (type.low == 0) return rest;
  const NodeId low = add_constant(nodes, type.low), above = add_constant(nodes, -type.low);
  const NodeId from_low =
      add_operation(nodes, Op::kMod, add_operation(nodes, Op::kAdd, rest, above), size);
  return add_operation(nodes, Op::kAdd, from_low, low);
}

// The index of the element with this row-major number.
Dims index_of(int64_t number, const Dims& sizes) {
  Dims index(sizes.size());
  for (size_t d = sizes.size(); d-- > 0; number /= sizes[d]) index[d] = number % sizes[d];
  return index;
}

// ---- Arrays

// An array, seen from where values are followed.
struct Array {
  const ValueRegion* region;
  HloPosition position;
};

// The instruction that makes it.
struct Made {
  ComputationDependences& here;
  const HloInstruction& by;
  const Dims& sizes;
  ElementType element;
  Interval type;  // the integers that it holds

  bool is_predicate() const { return element == ElementType::kPred; }
};

// Goes to the same array before a loop, or in the caller of this computation. Returns false if there
// is none.
bool step_out(Array& array, ComputationDependences& here, const HloInstruction& at) {
  HloPosition& position = array.position;
  if (const auto operand = operand_of_loop(here, {position.instruction, position.leaf})) {
    position.instruction = *operand;
    return true;
  }
  const Caller& caller = here.caller();
  if (at.opcode != HloOpcode::kParameter || !position.calls.empty() || caller.within == nullptr) {
    return false;
  }
  const OperandLeaf from{static_cast<int32_t>(at.parameter_number), position.leaf};
  const auto operand = operand_at(*caller.within, caller.call, from);
  if (operand) array = {&caller.within->values(), {{}, *operand, from.leaf}};
  return operand.has_value();
}

// Follows the array across calls to the instruction that makes it; nothing if that is outside, or
// makes no integers.
std::optional<Made> origin_of(Array& array) {
  while (!array.region->follow.is_outside(array.position)) {
    if (auto across = through_call(array.region->follow, array.position)) {
      array.position = *std::move(across);
      continue;
    }
    ComputationDependences* here = array.region->at(array.position);
    if (here == nullptr) return std::nullopt;
    const HloInstruction& by = array.region->follow.at(array.position);
    const auto element = element_type_of(by, array.position.leaf);
    const auto type = element ? integers_in(*element) : std::nullopt;
    if (!type) return std::nullopt;
    if (array.region->through != Through::kAll || !step_out(array, *here, by)) {
      const ComputationView& view = here->view();
      const int32_t number = view.first_leaf[array.position.instruction] + array.position.leaf;
      return Made{*here, by, view.sizes[number], *element, *type};
    }
  }
  return std::nullopt;
}

class ValueReader {
 public:
  // `sizes`: of the array whose index the dimensions are.
  ValueReader(const Dims* sizes, size_t most, int64_t steps)
      : sizes_(sizes), most_(most), steps_(steps) {}

  // The leaves of parameters that were met, of the computation where the reading begins.
  const std::vector<OperandLeaf>& parameters() const { return parameters_; }

  Cases cases(Array array, const AccessRelationPtr& at) {
    if (--steps_ < 0) return everywhere(*at, Case::kLost);
    const std::optional<Made> made = origin_of(array);
    if (!made) return everywhere(*at, Case::kAnything);
    Cases found = made_by(array, *made, at);
    if (!found.empty() && all_are(found, Case::kAnything)) return everywhere(*at, Case::kAnything);
    if (made->is_predicate()) found = absorbed(found, *sizes_);
    const size_t most = made->is_predicate() ? 2 * most_ : most_;
    return found.size() <= most ? std::move(found) : everywhere(*at, Case::kLost);
  }

  bool is_free(const Array& array, const Dims& sizes) {
    const Dims* outer = std::exchange(sizes_, &sizes);
    const bool is_free = all_are(cases(array, identity_relation(sizes)), Case::kAnything);
    sizes_ = outer;
    return is_free;
  }

 private:
  Cases made_by(const Array& array, const Made& made, const AccessRelationPtr& at) {
    const HloInstruction& by = made.by;
    if (by.opcode == HloOpcode::kParameter) return fitting(parameter(array, at), array, made);
    if (by.opcode == HloOpcode::kIota) return fitting(iota(array, made, *at), array, made);
    if (by.opcode == HloOpcode::kConstant) return fitting(constant(array, made, *at), array, made);
    const Rule rule = rule_of(by.opcode, made.is_predicate());
    const bool is_followed =
        rule == Rule::kMoved || (rule != Rule::kNone && array.region->through != Through::kMoves);
    if (!is_followed) return everywhere(*at, Case::kAnything);
    const auto& step = made.here.of(array.position.instruction, array.position.leaf);
    if (!step.ok() || !step->conservative.empty()) return everywhere(*at, Case::kAnything);
    if (rule == Rule::kMoved) return moved(array, made, *step, at);
    if (rule == Rule::kNumbers) return everywhere(*at, not_followed(array, made));
    return fitting(computed(array, made, at), array, made);
  }

  // The cases; the value is lost where the type may not hold it.
  static Cases fitting(Cases cases, const Array& array, const Made& made) {
    const auto fits = [&](const Case& one) {
      const std::optional<Interval> all = values_of(one.map, one.value);
      // A number beyond int64 is the nearest one, which is the same for an offset.
      const bool is_near =
          all && all->high == INT64_MAX && array.region->through != Through::kMoves;
      return all && !is_near && made.type.low <= all->low && all->high <= made.type.high;
    };
    for (Case& one : cases) {
      if (one.value >= 0 && !fits(one)) one.value = Case::kLost;
    }
    return cases;
  }

  Cases parameter(const Array& array, const AccessRelationPtr& at) {
    Cases found = everywhere(*at, Case::kAnything);
    if (!array.position.calls.empty()) return found;
    const std::map<int32_t, Affine>* state = array.region->state;
    if (state == nullptr) {
      const HloInstruction& by = array.region->follow.at(array.position);
      parameters_.push_back({static_cast<int32_t>(by.parameter_number), array.position.leaf});
    } else if (const auto known = state->find(array.position.leaf); known != state->end()) {
      found[0].value = add_counter(found[0].map.nodes, known->second);
    }
    return found;
  }

  static Cases iota(const Array& array, const Made& made, const AccessRelation& at) {
    const auto dimension = integer_of(made.by, "iota_dimension");
    if (made.is_predicate() || !dimension.ok() || *dimension < 0 || *dimension >= at.rank) {
      return everywhere(at, Case::kAnything);
    }
    Cases found = everywhere(at, at.map.results[*dimension]);
    const std::optional<Interval> all = values_of(found[0].map, found[0].value);
    if (array.region->through == Through::kMoves && all && all->high > made.type.high) {
      found[0].value = wrapped(found[0].map.nodes, found[0].value, made.type);
    }
    return found;
  }

  // The elements of a constant, those in a row that are alike together.
  Cases constant(const Array& array, const Made& made, const AccessRelation& at) const {
    const auto elements = integers_of_constant(made.by);
    if (!elements || elements->empty() || element_count(made.sizes) != std::ssize(*elements)) {
      return everywhere(at, Case::kAnything);
    }
    const std::vector<int64_t>& all = *elements;
    const auto constant_at = [](IndexingMap map, int64_t value) {
      map.results.clear();
      const NodeId node = add_constant(map.nodes, value);
      return Case{std::move(map), node};
    };
    bool is_one = std::ranges::adjacent_find(all, std::not_equal_to<>()) == all.end();
    if (is_one) return {constant_at(at.map, all[0])};
    const bool is_offset = array.region->through == Through::kMoves;
    if (std::ssize(all) > (is_offset ? kMostElements : kMostElementsOfPredicate)) {
      return everywhere(at, Case::kLost);
    }
    for (const NodeId result : at.map.results) {
      if (!values_of(at.map, result)) return everywhere(at, Case::kLost);
    }
    Cases found;
    std::optional<int64_t> only;
    is_one = true;
    for (int64_t first = 0, last = 0; first < std::ssize(all); first = last) {
      for (last = first + 1; last % made.sizes.back() != 0 && all[last] == all[first];) ++last;
      const Dims from = index_of(first, made.sizes), to = index_of(last - 1, made.sizes);
      IndexingMap map = at.map;
      bool may_be = true;
      for (size_t d = from.size(); d-- > 0;) {
        may_be = may_be && require(map, map.results[d], {from[d], to[d]});
      }
      if (!may_be) continue;
      found.push_back(constant_at(std::move(map), all[first]));
      is_one = is_one && only.value_or(all[first]) == all[first];
      only = all[first];
      if (!is_one && found.size() > most_) return everywhere(at, Case::kLost);
    }
    return is_one && only ? Cases{constant_at(at.map, *only)} : found;
  }

  Cases moved(const Array& array, const Made& made, const Dependences& step,
              const AccessRelationPtr& at) {
    if (step.dependences.empty()) return everywhere(*at, Case::kAnything);
    const ComputationView& view = made.here.view();
    Cases found;
    for (const auto& [operand, leaf, relation] : step.dependences) {
      const Array from{array.region,
                       {array.position.calls, made.by.operands[operand].instruction, leaf}};
      const Dims& sizes = view.sizes[view.first_leaf[from.position.instruction] + leaf];
      const auto& of = view.shapes[from.position.instruction].leaves[leaf].array;
      // A bitcast may show what was padding, or take the bits for other numbers.
      const bool is_bitcast = made.by.opcode == HloOpcode::kBitcast;
      const bool keeps_type = of->element_type == made.element;
      if (!keeps_type && !is_bitcast) return everywhere(*at, Case::kAnything);
      if (!keeps_type || (is_bitcast && !is_box(relation->map, made.sizes)) || relation->inexact ||
          !relation->runtime.empty()) {
        return everywhere(*at, not_followed(array, made));
      }
      const AccessRelationPtr index = compose(at, relation, *sizes_, made.sizes, sizes);
      if (!index) continue;
      if (index->inexact) return everywhere(*at, Case::kLost);
      for (Case& one : cases(from, index)) found.push_back(std::move(one));
    }
    return found;
  }

  // The result of an operation that is not followed: anything if an operand is.
  NodeId not_followed(const Array& array, const Made& made) {
    std::vector<char> free;
    for (const HloOperand& operand : made.by.operands) {
      const ComputationView& view = made.here.view();
      const Array from{array.region, {array.position.calls, operand.instruction, 0}};
      free.push_back(is_free(from, view.sizes[view.first_leaf[operand.instruction]]));
    }
    auto first = free.begin();
    // An update or padding may be known where the rest of the array is not.
    if (made.by.opcode == HloOpcode::kPad || made.by.opcode == HloOpcode::kDynamicUpdateSlice) {
      if (free[0] && free[1]) return Case::kAnything;
      first += 2;
    }
    return std::count(first, free.end(), 1) > 0 ? Case::kAnything : Case::kLost;
  }

  // Whether the operands have the types that the operation needs. XLA refuses others; nothing is known of what they
  // make.
  static bool has_its_types(const Made& made) {
    const auto type = [&](size_t k) {
      const auto& array = made.here.view().shapes[made.by.operands[k].instruction].leaves[0].array;
      return array ? array->element_type : ElementType::kOpaque;
    };
    for (size_t k = 0; k < made.by.operands.size(); ++k) {
      const bool chooses = made.by.opcode == HloOpcode::kSelect && k == 0;
      ElementType needed = chooses ? ElementType::kPred : made.element;
      if (made.by.opcode == HloOpcode::kCompare) needed = type(0);
      if (made.by.opcode != HloOpcode::kConvert && type(k) != needed) return false;
    }
    return true;
  }

  Cases computed(const Array& array, const Made& made, const AccessRelationPtr& at) {
    if (!has_its_types(made)) return everywhere(*at, Case::kAnything);
    const HloOpcode opcode = made.is_predicate() ? as_logic(made.by.opcode) : made.by.opcode;
    const auto operand = [&](size_t k) {
      const int32_t instruction = made.by.operands[k].instruction;
      const ComputationView& view = made.here.view();
      const Dims& sizes = view.sizes[view.first_leaf[instruction]];
      const AccessRelationPtr index =  // a scalar is for all elements
          sizes == made.sizes
              ? at
              : compose(at, universe_relation(made.sizes, sizes), *sizes_, made.sizes, sizes);
      return cases({array.region, {array.position.calls, instruction, 0}}, index);
    };
    switch (opcode) {
      case HloOpcode::kConvert: {
        if (!made.is_predicate()) return operand(0);
        Cases zero = everywhere(*at, Case::kAnything);
        zero[0].value = add_constant(zero[0].map.nodes, 0);
        return compared("NE", operand(0), zero, *sizes_, most_);
      }
      case HloOpcode::kNot:
        return negated_predicate(operand(0));
      case HloOpcode::kNegate:
        return negated(operand(0));
      case HloOpcode::kSelect:
        return chosen(operand(0), operand(1), operand(2), *sizes_);
      case HloOpcode::kAnd:
      case HloOpcode::kOr:
      case HloOpcode::kXor:
        if (made.is_predicate()) return logical(opcode, operand(0), operand(1), *sizes_);
        return combined(opcode, operand(0), operand(1), *sizes_, most_);
      case HloOpcode::kMinimum:
      case HloOpcode::kMaximum:
        return nearest(opcode == HloOpcode::kMinimum, operand(0), operand(1), *sizes_, most_);
      case HloOpcode::kClamp: {
        const Cases above = nearest(false, operand(0), operand(1), *sizes_, most_);
        return nearest(true, above, operand(2), *sizes_, most_);
      }
      case HloOpcode::kCompare: {
        const std::string* direction = find_attribute(made.by.attributes, "direction");
        const std::string* type = find_attribute(made.by.attributes, "type");
        if (direction == nullptr || !is_known_value(opcode, "direction", *direction)) {
          return everywhere(*at, Case::kAnything);
        }
        const bool is_signed = type == nullptr || *type == "SIGNED";
        const auto number = [&](size_t k) {
          return is_signed ? operand(k) : from_0_on(operand(k));
        };
        return compared(*direction, number(0), number(1), *sizes_, most_);
      }
      default:
        return combined(opcode, operand(0), operand(1), *sizes_, most_);
    }
  }

  const Dims* sizes_;
  size_t most_;
  int64_t steps_;
  std::vector<OperandLeaf> parameters_;
};

}  // namespace

NodeId add_counter(ExprTable& nodes, const Affine& counter) {
  const NodeId grown = add_product(nodes, add_variable(nodes, Op::kDimension, 0), counter.step);
  return add_operation(nodes, Op::kAdd, grown, add_constant(nodes, counter.first));
}

std::optional<Cases> values_at(const ValueRegion& region, const HloPosition& position,
                               const Dims& sizes, const AccessRelationPtr& at, size_t most) {
  Cases cases = ValueReader(&sizes, most, kMostSteps).cases({&region, position}, at);
  const auto is_known = [](const Case& one) { return one.value >= 0; };
  return std::ranges::all_of(cases, is_known) ? std::optional(std::move(cases)) : std::nullopt;
}

std::optional<PredicateConditions> conditions_at(const ValueRegion& region,
                                                 const HloPosition& position, const Dims& sizes,
                                                 const AccessRelationPtr& at) {
  const int64_t steps = region.state == nullptr ? kMostStepsOfPredicate : kMostSteps;
  const Cases cases = ValueReader(&sizes, kMostAlternatives, steps).cases({&region, position}, at);
  if (all_are(cases, Case::kAnything)) return std::nullopt;
  PredicateConditions conditions = conditions_of(cases, sizes);
  conditions.gave_up = any_is(cases, Case::kLost) ||
                       std::max(conditions.yes.size(), conditions.no.size()) > kMostAlternatives;
  return conditions;
}

namespace {

bool is_anything(ValueReader& reader, ComputationDependences& within, OperandLeaf array) {
  const ComputationView& view = within.view();
  return reader.is_free({&within.values(), {{}, array.operand, array.leaf}},
                        view.sizes[view.first_leaf[array.operand] + array.leaf]);
}

}  // namespace

std::vector<OperandLeaf> parameters_of_value(ComputationDependences& within, OperandLeaf array) {
  ValueReader reader(nullptr, kMostAlternatives, kMostStepsOfPredicate);
  is_anything(reader, within, array);
  return reader.parameters();
}

bool is_anything(ComputationDependences& within, OperandLeaf array) {
  ValueReader reader(nullptr, kMostAlternatives, kMostStepsOfPredicate);
  return is_anything(reader, within, array);
}

}  // namespace tileproof::impl
