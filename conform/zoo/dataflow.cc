// SPDX-License-Identifier: Apache-2.0
// Known-wrong answers of hlo.index.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conform/zoo/variants.h"
#include "spec/lang/hlo/hlo_attributes.h"

namespace tileproof::zoo {
namespace {

using conform::HloQuestion;
using conform::Json;

bool about_array(const HloQuestion& question, const HloInstruction& at, HloOpcode opcode) {
  if (!at.shape || at.shape->kind != Shape::Kind::kArray) return false;
  return question.scope == spec::Scope::kInstruction && at.opcode == opcode;
}

const HloInstruction& operand_of(const HloQuestion& question, const HloInstruction& at, size_t i) {
  return question.module.computations[question.computation]
      .instructions[at.operands[i].instruction];
}

bool is_array(const HloInstruction& at) {
  return at.shape && at.shape->kind == Shape::Kind::kArray;
}

NodeId dimension(IndexingMap& map, int64_t number) {
  return add_variable(map.nodes, Op::kDimension, number);
}

// Makes each element of the result depend on the element at the same index.
void make_identity(IndexingMap& map) {
  map.results.clear();
  for (int64_t d = 0; d < std::ssize(map.dimensions); ++d) map.results.push_back(dimension(map, d));
}

void whole_box(const HloInstruction& at, IndexingMap& map) {
  map.constraints.clear();
  for (size_t d = 0; d < map.dimensions.size(); ++d) {
    map.dimensions[d].bounds = {0, at.shape->dimensions[d].size - 1};
  }
}

// ---- One instruction ----

// Reads a scalar predicate or bound like an array.
void scalar_as_array(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (!about_array(question, at, HloOpcode::kSelect) &&
      !about_array(question, at, HloOpcode::kClamp))
    return;
  for (std::vector<Listed>& list : lists) {
    for (Listed& item : list) {
      if (item.map.results.empty()) make_identity(item.map);
    }
  }
}

// Gives the dimensions of the result the bounds of the operand's.
void bounds_of_the_operand(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (!about_array(question, at, HloOpcode::kTranspose)) return;
  for (Listed& item : lists[0]) {
    for (size_t d = 0; d < item.map.dimensions.size(); ++d) {
      item.map.dimensions[d].bounds.high =
          operand_of(question, at, 0).shape->dimensions[d].size - 1;
    }
  }
}

// Forgets trailing dimensions of size 1, so they get no variable.
void trailing_ones_dropped(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (!about_array(question, at, HloOpcode::kReshape) &&
      !about_array(question, at, HloOpcode::kBitcast))
    return;
  int64_t rank = at.shape->rank();
  while (rank > 0 && at.shape->dimensions[rank - 1].size == 1) --rank;
  for (Listed& item : lists[0]) {
    const bool used = std::any_of(item.map.nodes.begin(), item.map.nodes.end(), [&](const Node& n) {
      return n.op == Op::kDimension && n.value >= rank;
    });
    if (!used) item.map.dimensions.resize(rank);
  }
}

// Ignores the reversal: the offset is 0 and the strides are positive.
void reversal_forgotten(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (!about_array(question, at, HloOpcode::kReverse)) return;
  for (Listed& item : lists[0]) make_identity(item.map);
}

// A transpose of three or more dimensions reverses all axes, whatever its permutation.
void all_axes_reversed(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (!about_array(question, at, HloOpcode::kTranspose) || at.shape->rank() < 3) return;
  for (Listed& item : lists[0]) {
    make_identity(item.map);
    std::reverse(item.map.results.begin(), item.map.results.end());
  }
}

// Makes every element of the result depend on the pad value.
void pad_value_everywhere(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (!about_array(question, at, HloOpcode::kPad) || lists.size() < 2 || lists[1].empty()) return;
  lists[1].resize(1);
  whole_box(at, lists[1][0].map);
}

// Bounds the offset of a dynamic-slice by size - slice - 1 instead of size - slice.
void last_offset_missing(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (!about_array(question, at, HloOpcode::kDynamicSlice)) return;
  for (std::vector<Listed>& list : lists) {
    for (Listed& item : list) {
      for (Variable& offset : item.map.runtime) --offset.bounds.high;
    }
  }
}

// A map of a dynamic-update-slice with the whole result as its domain, made from an offset's map.
std::optional<Listed> over_the_result(const HloQuestion& question, const HloInstruction& at,
                                      const Lists& lists) {
  const bool asked = about_array(question, at, HloOpcode::kDynamicUpdateSlice) && lists.size() > 2;
  if (!asked || lists[2].empty()) return std::nullopt;
  return lists[2][0];
}

void operand_under_the_update(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  std::optional<Listed> item = over_the_result(question, at, lists);
  if (!item) return;
  make_identity(item->map);
  lists[0] = {*std::move(item)};
}

void update_without_end(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (!over_the_result(question, at, lists)) return;
  for (Listed& item : lists[1]) whole_box(at, item.map);
}

// Treats a bitcast-convert as elementwise, even between types of different widths.
void bitcast_convert_elementwise(const HloQuestion& question, const HloInstruction& at,
                                 Lists& lists) {
  if (!about_array(question, at, HloOpcode::kBitcastConvert)) return;
  if (operand_of(question, at, 0).shape->rank() == at.shape->rank()) return;
  for (Listed& item : lists[0]) {
    item.map.ranges.clear();
    whole_box(at, item.map);
    make_identity(item.map);
  }
}

// ---- Composition ----

bool composes(const HloQuestion& question, HloOpcode producer) {
  if (question.scope != spec::Scope::kComputation) return false;
  const std::vector<HloInstruction>& all =
      question.module.computations[question.computation].instructions;
  return std::any_of(all.begin(), all.begin() + question.instruction,
                     [producer](const HloInstruction& at) { return at.opcode == producer; });
}

// Calls `change` with the sources of each map that has two or more.
template <class Change>
void change_sources(Lists& lists, Change change) {
  for (std::vector<Listed>& list : lists) {
    for (Listed& item : list) {
      auto* sources = item.runtime.as<Json::Array>();
      if (sources != nullptr && sources->size() > 1) change(*sources);
    }
  }
}

// Consumers of a dynamic-update-slice: the consumer's offset becomes the first variable, which
// shifts the offsets of the update by one.
void starts_shifted_by_one(const HloQuestion& question, const HloInstruction&, Lists& lists) {
  if (!composes(question, HloOpcode::kDynamicUpdateSlice)) return;
  change_sources(lists, [](Json::Array& s) { std::rotate(s.begin(), s.end() - 1, s.end()); });
}

// A slice of a slice: the maps and the list of sources have different orders of the variables.
void producer_and_consumer_crossed(const HloQuestion& question, const HloInstruction& at,
                                   Lists& lists) {
  const bool slices =
      at.opcode == HloOpcode::kDynamicSlice && composes(question, HloOpcode::kDynamicSlice);
  const auto mine = std::ssize(at.operands) - 1;
  if (!slices) return;
  change_sources(lists, [mine](Json::Array& s) {
    if (mine < std::ssize(s)) std::rotate(s.begin(), s.begin() + mine, s.end());
  });
}

std::optional<int64_t> constant_value(const HloInstruction& at) {
  int64_t value;
  if (at.opcode != HloOpcode::kConstant || !absl::SimpleAtoi(at.literal, &value))
    return std::nullopt;
  return value;
}

// Does not clamp constant offsets of a dynamic-update-slice in the map of the update.
void starts_not_clamped(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  const bool asked = question.scope == spec::Scope::kComputation &&
                     at.opcode == HloOpcode::kDynamicUpdateSlice && is_array(at);
  if (!asked || operand_of(question, at, 1).opcode != HloOpcode::kParameter) return;
  const HloInstruction& update = operand_of(question, at, 1);
  if (std::ssize(at.operands) != at.shape->rank() + 2) return;
  if (update.parameter_number < 0 || update.parameter_number >= std::ssize(lists)) return;
  for (int64_t d = 0; d < at.shape->rank(); ++d) {
    const std::optional<int64_t> start =
        constant_value(operand_of(question, at, static_cast<size_t>(d) + 2));
    if (!start || *start < -(1 << 30) || *start > 1 << 30) continue;
    const int64_t size = at.shape->dimensions[d].size, part = update.shape->dimensions[d].size;
    if (*start >= 0 && *start <= size - part) continue;
    for (Listed& item : lists[static_cast<size_t>(update.parameter_number)]) {
      if (std::ssize(item.map.results) != at.shape->rank()) return;
      IndexingMap& map = item.map;
      map.results[d] =
          add_operation(map.nodes, Op::kAdd, dimension(map, d), add_constant(map.nodes, -*start));
      map.dimensions[d].bounds = {std::max<int64_t>(*start, 0), std::min(*start + part, size) - 1};
    }
  }
}

// Erases the variable of a constant offset, but does not renumber the variables after it.
void numbers_not_shifted(const Json& request, conform::Answer& answer) {
  const absl::StatusOr<HloQuestion> question = conform::read_hlo_question(request);
  auto* lists = answer.result.as<Json::Array>();
  if (!question.ok() || lists == nullptr || question->scope != spec::Scope::kComputation) return;
  const HloInstruction& at =
      question->module.computations[question->computation].instructions[question->instruction];
  if (at.opcode != HloOpcode::kDynamicSlice) return;
  int64_t erased = -1;
  for (size_t i = 1; i < at.operands.size(); ++i) {
    const HloInstruction& offset = operand_of(*question, at, i);
    if (offset.opcode == HloOpcode::kConstant && erased < 0) erased = static_cast<int64_t>(i) - 1;
  }
  if (erased < 0 || operand_of(*question, at, 0).opcode != HloOpcode::kParameter) return;
  const auto renumbered = [erased](std::string text) {
    const size_t from = text.find("-> ("), to = text.find(", domain");
    if (from == std::string::npos || to == std::string::npos) return text;
    std::string results = text.substr(from, to - from);
    for (int64_t number = 20; number >= erased; --number) {
      results = absl::StrReplaceAll(results,
                                    {{absl::StrCat("rt", number), absl::StrCat("rt", number + 1)}});
    }
    return text.replace(from, to - from, results);
  };
  for (Json& list : *lists) {
    auto* items = list.as<Json::Array>();
    for (size_t i = 0; items != nullptr && i < items->size(); ++i) {
      Json& item = (*items)[i];
      const Json* map = item.as<std::string>() != nullptr ? &item : find(item, "map");
      const std::string text = renumbered(*map->as<std::string>());
      if (item.as<std::string>() != nullptr) {
        item = text;
      } else {
        set(item, "map", text);
      }
    }
  }
}

// Reads past the end when it groups dimensions with equal products and a size is 0.
int groups_of_nothing(const Json& request, const conform::Answer& right) {
  const absl::StatusOr<HloQuestion> question = conform::read_hlo_question(request);
  if (right.kind != conform::Answer::Kind::kResult || !question.ok()) return 0;
  const HloInstruction& at =
      question->module.computations[question->computation].instructions[question->instruction];
  if (at.opcode != HloOpcode::kReshape) return 0;
  const auto& sizes = at.shape->dimensions;
  const bool empty =
      std::any_of(sizes.begin(), sizes.end(), [](const Dimension& d) { return d.size == 0; });
  const bool regrouped = at.shape->rank() != operand_of(*question, at, 0).shape->rank();
  return empty && regrouped ? SIGSEGV : 0;
}

const Variant kDataflowVariants[] = {
    {"XLA-VAR-05", Any(numbers_not_shifted)},
    {"XLA-AN-SEL-01", DataflowRule(scalar_as_array)},
    {"XLA-AN-TR-01", DataflowRule(bounds_of_the_operand)},
    {"XLA-AN-RS-01", DataflowRule(trailing_ones_dropped)},
    {"XLA-LAY-07", Crash(groups_of_nothing)},
    {"XLA-ISS-02", DataflowRule(starts_shifted_by_one)},
    {"XLA-ISS-03", DataflowRule(starts_not_clamped)},
    {"XLA-ISS-05", DataflowRule(reversal_forgotten)},
    {"TL-01", DataflowRule(all_axes_reversed)},
    {"FACT-RT-ORDER", DataflowRule(producer_and_consumer_crossed)},
    {"FACT-RT-RANGE", DataflowRule(last_offset_missing)},
    {"FACT-PAD-VALUE", DataflowRule(pad_value_everywhere)},
    {"FACT-DUS-OPERAND", DataflowRule(operand_under_the_update)},
    {"FACT-DUS-UPDATE", DataflowRule(update_without_end)},
    {"FACT-BITCAST-CONVERT", DataflowRule(bitcast_convert_elementwise)},
};

}  // namespace

absl::Span<const Variant> dataflow_variants() { return kDataflowVariants; }

}  // namespace tileproof::zoo
