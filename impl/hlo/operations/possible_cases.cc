// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/operations/possible_cases.h"

#include <algorithm>
#include <string>
#include <utility>

#include "impl/hlo/operations/array_values.h"
#include "impl/hlo/operations/conditions.h"

namespace tileproof::impl {
namespace {

// A value of an element, where the map's conditions hold. Without a value it may be anything.
struct Case {
  IndexingMap map;
  std::optional<NodeId> value;
};

class CaseEvaluation {
 public:
  explicit CaseEvaluation(const Dims& output) : output_(output), conditions_(output) {}

  bool gave_up() const { return conditions_.gave_up(); }

  PredicateConditions predicate(const ArrayValues& values, const AccessRelationPtr& at) {
    PredicateConditions result;
    if (gave_up()) return result;
    if (is_anything(values)) {
      result.yes.push_back(where(*at));
      result.no.push_back(where(*at));
      return result;
    }
    if (values.kind == ValuesKind::kListed) {
      for (Case& one : listed(values, *at)) {
        const bool is_yes = one.map.nodes[*one.value].value != 0;
        (is_yes ? result.yes : result.no).push_back(std::move(one.map));
      }
      return result;
    }
    if (values.kind == ValuesKind::kMoved) {
      for (size_t k = 0; k < values.moves.size(); ++k) {
        const AccessRelationPtr from = moved(values, k, at);
        if (!from) continue;
        PredicateConditions one = predicate(values.operands[k], from);
        conditions_.unite(result.yes, std::move(one.yes));
        conditions_.unite(result.no, std::move(one.no));
      }
      return result;
    }
    if (values.opcode == HloOpcode::kCompare) {
      return compared(values.direction, values.operands[0], values.operands[1], at);
    }
    return logical(values, at);
  }

 private:
  // The conditions under which the relation has an element.
  static IndexingMap where(const AccessRelation& at) {
    IndexingMap map = at.map;
    map.results.clear();
    return map;
  }

  AccessRelationPtr moved(const ArrayValues& values, size_t k, const AccessRelationPtr& at) {
    AccessRelationPtr from =
        compose(at, values.moves[k], output_, values.sizes,
                is_anything(values.operands[k]) ? sizes_before(*values.moves[k])
                                                : values.operands[k].sizes);
    if (from && from->inexact) conditions_.give_up();
    return gave_up() ? nullptr : from;
  }

  // Only for marks that do not matter here.
  static Dims sizes_before(const AccessRelation& move) { return Dims(move.rank, INT64_MAX); }

  // The elements of a constant, those in a row that are alike together.
  std::vector<Case> listed(const ArrayValues& values, const AccessRelation& at) {
    std::vector<Case> cases;
    const auto add = [&](IndexingMap map, int64_t value) {
      map.results.clear();
      const NodeId node = add_constant(map.nodes, value);
      cases.push_back({std::move(map), node});
      conditions_.limit(cases.size());
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
      bool may_be = conditions_.require(map, map.results.back(), {first - row, last - 1 - row});
      int64_t rest = first / length;
      for (size_t d = values.sizes.size() - 1; d-- > 0; rest /= values.sizes[d]) {
        const int64_t index = rest % values.sizes[d];
        may_be = may_be && conditions_.require(map, map.results[d], {index, index});
      }
      if (may_be) add(std::move(map), values.elements[first]);
      if (gave_up()) return {};
    }
    return cases;
  }

  std::vector<Case> integers(const ArrayValues& values, const AccessRelationPtr& at) {
    std::vector<Case> cases;
    if (gave_up()) return cases;
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
    if (values.kind == ValuesKind::kIota) {
      const NodeId value = at->map.results[values.dimension];
      return {{where(*at), value}};
    }
    if (values.kind == ValuesKind::kListed) return listed(values, *at);
    if (values.kind == ValuesKind::kComputed) return computed(values, at);
    for (size_t k = 0; k < values.moves.size(); ++k) {
      const AccessRelationPtr from = moved(values, k, at);
      if (!from) continue;
      for (Case& one : integers(values.operands[k], from)) cases.push_back(std::move(one));
    }
    conditions_.limit(cases.size());
    return cases;
  }

  std::vector<Case> computed(const ArrayValues& values, const AccessRelationPtr& at) {
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
        std::optional<Conditions::Both> joint = conditions_.both(a.map, b.map);
        if (!joint) continue;
        std::optional<NodeId> value;
        if (a.value && b.value)
          value = combined(values, joint->map, *a.value, *b.value + joint->shift);
        cases.push_back({std::move(joint->map), value});
      }
    }
    conditions_.limit(cases.size());
    return cases;
  }

  static NodeId times(ExprTable& nodes, NodeId x, int64_t factor) {
    return add_operation(nodes, Op::kMul, x, add_constant(nodes, factor));
  }

  static NodeId combined(const ArrayValues& values, IndexingMap& map, NodeId a, NodeId b) {
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

  void add_chosen(const Alternatives& chosen, const std::vector<Case>& from,
                  std::vector<Case>& cases) {
    for (const Case& one : from) {
      for (const IndexingMap& condition : chosen) {
        if (auto joint = conditions_.both(one.map, condition)) {
          cases.push_back({std::move(joint->map), one.value});
        }
      }
    }
    conditions_.limit(cases.size());
  }

  // The smaller or the larger of two values.
  std::vector<Case> nearest(bool smaller, const std::vector<Case>& a, const std::vector<Case>& b) {
    std::vector<Case> cases;
    for (const Case& x : a) {
      for (const Case& y : b) {
        std::optional<Conditions::Both> joint = conditions_.both(x.map, y.map);
        if (!joint) continue;
        if (!x.value || !y.value) {
          cases.push_back({std::move(joint->map), std::nullopt});
          continue;
        }
        const NodeId other = *y.value + joint->shift;
        const NodeId gap = difference(joint->map, *x.value, other);
        IndexingMap first = joint->map, second = std::move(joint->map);
        const Interval below{INT64_MIN, -1}, above{0, INT64_MAX};
        if (conditions_.require(first, gap, smaller ? below : above)) {
          cases.push_back({std::move(first), *x.value});
        }
        if (conditions_.require(second, gap, smaller ? above : below))
          cases.push_back({std::move(second), other});
        conditions_.limit(cases.size());
        if (gave_up()) return {};
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

  PredicateConditions compared(const std::string& direction, const ArrayValues& left,
                               const ArrayValues& right, const AccessRelationPtr& at) {
    PredicateConditions result;
    const Sides sides = sides_of(direction);
    for (const Case& a : integers(left, at)) {
      for (const Case& b : integers(right, at)) {
        std::optional<Conditions::Both> joint = conditions_.both(a.map, b.map);
        if (!joint) continue;
        if (!a.value || !b.value) {
          conditions_.unite(result.yes, {joint->map});
          conditions_.unite(result.no, {joint->map});
          continue;
        }
        const NodeId gap = difference(joint->map, *a.value, *b.value + joint->shift);
        for (const bool is_yes : {true, false}) {
          for (const Interval& side : is_yes ? sides.yes : sides.no) {
            IndexingMap map = joint->map;
            if (conditions_.require(map, gap, side))
              conditions_.unite(is_yes ? result.yes : result.no, {std::move(map)});
          }
        }
        if (gave_up()) return {};
      }
    }
    return result;
  }

  PredicateConditions logical(const ArrayValues& values, const AccessRelationPtr& at) {
    const std::vector<ArrayValues>& operands = values.operands;
    if (values.opcode == HloOpcode::kConvert && !operands[0].is_predicate) {
      const ArrayValues zero{.kind = ValuesKind::kListed, .elements = {0}};
      return compared("NE", operands[0], zero, at);
    }
    const PredicateConditions a = predicate(operands[0], at);
    if (values.opcode == HloOpcode::kConvert) return a;
    if (values.opcode == HloOpcode::kNot) return {a.no, a.yes};
    const PredicateConditions b = predicate(operands[1], at);
    switch (values.opcode) {
      case HloOpcode::kAnd:
        return {conditions_.both(a.yes, b.yes), conditions_.either(a.no, b.no)};
      case HloOpcode::kOr:
        return {conditions_.either(a.yes, b.yes), conditions_.both(a.no, b.no)};
      case HloOpcode::kXor:
        return {conditions_.either(conditions_.both(a.yes, b.no), conditions_.both(a.no, b.yes)),
                conditions_.either(conditions_.both(a.yes, b.yes), conditions_.both(a.no, b.no))};
      default: {  // select
        const PredicateConditions c = predicate(operands[2], at);
        return {conditions_.either(conditions_.both(a.yes, b.yes), conditions_.both(a.no, c.yes)),
                conditions_.either(conditions_.both(a.yes, b.no), conditions_.both(a.no, c.no))};
      }
    }
  }

  const Dims& output_;
  Conditions conditions_;
};

}  // namespace

std::optional<PredicateConditions> conditions_of(ComputationDependences& within,
                                                 int32_t instruction, const Dims& output,
                                                 const AccessRelationPtr& at) {
  const std::optional<ArrayValues> values = values_of(within, {instruction, 0});
  if (!values) return std::nullopt;
  if (values->gave_up) return PredicateConditions{.yes = {}, .no = {}, .gave_up = true};
  CaseEvaluation evaluation(output);
  PredicateConditions conditions = evaluation.predicate(*values, at);
  conditions.gave_up = evaluation.gave_up();
  return conditions;
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
  std::vector<OperandLeaf> found;
  const auto add = [&](int32_t instruction, int32_t leaf) {
    for (const OperandLeaf& one : parameters_of_values(within, {instruction, leaf})) {
      if (std::ranges::find(found, one) == found.end()) found.push_back(one);
    }
  };
  const std::vector<HloInstruction>& instructions = within.view().computation().instructions;
  for (int32_t position = 0; position < std::ssize(instructions); ++position) {
    const HloInstruction& i = instructions[position];
    if (i.opcode == HloOpcode::kSelect && i.operands.size() == 3) add(i.operands[0].instruction, 0);
    const int32_t run = run_with_operands(i);
    if (run < 0) continue;
    for (const OperandLeaf& one : deciding_in(summaries[run])) {
      if (const auto operand = operand_at(within, position, one)) add(*operand, one.leaf);
    }
  }
  return found;
}

bool decides(ComputationDependences& within, int32_t call,
             const std::vector<OperandLeaf>& parameters) {
  return std::ranges::any_of(parameters, [&](const OperandLeaf& one) {
    const auto operand = operand_at(within, call, one);
    return operand && values_of(within, {*operand, one.leaf}).has_value();
  });
}

}  // namespace tileproof::impl
