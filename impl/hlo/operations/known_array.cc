// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/operations/known_array.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "impl/hlo/offsets/resolve_source.h"
#include "impl/hlo/reached_leaves.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/hlo/hlo_known.h"

namespace tileproof::impl {
namespace {

constexpr int64_t kMostNested = 300;  // operations on the way to a value
// What the definition cuts, too (spec/hlo/possible_values.h).
constexpr int64_t kMostOperations = 200;
constexpr size_t kMostDifferent = 64;
constexpr size_t kMostUnsimplified = 96;  // nodes of a piece

constexpr char kTooManyCases[] = "a select with a predicate of too many cases";

KnownPieces everywhere(const AccessRelationPtr& at, bool is_cut) {
  KnownPiece piece{at->map, std::nullopt, is_cut};
  piece.map.results.clear();
  return {std::move(piece)};
}

bool is_point(const Interval& a) { return a.low == a.high; }

std::optional<Interval> hull(const std::optional<Interval>& a, const std::optional<Interval>& b) {
  if (!a || !b) return a ? a : b;
  return Interval{std::min(a->low, b->low), std::max(a->high, b->high)};
}

std::optional<Interval> ordered(std::optional<int64_t> x, std::optional<int64_t> y) {
  if (!x || !y) return std::nullopt;
  return Interval{std::min(*x, *y), std::max(*x, *y)};
}

std::optional<Interval> arithmetic(HloOpcode opcode, const Interval& a, const Interval& b) {
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

// The numbers among which all elements of an operation's result are; nothing if they may be any.
std::optional<Interval> range_of_result(const HloInstruction& i, bool is_predicate,
                                        const std::vector<KnownArray>& operands) {
  const std::optional<Interval>&first = operands[0].range, &last = operands.back().range;
  const auto is_any = [](const KnownArray& one) { return !one.range; };
  if (i.opcode == HloOpcode::kCompare) {
    const std::string* type = find_attribute(i.attributes, "type");
    if (!first || !last) return std::nullopt;
    const bool negative = first->low < 0 || last->low < 0;
    if (type != nullptr && *type != "SIGNED" && negative) return std::nullopt;
  }
  if (is_predicate) {
    return std::ranges::all_of(operands, is_any) ? std::nullopt : std::optional(Interval{0, 1});
  }
  if (i.opcode == HloOpcode::kSelect) return hull(operands[1].range, last);
  if (std::ranges::any_of(operands, is_any)) return std::nullopt;
  switch (i.opcode) {
    case HloOpcode::kNegate:
      return ordered(checked_sub(0, first->low), checked_sub(0, first->high));
    case HloOpcode::kConvert:
    case HloOpcode::kMinimum:
    case HloOpcode::kMaximum:
    case HloOpcode::kClamp:
      return hull(first, hull(operands[operands.size() / 2].range, last));
    default:
      return arithmetic(i.opcode, *first, *last);
  }
}

// Whether an operation that is not followed with these operands has a known result all the same: if
// none may be anything. `one_decides`: operands that are cut may be enough.
bool is_cut(const std::vector<KnownArray>& operands, bool one_decides) {
  const auto may_be_any = [](const KnownArray& one) { return is_free(one.pieces); };
  const auto is_any_cut = [](const KnownArray& one) { return !one.range && !is_free(one.pieces); };
  return std::ranges::none_of(operands, may_be_any) ||
         (one_decides && std::ranges::any_of(operands, is_any_cut));
}

// Whether an operation makes numbers of numbers, though it is not followed.
bool makes_numbers(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAbs:
    case HloOpcode::kAnd:
    case HloOpcode::kBitcast:
    case HloOpcode::kBitcastConvert:
    case HloOpcode::kCountLeadingZeros:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kGather:
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
    case HloOpcode::kAdd:
    case HloOpcode::kSubtract:
    case HloOpcode::kMultiply:
    case HloOpcode::kDivide:
    case HloOpcode::kRemainder:
    case HloOpcode::kMinimum:
    case HloOpcode::kMaximum:
      return is_predicate ? 0 : 2;
    default:
      return 0;
  }
}

// The operand of a loop, if this leaf of its state is the same in all iterations: the body hands it
// on, in copies of one element type. Nothing for other instructions.
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

// The operand of a call or loop that the leaf of a parameter is, in what it runs; nothing if there is
// none, or if it is not the same in all iterations.
std::optional<int32_t> operand_at(ComputationDependences& within, int32_t call, OperandLeaf from) {
  const HloInstruction& at = within.view().computation().instructions[call];
  if (at.opcode == HloOpcode::kWhile) return operand_of_loop(within, {call, from.leaf});
  if (from.operand >= std::ssize(at.operands)) return std::nullopt;
  return at.operands[from.operand].instruction;
}

}  // namespace

bool is_total(const AccessRelation& move, const Dims& sizes) {
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (move.map.dimensions[d].bounds != Interval{0, sizes[d] - 1}) return false;
  }
  return move.map.constraints.empty();
}

// An element that is asked for.
struct KnownArrays::Place {
  const HloPosition& position;
  const AccessRelationPtr& at;
  const Dims& output;
  ComputationDependences& within;  // of the computation that the position is in
  const HloInstruction& instruction;
  ElementType element;
  Interval type;
  const Dims& sizes;

  bool is_predicate() const { return element == ElementType::kPred; }
};

// The position on the other side of a call, or before a loop.
std::optional<HloPosition> KnownArrays::same_as(const HloPosition& position) {
  if (region_.follow.is_outside(position)) return std::nullopt;
  if (auto across = through_call(region_.follow, position)) return across;
  if (offsets_ || region_.follow.at(position).opcode != HloOpcode::kWhile) return std::nullopt;
  ComputationDependences* within = region_.at(position);
  if (within == nullptr) return std::nullopt;
  const auto operand = operand_of_loop(*within, {position.instruction, position.leaf});
  if (!operand) return std::nullopt;
  return HloPosition{position.calls, *operand, position.leaf};
}

const KnownArray& KnownArrays::of(HloPosition position, const AccessRelationPtr& at,
                                  const Dims& output) {
  while (auto across = same_as(position)) position = *std::move(across);
  const auto known = known_.find({position, at.get()});
  if (known != known_.end()) {
    operations_ += known->second.array.operations;
    return known->second.array;
  }
  const int64_t before = std::exchange(operations_, 1);
  KnownArray array{everywhere(at, false)};
  const HloInstruction& i = region_.follow.at(position);
  const auto element = element_type_of(i, position.leaf);
  const auto type = element ? integers_in(*element) : std::nullopt;
  ComputationDependences* within =
      type && !region_.follow.is_outside(position) ? region_.at(position) : nullptr;
  if (within != nullptr) {
    const ComputationView& view = within->view();
    const Dims& sizes = view.sizes[view.first_leaf[position.instruction] + position.leaf];
    if (++depth_ > kMostNested) {
      array = {everywhere(at, true)};
    } else if (!has_no_elements(sizes)) {
      array = found({position, at, output, *within, i, *element, *type, sizes});
    }
    --depth_;
  }
  if (is_free(array.pieces)) operations_ = 1;
  if (!offsets_ && operations_ > kMostOperations) array = {everywhere(at, true)};
  array.operations = operations_;
  operations_ += before;
  return known_.try_emplace({std::move(position), at.get()}, Known{at, std::move(array)})
      .first->second.array;
}

KnownArray KnownArrays::found(const Place& place) {
  const HloOpcode opcode = place.instruction.opcode;
  KnownArray array{everywhere(place.at, false)};
  if (opcode == HloOpcode::kParameter) return parameter(place);
  if (opcode == HloOpcode::kIota) {
    array = iota(place);
  } else if (opcode == HloOpcode::kConstant) {
    array = constant(place);
  } else if (moves_elements(opcode)) {
    array = moved(place);
  } else if (!offsets_) {
    array = computed(place);
  }
  if (!offsets_ && is_free(array.pieces) && makes_numbers(opcode)) array = not_followed(place);
  if (array.pieces.size() > kMostPieces) array.pieces = everywhere(place.at, true);
  if (!array.range) return array;
  // Numbers that leave their type wrap around.
  if (array.range->low < place.type.low || array.range->high > place.type.high ||
      array.range->high == INT64_MAX) {
    return {everywhere(place.at, true)};
  }
  for (KnownPiece& one : array.pieces) {
    if (!one.value) continue;
    if (array.range->low == array.range->high) {
      one.value = add_constant(one.map.nodes, array.range->low);
    }
    if (one.map.nodes.size() <= kMostUnsimplified) continue;
    one.map.results = {*one.value};
    absl::StatusOr<IndexingMap> simple = simplify(one.map);
    if (simple.ok()) one.map = *std::move(simple);
    if (!one.map.known_empty) one.value = one.map.results[0];
    one.map.results.clear();
  }
  std::erase_if(array.pieces, [](const KnownPiece& one) { return one.map.known_empty; });
  return array;
}

// What the operand of the call is, or the state of the loop in each iteration.
KnownArray KnownArrays::parameter(const Place& place) {
  KnownArray any{everywhere(place.at, false)};
  if (!place.position.calls.empty()) return any;
  const OperandLeaf from{static_cast<int32_t>(place.instruction.parameter_number),
                         place.position.leaf};
  if (std::ranges::find(parameters_, from) == parameters_.end()) parameters_.push_back(from);
  if (caller_.within == nullptr) return any;
  const auto operand = operand_at(*caller_.within, caller_.call, from);
  if (!operand) return any;
  return caller_.within->known().of({{}, *operand, from.leaf}, place.at, place.output);
}

// The index, modulo the size of the type.
KnownArray KnownArrays::iota(const Place& place) {
  const auto dimension = integer_of(place.instruction, "iota_dimension");
  KnownArray array{everywhere(place.at, false)};
  if (place.is_predicate() || !dimension.ok() || *dimension < 0 ||
      *dimension >= std::ssize(place.sizes)) {
    return array;
  }
  IndexingMap& map = array.pieces[0].map;
  NodeId value = place.at->map.results[*dimension];
  const int64_t last = place.sizes[*dimension] - 1;
  const bool wraps = last > place.type.high;
  if (wraps && !offsets_) return {everywhere(place.at, true)};
  const absl::StatusOr<Interval> range = range_of(map, value);
  if (!range.ok()) return {everywhere(place.at, true)};
  if (range->high > place.type.high) {
    ExprTable& nodes = map.nodes;
    const NodeId size = add_constant(nodes, place.type.high - place.type.low + 1);
    const NodeId above =
        add_operation(nodes, Op::kAdd, value, add_constant(nodes, -place.type.low));
    const NodeId rest = add_operation(nodes, Op::kMod, above, size);
    value = add_operation(nodes, Op::kAdd, rest, add_constant(nodes, place.type.low));
  }
  array.pieces[0].value = value;
  array.range = wraps ? place.type : Interval{0, last};
  return array;
}

KnownArray KnownArrays::constant(const Place& place) {
  const auto [known, is_new] = constants_.try_emplace(&place.instruction);
  auto& elements = known->second;
  if (is_new) {
    elements = integers_of_constant(place.instruction);
    if (elements && offsets_) {
      for (int64_t& one : *elements) {
        one = std::clamp(one, offsets_->feasible.low, offsets_->feasible.high);
      }
    }
  }
  if (!elements || element_count(place.sizes) != std::ssize(*elements)) {
    return {everywhere(place.at, false)};
  }
  const auto [least, most] = std::ranges::minmax(*elements);
  if (!offsets_ && least != most && elements->size() > kMostDifferent) {
    return {everywhere(place.at, true)};
  }
  return {PieceAlgebra(place.output).listed(*elements, place.sizes, place.at->map),
          Interval{least, most}};
}

KnownArray KnownArrays::moved(const Place& place) {
  const HloInstruction& i = place.instruction;
  const absl::StatusOr<Dependences>& step =
      place.within.of(place.position.instruction, place.position.leaf);
  if (!step.ok() || !step->conservative.empty()) return {everywhere(place.at, false)};
  const ComputationView& view = place.within.view();
  const PieceAlgebra algebra(place.output);
  KnownArray array;
  bool is_cut = false;
  for (const Dependence& dependence : step->dependences) {
    const int32_t operand = i.operands[dependence.operand].instruction;
    const Leaf& leaf = view.shapes[operand].leaves[dependence.leaf];
    if (leaf.array->element_type != place.element) return {everywhere(place.at, false)};
    // A bitcast may show what was padding: any value.
    const AccessRelation& move = *dependence.relation;
    is_cut = is_cut || (i.opcode == HloOpcode::kBitcast && !is_total(move, place.sizes)) ||
             move.inexact || !move.runtime.empty();
    const AccessRelationPtr from =
        compose(place.at, dependence.relation, place.output, place.sizes, leaf.dims);
    if (!from && offsets_) continue;
    const HloPosition position{place.position.calls, operand, dependence.leaf};
    const KnownArray& one = from ? of(position, from, place.output)
                                 : of(position, identity_relation(leaf.dims), leaf.dims);
    array.range = hull(array.range, one.range);
    is_cut = is_cut || (from && from->inexact);
    if (!from || is_cut) continue;
    for (const KnownPiece& piece : one.pieces) algebra.add(array.pieces, piece);
    if (array.pieces.size() > kMostPieces && offsets_) break;
  }
  if (is_cut) array.pieces = everywhere(place.at, array.range.has_value());
  return array;
}

KnownArray KnownArrays::computed(const Place& place) {
  const HloInstruction& i = place.instruction;
  const bool is_predicate = place.is_predicate();
  const size_t count = operands_of(i.opcode, is_predicate);
  const absl::StatusOr<Dependences>& step =
      place.within.of(place.position.instruction, place.position.leaf);
  if (!step.ok() || !step->conservative.empty() || count == 0 || i.operands.size() != count) {
    return {everywhere(place.at, false)};
  }
  const std::string* direction = find_attribute(i.attributes, "direction");
  const bool is_compare = i.opcode == HloOpcode::kCompare;
  if (is_compare && (direction == nullptr || !is_known_value(i.opcode, "direction", *direction))) {
    return {everywhere(place.at, false)};
  }
  const ComputationView& view = place.within.view();
  const PieceAlgebra algebra(place.output);
  std::vector<KnownArray> operands;
  for (const HloOperand& operand : i.operands) {
    const Dims& sizes = view.sizes[view.first_leaf[operand.instruction]];
    AccessRelationPtr at = place.at;
    if (sizes != place.sizes) {  // a scalar for all elements
      if (!sizes.empty()) return {everywhere(place.at, false)};
      at = compose(at, universe_relation(place.sizes, sizes), place.output, place.sizes, sizes);
      if (!at) return {everywhere(place.at, false)};
    }
    operands.push_back(of({place.position.calls, operand.instruction, 0}, at, place.output));
  }
  const auto range = range_of_result(i, is_predicate, operands);
  if (!range) {
    const bool one_decides =
        i.opcode == HloOpcode::kSelect || (is_predicate && i.opcode != HloOpcode::kCompare);
    return {everywhere(place.at, is_cut(operands, one_decides))};
  }
  const auto pieces = [&operands](size_t k) -> const KnownPieces& { return operands[k].pieces; };
  const auto result = [&]() -> KnownPieces {
    switch (i.opcode) {
      case HloOpcode::kSelect:
        return algebra.selected(pieces(0), pieces(1), pieces(2));
      case HloOpcode::kConvert: {
        const ElementType from =
            view.shapes[i.operands[0].instruction].leaves[0].array->element_type;
        return is_predicate && from != ElementType::kPred
                   ? algebra.compared("NE", pieces(0), algebra.number(0))
                   : pieces(0);
      }
      case HloOpcode::kNot:
        return algebra.inverted(pieces(0));
      case HloOpcode::kAnd:
      case HloOpcode::kOr:
      case HloOpcode::kXor:
        return algebra.logical(i.opcode, pieces(0), pieces(1));
      case HloOpcode::kCompare:
        return algebra.compared(*direction, pieces(0), pieces(1));
      case HloOpcode::kClamp:
        return algebra.nearest(true, algebra.nearest(false, pieces(0), pieces(1)), pieces(2));
      case HloOpcode::kNegate:
        return algebra.negated(pieces(0));
      case HloOpcode::kMinimum:
      case HloOpcode::kMaximum:
        return algebra.nearest(i.opcode == HloOpcode::kMinimum, pieces(0), pieces(1));
      default:
        return algebra.arithmetic(i.opcode, pieces(0), pieces(1));
    }
  };
  return {result(), range};
}

// An update or padding may be known where the rest of the array is not.
KnownArray KnownArrays::not_followed(const Place& place) {
  const HloInstruction& i = place.instruction;
  const absl::StatusOr<Dependences>& step =
      place.within.of(place.position.instruction, place.position.leaf);
  if (!step.ok() || !step->conservative.empty()) return {everywhere(place.at, false)};
  const ComputationView& view = place.within.view();
  std::vector<KnownArray> operands;
  for (const HloOperand& operand : i.operands) {
    const Dims& sizes = view.sizes[view.first_leaf[operand.instruction]];
    operands.push_back(
        of({place.position.calls, operand.instruction, 0}, identity_relation(sizes), sizes));
  }
  if (i.opcode == HloOpcode::kPad || i.opcode == HloOpcode::kDynamicUpdateSlice) {
    if (is_free(operands[0].pieces) && is_free(operands[1].pieces)) {
      return {everywhere(place.at, false)};
    }
    operands.erase(operands.begin(), operands.begin() + 2);
  }
  return {everywhere(place.at, is_cut(operands, false))};
}

// ---- Selects ----

namespace {

// Each element of a leaf.
const KnownArray& leaf_at(ComputationDependences& within, OperandLeaf leaf) {
  const ComputationView& view = within.view();
  static const KnownArray kFree;
  if (leaf.leaf >= std::ssize(view.shapes[leaf.operand].leaves)) return kFree;
  const Dims& sizes = view.sizes[view.first_leaf[leaf.operand] + leaf.leaf];
  if (has_no_elements(sizes)) return kFree;
  return within.known().of({{}, leaf.operand, leaf.leaf}, identity_relation(sizes), sizes);
}

// The predicate of a select, at the index of its result.
const KnownArray& predicate_at(ComputationDependences& within, int32_t select) {
  const ComputationView& view = within.view();
  const int32_t predicate = view.computation().instructions[select].operands[0].instruction;
  const Dims& output = view.sizes[view.first_leaf[select]];
  const Dims& sizes = view.sizes[view.first_leaf[predicate]];
  return within.known().of(
      {{}, predicate, 0},
      sizes == output ? identity_relation(output) : universe_relation(output, sizes), output);
}

// Returns whether a select has a predicate, of one array, that may be known.
bool has_predicate(const ComputationView& view, int32_t select) {
  const HloInstruction& at = view.computation().instructions[select];
  if (at.opcode != HloOpcode::kSelect || at.operands.size() != 3) return false;
  const Dims& output = view.sizes[view.first_leaf[select]];
  const int32_t predicate = at.operands[0].instruction;
  if (view.shapes[predicate].leaves.size() != 1 || has_no_elements(output)) return false;
  const Dims& sizes = view.sizes[view.first_leaf[predicate]];
  return sizes.empty() || sizes == output;
}

}  // namespace

std::optional<Dependences> with_known_predicate(ComputationDependences& within, int32_t select,
                                                const Dependences& plain) {
  if (!plain.conservative.empty() || !has_predicate(within.view(), select)) return std::nullopt;
  const KnownPieces& pieces = predicate_at(within, select).pieces;
  if (is_free(pieces)) return std::nullopt;
  const Dims& output = within.view().sizes[within.view().first_leaf[select]];
  const KnownPredicate predicate = predicate_of(pieces);
  Dependences result{{}, plain.declared, plain.conservative};
  for (const Dependence& dependence : plain.dependences) {
    if (dependence.operand == 0) {
      result.dependences.push_back(dependence);
      continue;
    }
    const auto add = [&](const IndexingMap& where, bool is_cut) {
      AccessRelation relation = *dependence.relation;
      relation.map = where;
      for (size_t d = 0; d < output.size(); ++d) {
        relation.map.results.push_back(
            add_variable(relation.map.nodes, Op::kDimension, static_cast<int64_t>(d)));
      }
      relation.identity = relation.universe = relation.onto = false;
      relation.inexact = is_cut;
      if (is_cut) relation.reason = kTooManyCases;
      AccessRelationPtr part = simplified(std::move(relation), output, output);
      if (part) result.dependences.push_back({dependence.operand, dependence.leaf, part});
    };
    for (const IndexingMap& where : dependence.operand == 1 ? predicate.yes : predicate.no) {
      add(where, false);
    }
    for (const IndexingMap& where : predicate.cut) add(where, true);
  }
  return result;
}

std::vector<OperandLeaf> deciding_in(const Summary& summary) {
  const auto valid = std::ranges::find_if(summary, [](const auto& leaf) { return leaf.ok(); });
  return valid == summary.end() ? std::vector<OperandLeaf>() : (*valid)->reached->deciding;
}

int32_t run_with_operands(const HloInstruction& at) {
  switch (at.opcode) {
    case HloOpcode::kCall:
    case HloOpcode::kFusion:
      return callee_of(at);
    case HloOpcode::kWhile: {
      const std::vector<int32_t> body = called_computations(at, "body");
      return body.size() == 1 ? body[0] : -1;
    }
    default:
      return -1;
  }
}

std::vector<OperandLeaf> deciding_parameters(ComputationDependences& within,
                                             const Summaries& summaries) {
  const std::vector<HloInstruction>& instructions = within.view().computation().instructions;
  for (int32_t position = 0; position < std::ssize(instructions); ++position) {
    const HloInstruction& i = instructions[position];
    if (has_predicate(within.view(), position)) predicate_at(within, position);
    const int32_t run = run_with_operands(i);
    if (run < 0) continue;
    for (const OperandLeaf& one : deciding_in(summaries[run])) {
      if (const auto operand = operand_at(within, position, one)) {
        leaf_at(within, {*operand, one.leaf});
      }
    }
  }
  return within.known().parameters();
}

bool decides(ComputationDependences& within, int32_t call,
             const std::vector<OperandLeaf>& parameters) {
  return std::ranges::any_of(parameters, [&](const OperandLeaf& one) {
    const auto operand = operand_at(within, call, one);
    return operand && !is_free(leaf_at(within, {*operand, one.leaf}).pieces);
  });
}

}  // namespace tileproof::impl
