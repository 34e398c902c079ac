// SPDX-License-Identifier: Apache-2.0
// The second set of held-out mistakes, about layouts, dataflow and nested layouts.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conform/oracle/algebra_ops.h"
#include "conform/oracle/layout_ops.h"
#include "conform/oracle/tla_ops.h"
#include "conform/zoo/rule_parts.h"
#include "conform/zoo/variants.h"
#include "spec/lang/layout/nested.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::zoo {
namespace {

using conform::HloQuestion;
using conform::Json;

// ---- Layouts ----

// Rounds an element up to whole bytes, E(12) to 2 of them.
void few_whole_bytes(const Shape& array, Physical& right) {
  const int64_t bits = layout_of(array).element_size_in_bits;
  if (bits % 8 == 0 || right.elements > 1 << 20) return;
  right.bytes = right.elements * ((bits + 7) / 8);
}

// The bits of an element have 31 bits.
void bits_in_31_bits(const Shape& array, Physical& right) {
  const int64_t bits = layout_of(array).element_size_in_bits;
  if (bits < int64_t{1} << 31 || right.elements > 1 << 20) return;
  right.bytes = (right.elements * (bits & 0x7fffffff) + 7) / 8;
}

// L(..) counts only if there are tiles.
void tail_of_tiles_only(const Shape& array, Physical& right) {
  const Layout layout = layout_of(array);
  if (!layout.tiles.empty() || layout.tail_padding_alignment < 2) return;
  int64_t elements = 1;
  for (int64_t dim : right.dims) elements *= dim;
  right.elements = elements;
}

// Rounds up by the first tile for a second tile that is longer than the first.
void longer_second_tile(const Shape& array, Physical& right) {
  const Layout layout = layout_of(array);
  if (layout.tiles.size() < 2 || layout.tiles[1].dims.size() <= layout.tiles[0].dims.size()) return;
  if (right.dims.size() > 2) std::swap(right.dims[0], right.dims[1]);
}

std::optional<int64_t> offset_in(const Shape& array, const Index& index) {
  const Json request = conform::json_object(
      {{"op", "layout.linearize"}, {"shape", to_text(array)}, {"index", index}});
  const auto result = conform::layout_linearize(request, conform::Engine::kSpec);
  const int64_t* offset = result.ok() ? result->value.as<int64_t>() : nullptr;
  return offset == nullptr ? std::nullopt : std::optional(*offset);
}

// Arrays of five or more dimensions exchange their two most major ones.
std::optional<int64_t> high_rank(const Shape& array, const Index& index) {
  if (array.rank() < 5) return std::nullopt;
  Shape other = array;
  Layout layout = layout_of(array);
  std::vector<int64_t>& order = layout.minor_to_major;
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  other.layout = layout;
  return offset_in(other, index);
}

// A coordinate inside of a tiled array has 16 bits.
std::optional<int64_t> coordinate_in_16_bits(const Shape& array, const Index& index) {
  if (layout_of(array).tiles.empty()) return std::nullopt;
  Index other = index;
  for (int64_t& at : other) at &= 0xffff;
  return other == index ? std::nullopt : offset_in(array, other);
}

// A tile that is longer than a dimension shrinks to it.
std::optional<int64_t> tile_shrinks(const Shape& array, const Index& index) {
  const Layout before = layout_of(array);
  if (before.tiles.size() != 1) return std::nullopt;
  Shape other = array;
  Layout layout = before;
  std::vector<int64_t>& tile = layout.tiles[0].dims;
  const auto rank = array.rank();
  for (size_t t = 0; t < tile.size() && std::ssize(tile) <= rank; ++t) {
    const int64_t d = before.minor_to_major[tile.size() - 1 - t];
    const int64_t size = array.dimensions[d].size;
    if (tile[t] > size && size > 0) tile[t] = size;
  }
  if (layout.tiles[0].dims == before.tiles[0].dims) return std::nullopt;
  other.layout = layout;
  return offset_in(other, index);
}

// The padding of a dimension that is not the last one is not noticed.
void padding_of_rows(const Json& request, conform::Answer& answer) {
  const Json* shape = find(request, "shape");
  const auto* text = shape == nullptr ? nullptr : shape->as<std::string>();
  const absl::StatusOr<Shape> array = parse_shape(text == nullptr ? "" : *text);
  if (!is_result(answer) || !array.ok() || find(request, "offset") == nullptr) return;
  if (!answer.result.is_null() || array->rank() != 2) return;
  answer.result = Json::Array{array->dimensions[0].size, 0};
}

// ---- Dataflow ----

// The last output of a variadic reduce depends on nothing, from input to output.
void last_output_missing(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (about(question, at, HloOpcode::kReduce) && question.is_inverse() && lists.size() > 1) {
    lists.back().clear();
  }
}

// A transpose is the identity if a dimension is above 4,096.
void large_transpose(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (!forward(question, at, HloOpcode::kTranspose)) return;
  const auto& dims = at.shape->dimensions;
  if (std::none_of(dims.begin(), dims.end(), [](const auto& d) { return d.size > 4096; })) return;
  for (Listed& item : lists[0]) {
    for (size_t d = 0; d < item.map.results.size(); ++d) {
      item.map.results[d] = add_variable(item.map.nodes, Op::kDimension, static_cast<int64_t>(d));
    }
  }
}

// A slice whose stride does not divide its length loses the last element.
void partial_stride(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (!forward(question, at, HloOpcode::kSlice)) return;
  for (Listed& item : lists[0]) {
    for (size_t d = 0; d < item.map.dimensions.size(); ++d) {
      Interval& bounds = item.map.dimensions[d].bounds;
      const Node& root = item.map.nodes[item.map.results[d]];
      const bool strided = root.op == Op::kMul || root.op == Op::kAdd;
      if (strided && bounds.high > 1 && bounds.high % 2 == 0) --bounds.high;
    }
  }
}

// The third and later operands of a concatenation begin one element early.
void third_operand_early(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (!forward(question, at, HloOpcode::kConcatenate)) return;
  for (size_t k = 2; k < lists.size(); ++k) {
    for (Listed& item : lists[k]) {
      for (Variable& d : item.map.dimensions) {
        if (d.bounds.low > 0) --d.bounds.low;
      }
    }
  }
}

// A dot product forgets the last element of its contracted dimension if there are above 16.
void long_sum_short(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (!forward(question, at, HloOpcode::kDot)) return;
  for (std::vector<Listed>& list : lists) {
    for (Listed& item : list) {
      for (Variable& range : item.map.ranges) {
        if (range.bounds.high > 16) --range.bounds.high;
      }
    }
  }
}

// A reverse of several dimensions reverses the first alone.
void first_reversed(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (!forward(question, at, HloOpcode::kReverse)) return;
  for (Listed& item : lists[0]) {
    bool seen = false;
    for (size_t d = 0; d < item.map.results.size(); ++d) {
      const bool plain = item.map.nodes[item.map.results[d]].op == Op::kDimension;
      if (!plain && seen) {
        item.map.results[d] = add_variable(item.map.nodes, Op::kDimension, static_cast<int64_t>(d));
      }
      seen = seen || !plain;
    }
  }
}

// The update of dynamic-update-slice overwrites nothing in arrays of two or more dimensions.
void nothing_overwritten(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (!forward(question, at, HloOpcode::kDynamicUpdateSlice) || at.shape->rank() < 2) return;
  if (lists[0].size() < 2) return;
  lists[0].resize(1);
  lists[0][0].map.constraints.clear();
  for (size_t d = 0; d < lists[0][0].map.dimensions.size(); ++d) {
    lists[0][0].map.dimensions[d].bounds = {0, at.shape->dimensions[d].size - 1};
  }
}

// A dilated convolution reads the left operand as if not dilated.
void dilation_forgotten(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (!forward(question, at, HloOpcode::kConvolution)) return;
  for (Listed& item : lists[0]) {
    std::erase_if(item.map.constraints, [&item](const Constraint& constraint) {
      return item.map.nodes[constraint.expr].op == Op::kMod;
    });
  }
}

// The index array of a gather is read nowhere.
void indices_not_read(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (forward(question, at, HloOpcode::kGather) && lists.size() == 2) lists[1].clear();
}

// The second update of a scatter flows nowhere.
void updates_forgotten(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (about(question, at, HloOpcode::kScatter) && lists.size() > 3) lists.back().clear();
}

// A broadcast reads the first element along dimensions above 64.
void broadcast_of_first(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (!forward(question, at, HloOpcode::kBroadcast)) return;
  for (Listed& item : lists[0]) {
    for (NodeId& result : item.map.results) {
      const Node node = item.map.nodes[result];
      if (node.op != Op::kDimension) continue;
      if (item.map.dimensions[node.value].bounds.high >= 64) {
        result = add_constant(item.map.nodes, 0);
      }
    }
  }
}

// ---- Nested layouts ----

absl::StatusOr<NestedLayout> layout_in(const Json& request, const char* key) {
  const Json* given = find(request, key);
  const auto* text = given == nullptr ? nullptr : given->as<std::string>();
  return parse_nested_layout(text == nullptr ? "" : *text);
}

// Composes what no layout is: the shape of the right operand with its strides.
void composed_without_check(const Json& request, conform::Answer& answer) {
  const auto a = layout_in(request, "layout"), b = layout_in(request, "by");
  if (is_result(answer) || !a.ok() || !b.ok()) return;
  answer = conform::result_answer(answer.id, to_text(*b));
}

// Merges two modes if the second one's stride is the first one's extent, whatever its stride.
void merged_by_extent(const Json& request, conform::Answer& answer) {
  const auto a = layout_in(request, "layout");
  if (!is_result(answer) || !a.ok() || !a->shape.is_tuple || a->shape.elements.size() != 2) return;
  const IntTuple &m = a->shape.elements[0], &n = a->shape.elements[1];
  const IntTuple &s = a->stride.elements[0], &t = a->stride.elements[1];
  if (m.is_tuple || n.is_tuple || t.value != m.value || m.value < 1 || m.value > 1 << 20) return;
  answer.result = std::to_string(m.value * n.value) + ":" + std::to_string(s.value);
}

// Rounds the size of a complement down.
void complement_rounded_down(const Json& request, conform::Answer& answer) {
  const Json* size = find(request, "size");
  const int64_t* m = size == nullptr ? nullptr : size->as<int64_t>();
  if (!is_result(answer) || m == nullptr || *m < 2 || *m % 2 == 0) return;
  Json other = request;
  set(other, "size", *m - 1);
  const auto result = conform::tla_algebra(other, conform::Engine::kSpec);
  if (result.ok()) answer.result = result->value;
}

// A nested mode with an integer coordinate counts from its last part.
void last_part_first(const Json& request, conform::Answer& answer) {
  const auto layout = layout_in(request, "layout");
  const Json* given = find(request, "coord");
  const int64_t* coord = given == nullptr ? nullptr : given->as<int64_t>();
  if (!is_result(answer) || !layout.ok() || coord == nullptr || !layout->shape.is_tuple) return;
  NestedLayout other = *layout;
  std::reverse(other.shape.elements.begin(), other.shape.elements.end());
  std::reverse(other.stride.elements.begin(), other.stride.elements.end());
  Json changed = request;
  set(changed, "layout", to_text(other));
  const auto result = conform::tla_offset(changed, conform::Engine::kSpec);
  if (result.ok()) answer.result = result->value;
}

// The rows of a tagged matrix have 16 bits.
void rows_in_16_bits(const Json& request, conform::Answer& answer) {
  const Json* rows = find(request, "rows");
  const int64_t* count = rows == nullptr ? nullptr : rows->as<int64_t>();
  if (!is_result(answer) || count == nullptr || *count < 1 << 16) return;
  Json other = request;
  set(other, "rows", *count & 0xffff);
  const auto result = conform::tla_make(other, conform::Engine::kSpec);
  if (result.ok()) answer.result = result->value;
}

// The most elements that are read are taken for the least.
void most_for_least(const Json&, conform::Answer& answer) {
  const auto* items = is_result(answer) ? answer.result.as<Json::Array>() : nullptr;
  if (items == nullptr) return;
  Json::Array changed = *items;
  for (Json& item : changed) {
    const auto* range = item.as<Json::Array>();
    if (range != nullptr && range->size() == 2) item = (*range)[1];
  }
  answer.result = std::move(changed);
}

// A tile that is needed has stride 1.
void stride_of_tile_lost(const Json&, conform::Answer& answer) {
  const auto* items = is_result(answer) ? answer.result.as<Json::Array>() : nullptr;
  if (items == nullptr) return;
  Json::Array changed = *items;
  for (Json& item : changed) {
    auto* dimensions = item.as<Json::Array>();
    for (size_t d = 0; dimensions != nullptr && d < dimensions->size(); ++d) {
      auto* numbers = (*dimensions)[d].as<Json::Array>();
      if (numbers != nullptr && numbers->size() == 3) (*numbers)[2] = 1;
    }
  }
  answer.result = std::move(changed);
}

const Variant kSecondArrayVariants[] = {
    {"SECOND-WHOLE-BYTES", Sizes(few_whole_bytes)},
    {"SECOND-BITS-31", Sizes(bits_in_31_bits)},
    {"SECOND-TAIL", Sizes(tail_of_tiles_only)},
    {"SECOND-LONG-TILE", Sizes(longer_second_tile)},
    {"SECOND-RANK-5", Offset(high_rank)},
    {"SECOND-COORDINATE-16", Offset(coordinate_in_16_bits)},
    {"SECOND-TILE-SHRINKS", Offset(tile_shrinks)},
    {"SECOND-PADDING-ROWS", Any(padding_of_rows)},
    {"SECOND-REDUCE-LAST", DataflowRule(last_output_missing)},
    {"SECOND-TRANSPOSE-4096", DataflowRule(large_transpose)},
    {"SECOND-SLICE-STRIDE", DataflowRule(partial_stride)},
    {"SECOND-CONCATENATE-3", DataflowRule(third_operand_early)},
    {"SECOND-DOT-16", DataflowRule(long_sum_short)},
    {"SECOND-REVERSE-2", DataflowRule(first_reversed)},
    {"SECOND-UPDATE", DataflowRule(nothing_overwritten)},
    {"SECOND-CONVOLUTION", DataflowRule(dilation_forgotten)},
    {"SECOND-GATHER", DataflowRule(indices_not_read)},
    {"SECOND-SCATTER", DataflowRule(updates_forgotten)},
    {"SECOND-BROADCAST-64", DataflowRule(broadcast_of_first)},
    {"SECOND-COMPOSITION", Any(composed_without_check)},
    {"SECOND-COALESCE", Any(merged_by_extent)},
    {"SECOND-COMPLEMENT", Any(complement_rounded_down)},
    {"SECOND-PARTS", Any(last_part_first)},
    {"SECOND-ROWS-16", Any(rows_in_16_bits)},
    {"SECOND-UTILIZATION", Any(most_for_least)},
    {"SECOND-TILE-STRIDE", Any(stride_of_tile_lost)},
};

}  // namespace

absl::Span<const Variant> second_array_variants() { return kSecondArrayVariants; }

}  // namespace tileproof::zoo
