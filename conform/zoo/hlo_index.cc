// SPDX-License-Identifier: Apache-2.0
// hlo.index, hlo.utilization, hlo.tile and tile.propagate: wrong maps of dataflow, wrong counts, wrong
// tiles, and a crash.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "conform/zoo/variants.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/map/symbolic_tile.h"

namespace tileproof::zoo {
namespace {

using conform::HloQuestion;
using conform::Json;

const HloInstruction& operand_of(const HloQuestion& question, const HloInstruction& at, size_t i) {
  return question.module.computations[question.computation]
      .instructions[at.operands[i].instruction];
}

NodeId dimension(IndexingMap& map, int64_t number) {
  return add_variable(map.nodes, Op::kDimension, number);
}

void put_dimension(IndexingMap& map, size_t result) {
  map.results[result] = dimension(map, static_cast<int64_t>(result));
}

// Makes each element of the result depend on the element at the same index.
void make_identity(const HloInstruction&, IndexingMap& map) {
  map.results.resize(map.dimensions.size());
  for (size_t d = 0; d < map.results.size(); ++d) put_dimension(map, d);
}

void whole_box(const HloInstruction& at, IndexingMap& map) {
  const auto& sizes = at.shape->dimensions;
  map.constraints.clear();
  for (size_t d = 0; d < std::min(map.dimensions.size(), sizes.size()); ++d) {
    map.dimensions[d].bounds = {0, sizes[d].size - 1};
  }
}

// ---- The maps of one operand ----

// A transpose of three or more dimensions reverses all axes, whatever its permutation.
void all_axes_reversed(const HloInstruction& at, IndexingMap& map) {
  if (at.shape->rank() < 3) return;
  make_identity(at, map);
  std::reverse(map.results.begin(), map.results.end());
}

// A transpose reads by the permutation instead of its inverse: wrong for cycles of three.
void permutation_for_its_inverse(const HloInstruction&, IndexingMap& map) {
  std::vector<NodeId> results = map.results;
  for (size_t i = 0; i < results.size(); ++i) {
    const Node node = map.nodes[map.results[i]];
    if (node.op != Op::kDimension || results.size() < 3) return;
    results[static_cast<size_t>(node.value)] = dimension(map, static_cast<int64_t>(i));
  }
  map.results = std::move(results);
}

// A transpose is the identity if a dimension is above 4,096.
void large_transpose(const HloInstruction& at, IndexingMap& map) {
  const auto& dims = at.shape->dimensions;
  if (std::any_of(dims.begin(), dims.end(), [](const auto& d) { return d.size > 4096; }))
    make_identity(at, map);
}

// A reverse is wrong only along dimensions above 256.
void wrong_above_256(const HloInstruction& at, IndexingMap& map) {
  for (size_t d = 0; d < map.results.size(); ++d) {
    if (at.shape->dimensions[d].size > 256) put_dimension(map, d);
  }
}

// A reverse of several dimensions reverses the first alone.
void first_reversed(const HloInstruction&, IndexingMap& map) {
  bool seen = false;
  for (size_t d = 0; d < map.results.size(); ++d) {
    const bool plain = map.nodes[map.results[d]].op == Op::kDimension;
    if (!plain && seen) put_dimension(map, d);
    seen = seen || !plain;
  }
}

// A broadcast reads the first element along dimensions above 64.
void broadcast_of_first(const HloInstruction&, IndexingMap& map) {
  for (NodeId& result : map.results) {
    const Node node = map.nodes[result];
    if (node.op != Op::kDimension || map.dimensions[node.value].bounds.high < 64) continue;
    result = add_constant(map.nodes, 0);
  }
}

// A slice whose stride does not divide its length loses the last element.
void partial_stride(const HloInstruction&, IndexingMap& map) {
  for (size_t d = 0; d < map.dimensions.size(); ++d) {
    int64_t& high = map.dimensions[d].bounds.high;
    const Op root = map.nodes[map.results[d]].op;
    const bool strided = root == Op::kMul || root == Op::kAdd;
    if (strided && high > 1 && high % 2 == 0) --high;
  }
}

// Interior padding is read, and so are the elements that a stride skips.
void constraints_dropped(const HloInstruction&, IndexingMap& map) { map.constraints.clear(); }

void holes_are_read(const HloInstruction&, IndexingMap& map) {
  std::erase_if(map.constraints, [&map](const Constraint& constraint) {
    return map.nodes[constraint.expr].op == Op::kMod;
  });
}

// Bounds the offset of a slice by size - slice - 1 instead of size - slice.
void last_offset_missing(const HloInstruction&, IndexingMap& map) {
  for (Variable& offset : map.runtime) --offset.bounds.high;
}

// A dot product forgets the last element of its contracted dimension if there are above 16.
void long_sum_short(const HloInstruction&, IndexingMap& map) {
  for (Variable& range : map.ranges) {
    if (range.bounds.high > 16) --range.bounds.high;
  }
}

// The right operand of a dot has its batch dimensions first, wherever they are.
void batch_dimensions_first(const HloInstruction&, IndexingMap& map) {
  if (map.results.size() < 3) return;
  std::stable_partition(map.results.begin(), map.results.end(), [&map](NodeId id) {
    return map.nodes[id].op == Op::kDimension && map.nodes[id].value == 0;
  });
}

// Reads a scalar predicate or bound like an array.
void scalar_as_array(const HloInstruction& at, IndexingMap& map) {
  if (map.results.empty()) make_identity(at, map);
}

// ---- The maps of an instruction ----

// Gives the dimensions of the result the bounds of the operand's.
void bounds_of_the_operand(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  for (Listed& item : lists[0]) {
    for (size_t d = 0; d < item.map.dimensions.size(); ++d) {
      item.map.dimensions[d].bounds.high =
          operand_of(question, at, 0).shape->dimensions[d].size - 1;
    }
  }
}

// Forgets trailing dimensions of size 1, so they get no variable.
void trailing_ones_dropped(const HloInstruction& at, IndexingMap& map) {
  int64_t rank = at.shape->rank();
  while (rank > 0 && at.shape->dimensions[rank - 1].size == 1) --rank;
  const bool used = std::ranges::any_of(
      map.nodes, [&](const Node& n) { return n.op == Op::kDimension && n.value >= rank; });
  if (!used) map.dimensions.resize(rank);
}

// Makes every element of the result depend on the pad value.
void pad_value_everywhere(const HloQuestion&, const HloInstruction& at, Lists& lists) {
  if (lists.size() < 2 || lists[1].empty()) return;
  lists[1].resize(1);
  whole_box(at, lists[1][0].map);
}

// The part of an operand ends one element too late, in the part of the next operand.
void concatenated_parts_overlap(const HloQuestion&, const HloInstruction& at, Lists& lists) {
  for (size_t k = 0; k + 1 < lists.size(); ++k) {
    for (Listed& item : lists[k]) {
      for (size_t d = 0; d < item.map.dimensions.size(); ++d) {
        int64_t& high = item.map.dimensions[d].bounds.high;
        if (high + 1 < at.shape->dimensions[d].size) ++high;
      }
    }
  }
}

// The third and later operands of a concatenation begin one element early.
void third_operand_early(const HloQuestion&, const HloInstruction&, Lists& lists) {
  for (size_t k = 2; k < lists.size(); ++k) {
    for (Listed& item : lists[k]) {
      for (Variable& d : item.map.dimensions) {
        if (d.bounds.low > 0) --d.bounds.low;
      }
    }
  }
}

// The operand of a dynamic-update-slice flows to every element, as the map of an offset says.
void operand_under_the_update(const HloQuestion&, const HloInstruction& at, Lists& lists) {
  if (lists.size() < 3 || lists[2].empty()) return;
  lists[0] = {lists[2][0]};
  make_identity(at, lists[0][0].map);
}

// The update of dynamic-update-slice overwrites nothing in arrays of two or more dimensions.
void nothing_overwritten(const HloQuestion&, const HloInstruction& at, Lists& lists) {
  if (at.shape->rank() < 2 || lists[0].size() < 2) return;
  lists[0].resize(1);
  whole_box(at, lists[0][0].map);
}

// Treats a bitcast-convert as elementwise, even between types of different widths.
void bitcast_convert_elementwise(const HloQuestion& question, const HloInstruction& at,
                                 Lists& lists) {
  if (operand_of(question, at, 0).shape->rank() == at.shape->rank()) return;
  for (Listed& item : lists[0]) {
    item.map.ranges.clear();
    whole_box(at, item.map);
    make_identity(at, item.map);
  }
}

// An array of several that are sorted or reduced together flows to itself alone.
void itself_alone(const HloQuestion& question, const HloInstruction&, Lists& lists) {
  for (size_t k = 0; k < lists.size(); ++k) {
    if (k != static_cast<size_t>(question.array)) lists[k].clear();
  }
}

// The last array, of several, has nothing to do with the other side.
template <size_t several>
void last_forgotten(const HloQuestion&, const HloInstruction&, Lists& lists) {
  if (lists.size() >= several) lists.back().clear();
}

// A sort forgets its fourth operand.
void fourth_forgotten(const HloQuestion&, const HloInstruction&, Lists& lists) {
  if (lists.size() > 3) lists[3].clear();
}

// A concatenate of five operands exchanges two.
void fifth_exchanged(const HloQuestion&, const HloInstruction&, Lists& lists) {
  if (lists.size() > 4) std::swap(lists[3], lists[4]);
}

// A dynamic-slice of rank 5 exchanges two offsets. The variables keep their bounds.
void offsets_exchanged(const HloInstruction&, IndexingMap& map) {
  if (map.results.size() < 5) return;
  for (Node& node : map.nodes) {
    const bool is_one = node.value == 3 || node.value == 4;
    if (node.op == Op::kRuntime && is_one) node.value = 7 - node.value;
  }
}

// ---- The maps of another module ----

// Two batching dimensions are paired wrongly.
bool pairs_exchanged(HloComputation&, HloInstruction& at) {
  for (HloAttribute& attribute : at.attributes) {
    if (!absl::EndsWith(attribute.name, "indices_batching_dims")) continue;
    const std::vector<std::string> two =
        absl::StrSplit(attribute.value.substr(1, attribute.value.size() - 2), ',');
    if (two.size() != 2) continue;
    attribute.value = absl::StrCat("{", two[1], ",", two[0], "}");
    return true;
  }
  return false;
}

// A convert of a constant counts as a move.
bool convert_moves(HloComputation& computation, HloInstruction& at) {
  if (at.opcode != HloOpcode::kConvert) return false;
  const HloInstruction& from = computation.instructions[at.operands[0].instruction];
  if (from.opcode != HloOpcode::kConstant) return false;
  std::string name = std::move(at.name);
  at = from;
  at.name = std::move(name);
  return true;
}

// ---- Composition ----

bool composes(const HloQuestion& question, HloOpcode producer) {
  if (question.scope != Scope::kComputation) return false;
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
  const bool asked = question.scope == Scope::kComputation &&
                     at.opcode == HloOpcode::kDynamicUpdateSlice &&
                     at.shape->kind == Shape::Kind::kArray;
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
void numbers_not_shifted(const Json& request, Json& result) {
  const absl::StatusOr<HloQuestion> question = conform::read_hlo_question(request);
  auto* lists = result.as<Json::Array>();
  if (!question.ok() || lists == nullptr || question->scope != Scope::kComputation) return;
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
  if (!is_result(right) || !question.ok()) return 0;
  const HloInstruction& at =
      question->module.computations[question->computation].instructions[question->instruction];
  if (at.opcode != HloOpcode::kReshape) return 0;
  const auto& sizes = at.shape->dimensions;
  const bool empty =
      std::any_of(sizes.begin(), sizes.end(), [](const Dimension& d) { return d.size == 0; });
  const bool regrouped = at.shape->rank() != operand_of(*question, at, 0).shape->rank();
  return empty && regrouped ? SIGSEGV : 0;
}

// ---- hlo.utilization and hlo.tile ----

// The most elements that are read are taken for the least.
void most_for_least(const Json&, Json& result) {
  auto* items = result.as<Json::Array>();
  for (size_t i = 0; items != nullptr && i < items->size(); ++i) {
    const auto range = conform::integers((*items)[i]);
    if (range && range->size() == 2) (*items)[i] = (*range)[1];
  }
}

// A tile that is needed has stride 1.
void stride_of_tile_lost(const Json&, Json& result) {
  auto* items = result.as<Json::Array>();
  for (size_t i = 0; items != nullptr && i < items->size(); ++i) {
    auto* dimensions = (*items)[i].as<Json::Array>();
    for (size_t d = 0; dimensions != nullptr && d < dimensions->size(); ++d) {
      auto* numbers = (*dimensions)[d].as<Json::Array>();
      if (numbers != nullptr && numbers->size() == 3) (*numbers)[2] = 1;
    }
  }
}

// ---- tile.propagate ----

// One of the four parts of each tile is this number in every dimension.
template <size_t part, int64_t number>
void tiles_with(const Json&, Json& result) {
  auto* items = result.as<Json::Array>();
  for (size_t i = 0; items != nullptr && i < items->size(); ++i) {
    const auto* text = (*items)[i].as<std::string>();
    if (text == nullptr || !looks_like_symbolic_tile(*text)) continue;
    SymbolicTile tile = *parse_symbolic_tile(*text);
    const NodeId constant = add_constant(tile.map.nodes, number);
    for (size_t d = 0; d < tile.rank(); ++d) tile.map.results[part * tile.rank() + d] = constant;
    (*items)[i] = Json(to_text(tile));
  }
}

const Variant kHloVariants[] = {
    {"XLA-VAR-05", OtherResult(numbers_not_shifted)},
    {"XLA-AN-SEL-01", MapRule{HloOpcode::kSelect, kBoth, kAll, scalar_as_array}},
    {"XLA-AN-TR-01", ListsRule{HloOpcode::kTranspose, kBoth, bounds_of_the_operand}},
    {"XLA-AN-RS-01", MapRule{HloOpcode::kReshape, kBoth, 0, trailing_ones_dropped}},
    {"XLA-LAY-07", Crash(groups_of_nothing)},
    {"XLA-ISS-02", OtherLists(starts_shifted_by_one)},
    {"XLA-ISS-03", OtherLists(starts_not_clamped)},
    {"XLA-ISS-05", MapRule{HloOpcode::kReverse, kBoth, 0, make_identity}},
    {"TL-01", MapRule{HloOpcode::kTranspose, kBoth, 0, all_axes_reversed}},
    {"FACT-RT-ORDER", OtherLists(producer_and_consumer_crossed)},
    {"FACT-RT-RANGE", MapRule{HloOpcode::kDynamicSlice, kBoth, kAll, last_offset_missing}},
    {"FACT-PAD-VALUE", ListsRule{HloOpcode::kPad, kBoth, pad_value_everywhere}},
    {"FACT-DUS-OPERAND",
     ListsRule{HloOpcode::kDynamicUpdateSlice, kBoth, operand_under_the_update}},
    {"FACT-DUS-UPDATE", MapRule{HloOpcode::kDynamicUpdateSlice, kBoth, 1, whole_box}},
    {"FACT-BITCAST-CONVERT",
     ListsRule{HloOpcode::kBitcastConvert, kBoth, bitcast_convert_elementwise}},
    {"LIKE-XLA-AN-TR-03",
     ListsRule{HloOpcode::kConcatenate, kToInputs, concatenated_parts_overlap}},
    {"LIKE-XLA-ST-02", MapRule{HloOpcode::kSlice, kToOutputs, 0, constraints_dropped}},
    {"LIKE-FACT-PAD", MapRule{HloOpcode::kPad, kToInputs, 0, constraints_dropped}},
    {"LIKE-FACT-WINDOW", MapRule{HloOpcode::kReduceWindow, kToInputs, 0, holes_are_read}},
    {"LIKE-TRI-01", MapRule{HloOpcode::kTranspose, kToInputs, 0, permutation_for_its_inverse}},
    {"LIKE-XLA-ISS-05", MapRule{HloOpcode::kReverse, kToInputs, 0, wrong_above_256}},
    {"LIKE-XLA-ISS-01", ListsRule{HloOpcode::kSort, kToInputs, itself_alone}},
    {"LIKE-FACT-INIT", ListsRule{HloOpcode::kReduceWindow, kToInputs, last_forgotten<2>}},
    {"LIKE-XLA-AN-RED-02", ListsRule{HloOpcode::kReduce, kToOutputs, itself_alone}},
    {"LIKE-FACT-RT-RANGE", MapRule{HloOpcode::kGather, kBoth, kAll, last_offset_missing}},
    {"LIKE-CUT-05", MapRule{HloOpcode::kDot, kToInputs, 1, batch_dimensions_first}},
    {"SECOND-REDUCE-LAST", ListsRule{HloOpcode::kReduce, kToOutputs, last_forgotten<2>}},
    {"SECOND-TRANSPOSE-4096", MapRule{HloOpcode::kTranspose, kToInputs, 0, large_transpose}},
    {"SECOND-SLICE-STRIDE", MapRule{HloOpcode::kSlice, kToInputs, 0, partial_stride}},
    {"SECOND-CONCATENATE-3", ListsRule{HloOpcode::kConcatenate, kToInputs, third_operand_early}},
    {"SECOND-DOT-16", MapRule{HloOpcode::kDot, kToInputs, kAll, long_sum_short}},
    {"SECOND-REVERSE-2", MapRule{HloOpcode::kReverse, kToInputs, 0, first_reversed}},
    {"SECOND-UPDATE", ListsRule{HloOpcode::kDynamicUpdateSlice, kToInputs, nothing_overwritten}},
    {"SECOND-CONVOLUTION", MapRule{HloOpcode::kConvolution, kToInputs, 0, holes_are_read}},
    {"SECOND-GATHER", ListsRule{HloOpcode::kGather, kToInputs, last_forgotten<2>}},
    {"SECOND-SCATTER", ListsRule{HloOpcode::kScatter, kBoth, last_forgotten<4>}},
    {"SECOND-BROADCAST-64", MapRule{HloOpcode::kBroadcast, kToInputs, 0, broadcast_of_first}},
    {"LIMIT-SCATTER", ListsRule{HloOpcode::kScatter, kToInputs, last_forgotten<7>}},
    {"LIMIT-CONCATENATE", ListsRule{HloOpcode::kConcatenate, kToInputs, fifth_exchanged}},
    {"LIMIT-SORT", ListsRule{HloOpcode::kSort, kToInputs, fourth_forgotten}},
    {"LIMIT-OFFSETS", MapRule{HloOpcode::kDynamicSlice, kToInputs, 0, offsets_exchanged}},
    {"LIMIT-BATCHING", OtherRequest(module_with<pairs_exchanged>)},
    {"LIMIT-CONVERT", OtherRequest(module_with<convert_moves>)},
    {"TILE-CUT", OtherResult(tiles_with<3, INT32_MAX>)},
    {"TILE-STRIDE", OtherResult(tiles_with<2, 1>)},
    {"SECOND-UTILIZATION", OtherResult(most_for_least)},
    {"SECOND-TILE-STRIDE", OtherResult(stride_of_tile_lost)},
};

}  // namespace

bool change_module(Json& request, ChangeInstruction change) {
  absl::StatusOr<HloQuestion> question = conform::read_hlo_question(request);
  if (!question.ok()) return false;
  bool any = false;
  for (HloComputation& computation : question->module.computations) {
    for (HloInstruction& at : computation.instructions) any = change(computation, at) || any;
  }
  set(request, "hlo", to_text(question->module));
  return any;
}

absl::Span<const Variant> hlo_variants() { return kHloVariants; }

}  // namespace tileproof::zoo
