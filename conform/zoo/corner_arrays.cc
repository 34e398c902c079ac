// SPDX-License-Identifier: Apache-2.0
// Layouts and dataflow that are right but for one corner.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conform/oracle/layout_ops.h"
#include "conform/oracle/tla_ops.h"
#include "conform/zoo/rule_parts.h"
#include "conform/zoo/variants.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/layout/nested.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::zoo {
namespace {

using conform::HloQuestion;
using conform::Json;

// ---- Sizes of layouts ----

int64_t bits_of(const Shape& array) {
  const int64_t bits = layout_of(array).element_size_in_bits;
  return bits != 0 ? bits : 8 * byte_width(array.element_type);
}

// Rounds up to the alignment of the tail with a mask, which needs a power of two.
void tail_by_mask(const Shape& array, Physical& right) {
  const int64_t align = layout_of(array).tail_padding_alignment;
  int64_t elements = 1;
  for (int64_t dim : right.dims) elements *= dim;
  if (align < 2 || (align & (align - 1)) == 0 || elements > 1 << 30 || align > 1 << 30) return;
  right.elements = (elements + align - 1) & ~(align - 1);
  right.bytes = (right.elements * bits_of(array) + 7) / 8;
}

// Stores the bits of an element, E(..), in 16 bits.
void bits_in_16_bits(const Shape& array, Physical& right) {
  const int64_t bits = layout_of(array).element_size_in_bits;
  if (bits < 1 << 16 || right.elements > 1 << 20) return;
  right.bytes = (right.elements * (bits & 0xffff) + 7) / 8;
}

// Packs two elements of 4 bits into a byte, though E(..) does not say so, if their number is odd.
void packed_without_saying(const Shape& array, Physical& right) {
  const bool nibbles =
      array.element_type == ElementType::kS4 || array.element_type == ElementType::kU4;
  if (!nibbles || layout_of(array).element_size_in_bits != 0 || right.elements % 2 == 0) return;
  right.bytes = (right.elements + 1) / 2;
}

// Does not write the leading 1 of a tile that is longer than the array.
void leading_ones_dropped(const Shape& array, Physical& right) {
  const Layout layout = layout_of(array);
  const bool longer =
      std::any_of(layout.tiles.begin(), layout.tiles.end(),
                  [&array](const Tile& tile) { return std::ssize(tile.dims) > array.rank() + 1; });
  if (longer && right.dims.size() > 1 && right.dims[0] == 1) right.dims.erase(right.dims.begin());
}

// Combines with `*` in the first tile only; in later ones `*` is a tile size of 1.
std::optional<int64_t> star_of_later_tile(const Shape& array, const Index& index) {
  Shape other = array;
  Layout layout = layout_of(array);
  bool any = false;
  for (size_t t = 1; t < layout.tiles.size(); ++t) {
    for (int64_t& size : layout.tiles[t].dims) {
      if (size == Tile::kCombine) any = true;
      if (size == Tile::kCombine) size = 1;
    }
  }
  if (!any) return std::nullopt;
  other.layout = layout;
  const Json request = conform::json_object(
      {{"op", "layout.linearize"}, {"shape", to_text(other)}, {"index", index}});
  const auto result = conform::layout_linearize(request, conform::Engine::kSpec);
  const int64_t* offset = result.ok() ? result->value.as<int64_t>() : nullptr;
  return offset == nullptr ? std::nullopt : std::optional(*offset);
}

// Counts offsets in 32 bits.
std::optional<int64_t> offset_in_32_bits(const Shape& array, const Index& index) {
  const Json request = conform::json_object(
      {{"op", "layout.linearize"}, {"shape", to_text(array)}, {"index", index}});
  const auto result = conform::layout_linearize(request, conform::Engine::kSpec);
  const int64_t* offset = result.ok() ? result->value.as<int64_t>() : nullptr;
  return offset == nullptr ? std::nullopt : std::optional<int64_t>(static_cast<int32_t>(*offset));
}

// Names the element that would be at an offset in the padding of the last physical dimension.
void padding_not_noticed(const Json& request, conform::Answer& answer) {
  const Json* shape = find(request, "shape");
  const auto* text = shape == nullptr ? nullptr : shape->as<std::string>();
  const absl::StatusOr<Shape> array = parse_shape(text == nullptr ? "" : *text);
  if (!is_result(answer) || !array.ok() || find(request, "offset") == nullptr) return;
  if (!answer.result.is_null() || array->rank() != 1) return;
  answer.result = Json::Array{array->dimensions[0].size - 1};
}

// ---- Dataflow ----

// The part of an operand ends one element too late, in the part of the next operand.
void concatenated_parts_overlap(const HloQuestion& question, const HloInstruction& at,
                                Lists& lists) {
  if (!forward(question, at, HloOpcode::kConcatenate)) return;
  for (size_t k = 0; k + 1 < lists.size(); ++k) {
    for (Listed& item : lists[k]) {
      for (size_t d = 0; d < item.map.dimensions.size(); ++d) {
        int64_t& high = item.map.dimensions[d].bounds.high;
        if (high + 1 < at.shape->dimensions[d].size) ++high;
      }
    }
  }
}

// From input to output, elements between the strides flow too.
void between_strides(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (!about(question, at, HloOpcode::kSlice) || !question.is_inverse()) return;
  for (Listed& item : lists[0]) item.map.constraints.clear();
}

// Interior padding reads the element before it.
void interior_reads_element(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (!forward(question, at, HloOpcode::kPad)) return;
  for (Listed& item : lists[0]) item.map.constraints.clear();
}

// A dilated window reads holes.
void holes_are_read(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (!forward(question, at, HloOpcode::kReduceWindow)) return;
  for (Listed& item : lists[0]) {
    std::erase_if(item.map.constraints, [&item](const Constraint& constraint) {
      return item.map.nodes[constraint.expr].op == Op::kMod;
    });
  }
}

// A transpose reads by the permutation instead of its inverse: wrong for cycles of three.
void permutation_for_its_inverse(const HloQuestion& question, const HloInstruction& at,
                                 Lists& lists) {
  if (!forward(question, at, HloOpcode::kTranspose)) return;
  for (Listed& item : lists[0]) {
    std::vector<NodeId> results = item.map.results;
    bool plain = true;
    for (NodeId id : item.map.results) plain = plain && item.map.nodes[id].op == Op::kDimension;
    if (!plain || results.size() < 3) return;
    for (size_t i = 0; i < results.size(); ++i) {
      const auto to = static_cast<size_t>(item.map.nodes[item.map.results[i]].value);
      results[to] = add_variable(item.map.nodes, Op::kDimension, static_cast<int64_t>(i));
    }
    item.map.results = std::move(results);
  }
}

// Is wrong only along dimensions above 256.
void wrong_above_256(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (!forward(question, at, HloOpcode::kReverse)) return;
  for (Listed& item : lists[0]) {
    for (size_t d = 0; d < item.map.results.size(); ++d) {
      if (at.shape->dimensions[d].size <= 256) continue;
      item.map.results[d] = add_variable(item.map.nodes, Op::kDimension, static_cast<int64_t>(d));
    }
  }
}

// An operand of a sort moves by itself: it does not depend on the keys.
void only_its_own_line(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (!forward(question, at, HloOpcode::kSort)) return;
  for (size_t k = 0; k < lists.size(); ++k) {
    if (static_cast<int32_t>(k) != question.array) lists[k].clear();
  }
}

// The initial value of a window is read nowhere.
void initial_value_forgotten(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (forward(question, at, HloOpcode::kReduceWindow) && lists.size() == 2) lists[1].clear();
}

// An input of a variadic reduce flows to its own output alone.
void own_output_alone(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (!about(question, at, HloOpcode::kReduce) || !question.is_inverse() || lists.size() < 2)
    return;
  for (size_t k = 0; k < lists.size(); ++k) {
    if (k != static_cast<size_t>(question.array)) lists[k].clear();
  }
}

// Bounds the index of a gather by size - slice - 1.
void last_row_missing(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (!about(question, at, HloOpcode::kGather)) return;
  for (std::vector<Listed>& list : lists) {
    for (Listed& item : list) {
      for (Variable& offset : item.map.runtime) --offset.bounds.high;
    }
  }
}

// The right operand of a dot has its batch dimensions first, wherever they are.
void batch_dimensions_first(const HloQuestion& question, const HloInstruction& at, Lists& lists) {
  if (!forward(question, at, HloOpcode::kDot) || lists.size() != 2) return;
  for (Listed& item : lists[1]) {
    if (item.map.results.size() < 3) return;
    const auto is_batch = [&item](NodeId id) {
      const Node& node = item.map.nodes[id];
      return node.op == Op::kDimension && node.value == 0;
    };
    std::stable_partition(item.map.results.begin(), item.map.results.end(), is_batch);
  }
}

// ---- Nested layouts ----

// A coordinate past the end of the last mode starts again at 0.
void last_mode_wraps(const Json& request, conform::Answer& answer) {
  const absl::StatusOr<NestedLayout> layout = conform::nested_under(request);
  const Json* given = find(request, "coord");
  const auto* coord = given == nullptr ? nullptr : given->as<Json::Array>();
  if (!is_result(answer) || !layout.ok() || coord == nullptr || !layout->shape.is_tuple) return;
  if (coord->size() != layout->shape.elements.size()) return;
  Json::Array inside = *coord;
  bool any = false;
  for (size_t i = 0; i < inside.size(); ++i) {
    const IntTuple& mode = layout->shape.elements[i];
    const int64_t* at = inside[i].as<int64_t>();
    if (at == nullptr || mode.is_tuple || mode.value < 1 || *at < mode.value) continue;
    inside[i] = *at % mode.value;
    any = true;
  }
  if (!any) return;
  Json other = request;
  set(other, "coord", std::move(inside));
  const auto result = conform::tla_offset(other, conform::Engine::kSpec);
  if (result.ok()) answer.result = result->value;
}

// A fractal of 64-bit elements has the width of one of 32 bits.
void wide_elements_as_narrow(const Json& request, conform::Answer& answer) {
  const Json* bits = find(request, "element_bits");
  if (!is_result(answer) || bits == nullptr || !(*bits == Json(64))) return;
  Json other = request;
  set(other, "element_bits", 32);
  const auto result = conform::tla_make(other, conform::Engine::kSpec);
  if (result.ok()) answer.result = result->value;
}

const Variant kCornerArrayVariants[] = {
    {"LIKE-XLA-LAY-08", Sizes(tail_by_mask)},
    {"LIKE-XLA-LAY-11", Sizes(bits_in_16_bits)},
    {"LIKE-XLA-LAY-20", Sizes(packed_without_saying)},
    {"LIKE-XLA-LAY-12", Sizes(leading_ones_dropped)},
    {"LIKE-OPEN-18", Offset(star_of_later_tile)},
    {"LIKE-XLA-ST-05-OFFSET", Offset(offset_in_32_bits)},
    {"LIKE-XLA-TP-03", Any(padding_not_noticed)},
    {"LIKE-XLA-AN-TR-03", DataflowRule(concatenated_parts_overlap)},
    {"LIKE-XLA-ST-02", DataflowRule(between_strides)},
    {"LIKE-FACT-PAD", DataflowRule(interior_reads_element)},
    {"LIKE-FACT-WINDOW", DataflowRule(holes_are_read)},
    {"LIKE-TRI-01", DataflowRule(permutation_for_its_inverse)},
    {"LIKE-XLA-ISS-05", DataflowRule(wrong_above_256)},
    {"LIKE-XLA-ISS-01", DataflowRule(only_its_own_line)},
    {"LIKE-FACT-INIT", DataflowRule(initial_value_forgotten)},
    {"LIKE-XLA-AN-RED-02", DataflowRule(own_output_alone)},
    {"LIKE-FACT-RT-RANGE", DataflowRule(last_row_missing)},
    {"LIKE-CUT-05", DataflowRule(batch_dimensions_first)},
    {"LIKE-TRI-02", Any(last_mode_wraps)},
    {"LIKE-FACT-TLA-WEIGHT", Any(wide_elements_as_narrow)},
};

}  // namespace

absl::Span<const Variant> corner_array_variants() { return kCornerArrayVariants; }

}  // namespace tileproof::zoo
