// SPDX-License-Identifier: Apache-2.0
// What each operation makes of the elements that it reads, and its symbol.
#include <algorithm>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/hlo/integer_arithmetic.h"
#include "spec/hlo/runtime_size.h"
#include "spec/hlo/runtime_value.h"
#include "spec/hlo/term_interpreter.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/operands_first.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::spec {
namespace {

template <class... Operations>
bool is_any_of(const op::Any& operation) {
  return (std::holds_alternative<Operations>(operation) || ...);
}

// These say nothing about what an operation computes.
constexpr absl::string_view kNotes[] = {"metadata",       "sharding",
                                        "statistics",     "frontend_attributes",
                                        "origin",         "control-predecessors",
                                        "kind",           "parameter_replication",
                                        "original_value", "schedule_group"};

std::string text_of(const Leaf& leaf) {
  return absl::StrCat(info(leaf.array->element_type).name, dims_text(leaf.dims));
}

// What an unknown operation sees of an array: the order of its elements in memory, too.
std::string memory_text(const Leaf& leaf) {
  Shape written = *leaf.array;
  written.layout = layout_of(written);
  return to_text(written);
}

bool looks_at_memory(HloOpcode opcode) {
  return opcode == HloOpcode::kCustomCall || opcode == HloOpcode::kOther;
}

// What an instruction has its one element from, if it only gives it other dimensions.
int32_t source_of_one(const HloComputation& within, int32_t at) {
  const auto is_one = [](const HloInstruction& i) {
    return i.shape && i.shape->kind == Shape::Kind::kArray &&
           std::ranges::all_of(i.shape->dimensions, [](const Dimension& d) {
             return d.kind == Dimension::Kind::kFixed && d.size == 1;
           });
  };
  while (true) {
    const HloInstruction& i = within.instructions[at];
    const bool moves = i.opcode == HloOpcode::kCopy || i.opcode == HloOpcode::kReshape;
    if (!moves || i.operands.size() != 1) return at;
    const int32_t from = i.operands[0].instruction;
    if (!is_one(i) || !is_one(within.instructions[from])) return at;
    at = from;
  }
}

// A computation by its instructions, without names: equal texts compute the same, unless `unlike`
// others is set.
std::string text_of(const HloModule& module, int32_t computation, int64_t depth, bool& unlike);

std::string text_of(const HloModule& module, const HloInstruction& i, int64_t depth, bool& unlike) {
  std::vector<std::string> texts;  // attributes come in any order
  unlike = unlike || is_unlike_others(i);
  for (int32_t k = 0; k < std::ssize(i.attributes); ++k) {
    const HloAttribute& attribute = i.attributes[k];
    if (std::ranges::find(kNotes, attribute.name) != std::end(kNotes)) continue;
    // How an operation that HLO defines is carried out; what a custom call does.
    if (attribute.name == "backend_config" && !looks_at_memory(i.opcode)) continue;
    if (i.opcode == HloOpcode::kSort && attribute.name == "dimensions") continue;
    std::string& text = texts.emplace_back(absl::StrCat(" ", attribute.name, "="));
    bool calls = false;
    for (const HloCall& call : i.calls) {
      if (call.attribute != k) continue;
      calls = true;
      absl::StrAppend(&text, text_of(module, call.computation, depth + 1, unlike));
    }
    if (!calls) absl::StrAppend(&text, attribute.value);
  }
  std::ranges::sort(texts);
  return absl::StrCat(i.opcode_text, absl::StrJoin(texts, ""));
}

std::string text_of(const HloModule& module, int32_t computation, int64_t depth, bool& unlike) {
  if (computation < 0 || depth > Limits().depth) {
    unlike = true;
    return "";
  }
  const HloComputation& within = module.computations[computation];
  std::vector<std::string> texts;  // what no result needs may still be unlike others
  for (const HloInstruction& i : within.instructions) {
    texts.push_back(text_of(module, i, depth, unlike));
  }
  std::string text = "{";
  std::map<int32_t, size_t> numbers;  // in the order of the text
  const auto operands = [&](int32_t at) {
    std::vector<int32_t> all;
    for (const HloOperand& one : within.instructions[at].operands) {
      all.push_back(source_of_one(within, one.instruction));
    }
    return all;
  };
  const auto is_done = [&](int32_t at) { return numbers.contains(at); };
  const auto append = [&](int32_t at) {
    const HloInstruction& i = within.instructions[at];
    absl::StrAppend(&text, texts[at], " ", i.parameter_number, " ", i.literal);
    if (i.shape) {
      if (const auto leaves = leaves_of(*i.shape); leaves.ok()) {
        for (const Leaf& leaf : *leaves) absl::StrAppend(&text, " ", memory_text(leaf));
      }
    }
    for (const int32_t operand : operands(at)) {
      absl::StrAppend(&text, " %", numbers.at(operand));
    }
    absl::StrAppend(&text, ";");
    numbers.emplace(at, numbers.size());
  };
  operands_first(source_of_one(within, within.root), operands, is_done, append,
                 [] { return true; });
  return text + "}";
}

// The operation that a computation of two parameters applies to them, if it does no more.
HloOpcode reducer_of(const HloModule& module, const HloInstruction& reduce) {
  const bool selects = reduce.opcode == HloOpcode::kSelectAndScatter;
  const auto called = called_computations(reduce, selects ? "scatter" : "to_apply");
  if (called.size() != 1 || called[0] < 0) return HloOpcode::kOther;
  const HloComputation& within = module.computations[called[0]];
  const HloInstruction& root = within.instructions[within.root];
  if (root.operands.size() != 2 || within.instructions.size() != 3) return HloOpcode::kOther;
  for (const HloOperand& operand : root.operands) {
    if (within.instructions[operand.instruction].opcode != HloOpcode::kParameter) {
      return HloOpcode::kOther;
    }
  }
  if (root.operands[0].instruction == root.operands[1].instruction) return HloOpcode::kOther;
  return is_reducer(root.opcode) ? root.opcode : HloOpcode::kOther;
}

bool is_same_type(const HloInstruction& i, const CheckedOp& op, const AccessRelation& relation,
                  int64_t part) {
  return std::ranges::all_of(relation.dependences,
                             [&](const Dependence& d) {
                               return op.operands[d.operand][d.leaf].array->element_type ==
                                      op.result[part].array->element_type;
                             }) &&
         i.shape;
}

Rule rule_of(const HloModule& module, const HloInstruction& i, const CheckedOp& op,
             const AccessRelation& relation, int64_t part) {
  const op::Any* operation = &op.operation;
  HloOpcode opcode = op.opcode;
  if (!relation.conservative.empty()) return Rule::kOpaque;
  if (const auto* start = std::get_if<op::Start>(operation)) {
    if (part < std::ssize(start->operands)) return Rule::kMove;
    if (start->operation == nullptr) return Rule::kOpaque;
    operation = &start->operation->operation;
    opcode = start->operation->opcode;
  }
  if (is_any_of<op::Source>(*operation)) return Rule::kSource;
  if (is_any_of<op::Forward>(*operation)) {
    return relation.dependences.empty() ? Rule::kOpaque : Rule::kMove;
  }
  if (const auto* call = std::get_if<op::CustomCall>(operation)) {
    if (call->target == "tileproof.elementwise") return Rule::kApply;
    const bool annotates = call->is_like_operand && relation.dependences.size() == 1 &&
                           relation.dependences[0].ranges.empty();
    return annotates || call->read ? Rule::kMove : Rule::kOpaque;
  }
  if (is_any_of<op::Broadcast, op::Transpose, op::Reverse, op::Reshape, op::Slice, op::Pad,
                op::Concatenate>(*operation)) {
    return Rule::kMove;
  }
  if (is_any_of<op::Bitcast>(*operation)) {
    return is_same_type(i, op, relation, part) ? Rule::kMove : Rule::kApply;
  }
  if (const auto* convert = std::get_if<op::BitcastConvert>(operation)) {
    return convert->operand.size() == convert->result.size() ? Rule::kApply : Rule::kOpaque;
  }
  if (is_any_of<op::Elementwise>(*operation)) {
    if (opcode == HloOpcode::kCopy) return Rule::kMove;
    return opcode == HloOpcode::kSelect ? Rule::kSelect : Rule::kApply;
  }
  if (opcode == HloOpcode::kDot && is_any_of<op::Dot>(*operation)) return Rule::kBag;
  if (is_any_of<op::Convolution>(*operation)) return Rule::kBag;
  const auto* reduce = std::get_if<op::Reduce>(operation);
  const auto* windows = std::get_if<op::ReduceWindow>(operation);
  if ((reduce != nullptr && reduce->inputs == 1) || (windows != nullptr && windows->inputs == 1)) {
    return reducer_of(module, i) != HloOpcode::kOther ? Rule::kBag : Rule::kOpaque;
  }
  if (is_any_of<op::DynamicSlice, op::DynamicUpdateSlice, op::Gather>(*operation)) {
    return Rule::kRead;
  }
  return Rule::kOpaque;
}

// Whether it gives the first elements of a stable sort, and their numbers.
bool ranks_line(const HloInstruction& i) {
  if (i.opcode == HloOpcode::kTopk) {
    const std::string* is_stable = find_attribute(i.attributes, "is_stable");
    const std::string* largest = find_attribute(i.attributes, "largest");
    return largest != nullptr && (is_stable == nullptr || *is_stable == "true");
  }
  const std::string* target = find_attribute(i.attributes, "custom_call_target");
  const auto called = called_computations(i, "called_computations");
  return i.opcode == HloOpcode::kCustomCall && target != nullptr && *target == "\"TopK\"" &&
         called.size() == 1 && called[0] >= 0;
}

// Rules for terms only: what flows needs no look into the computation that is applied.
Rule rule_of_terms(const HloInstruction& i, const op::Any& operation, Rule rule) {
  if (ranks_line(i)) return Rule::kSort;
  if (is_any_of<op::SelectAndScatter>(operation)) {
    for (const absl::string_view name : {"select", "scatter"}) {
      const auto called = called_computations(i, name);
      if (called.size() != 1 || called[0] < 0) return rule;
    }
    return Rule::kSelectAndScatter;
  }
  const auto called = called_computations(i, "to_apply");
  if (called.size() != 1 || called[0] < 0) return rule;
  if (i.opcode == HloOpcode::kMap && rule == Rule::kApply) return Rule::kEach;
  if (rule != Rule::kOpaque) return rule;
  if (is_any_of<op::Reduce, op::ReduceWindow>(operation)) return Rule::kFold;
  const auto* scatter = std::get_if<op::Scatter>(&operation);
  if (scatter != nullptr && scatter->inputs == 1) return Rule::kScatter;
  return is_any_of<op::Sort>(operation) ? Rule::kSort : rule;
}

// `a > b` is `b < a`.
void set_comparison(const HloInstruction& i, Meaning& meaning) {
  const std::string* direction = find_attribute(i.attributes, "direction");
  Symbol& symbol = meaning.symbol;
  symbol.direction = direction == nullptr ? "?" : *direction;
  meaning.swaps = symbol.direction == "GT" || symbol.direction == "GE";
  if (meaning.swaps) symbol.direction = symbol.direction == "GT" ? "LT" : "LE";
}

// The symbol's text. Equal texts mean equal functions.
std::string text_of(const HloModule& module, const HloInstruction& i, const CheckedOp& op,
                    int64_t part, Meaning& meaning) {
  const Symbol& symbol = meaning.symbol;
  const absl::string_view type = info(symbol.type).name;
  if (meaning.rule == Rule::kBag) {
    std::string text = absl::StrCat(name_of(symbol.opcode), symbol.group == 2 ? " products " : " ",
                                    type, " of ", info(symbol.from).name);
    for (const absl::string_view name : {"operand_precision", "algorithm"}) {
      const std::string* value = find_attribute(i.attributes, name);
      if (value != nullptr) absl::StrAppend(&text, " ", name, "=", *value);
    }
    return text;
  }
  const bool is_sort = meaning.rule == Rule::kSort;  // of one line, whatever the dimensions
  const bool is_elementwise = meaning.rule == Rule::kApply || meaning.rule == Rule::kSelect;
  if (i.opcode == HloOpcode::kCompare && meaning.rule == Rule::kApply) {
    const std::string* order = find_attribute(i.attributes, "type");
    const bool is_plain = order == nullptr || is_integer(symbol.from) || *order == "FLOAT";
    return absl::StrCat("compare ", symbol.direction, " of ", info(symbol.from).name,
                        is_plain ? "" : absl::StrCat(" ", *order));
  }
  std::string text = text_of(module, i, 0, meaning.unlike);
  if (is_sort && ranks_line(i)) {  // of the elements and of their numbers
    text = "sort is_stable=true";
  } else if (is_sort) {  // the computation is a term of its own
    const int32_t order = called_computations(i, "to_apply")[0];
    meaning.order = text_of(module, order, 1, meaning.unlike);
    const std::string* is_stable = find_attribute(i.attributes, "is_stable");
    text = absl::StrCat(i.opcode_text, is_stable == nullptr ? "" : " is_stable=",
                        is_stable == nullptr ? "" : *is_stable);
  }
  // What says in which memory order a custom call wants its operands is a part of the text.
  const bool has_order = find_attribute(i.attributes, "operand_layout_constraints") != nullptr;
  const auto add = [&](absl::string_view before, const Leaf& leaf) {
    const bool of_one_element = is_elementwise || is_sort;
    const bool is_logical = has_order && before == " of ";
    absl::StrAppend(&text, before,
                    of_one_element ? std::string(info(leaf.array->element_type).name)
                    : looks_at_memory(i.opcode) && !is_logical ? memory_text(leaf)
                                                               : text_of(leaf));
  };
  if (!is_elementwise) absl::StrAppend(&text, " part ", part);
  for (const Leaf& leaf : op.result) add(" ", leaf);
  for (const Leaves& leaves : op.operands) {
    for (const Leaf& leaf : leaves) add(" of ", leaf);
  }
  if (is_sort && ranks_line(i)) absl::StrAppend(&text, " of s32");
  if (i.opcode == HloOpcode::kConstant) absl::StrAppend(&text, i.literal);
  return text;
}

}  // namespace

bool is_unlike_others(const HloInstruction& i) {
  switch (i.opcode) {
    case HloOpcode::kConstant:
      return absl::StrContains(i.literal, "...");
    case HloOpcode::kCustomCall: {
      const std::string* effect = find_attribute(i.attributes, "custom_call_has_side_effect");
      return effect != nullptr && *effect == "true";
    }
    case HloOpcode::kInfeed:
    case HloOpcode::kOther:
    case HloOpcode::kRecv:
    case HloOpcode::kRng:
    case HloOpcode::kRngGetAndUpdateState:
      return true;
    default:
      return false;
  }
}

Symbol bag_of(HloOpcode reducer, ElementType type) {
  const absl::string_view name = info(type).name;
  return {.text = absl::StrCat(name_of(reducer), " ", name, " of ", name),
          .opcode = reducer,
          .type = type,
          .from = type};
}

std::optional<Symbol> bag_symbol(const HloModule& module, const HloInstruction& i,
                                 ElementType type) {
  const HloOpcode reducer = reducer_of(module, i);
  return reducer == HloOpcode::kOther ? std::nullopt : std::optional(bag_of(reducer, type));
}

std::optional<Symbol> reducer_of_leaf(const HloModule& module, const HloInstruction& i,
                                      int64_t leaf, ElementType type) {
  const HloComputation& within = module.computations[called_computations(i, "to_apply").at(0)];
  const HloInstruction& root = within.instructions[within.root];
  const auto inputs = std::ssize(root.operands);
  if (root.opcode != HloOpcode::kTuple || leaf >= inputs) return std::nullopt;
  const HloInstruction& one = within.instructions[root.operands[leaf].instruction];
  std::vector<int64_t> parameters;
  for (const HloOperand& operand : one.operands) {
    const HloInstruction& from = within.instructions[operand.instruction];
    if (from.opcode == HloOpcode::kParameter) parameters.push_back(from.parameter_number);
  }
  std::ranges::sort(parameters);
  const bool is_own = one.operands.size() == 2 && parameters == std::vector{leaf, inputs + leaf};
  if (!is_own || !is_reducer(one.opcode)) return std::nullopt;
  return bag_of(one.opcode, type);
}

// Whether it is a custom call with an effect that runs once, on one device, and nothing else asks the world
// outside: what it gets is then the same in each module.
bool asks_alone(const HloModule& module, const HloInstruction& i) {
  const auto asks = [](const HloInstruction& one) {
    return one.opcode != HloOpcode::kConstant && is_unlike_others(one);
  };
  if (i.opcode != HloOpcode::kCustomCall || !asks(i) || !i.calls.empty()) return false;
  for (const absl::string_view count : {"num_partitions", "replica_count"}) {
    const std::string* devices = find_attribute(module.attributes, count);
    if (devices != nullptr && *devices != "1") return false;
  }
  bool is_in_entry = false;
  for (size_t c = 0; c < module.computations.size(); ++c) {
    for (const HloInstruction& one : module.computations[c].instructions) {
      if (&one != &i && asks(one)) return false;
      is_in_entry = is_in_entry || (&one == &i && static_cast<int32_t>(c) == module.entry);
    }
  }
  return is_in_entry;
}

Meaning meaning_of(const HloModule& module, const HloInstruction& i, const CheckedOp& op,
                   const AccessRelation& relation, int64_t part, bool with_text) {
  Meaning meaning;
  meaning.rule = rule_of(module, i, op, relation, part);
  Symbol& symbol = meaning.symbol;
  symbol.opcode = i.opcode;
  if (op.result[part].array != nullptr) symbol.type = op.result[part].array->element_type;
  if (!op.operands.empty() && !op.operands[0].empty()) {
    symbol.from = op.operands[0][0].array->element_type;
  }
  meaning.keeps_origin =
      meaning.rule == Rule::kMove && keeps_values(i.opcode) && is_same_type(i, op, relation, part);
  meaning.shows =
      meaning.rule == Rule::kMove && !meaning.keeps_origin && i.opcode != HloOpcode::kPad;
  if (i.opcode == HloOpcode::kCompare) set_comparison(i, meaning);
  if (with_text && relation.conservative.empty()) {
    meaning.rule = rule_of_terms(i, op.operation, meaning.rule);
    if (is_any_of<op::GetDimensionSize>(op.operation) &&
        runtime_size_reason(i, op, relation).empty()) {
      meaning.rule = Rule::kSource;
      meaning.number = op.operands[0][0].dims[integers_of(i, "dimensions")->front()];
    }
  }
  if (meaning.rule == Rule::kScatter || meaning.rule == Rule::kSelectAndScatter) {
    symbol.opcode = reducer_of(module, i);
  }
  if (meaning.rule == Rule::kSort) {
    symbol.opcode = HloOpcode::kSort;
    symbol.group = ranks_line(i) ? 2 : static_cast<int32_t>(op.operands.size());
    symbol.leaf = static_cast<int32_t>(part);
  }
  if (meaning.rule == Rule::kBag) {
    const bool has_products = is_any_of<op::Dot, op::Convolution>(op.operation);
    symbol.group = has_products ? 2 : 1;
    symbol.opcode = has_products ? HloOpcode::kAdd : reducer_of(module, i);
  }
  if (meaning.rule == Rule::kRead) {
    meaning.arrays = i.opcode == HloOpcode::kDynamicUpdateSlice ? 2 : 1;
  }
  if (with_text) symbol.text = text_of(module, i, op, part, meaning);
  meaning.unlike = meaning.unlike && !asks_alone(module, i);
  symbol.of_arrays = meaning.rule == Rule::kSort;
  return meaning;
}

}  // namespace tileproof::spec
