// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/known_predicate.h"

#include <map>
#include <string>

#include "spec/hlo/integer_arithmetic.h"
#include "spec/hlo/term_interpreter.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/follow_source.h"
#include "spec/lang/hlo/hlo_known.h"

namespace tileproof::verify {
namespace {

using ValuesKind = PossibleValues::Kind;
using Comparison = PossibleValues::Comparison;
using KnownRange = std::optional<spec::IntegerRange>;

bool is_anything(const PossibleValues& values) { return values.kind == ValuesKind::kAnything; }

bool may_be_anything(const PossibleValues& values) {
  return is_anything(values) || std::ranges::any_of(values.operands, may_be_anything);
}

KnownRange range_of(const PossibleValues& values) {
  return is_anything(values) ? KnownRange() : spec::IntegerRange{values.low, values.high};
}

KnownRange hull(const KnownRange& a, const KnownRange& b) {
  if (!a || !b) return a ? a : b;
  return spec::IntegerRange{std::min(a->low, b->low), std::max(a->high, b->high)};
}

// The numbers that an operation gives of numbers in these ranges; nothing if they are not followed.
KnownRange arithmetic(HloOpcode opcode, const spec::IntegerRange& a, const spec::IntegerRange& b) {
  const bool is_number = b.low == b.high, divides = is_number && b.low > 0 && a.low >= 0;
  const auto of = [&](absl::int128 x, absl::int128 y) -> std::optional<absl::int128> {
    switch (opcode) {
      case HloOpcode::kAdd:
        return x + y;
      case HloOpcode::kSubtract:
        return x - y;
      case HloOpcode::kMultiply:
        return is_number || a.low == a.high ? std::optional(x * y) : std::nullopt;
      case HloOpcode::kDivide:
        return divides ? std::optional(x / y) : std::nullopt;
      default:
        return std::nullopt;
    }
  };
  if (opcode == HloOpcode::kRemainder && divides) {
    return spec::IntegerRange{0, std::min(a.high, b.low - 1)};
  }
  std::vector<absl::int128> ends;
  for (const int64_t x : {a.low, a.high}) {
    for (const int64_t y : {b.low, b.high}) {
      const auto end = of(x, y);
      if (!end || *end < INT64_MIN || *end > INT64_MAX) return std::nullopt;
      ends.push_back(*end);
    }
  }
  const auto [low, high] = std::ranges::minmax(ends);
  return spec::IntegerRange{static_cast<int64_t>(low), static_cast<int64_t>(high)};
}

// The numbers that an operation of integers gives.
KnownRange results_of(const PossibleValues& values) {
  const std::vector<PossibleValues>& operands = values.operands;
  if (values.opcode == HloOpcode::kSelect) {
    const PossibleValues& predicate = operands[0];
    if (may_be_anything(predicate) || predicate.low < predicate.high) {
      return hull(range_of(operands[1]), range_of(operands[2]));
    }
    return range_of(operands[predicate.low == 1 ? 1 : 2]);
  }
  if (std::ranges::any_of(operands, is_anything)) return std::nullopt;
  KnownRange all;
  for (const PossibleValues& one : operands) all = hull(all, range_of(one));
  switch (values.opcode) {
    case HloOpcode::kClamp:
    case HloOpcode::kConvert:
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
      return all;
    case HloOpcode::kNegate:
      return arithmetic(HloOpcode::kSubtract, {0, 0}, *all);
    default:
      return arithmetic(values.opcode, *range_of(operands[0]), *range_of(operands[1]));
  }
}

// Whether it is an operation of predicates, or of integers, that is followed.
bool is_followed(HloOpcode opcode, bool of_predicates) {
  switch (opcode) {
    case HloOpcode::kConvert:
    case HloOpcode::kSelect:
      return true;
    case HloOpcode::kAnd:
    case HloOpcode::kNot:
    case HloOpcode::kOr:
    case HloOpcode::kXor:
      return of_predicates;
    case HloOpcode::kAdd:
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
    case HloOpcode::kMultiply:
      return true;
    case HloOpcode::kClamp:
    case HloOpcode::kDivide:
    case HloOpcode::kNegate:
    case HloOpcode::kRemainder:
    case HloOpcode::kSubtract:
      return !of_predicates;
    default:
      return false;
  }
}

// The same operation of predicates, whose sum is `or`.
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
  return unknown(values.operands, values.kind == ValuesKind::kCopied ||
                                      values.kind == ValuesKind::kLogical ||
                                      values.opcode == HloOpcode::kSelect);
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
    if (i.opcode == HloOpcode::kCompare) return comparison(position, i);
    if (is_followed(i.opcode, is_predicate(i, 0))) return computed(position, i);
    return is_evaluated(within, i, *valid) ? not_followed(position, i) : PossibleValues();
  }

  // Whether the definition gives numbers if the operands are numbers.
  bool is_evaluated(int32_t within, const HloInstruction& i, const spec::AccessRelation& relation) {
    const auto op = checked_op(region_.module, region_.module.computations[within], i);
    if (!op.ok() || i.operands.empty()) return false;
    const spec::Meaning meaning = spec::meaning_of(region_.module, i, *op, relation, 0, false);
    if (meaning.rule == spec::Rule::kMove) return !meaning.shows;
    if (meaning.rule != spec::Rule::kApply) return meaning.rule == spec::Rule::kRead;
    const HloInstruction& first =
        region_.module.computations[within].instructions[i.operands[0].instruction];
    const auto type = spec::type_of_leaf(i, 0), from = spec::type_of_leaf(first, 0);
    const std::vector<std::optional<int64_t>> ones(i.operands.size(), 1);
    return type && from && spec::evaluated(i.opcode, *type, *from, "", ones).has_value();
  }

  // Some elements of an update or of padding may be known though others are not.
  PossibleValues not_followed(const HloPosition& position, const HloInstruction& i) {
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
    return {
        .kind = ValuesKind::kIota, .high = std::max<int64_t>(size - 1, 0), .dimension = *dimension};
  }

  static PossibleValues constant(const HloInstruction& i) {
    auto elements = elements_of_constant(i);
    if (!elements || elements->empty()) return {};
    const auto [least, most] = std::ranges::minmax(*elements);
    if (least == most) elements->resize(1);
    if (std::ssize(*elements) > kMostListed) return cut();
    return {.kind = ValuesKind::kListed,
            .low = least,
            .high = most,
            .dims = leaves_of(*i.shape)->front().dims,
            .elements = *std::move(elements)};
  }

  PossibleValues copied(const HloPosition& position, const HloInstruction& i,
                        const spec::AccessRelation& relation) {
    PossibleValues values{.kind = ValuesKind::kCopied};
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
      PossibleValues same{.kind = ValuesKind::kCopied, .is_predicate = one.is_predicate};
      same.low = one.low;
      same.high = one.high;
      same.copies.push_back(spec::scalar(static_cast<int32_t>(k)));
      same.nodes = one.nodes;  // no operation of its own
      same.operands.push_back(std::move(one));
      one = std::move(same);
    }
    values.operands.push_back(std::move(one));
  }

  PossibleValues computed(const HloPosition& position, const HloInstruction& i) {
    PossibleValues values{.kind = ValuesKind::kInteger, .opcode = i.opcode};
    for (size_t k = 0; k < i.operands.size(); ++k) add_operand(position, i, k, values);
    if (!is_predicate(i, 0)) return with_range(values, results_of(values));
    values.kind = ValuesKind::kLogical;
    values.opcode = as_logic(i.opcode);
    values.high = 1;
    if (std::ranges::all_of(values.operands, is_anything)) return unknown(values);
    if (i.opcode != HloOpcode::kConvert || values.operands[0].is_predicate) return values;
    // An integer is true if it is not 0.
    values.kind = ValuesKind::kCompared;
    values.comparison = Comparison::kNotEqual;
    values.operands.push_back({.kind = ValuesKind::kListed, .elements = {0}, .nodes = 0});
    return values;
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
    PossibleValues values{.kind = ValuesKind::kCompared, .high = 1};
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
};

}  // namespace

std::optional<std::vector<int64_t>> elements_of_constant(const HloInstruction& constant) {
  const auto numbers = spec::numbers_of_constant(constant);
  if (!numbers) return std::nullopt;
  std::vector<int64_t> elements;
  for (const absl::int128 number : *numbers) {
    elements.push_back(static_cast<int64_t>(std::min<absl::int128>(number, INT64_MAX)));
  }
  return elements;
}

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

bool has_select(const HloModule& module, int32_t computation, std::map<int32_t, bool>& known) {
  const auto [at, is_new] = known.try_emplace(computation, false);
  if (!is_new) return at->second;
  bool found = false;
  for (const HloInstruction& i : module.computations[computation].instructions) {
    found = found || i.opcode == HloOpcode::kSelect;
    for (const HloCall& call : i.calls) {
      found = found || (call.computation >= 0 && has_select(module, call.computation, known));
    }
  }
  return known[computation] = found;
}

bool knows_operands(const HloModule& module, const CallSite& site) {
  const HloComputation& within = module.computations[site.computation];
  const HloInstruction& call = within.instructions[site.call];
  for (int64_t k = 0; k < std::ssize(call.operands); ++k) {
    const SharedShape& shape = within.instructions[call.operands[k].instruction].shape;
    const auto leaves = shape ? leaves_of(*shape) : absl::StatusOr<Leaves>(Leaves());
    for (int64_t leaf = 0; leaves.ok() && leaf < std::ssize(*leaves); ++leaf) {
      const PossibleValues& known = argument(module, site, k, leaf);
      if (!is_anything(known) || known.is_cut) return true;
    }
  }
  return false;
}

}  // namespace tileproof::verify
