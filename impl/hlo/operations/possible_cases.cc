// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/operations/possible_cases.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "impl/hlo/resolve_source.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/hlo/hlo_known.h"

namespace tileproof::impl {
namespace {

constexpr int64_t kMostValues = 200;    // arrays on the way, and operations in a tree of them
constexpr int64_t kMostListed = 64;     // elements of a constant that differ
constexpr size_t kMostConditions = 24;  // alternatives

enum class Kind : uint8_t { kAnything, kIota, kListed, kMoved, kComputed };

// An array whose values are known, and the arrays that it is made of.
struct Values {
  Kind kind = Kind::kAnything;
  bool is_predicate = false;
  Interval range = {0, 0};
  Dims sizes = {};
  int64_t dimension = 0;               // kIota
  std::vector<int64_t> elements = {};  // kListed; one if all are equal
  HloOpcode opcode = HloOpcode::kConstant;
  std::string direction = {};                 // of a comparison
  std::vector<AccessRelationPtr> moves = {};  // kMoved, by operand
  std::vector<Values> operands = {};
  int64_t operations = 1;  // in the tree
  bool gave_up = false;    // beyond what the cases can say
};

bool is_anything(const Values& values) { return values.kind == Kind::kAnything; }

using Range = std::optional<Interval>;

Range range_of(const Values& values) { return is_anything(values) ? Range() : Range(values.range); }

Range hull(const Range& a, const Range& b) {
  if (!a || !b) return a ? a : b;
  return Interval{std::min(a->low, b->low), std::max(a->high, b->high)};
}

Range ordered(std::optional<int64_t> x, std::optional<int64_t> y) {
  if (!x || !y) return std::nullopt;
  return Interval{std::min(*x, *y), std::max(*x, *y)};
}

bool is_point(const Interval& a) { return a.low == a.high; }

Range arithmetic(HloOpcode opcode, const Interval& a, const Interval& b) {
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

// ---- What an array is made of ----

class Reader {
 public:
  // With `called`, parameters are what they are at the call that runs the computation.
  explicit Reader(ComputationDependences& within, bool called = false)
      : within_(within),
        region_{*within.view().module, within.view().position},
        called_(called && within.caller().within != nullptr) {}

  // What a leaf is. It may be anything if it has too many arrays on the way. What may be anything
  // at the call is what it is at any call.
  static Values at_call(ComputationDependences& within, OperandLeaf leaf) {
    for (const bool called : {true, false}) {
      Reader reader(within, called);
      Values values = reader.of({{}, leaf.operand, leaf.leaf});
      if (!reader.has_too_many() && !is_anything(values)) return values;
      if (!reader.called_) break;
    }
    return {};
  }

  bool has_too_many() const { return std::ssize(seen_) > kMostValues; }

  // The leaves of the computation's parameters that the values depend on.
  const std::vector<OperandLeaf>& parameters() const { return parameters_; }

  Values of(HloPosition position) {
    while (auto across = through_call(region_, position)) position = *std::move(across);
    const auto [at, is_new] = seen_.try_emplace(position);
    if (is_new && !has_too_many()) at->second = fitting(position);
    return at->second;
  }

 private:
  Values fitting(const HloPosition& position) {
    ComputationDependences& here =
        within_.inside(computation_at(region_.module, region_.computation, position.calls));
    const ComputationView& view = here.view();
    const HloInstruction& i = region_.at(position);
    const std::optional<ElementType> element = element_type_of(i, position.leaf);
    const auto type = element ? integers_in(*element) : std::nullopt;
    if (!type) return {};
    if (i.opcode == HloOpcode::kParameter && position.calls.empty()) {
      const OperandLeaf from{static_cast<int32_t>(i.parameter_number), position.leaf};
      parameters_.push_back(from);
      return called_ ? argument(within_.caller(), from) : Values();
    }
    Values values = known(here, position, i, *element == ElementType::kPred);
    if (is_anything(values) || values.range.low < type->low || values.range.high > type->high ||
        values.range.high == INT64_MAX) {
      return {};
    }
    values.is_predicate = *element == ElementType::kPred;
    values.sizes = view.sizes[view.first_leaf[position.instruction] + position.leaf];
    for (const Values& one : values.operands) {
      values.operations += one.operations;
      values.gave_up = values.gave_up || one.gave_up;
    }
    return values.operations > kMostValues ? Values() : values;
  }

  // What the operand of the call is, made once.
  Values argument(const Caller& caller, OperandLeaf from) {
    const auto [known, is_new] =
        within_.arguments().try_emplace(std::pair(from.operand, from.leaf));
    if (!is_new) return *std::static_pointer_cast<const Values>(known->second);
    const auto& operands = caller.within->view().computation().instructions[caller.call].operands;
    Values values;
    if (from.operand < std::ssize(operands)) {
      values = at_call(*caller.within, {operands[from.operand].instruction, from.leaf});
    }
    known->second = std::make_shared<const Values>(values);
    return values;
  }

  Values known(ComputationDependences& here, const HloPosition& position, const HloInstruction& i,
               bool is_predicate) {
    if (i.opcode == HloOpcode::kIota) return iota(here.view(), position, i, is_predicate);
    if (i.opcode == HloOpcode::kConstant) return constant(here.view(), position, i);
    const absl::StatusOr<Dependences>& step = here.of(position.instruction, position.leaf);
    if (!step.ok() || !step->conservative.empty()) return {};
    if (moves_elements(i.opcode)) return moved(here.view(), position, i, *step);
    return computed(here.view(), position, i, is_predicate);
  }

  static Values iota(const ComputationView& view, const HloPosition& position,
                     const HloInstruction& i, bool is_predicate) {
    const Dims& sizes = view.sizes[view.first_leaf[position.instruction]];
    const auto dimension = integer_of(i, "iota_dimension");
    if (is_predicate || !dimension.ok() || *dimension < 0 || *dimension >= std::ssize(sizes)) {
      return {};
    }
    Values values{.kind = Kind::kIota, .dimension = *dimension};
    values.range = {0, std::max<int64_t>(sizes[*dimension] - 1, 0)};
    return values;
  }

  static Values constant(const ComputationView& view, const HloPosition& position,
                         const HloInstruction& i) {
    auto elements = integers_of_constant(i);
    const auto count = element_count(view.sizes[view.first_leaf[position.instruction]]);
    if (!elements || elements->empty() || count != std::ssize(*elements)) return {};
    const auto [least, most] = std::ranges::minmax(*elements);
    if (least == most) elements->resize(1);
    if (std::ssize(*elements) > kMostListed) return {};
    Values values{.kind = Kind::kListed, .elements = *std::move(elements)};
    values.range = {least, most};
    return values;
  }

  Values moved(const ComputationView& view, const HloPosition& position, const HloInstruction& i,
               const Dependences& step) {
    Values values{.kind = Kind::kMoved};
    Range range;
    const auto element = element_type_of(i, position.leaf);
    for (const Dependence& dependence : step.dependences) {
      const int32_t operand = i.operands[dependence.operand].instruction;
      const HloPosition from{position.calls, operand, dependence.leaf};
      const ShapeLeaves& shape = view.shapes[operand];
      if (shape.leaves[dependence.leaf].array->element_type != element) return {};
      Values one = of(from);
      range = hull(range, range_of(one));
      const bool is_again = std::ranges::any_of(
          std::span(step.dependences.data(), values.moves.size()), [&](const Dependence& before) {
            return before.operand == dependence.operand && before.leaf == dependence.leaf;
          });
      if (is_again) one.operations = 0;  // another case of the same operand
      values.moves.push_back(dependence.relation);
      values.operands.push_back(std::move(one));
    }
    if (!range) return {};
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

  Values computed(const ComputationView& view, const HloPosition& position, const HloInstruction& i,
                  bool is_predicate) {
    Values values{.kind = Kind::kComputed, .opcode = i.opcode};
    const size_t count = operands_of(i.opcode, is_predicate);
    if (count == 0 || i.operands.size() != count) return {};
    const Dims& output = view.sizes[view.first_leaf[position.instruction]];
    for (const HloOperand& operand : i.operands) {
      Values one = of({position.calls, operand.instruction, 0});
      if (!is_anything(one) && one.sizes != output) {  // a scalar for all elements
        Values same{.kind = Kind::kMoved, .is_predicate = one.is_predicate, .range = one.range};
        same.sizes = output;
        same.operations = one.operations;
        same.gave_up = one.gave_up;
        same.moves.push_back(universe_relation(output, one.sizes));
        same.operands.push_back(std::move(one));
        one = std::move(same);
      }
      values.operands.push_back(std::move(one));
    }
    const Range range = is_predicate ? predicate(i, values) : integer(i.opcode, values.operands);
    if (!range) return {};
    values.range = *range;
    return values;
  }

  static Range integer(HloOpcode opcode, const std::vector<Values>& operands) {
    const Range first = range_of(operands[0]);
    if (opcode == HloOpcode::kSelect) return hull(range_of(operands[1]), range_of(operands[2]));
    if (std::ranges::any_of(operands, is_anything)) return std::nullopt;
    if (opcode == HloOpcode::kConvert) return first;
    if (opcode == HloOpcode::kNegate) {
      return ordered(checked_sub(0, first->low), checked_sub(0, first->high));
    }
    if (is_arithmetic(opcode)) return arithmetic(opcode, *first, operands[1].range);
    Range all = first;
    for (const Values& one : operands) all = hull(all, one.range);
    return all;
  }

  static Range predicate(const HloInstruction& i, Values& values) {
    const std::vector<Values>& operands = values.operands;
    if (std::ranges::all_of(operands, is_anything)) return std::nullopt;
    if (i.opcode != HloOpcode::kCompare) return Interval{0, 1};
    const std::string* direction = find_attribute(i.attributes, "direction");
    const std::string* type = find_attribute(i.attributes, "type");
    if (direction == nullptr || !is_known_value(i.opcode, "direction", *direction)) {
      return std::nullopt;
    }
    if (std::ranges::any_of(operands, is_anything)) return std::nullopt;
    const bool negative = operands[0].range.low < 0 || operands[1].range.low < 0;
    if (type != nullptr && *type != "SIGNED" && negative) return std::nullopt;
    values.direction = *direction;
    return Interval{0, 1};
  }

  ComputationDependences& within_;
  FollowRegion region_;
  bool called_;
  std::map<HloPosition, Values> seen_;
  std::vector<OperandLeaf> parameters_;
};

// ---- Cases ----

// A value of an element, where the map's conditions hold. Without a value it may be anything.
struct Case {
  IndexingMap map;
  std::optional<NodeId> value;
};

// Both conditions. The nodes of `b` move by `shift`.
struct Both {
  IndexingMap map;
  NodeId shift = 0;
};

class Evaluation {
 public:
  explicit Evaluation(const Dims& output) : output_(output) {}

  bool gave_up() const { return gave_up_; }

  PredicateConditions predicate(const Values& values, const AccessRelationPtr& at) {
    PredicateConditions result;
    if (gave_up_) return result;
    if (is_anything(values)) {
      result.yes.push_back(where(*at));
      result.no.push_back(where(*at));
      return result;
    }
    if (values.kind == Kind::kListed) {
      for (Case& one : listed(values, *at)) {
        const bool is_yes = one.map.nodes[*one.value].value != 0;
        (is_yes ? result.yes : result.no).push_back(std::move(one.map));
      }
      return result;
    }
    if (values.kind == Kind::kMoved) {
      for (size_t k = 0; k < values.moves.size(); ++k) {
        const AccessRelationPtr from = moved(values, k, at);
        if (!from) continue;
        PredicateConditions one = predicate(values.operands[k], from);
        unite(result.yes, std::move(one.yes));
        unite(result.no, std::move(one.no));
      }
      return result;
    }
    if (values.opcode == HloOpcode::kCompare) {
      return compared(values.direction, values.operands[0], values.operands[1], at);
    }
    return logical(values, at);
  }

 private:
  using Conditions = std::vector<IndexingMap>;

  // The conditions under which the relation has an element.
  static IndexingMap where(const AccessRelation& at) {
    IndexingMap map = at.map;
    map.results.clear();
    return map;
  }

  AccessRelationPtr moved(const Values& values, size_t k, const AccessRelationPtr& at) {
    AccessRelationPtr from =
        compose(at, values.moves[k], output_, values.sizes,
                is_anything(values.operands[k]) ? sizes_before(*values.moves[k])
                                                : values.operands[k].sizes);
    if (from && from->inexact) gave_up_ = true;
    return gave_up_ ? nullptr : from;
  }

  // Only for marks that do not matter here.
  static Dims sizes_before(const AccessRelation& move) { return Dims(move.rank, INT64_MAX); }

  // Whether the condition always holds.
  bool is_always(const IndexingMap& map) const {
    for (size_t d = 0; d < output_.size(); ++d) {
      if (map.dimensions[d].bounds != Interval{0, output_[d] - 1}) return false;
    }
    return map.constraints.empty();
  }

  void unite(Conditions& into, Conditions more) {
    if (into.size() == 1 && is_always(into[0])) return;
    for (IndexingMap& map : more) {
      if (is_always(map)) into.clear();
      into.push_back(std::move(map));
      if (into.size() == 1 && is_always(into[0])) return;
    }
    if (into.size() > kMostConditions) gave_up_ = true;
  }

  // Adds a condition. Returns false if it never holds.
  bool require(IndexingMap& map, NodeId expression, Interval interval) {
    const absl::StatusOr<Interval> range = impl::range_of(map, expression);
    if (!range.ok()) {
      gave_up_ = true;
      return false;
    }
    if (range->high < interval.low || interval.high < range->low) return false;
    if (interval.low <= range->low && range->high <= interval.high) return true;
    map.constraints.push_back({expression, interval});
    return true;
  }

  std::optional<Both> both(const IndexingMap& a, const IndexingMap& b) {
    Both result{a, static_cast<NodeId>(a.nodes.size())};
    for (Node node : b.nodes) {
      if (!is_leaf(node.op)) {
        node.left += result.shift;
        node.right += result.shift;
      }
      result.map.nodes.push_back(node);
    }
    for (size_t d = 0; d < a.dimensions.size(); ++d) {
      Interval& bounds = result.map.dimensions[d].bounds;
      const Interval& other = b.dimensions[d].bounds;
      bounds = {std::max(bounds.low, other.low), std::min(bounds.high, other.high)};
      if (bounds.low > bounds.high) return std::nullopt;
    }
    for (const Constraint& c : b.constraints) {
      const bool is_known = std::ranges::any_of(a.constraints, [&](const Constraint& known) {
        return known.interval == c.interval &&
               same_expression(a.nodes, known.expr, b.nodes, c.expr);
      });
      if (is_known) continue;
      if (!require(result.map, c.expr + result.shift, c.interval)) return std::nullopt;
    }
    return result;
  }

  Conditions both(const Conditions& a, const Conditions& b) {
    Conditions result;
    for (const IndexingMap& x : a) {
      for (const IndexingMap& y : b) {
        if (auto one = both(x, y)) result.push_back(std::move(one->map));
        if (result.size() > kMostConditions) gave_up_ = true;
        if (gave_up_) return {};
      }
    }
    return result;
  }

  Conditions either(Conditions a, Conditions b) {
    unite(a, std::move(b));
    return a;
  }

  // The elements of a constant, those in a row that are alike together.
  std::vector<Case> listed(const Values& values, const AccessRelation& at) {
    std::vector<Case> cases;
    const auto add = [&](IndexingMap map, int64_t value) {
      map.results.clear();
      const NodeId node = add_constant(map.nodes, value);
      cases.push_back({std::move(map), node});
      if (cases.size() > kMostConditions) gave_up_ = true;
    };
    if (values.elements.size() == 1) {
      add(at.map, values.elements[0]);
      return cases;
    }
    const int64_t length = values.sizes.back();
    for (int64_t first = 0, last = 0; first < std::ssize(values.elements); first = last) {
      const int64_t row = first / length * length;
      for (last = first + 1; last < row + length; ++last) {
        if (values.elements[last] != values.elements[first]) break;
      }
      IndexingMap map = at.map;
      bool may_be = require(map, map.results.back(), {first - row, last - 1 - row});
      int64_t rest = first / length;
      for (size_t d = values.sizes.size() - 1; d-- > 0; rest /= values.sizes[d]) {
        const int64_t index = rest % values.sizes[d];
        may_be = may_be && require(map, map.results[d], {index, index});
      }
      if (may_be) add(std::move(map), values.elements[first]);
      if (gave_up_) return {};
    }
    return cases;
  }

  std::vector<Case> integers(const Values& values, const AccessRelationPtr& at) {
    std::vector<Case> cases;
    if (gave_up_) return cases;
    if (is_anything(values)) return {{where(*at), std::nullopt}};
    if (values.is_predicate) {
      PredicateConditions conditions = predicate(values, at);
      for (const bool is_yes : {true, false}) {
        for (IndexingMap& map : is_yes ? conditions.yes : conditions.no) {
          const NodeId value = add_constant(map.nodes, is_yes ? 1 : 0);
          cases.push_back({std::move(map), value});
        }
      }
      return cases;
    }
    if (values.kind == Kind::kIota) {
      const NodeId value = at->map.results[values.dimension];
      return {{where(*at), value}};
    }
    if (values.kind == Kind::kListed) return listed(values, *at);
    if (values.kind == Kind::kComputed) return computed(values, at);
    for (size_t k = 0; k < values.moves.size(); ++k) {
      const AccessRelationPtr from = moved(values, k, at);
      if (!from) continue;
      for (Case& one : integers(values.operands[k], from)) cases.push_back(std::move(one));
    }
    if (cases.size() > kMostConditions) gave_up_ = true;
    return cases;
  }

  std::vector<Case> computed(const Values& values, const AccessRelationPtr& at) {
    const auto operand = [&](size_t k) { return integers(values.operands[k], at); };
    std::vector<Case> cases;
    switch (values.opcode) {
      case HloOpcode::kConvert:
        return operand(0);
      case HloOpcode::kNegate:
        cases = operand(0);
        for (Case& one : cases) {
          if (one.value) one.value = times(one.map.nodes, *one.value, -1);
        }
        return cases;
      case HloOpcode::kSelect: {
        const PredicateConditions chosen = predicate(values.operands[0], at);
        add_chosen(chosen.yes, operand(1), cases);
        add_chosen(chosen.no, operand(2), cases);
        return cases;
      }
      case HloOpcode::kMinimum:
      case HloOpcode::kMaximum:
        return nearest(values.opcode == HloOpcode::kMinimum, operand(0), operand(1));
      case HloOpcode::kClamp:
        return nearest(true, nearest(false, operand(0), operand(1)), operand(2));
      default:
        break;
    }
    for (const Case& a : operand(0)) {
      for (const Case& b : operand(1)) {
        std::optional<Both> joint = both(a.map, b.map);
        if (!joint) continue;
        std::optional<NodeId> value;
        if (a.value && b.value)
          value = combined(values, joint->map, *a.value, *b.value + joint->shift);
        cases.push_back({std::move(joint->map), value});
      }
    }
    if (cases.size() > kMostConditions) gave_up_ = true;
    return cases;
  }

  static NodeId times(ExprTable& nodes, NodeId x, int64_t factor) {
    return add_operation(nodes, Op::kMul, x, add_constant(nodes, factor));
  }

  static NodeId combined(const Values& values, IndexingMap& map, NodeId a, NodeId b) {
    const Interval &x = values.operands[0].range, &y = values.operands[1].range;
    switch (values.opcode) {
      case HloOpcode::kAdd:
        return add_operation(map.nodes, Op::kAdd, a, b);
      case HloOpcode::kSubtract:
        return difference(map, a, b);
      case HloOpcode::kMultiply:
        return is_point(x) ? times(map.nodes, b, x.low) : times(map.nodes, a, y.low);
      default: {
        const bool divides = values.opcode == HloOpcode::kDivide;
        const NodeId divisor = add_constant(map.nodes, y.low);
        return add_operation(map.nodes, divides ? Op::kFloorDiv : Op::kMod, a, divisor);
      }
    }
  }

  static NodeId difference(IndexingMap& map, NodeId a, NodeId b) {
    return add_operation(map.nodes, Op::kAdd, a, times(map.nodes, b, -1));
  }

  void add_chosen(const Conditions& chosen, const std::vector<Case>& from,
                  std::vector<Case>& cases) {
    for (const Case& one : from) {
      for (const IndexingMap& condition : chosen) {
        if (auto joint = both(one.map, condition)) {
          cases.push_back({std::move(joint->map), one.value});
        }
      }
    }
    if (cases.size() > kMostConditions) gave_up_ = true;
  }

  // The smaller or the larger of two values.
  std::vector<Case> nearest(bool smaller, const std::vector<Case>& a, const std::vector<Case>& b) {
    std::vector<Case> cases;
    for (const Case& x : a) {
      for (const Case& y : b) {
        std::optional<Both> joint = both(x.map, y.map);
        if (!joint) continue;
        if (!x.value || !y.value) {
          cases.push_back({std::move(joint->map), std::nullopt});
          continue;
        }
        const NodeId other = *y.value + joint->shift;
        const NodeId gap = difference(joint->map, *x.value, other);
        IndexingMap first = joint->map, second = std::move(joint->map);
        const Interval below{INT64_MIN, -1}, above{0, INT64_MAX};
        if (require(first, gap, smaller ? below : above)) {
          cases.push_back({std::move(first), *x.value});
        }
        if (require(second, gap, smaller ? above : below))
          cases.push_back({std::move(second), other});
        if (cases.size() > kMostConditions) gave_up_ = true;
        if (gave_up_) return {};
      }
    }
    return cases;
  }

  // The intervals of `a - b` for which a comparison is true, and for which it is false.
  struct Sides {
    std::vector<Interval> yes, no;
  };
  static Sides sides_of(const std::string& direction) {
    const Interval below{INT64_MIN, -1}, not_above{INT64_MIN, 0};
    const Interval above{1, INT64_MAX}, not_below{0, INT64_MAX};
    if (direction == "LT") return {{below}, {not_below}};
    if (direction == "LE") return {{not_above}, {above}};
    if (direction == "GT") return {{above}, {not_above}};
    if (direction == "GE") return {{not_below}, {below}};
    const Sides equal{{{0, 0}}, {below, above}};
    return direction == "EQ" ? equal : Sides{equal.no, equal.yes};
  }

  PredicateConditions compared(const std::string& direction, const Values& left,
                               const Values& right, const AccessRelationPtr& at) {
    PredicateConditions result;
    const Sides sides = sides_of(direction);
    for (const Case& a : integers(left, at)) {
      for (const Case& b : integers(right, at)) {
        std::optional<Both> joint = both(a.map, b.map);
        if (!joint) continue;
        if (!a.value || !b.value) {
          unite(result.yes, {joint->map});
          unite(result.no, {joint->map});
          continue;
        }
        const NodeId gap = difference(joint->map, *a.value, *b.value + joint->shift);
        for (const bool is_yes : {true, false}) {
          for (const Interval& side : is_yes ? sides.yes : sides.no) {
            IndexingMap map = joint->map;
            if (require(map, gap, side)) unite(is_yes ? result.yes : result.no, {std::move(map)});
          }
        }
        if (gave_up_) return {};
      }
    }
    return result;
  }

  PredicateConditions logical(const Values& values, const AccessRelationPtr& at) {
    const std::vector<Values>& operands = values.operands;
    if (values.opcode == HloOpcode::kConvert && !operands[0].is_predicate) {
      const Values zero{.kind = Kind::kListed, .elements = {0}};
      return compared("NE", operands[0], zero, at);
    }
    const PredicateConditions a = predicate(operands[0], at);
    if (values.opcode == HloOpcode::kConvert) return a;
    if (values.opcode == HloOpcode::kNot) return {a.no, a.yes};
    const PredicateConditions b = predicate(operands[1], at);
    switch (values.opcode) {
      case HloOpcode::kAnd:
        return {both(a.yes, b.yes), either(a.no, b.no)};
      case HloOpcode::kOr:
        return {either(a.yes, b.yes), both(a.no, b.no)};
      case HloOpcode::kXor:
        return {either(both(a.yes, b.no), both(a.no, b.yes)),
                either(both(a.yes, b.yes), both(a.no, b.no))};
      default: {  // select
        const PredicateConditions c = predicate(operands[2], at);
        return {either(both(a.yes, b.yes), both(a.no, c.yes)),
                either(both(a.yes, b.no), both(a.no, c.no))};
      }
    }
  }

  const Dims& output_;
  bool gave_up_ = false;
};

}  // namespace

std::optional<PredicateConditions> conditions_of(ComputationDependences& within,
                                                 int32_t instruction, const Dims& output,
                                                 const AccessRelationPtr& at) {
  const Values values = Reader::at_call(within, {instruction, 0});
  if (is_anything(values)) return std::nullopt;
  if (values.gave_up) return PredicateConditions{.yes = {}, .no = {}, .gave_up = true};
  Evaluation evaluation(output);
  PredicateConditions conditions = evaluation.predicate(values, at);
  conditions.gave_up = evaluation.gave_up();
  return conditions;
}

std::vector<OperandLeaf> deciding_in(const Summary& summary) {
  const auto valid = std::ranges::find_if(summary, [](const auto& leaf) { return leaf.ok(); });
  return valid == summary.end() ? std::vector<OperandLeaf>() : (*valid)->reached->deciding;
}

std::vector<OperandLeaf> deciding_parameters(ComputationDependences& within,
                                             const Summaries& summaries) {
  std::vector<OperandLeaf> found;
  const auto add = [&](int32_t instruction, int32_t leaf) {
    Reader reader(within);
    reader.of({{}, instruction, leaf});
    for (const OperandLeaf& one : reader.parameters()) {
      if (std::ranges::find(found, one) == found.end()) found.push_back(one);
    }
  };
  for (const HloInstruction& i : within.view().computation().instructions) {
    if (i.opcode == HloOpcode::kSelect && i.operands.size() == 3) add(i.operands[0].instruction, 0);
    const bool calls = i.opcode == HloOpcode::kCall || i.opcode == HloOpcode::kFusion;
    const int32_t callee = calls ? callee_of(i) : -1;
    if (callee < 0) continue;
    for (const OperandLeaf& one : deciding_in(summaries[callee])) {
      if (one.operand < std::ssize(i.operands)) add(i.operands[one.operand].instruction, one.leaf);
    }
  }
  return found;
}

bool decides(ComputationDependences& within, int32_t call,
             const std::vector<OperandLeaf>& parameters) {
  const auto& operands = within.view().computation().instructions[call].operands;
  return std::ranges::any_of(parameters, [&](const OperandLeaf& one) {
    return one.operand < std::ssize(operands) &&
           !is_anything(Reader::at_call(within, {operands[one.operand].instruction, one.leaf}));
  });
}

}  // namespace tileproof::impl
