// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/known_predicate.h"

#include <map>
#include <string>

#include "spec/hlo/access_relation.h"
#include "spec/hlo/runtime_value.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/hlo/follow_source.h"
#include "spec/lang/hlo/hlo_known.h"
#include "verify/prove/hlo/known_elements.h"
#include "verify/prove/hlo/loop_run.h"

namespace tileproof::verify {
namespace {

using Kind = PossibleValues::Kind;
using Comparison = PossibleValues::Comparison;
using KnownRange = std::optional<spec::IntegerRange>;

bool is_anything(const PossibleValues& values) { return values.kind == Kind::kAnything; }

KnownRange range_of(const PossibleValues& values) {
  return is_anything(values) ? KnownRange() : spec::IntegerRange{values.low, values.high};
}

KnownRange hull(const KnownRange& a, const KnownRange& b) {
  if (!a || !b) return a ? a : b;
  return spec::IntegerRange{std::min(a->low, b->low), std::max(a->high, b->high)};
}

// The range of the results, if no number is beyond int64.
KnownRange range_of(std::optional<int64_t> low, std::optional<int64_t> high) {
  return low && high ? KnownRange(spec::IntegerRange{*low, *high}) : KnownRange();
}

KnownRange product(const spec::IntegerRange& a, const spec::IntegerRange& b) {
  if (a.low != a.high && b.low != b.high) return std::nullopt;
  const int64_t factor = a.low == a.high ? a.low : b.low;
  const spec::IntegerRange& other = a.low == a.high ? b : a;
  const auto x = checked_mul(other.low, factor), y = checked_mul(other.high, factor);
  return factor < 0 ? range_of(y, x) : range_of(x, y);
}

KnownRange arithmetic(HloOpcode opcode, const spec::IntegerRange& a, const spec::IntegerRange& b) {
  const bool divides = a.low >= 0 && b.low == b.high && b.low > 0;
  switch (opcode) {
    case HloOpcode::kAdd:
      return range_of(checked_add(a.low, b.low), checked_add(a.high, b.high));
    case HloOpcode::kSubtract:
      return range_of(checked_sub(a.low, b.high), checked_sub(a.high, b.low));
    case HloOpcode::kMultiply:
      return product(a, b);
    case HloOpcode::kDivide:
      return divides ? KnownRange(spec::IntegerRange{a.low / b.low, a.high / b.low}) : KnownRange();
    case HloOpcode::kRemainder:
      return divides ? KnownRange(spec::IntegerRange{0, std::min(a.high, b.low - 1)})
                     : KnownRange();
    default:
      return std::nullopt;
  }
}

bool is_arithmetic(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAdd:
    case HloOpcode::kSubtract:
    case HloOpcode::kMultiply:
    case HloOpcode::kDivide:
    case HloOpcode::kRemainder:
      return true;
    default:
      return false;
  }
}

// The operands of an operation of integers or of predicates; 0 for other operations.
size_t operands_of_integers(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kConvert:
    case HloOpcode::kNegate:
      return 1;
    case HloOpcode::kMinimum:
    case HloOpcode::kMaximum:
      return 2;
    case HloOpcode::kSelect:
    case HloOpcode::kClamp:
      return 3;
    default:
      return is_arithmetic(opcode) ? 2 : 0;
  }
}

size_t operands_of_predicates(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kConvert:
    case HloOpcode::kNot:
      return 1;
    case HloOpcode::kAnd:
    case HloOpcode::kOr:
    case HloOpcode::kXor:
      return 2;
    case HloOpcode::kSelect:
      return 3;
    default:
      return 0;
  }
}

// Of a tree that stops here.
PossibleValues cut() {
  PossibleValues values;
  values.is_cut = true;
  return values;
}

// The result of an operation that is not followed with these operands. More is known, unless one of
// them may be anything in truth. `one_decides`: the others may be enough.
PossibleValues unknown(const std::vector<PossibleValues>& operands, bool one_decides) {
  bool is_any_cut = false, is_any_free = false;
  for (const PossibleValues& one : operands) {
    if (is_anything(one)) (one.is_cut ? is_any_cut : is_any_free) = true;
  }
  return !is_any_free || (one_decides && is_any_cut) ? cut() : PossibleValues();
}

PossibleValues unknown(const PossibleValues& values) {
  if (values.operands.empty()) return {};
  return unknown(values.operands, values.kind == Kind::kCopied || values.kind == Kind::kLogical ||
                                      values.opcode == HloOpcode::kSelect);
}

// An operation that gives numbers if its operands are numbers, though it is not followed here.
bool is_evaluated(HloOpcode opcode) {
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

PossibleValues with_range(PossibleValues values, const KnownRange& range) {
  if (!range) return unknown(values);
  values.low = range->low;
  values.high = range->high;
  return values;
}

// The operand of a loop, if the leaf of its state is the same in all iterations: the body hands it
// on, in copies of one element type.
std::optional<int32_t> operand_of_loop(const HloModule& module, int32_t computation, int32_t loop,
                                       int64_t leaf) {
  const std::vector<HloInstruction>& around = module.computations[computation].instructions;
  if (around[loop].opcode != HloOpcode::kWhile) return std::nullopt;
  const auto relation = spec::access_relation_of(module, computation, loop, leaf);
  if (!relation.ok() || !relation->loop) return std::nullopt;
  const int32_t body = relation->loop->loop.body, operand = relation->loop->loop.operand;
  if (!spec::passes_through(module, body, leaf)) return std::nullopt;
  const std::vector<HloInstruction>& inside = module.computations[body].instructions;
  HloPosition at{{}, module.computations[body].root, static_cast<int32_t>(leaf)};
  while (inside[at.instruction].opcode != HloOpcode::kParameter) {
    const auto move = spec::relation_of_move(module, body, at);
    if (!move) return std::nullopt;
    const spec::Dependence& from = move->dependences[0];
    at.instruction = inside[at.instruction].operands[from.operand].instruction;
    at.leaf = static_cast<int32_t>(from.leaf);
  }
  const HloInstruction& first = around[operand];
  if (!first.shape || spec::type_of_leaf(first, leaf) != spec::type_of_leaf(around[loop], leaf) ||
      spec::type_of_leaf(first, leaf) != spec::type_of_leaf(inside[at.instruction], leaf)) {
    return std::nullopt;
  }
  return operand;
}

// What the operand of a call is, or the state of a loop in each iteration.
const PossibleValues& argument(const HloModule& module, const CallSite& site, int64_t parameter,
                               int64_t leaf) {
  const auto [at, is_new] = site.known.try_emplace({parameter, leaf});
  if (!is_new) return at->second;
  const HloInstruction& call = module.computations[site.computation].instructions[site.call];
  std::optional<int32_t> operand;
  if (call.opcode == HloOpcode::kWhile) {
    operand = operand_of_loop(module, site.computation, site.call, leaf);
  } else if (parameter < std::ssize(call.operands)) {
    operand = call.operands[parameter].instruction;
  }
  if (operand) {
    at->second = possible_values(module, site.computation, *operand, leaf, site.outside);
  }
  return at->second;
}

// Builds the tree of one array.
class Tree {
 public:
  Tree(const HloModule& module, int32_t computation, const CallSite* site = nullptr)
      : region_{module, computation}, site_(site) {}

  bool is_too_large() const { return std::ssize(seen_) > kMostPossible; }

  // The leaves of the computation's parameters that the trees depend on.
  const ParameterLeaves& parameters() const { return parameters_; }

  PossibleValues of(HloPosition position) {
    while (auto across = same_as(position)) position = *std::move(across);
    const auto [at, is_new] = seen_.try_emplace(position);
    if (is_new) at->second = is_too_large() ? cut() : fitting(position);
    return at->second;
  }

 private:
  // The position on the other side of a call, or before a loop.
  std::optional<HloPosition> same_as(const HloPosition& position) const {
    if (auto across = through_call(region_, position)) return across;
    const int32_t within = computation_at(region_.module, region_.computation, position.calls);
    const auto operand =
        operand_of_loop(region_.module, within, position.instruction, position.leaf);
    if (!operand) return std::nullopt;
    return HloPosition{position.calls, *operand, position.leaf};
  }

  PossibleValues fitting(const HloPosition& position) {
    const HloInstruction& i = region_.at(position);
    if (!i.shape) return {};
    const KnownRange type = spec::integer_range_of(i, position.leaf);
    if (!type) return {};
    if (i.opcode == HloOpcode::kParameter) return at_site(i, position.leaf);
    PossibleValues values = known(position, i);
    if (is_anything(values)) return values;
    const bool fits =
        type->low <= values.low && values.high <= type->high && values.high != INT64_MAX;
    if (!fits) return cut();
    values.is_predicate = is_predicate(i, position.leaf);
    for (const PossibleValues& one : values.operands) {
      values.nodes += one.nodes;
      values.is_cut = values.is_cut || one.is_cut;
    }
    return values.nodes > kMostPossible ? cut() : values;
  }

  // What the operand of the call is.
  PossibleValues at_site(const HloInstruction& parameter, int32_t leaf) {
    parameters_.emplace(parameter.parameter_number, leaf);
    return site_ == nullptr ? PossibleValues()
                            : argument(region_.module, *site_, parameter.parameter_number, leaf);
  }

  static bool is_predicate(const HloInstruction& i, int64_t leaf) {
    return spec::type_of_leaf(i, leaf) == ElementType::kPred;
  }

  PossibleValues known(const HloPosition& position, const HloInstruction& i) {
    if (i.opcode == HloOpcode::kIota) return iota(i);
    if (i.opcode == HloOpcode::kConstant) return constant(i);
    const int32_t within = computation_at(region_.module, region_.computation, position.calls);
    if (const auto relation = spec::relation_of_move(region_.module, within, position)) {
      return copied(position, i, *relation);
    }
    if (i.shape->kind != Shape::Kind::kArray) return {};
    const auto valid = spec::access_relation_of(region_.module, within, position.instruction, 0);
    if (!valid.ok()) return {};
    PossibleValues values = is_predicate(i, 0) ? logical(position, i) : integer(position, i);
    return is_anything(values) && !values.is_cut ? not_followed(position, i) : values;
  }

  // Some elements of an update or of padding may be known though others are not.
  PossibleValues not_followed(const HloPosition& position, const HloInstruction& i) {
    if (!is_evaluated(i.opcode)) return {};
    std::vector<PossibleValues> operands;
    for (const HloOperand& operand : i.operands) {
      operands.push_back(of({position.calls, operand.instruction, 0}));
    }
    const auto is_free = [](const PossibleValues& one) { return is_anything(one) && !one.is_cut; };
    if (i.opcode == HloOpcode::kPad || i.opcode == HloOpcode::kDynamicUpdateSlice) {
      if (is_free(operands[0]) && is_free(operands[1])) return {};
      operands.erase(operands.begin(), operands.begin() + 2);
    }
    return unknown(operands, false);
  }

  static PossibleValues iota(const HloInstruction& i) {
    const auto dimension = integer_of(i, "iota_dimension");
    if (i.shape->element_type == ElementType::kPred || !dimension.ok()) return {};
    if (*dimension >= i.shape->rank()) return {};
    const int64_t size = i.shape->dimensions[*dimension].size;
    return {.kind = Kind::kIota, .high = std::max<int64_t>(size - 1, 0), .dimension = *dimension};
  }

  static PossibleValues constant(const HloInstruction& i) {
    auto elements = elements_of_constant(i);
    if (!elements || elements->empty()) return {};
    const auto [least, most] = std::ranges::minmax(*elements);
    if (least == most) elements->resize(1);
    if (std::ssize(*elements) > kMostListed) return cut();
    return {.kind = Kind::kListed,
            .low = least,
            .high = most,
            .dims = leaves_of(*i.shape)->front().dims,
            .elements = *std::move(elements)};
  }

  PossibleValues copied(const HloPosition& position, const HloInstruction& i,
                        const spec::AccessRelation& relation) {
    PossibleValues values{.kind = Kind::kCopied};
    values.may_lack = i.opcode == HloOpcode::kBitcast;
    KnownRange range;
    for (const spec::Dependence& copy : relation.dependences) {
      const int32_t operand = i.operands[copy.operand].instruction;
      const HloInstruction& from = region_.at({position.calls, operand, 0});
      if (!from.shape) return {};
      if (element_count((*leaves_of(*from.shape))[copy.leaf].dims) == 0) continue;
      PossibleValues one = of({position.calls, operand, static_cast<int32_t>(copy.leaf)});
      range = hull(range, range_of(one));
      values.copies.push_back(copy);
      values.operands.push_back(std::move(one));
    }
    return with_range(std::move(values), range);
  }

  // Adds operand k. A scalar serves every element of an array.
  void add_operand(const HloPosition& position, const HloInstruction& i, size_t k,
                   PossibleValues& values) {
    const int32_t operand = i.operands[k].instruction;
    PossibleValues one = of({position.calls, operand, 0});
    const HloInstruction& from = region_.at({position.calls, operand, 0});
    if (!is_anything(one) && from.shape->rank() < i.shape->rank()) {
      PossibleValues same{.kind = Kind::kCopied, .is_predicate = one.is_predicate};
      same.low = one.low;
      same.high = one.high;
      same.copies.push_back(spec::scalar(static_cast<int32_t>(k)));
      same.nodes = one.nodes;  // no operation of its own
      same.operands.push_back(std::move(one));
      one = std::move(same);
    }
    values.operands.push_back(std::move(one));
  }

  PossibleValues integer(const HloPosition& position, const HloInstruction& i) {
    PossibleValues values{.kind = Kind::kInteger, .opcode = i.opcode};
    const size_t count = operands_of_integers(i.opcode);
    if (count == 0) return {};
    for (size_t k = 0; k < count; ++k) add_operand(position, i, k, values);
    if (i.opcode == HloOpcode::kSelect) {
      const PossibleValues& predicate = values.operands[0];
      const auto branch = [&](size_t k) { return range_of(values.operands[k]); };
      if (may_be_anything(predicate) || predicate.low < predicate.high) {
        return with_range(values, hull(branch(1), branch(2)));
      }
      return with_range(values, branch(predicate.low == 1 ? 1 : 2));
    }
    if (std::ranges::any_of(values.operands, is_anything)) return unknown(values);
    const KnownRange first = range_of(values.operands[0]);
    if (i.opcode == HloOpcode::kNegate) {
      return with_range(values, range_of(checked_sub(0, first->high), checked_sub(0, first->low)));
    }
    KnownRange all;
    for (const PossibleValues& one : values.operands) all = hull(all, range_of(one));
    if (!is_arithmetic(i.opcode)) return with_range(values, all);
    return with_range(values, arithmetic(i.opcode, *first, *range_of(values.operands[1])));
  }

  PossibleValues logical(const HloPosition& position, const HloInstruction& i) {
    if (i.opcode == HloOpcode::kCompare) return comparison(position, i);
    PossibleValues values{.kind = Kind::kLogical, .high = 1, .opcode = i.opcode};
    const size_t count = operands_of_predicates(i.opcode);
    for (size_t k = 0; k < count; ++k) add_operand(position, i, k, values);
    if (std::ranges::all_of(values.operands, is_anything)) return unknown(values);
    if (i.opcode != HloOpcode::kConvert || values.operands[0].is_predicate) return values;
    // An integer is true if it is not 0.
    values.kind = Kind::kCompared;
    values.comparison = Comparison::kNotEqual;
    values.operands.push_back({.kind = Kind::kListed, .elements = {0}, .nodes = 0});
    return values;
  }

  static bool may_be_anything(const PossibleValues& values) {
    return is_anything(values) || std::ranges::any_of(values.operands, may_be_anything);
  }

  // What a comparison always gives, if the ranges of its operands say so.
  static void decide(PossibleValues& values) {
    if (may_be_anything(values)) return;
    const PossibleValues &a = values.operands[0], &b = values.operands[1];
    const auto low = checked_sub(a.low, b.high), high = checked_sub(a.high, b.low);
    if (!low || !high) return;
    const bool below = *high<0, above = *low> 0, equal = *low == 0 && *high == 0;
    bool yes = below || above, no = equal;  // different
    if (values.comparison == Comparison::kEqual) std::swap(yes, no);
    if (values.comparison == Comparison::kLess) yes = below, no = *low >= 0;
    if (values.comparison == Comparison::kLessOrEqual) yes = *high <= 0, no = above;
    if (yes) values.low = 1;
    if (no) values.high = 0;
  }

  PossibleValues comparison(const HloPosition& position, const HloInstruction& i) {
    PossibleValues values{.kind = Kind::kCompared, .high = 1};
    const std::string* direction = find_attribute(i.attributes, "direction");
    const std::string* type = find_attribute(i.attributes, "type");
    if (direction == nullptr || !is_known_value(i.opcode, "direction", *direction)) return {};
    for (const size_t k : {0, 1}) add_operand(position, i, k, values);
    if (std::ranges::any_of(values.operands, is_anything)) return unknown(values);
    const bool is_signed = type == nullptr || *type == "SIGNED";
    const auto is_natural = [](const PossibleValues& one) { return one.low >= 0; };
    if (!is_signed && !std::ranges::all_of(values.operands, is_natural)) return cut();
    const bool swaps = *direction == "GT" || *direction == "GE";
    if (swaps) std::swap(values.operands[0], values.operands[1]);
    const bool is_strict = *direction == "LT" || *direction == "GT";
    values.comparison = is_strict            ? Comparison::kLess
                        : *direction == "EQ" ? Comparison::kEqual
                        : *direction == "NE" ? Comparison::kNotEqual
                                             : Comparison::kLessOrEqual;
    decide(values);
    return values;
  }

  FollowRegion region_;
  const CallSite* site_;
  std::map<HloPosition, PossibleValues> seen_;
  ParameterLeaves parameters_;
};

}  // namespace

PossibleValues possible_values(const HloModule& module, int32_t computation, int32_t instruction,
                               int64_t leaf, const CallSite* site) {
  Tree tree(module, computation, site);
  PossibleValues values = tree.of({{}, instruction, static_cast<int32_t>(leaf)});
  if (tree.is_too_large()) values = cut();
  if (!is_anything(values) || site == nullptr) return values;
  PossibleValues anywhere = possible_values(module, computation, instruction, leaf);
  anywhere.is_cut = anywhere.is_cut || values.is_cut;
  return anywhere;
}

const ParameterLeaves& predicate_parameters(const HloModule& module, int32_t computation,
                                            std::map<int32_t, ParameterLeaves>& known) {
  const auto [at, is_new] = known.try_emplace(computation);
  if (!is_new) return at->second;
  ParameterLeaves found;
  const auto add = [&](int32_t instruction, int64_t leaf) {
    Tree tree(module, computation);
    tree.of({{}, instruction, static_cast<int32_t>(leaf)});
    found.insert(tree.parameters().begin(), tree.parameters().end());
  };
  const std::vector<HloInstruction>& instructions = module.computations[computation].instructions;
  for (const HloInstruction& i : instructions) {
    if (i.opcode == HloOpcode::kSelect && i.operands.size() == 3) add(i.operands[0].instruction, 0);
    if (i.opcode == HloOpcode::kWhile) {
      const auto position = static_cast<int32_t>(&i - instructions.data());
      const std::vector<int32_t> body = called_computations(i, "body");
      if (body.size() != 1 || body[0] < 0) continue;
      for (const auto& [parameter, leaf] : predicate_parameters(module, body[0], known)) {
        const auto operand = operand_of_loop(module, computation, position, leaf);
        if (operand) add(*operand, leaf);
      }
    }
    const bool calls = i.opcode == HloOpcode::kCall || i.opcode == HloOpcode::kFusion;
    const int32_t callee = calls ? callee_of(i) : -1;
    if (callee < 0) continue;
    for (const auto& [parameter, leaf] : predicate_parameters(module, callee, known)) {
      if (parameter < std::ssize(i.operands)) add(i.operands[parameter].instruction, leaf);
    }
  }
  return known[computation] = std::move(found);
}

bool is_any_known(const HloModule& module, const CallSite& site,
                  const ParameterLeaves& parameters) {
  return std::ranges::any_of(parameters, [&](const auto& of) {
    const PossibleValues& known = argument(module, site, of.first, of.second);
    return !is_anything(known) || known.is_cut;
  });
}

}  // namespace tileproof::verify
