// SPDX-License-Identifier: Apache-2.0
#include "impl/access/utilization.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "impl/access/image.h"
#include "impl/access/not_counted.h"
#include "impl/access/utilization_count.h"
#include "impl/hlo/offsets/resolve_source.h"
#include "impl/hlo/offsets/runtime_terms.h"
#include "impl/hlo/operations/operation_handler.h"
#include "impl/map/normal_form/linear.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/checked_op.h"

namespace tileproof::impl {
namespace {

using Sizes = std::vector<int64_t>;

absl::StatusOr<Count> exactly(absl::StatusOr<int64_t> count) {
  if (!count.ok()) return count.status();
  return Count{*count, *count};
}

// ---- Bounds that are attained ----

// An upper bound: the count if each element had its own values of offsets and indices.
absl::StatusOr<int64_t> count_freely(absl::Span<const IndexedMap> maps, const Sizes& sizes) {
  std::vector<IndexingMap> free;
  for (const IndexedMap& one : maps) {
    IndexingMap map = one.map;
    for (Node& node : map.nodes) {
      if (node.op != Op::kRuntime) continue;
      node = {.op = Op::kRange, .value = node.value + std::ssize(one.map.ranges)};
    }
    for (const Variable& variable : one.map.runtime) map.ranges.push_back({variable.bounds, ""});
    map.runtime.clear();
    free.push_back(std::move(map));
  }
  return count_union(free, sizes);
}

// Counts for values that are equal everywhere. Their minimum is the answer if it equals the number
// of elements that are always read, and their maximum if it equals the largest possible count.
// Example: scatter reads no update if all indices are below 0, and all updates if all are 0.
std::optional<Count> count_by_bounds(absl::Span<const IndexedMap> maps, int64_t always,
                                     const Sizes& sizes) {
  const absl::StatusOr<int64_t> possible = count_freely(maps, sizes);
  if (!possible.ok()) return std::nullopt;
  std::optional<Count> reached;
  for (const int64_t value : {INT64_MIN, int64_t{0}, INT64_MAX}) {
    std::vector<IndexingMap> fixed;
    for (const IndexedMap& one : maps) {
      std::vector<int64_t> runtime;
      for (const RuntimeSource& source : one.runtime) {
        runtime.push_back(std::clamp(value, source.feasible.low, source.feasible.high));
      }
      fixed.push_back(with_runtime(one.map, runtime));
    }
    const absl::StatusOr<int64_t> count = count_union(fixed, sizes);
    if (!count.ok()) return std::nullopt;
    if (!reached) reached = {*count, *count};
    reached = {std::min(reached->least, *count), std::max(reached->most, *count)};
  }
  if (reached->least != always || reached->most != *possible) return std::nullopt;
  return reached;
}

// ---- A union ----

// The analyzed instruction or computation.
struct Question {
  IndexingAnalysis& analysis;
  const HloModule& module;
  int32_t computation;
  Scope scope;
};

// Returns whether the value may come from a constant or an iota inside the analyzed region. (Values
// that could be written into the maps were.)
bool may_be_known(const Question& question, const HloPosition& read) {
  struct Any {};  // any element of any leaf
  const FollowRegion region = region_of(question.module, question.computation, question.scope);
  std::set<HloPosition> seen;
  using Moves = std::vector<OperandElement<Any>>;
  const auto moves = [&](const ElementAt<Any>& at) -> std::optional<Moves> {
    const HloInstruction& instruction = region.at(at.position);
    if (!moves_elements(instruction.opcode)) return std::nullopt;
    Moves operands;
    if (!seen.insert(at.position).second) return operands;
    for (int64_t k = 0; k < std::ssize(instruction.operands); ++k) operands.push_back({k, 0, {}});
    return operands;
  };
  const auto is_computed = [&](const ElementAt<Any>& at) {
    const HloOpcode opcode = region.at(at.position).opcode;
    return region.is_outside(at.position) ||
           (opcode != HloOpcode::kIota && opcode != HloOpcode::kConstant);
  };
  int64_t steps = kMaxFollowSteps;
  return !follow_sources(region, ElementAt<Any>{read, {}}, moves, is_computed, steps);
}

// Resolves the source of an offset or index, because two of them may be one value that was moved to
// two positions. Returns false if the source is unknown.
bool resolve_to_element(const Question& question, RuntimeSource& source) {
  if (!is_uniform(source)) {
    const bool followed = resolve_runtime_source(question.analysis, question.module,
                                                 question.computation, question.scope, source);
    if (!is_uniform(source)) return followed;
  }
  const std::optional<Element> resolved_element = resolve_source(
      question.analysis, question.module, question.computation, question.scope, element_of(source));
  if (!resolved_element) return false;
  source.position = resolved_element->position;
  source.map = {};
  for (int64_t i : resolved_element->index)
    source.map.results.push_back(add_constant(source.map.nodes, i));
  return true;
}

// Keeps the values that the element types of the indices hold: of u8, 0 to 255.
void keep_values_of_types(const Question& question, IndexedMap& one) {
  const FollowRegion region = region_of(question.module, question.computation, question.scope);
  for (size_t i = 0; i < one.runtime.size(); ++i) {
    RuntimeSource& source = one.runtime[i];
    const std::optional<ElementType> type =
        element_type_of(region.at(source.position), source.position.leaf);
    const std::optional<Interval> held = type ? integers_in(*type) : std::nullopt;
    if (!held) continue;
    const Interval all = source.feasible;
    source.feasible = {std::clamp(held->low, all.low, all.high),
                       std::clamp(held->high, all.low, all.high)};
    one.map.runtime[i].bounds = source.feasible;
  }
}

absl::StatusOr<Count> count_read(const Question& question, std::vector<IndexedMap> maps,
                                 const Sizes& sizes, int64_t elements) {
  std::vector<IndexedMap> distinct;
  std::vector<IndexingMap> fixed;  // with fixed runtime values
  bool varying = false, any = false, known = false, mixed = false;
  for (IndexedMap& one : maps) {
    keep_values_of_types(question, one);
    const std::vector<bool> used = runtime_used(one.map);
    for (size_t i = 0; i < used.size(); ++i) {
      const bool resolved = resolve_to_element(question, one.runtime[i]);
      mixed = mixed || (used[i] && !resolved);
    }
    if (std::ranges::find(distinct, one) != distinct.end()) continue;
    for (size_t i = 0; i < used.size(); ++i) {
      any = any || used[i];
      known = known || (used[i] && may_be_known(question, one.runtime[i].position));
      varying = varying || (used[i] && !is_uniform(one.runtime[i]));
    }
    if (std::ranges::find(used, true) == used.end()) {
      fixed.push_back(with_runtime(one.map, std::vector<int64_t>(used.size(), 0)));
    }
    distinct.push_back(std::move(one));
  }
  if (!any) return exactly(count_union(fixed, sizes));
  const absl::StatusOr<int64_t> always = count_union(fixed, sizes);
  if (always.ok() && *always == elements) return exactly(always);
  if (known) return not_counted("some indices are constants");
  absl::StatusOr<Count> count = not_counted("several maps depend on the values of indices");
  if (mixed) {
    count = not_counted("indices are combined from several arrays");
  } else if (!varying) {
    count = count_with_offsets(distinct, sizes);
  } else if (distinct.size() == 1) {
    count = count_with_indices(distinct[0], sizes);
  }
  if (count.ok() || !always.ok()) return count;
  if (const auto bounds = count_by_bounds(distinct, *always, sizes)) return *bounds;
  return count;
}

ElementsRead elements_read(const Question& question, std::vector<LeafMaps>& lists,
                           const Sizes& sizes) {
  ElementsRead read;
  read.elements = has_no_elements(sizes) ? 0 : 1;
  for (int64_t size : sizes) read.elements *= size;
  std::vector<IndexedMap> maps;
  for (LeafMaps& list : lists) {
    if (list.inexact) read.uncounted = absl::StrCat("superset: ", list.reason);
    for (IndexedMap& one : list.maps) {
      if (!one.map.known_empty) maps.push_back(std::move(one));
    }
  }
  if (!read.uncounted.empty()) return read;
  const absl::StatusOr<Count> count = count_read(question, std::move(maps), sizes, read.elements);
  if (count.ok()) {
    read.least = count->least;
    read.most = count->most;
  } else {
    read.uncounted = std::string(count.status().message());
  }
  return read;
}

}  // namespace

absl::StatusOr<Utilization> utilization(IndexingAnalysis& analysis, const HloModule& module,
                                        int32_t computation, int32_t instruction, Scope scope) {
  std::vector<Indexing> answers;
  const auto of_leaf = [&](int32_t leaf) {
    return analysis.reads(computation, instruction, leaf, scope);
  };
  absl::StatusOr<Indexing> first = of_leaf(0);
  const auto in_range = [](size_t position, auto size) {
    return position < static_cast<size_t>(size);
  };
  const bool known = in_range(computation, module.computations.size()) &&
                     in_range(instruction, module.computations[computation].instructions.size());
  const SharedShape shape =
      known ? module.computations[computation].instructions[instruction].shape : SharedShape();
  const int32_t leaves = shape ? static_cast<int32_t>(shape_leaves_of(*shape).leaves.size()) : 0;
  if (!first.ok() && (!shape || leaves > 0)) return first.status();  // an empty tuple has no reads
  if (first.ok()) answers.push_back(*std::move(first));
  for (int32_t leaf = 1; leaf < leaves; ++leaf) answers.push_back(TRY(of_leaf(leaf)));
  const auto arrays = TRY(sizes_read(module, computation, instruction, scope));
  Utilization result(arrays.size());
  for (size_t k = 0; k < arrays.size(); ++k) {
    for (size_t leaf = 0; leaf < arrays[k].size(); ++leaf) {
      std::vector<LeafMaps> lists;
      for (Indexing& answer : answers) lists.push_back(std::move(answer[k][leaf]));
      result[k].push_back(
          elements_read({analysis, module, computation, scope}, lists, arrays[k][leaf]));
    }
  }
  return result;
}

// Offsets that are the same for all elements that are read: dynamic-slice and similar operations.

namespace {

// The terms that offsets add to each result, if they occur in no other way. They must be the same
// in all maps.
using Shift = std::vector<std::map<std::pair<Element, int64_t>, int64_t>>;
std::optional<Shift> shift_of(const IndexedMap& one) {
  for (const Constraint& constraint : one.map.constraints) {
    if (uses(one.map, constraint.expr, Op::kRuntime)) return std::nullopt;
  }
  Shift shift;
  for (NodeId result : one.map.results) {
    const auto terms = runtime_terms(one.map, result);
    if (!terms) return std::nullopt;
    shift.emplace_back();
    for (const auto& [variable, factor] : *terms) {
      const RuntimeSource& source = one.runtime[variable];
      if (!is_uniform(source)) return std::nullopt;
      shift.back()[{element_of(source), source.feasible.high}] += factor;
    }
  }
  return shift;
}

// The cost of counting once: 1, plus the runs of the images.
absl::StatusOr<int64_t> pieces_of(absl::Span<const IndexedMap> maps, const OffsetValues& values,
                                  const Sizes& sizes, int64_t max_points) {
  int64_t pieces = 1;
  for (const IndexedMap& one : maps) {
    const Image image = TRY(image_of(at_offsets(one, values), sizes, max_points));
    for (const Image::Block& block : image.blocks) pieces += block.numbers.runs();
  }
  return pieces;
}

}  // namespace

Element element_of(const RuntimeSource& source) {
  Element element{source.position, {}};
  for (NodeId result : source.map.results) element.index.push_back(source.map.nodes[result].value);
  return element;
}

std::optional<Offsets> offsets_of(absl::Span<const IndexedMap> maps) {
  Offsets offsets;
  for (const IndexedMap& one : maps) {
    const std::vector<bool> used = runtime_used(one.map);
    for (size_t i = 0; i < used.size(); ++i) {
      if (!used[i]) continue;
      if (!is_uniform(one.runtime[i])) return std::nullopt;
      const Interval& feasible = one.runtime[i].feasible;
      const auto [known, is_new] = offsets.try_emplace(element_of(one.runtime[i]), feasible);
      known->second.low = std::min(known->second.low, feasible.low);
      known->second.high = std::max(known->second.high, feasible.high);
    }
  }
  return offsets;
}

int64_t combinations_of(const Offsets& offsets) {
  Wide combinations = 1;
  for (const auto& [offset, range] : offsets)
    combinations = std::min(combinations * (Wide{range.high} - range.low + 1), Wide{INT64_MAX});
  return static_cast<int64_t>(combinations);
}

OffsetValues lowest_of(const Offsets& offsets) {
  OffsetValues values;
  for (const auto& [offset, range] : offsets) values[offset] = range.low;
  return values;
}

bool next_values(const Offsets& offsets, OffsetValues& values) {
  for (auto& [offset, value] : values) {
    const Interval& range = offsets.at(offset);
    if (++value <= range.high) return true;
    value = range.low;
  }
  return false;
}

IndexingMap at_offsets(const IndexedMap& one, const OffsetValues& values) {
  std::vector<int64_t> runtime;
  for (const RuntimeSource& source : one.runtime) {
    const auto value = is_uniform(source) ? values.find(element_of(source)) : values.end();
    runtime.push_back(value == values.end()
                          ? source.feasible.low
                          : std::clamp(value->second, source.feasible.low, source.feasible.high));
  }
  return with_runtime(one.map, runtime);
}

bool all_shift_alike(absl::Span<const IndexedMap> maps) {
  const std::optional<Shift> first = shift_of(maps[0]);
  return first && std::ranges::all_of(
                      maps, [&first](const IndexedMap& one) { return shift_of(one) == first; });
}

absl::StatusOr<Count> count_with_offsets(absl::Span<const IndexedMap> maps, const Sizes& sizes,
                                         OffsetLimits limits) {
  const Offsets offsets = offsets_of(maps).value_or(Offsets());
  const Wide combinations = combinations_of(offsets);
  OffsetValues values = lowest_of(offsets);
  int64_t max_points = kMaxPoints;
  const auto count = [&] {
    std::vector<IndexingMap> fixed;
    for (const IndexedMap& one : maps) fixed.push_back(at_offsets(one, values));
    return count_union(fixed, sizes, max_points);
  };
  if (all_shift_alike(maps)) {
    const int64_t moved = TRY(count());
    return Count{moved, moved};
  }
  if (combinations * std::ssize(maps) > limits.values) {
    return not_counted("offsets have many values");
  }
  max_points = kMaxPoints / static_cast<int64_t>(combinations);
  const int64_t pieces = TRY(pieces_of(maps, values, sizes, max_points));
  if (combinations * pieces > limits.pieces) return not_counted("offsets have many values");
  std::optional<Count> whole;
  do {
    const int64_t found = TRY(count());
    if (!whole) whole = {found, found};
    whole = {std::min(whole->least, found), std::max(whole->most, found)};
  } while (next_values(offsets, values));
  return *whole;
}

}  // namespace tileproof::impl
