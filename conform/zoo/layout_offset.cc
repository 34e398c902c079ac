// SPDX-License-Identifier: Apache-2.0
// layout.offset: wrong offsets by swizzled layouts, memrefs and blocked shapes.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conform/oracle/format_ops.h"
#include "conform/zoo/variants.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/layout/swizzled_layout.h"

namespace tileproof::zoo {
namespace {

using conform::Json;

std::optional<AnyLayout> layout_in(const Json& request) {
  const absl::StatusOr<AnyLayout> layout = parse_any_layout(text_under(request, "layout"));
  return layout.ok() ? std::optional(*layout) : std::nullopt;
}

// The right offset by another layout.
std::optional<int64_t> offset_by(const AnyLayout& layout, Json request) {
  set(request, "layout", to_text(layout));
  const auto result = conform::layout_offset(request, conform::Engine::kSpec);
  if (!result.ok()) return std::nullopt;
  return *result->value.as<int64_t>();
}

// The offset before the swizzle, without the start.
struct Plain {
  SwizzledLayout layout;
  int64_t offset = 0;
};
std::optional<Plain> plain_in(const Json& request, const conform::Answer& answer) {
  if (!is_result(answer)) return std::nullopt;
  const std::optional<AnyLayout> layout = layout_in(request);
  const auto* swizzled = layout ? std::get_if<SwizzledLayout>(&*layout) : nullptr;
  if (swizzled == nullptr) return std::nullopt;
  const std::optional<int64_t> offset = offset_by(AnyLayout(swizzled->layout), request);
  return offset ? std::optional(Plain{*swizzled, *offset}) : std::nullopt;
}

// The offset by the layout with another swizzle.
int64_t swizzled_by(const Swizzle& other, const Plain& plain) {
  SwizzledLayout layout = plain.layout;
  layout.swizzle = other;
  return spec::swizzled_element(layout, layout.start + plain.offset);
}

// The start is added to the swizzled offset, as a pointer is.
void start_after_swizzle(const Json& request, conform::Answer& answer) {
  if (const auto plain = plain_in(request, answer))
    answer.result = spec::swizzled_element(plain->layout, plain->offset) + plain->layout.start;
}

// A negative shift moves bits the other way.
void shift_without_sign(const Json& request, conform::Answer& answer) {
  const auto plain = plain_in(request, answer);
  if (!plain || plain->layout.swizzle.shift >= 0) return;
  Swizzle other = plain->layout.swizzle;
  other.shift = -other.shift;
  answer.result = swizzled_by(other, *plain);
}

// The mask of the bits begins at 0.
void base_forgotten(const Json& request, conform::Answer& answer) {
  const auto plain = plain_in(request, answer);
  if (!plain) return;
  Swizzle other = plain->layout.swizzle;
  other.base = 0;
  answer.result = swizzled_by(other, *plain);
}

// Behind a pointer, the swizzle acts on offsets of elements, not on addresses of bytes.
void elements_not_bytes(const Json& request, conform::Answer& answer) {
  const auto plain = plain_in(request, answer);
  if (plain && plain->layout.pointer_bits)
    answer.result = spec::swizzled_number(plain->layout.swizzle, plain->offset);
}

// The bits are replaced, not combined by an exclusive or.
void bits_replaced(const Json& request, conform::Answer& answer) {
  const auto plain = plain_in(request, answer);
  if (!plain) return;
  const auto [bits, base, shift] = plain->layout.swizzle;
  if (shift < 0 || plain->layout.pointer_bits) return;
  const int64_t x = plain->layout.start + plain->offset;
  const int64_t mask = ((int64_t{1} << bits) - 1) << base;
  answer.result = (x & ~mask) | ((x >> shift) & mask);
}

// `offset` of a strided layout is ignored: an element is where the same strides put it in an array
// of its own.
void offset_ignored(const Json& request, conform::Answer& answer) {
  const std::optional<AnyLayout> layout = layout_in(request);
  const auto* memref = layout ? std::get_if<MemRef>(&*layout) : nullptr;
  if (!is_result(answer) || memref == nullptr) return;
  Json at_zero = request;
  set(at_zero, "index", std::vector<int64_t>(memref->dims.size(), 0));
  const std::optional<int64_t> first = offset_by(*layout, std::move(at_zero));
  if (first) answer.result = *answer.result.as<int64_t>() - *first;
}

// Strides are those of a row-major array, whatever the layout says.
void layout_ignored(const Json& request, conform::Answer& answer) {
  const std::optional<AnyLayout> layout = layout_in(request);
  const auto* memref = layout ? std::get_if<MemRef>(&*layout) : nullptr;
  if (!is_result(answer) || memref == nullptr) return;
  const std::vector<int64_t> index = *conform::integers(*find(request, "index"));
  int64_t offset = 0;
  for (size_t d = 0; d < index.size(); ++d) offset = offset * memref->dims[d] + index[d];
  answer.result = offset;
}

// A dimension has as many blocks as fit it whole; what is behind them is at the last element.
void whole_blocks_alone(const Json& request, conform::Answer& answer) {
  const std::optional<AnyLayout> layout = layout_in(request);
  const auto* blocked = layout ? std::get_if<BlockedShape>(&*layout) : nullptr;
  if (!is_result(answer) || blocked == nullptr) return;
  std::vector<int64_t> blocks(blocked->dims.size(), 1);
  for (const auto& block : blocked->format.blocks) blocks[block.dimension] *= block.size;
  BlockedShape cut = *blocked;
  for (size_t d = 0; d < blocks.size(); ++d)
    cut.dims[d] = std::max<int64_t>(cut.dims[d] / blocks[d], 1) * blocks[d];
  Json inside = request;
  std::vector<int64_t> index = *conform::integers(*find(request, "index"));
  for (size_t d = 0; d < index.size(); ++d) index[d] = std::min(index[d], cut.dims[d] - 1);
  set(inside, "index", index);
  const std::optional<int64_t> offset = offset_by(AnyLayout(cut), std::move(inside));
  if (offset) answer.result = *offset;
}

const Variant kOffsetVariants[] = {
    {"FACT-SWIZZLE-START", Any(start_after_swizzle)},
    {"FACT-SWIZZLE-SHIFT", Any(shift_without_sign)},
    {"FACT-SWIZZLE-BASE", Any(base_forgotten)},
    {"FACT-SWIZZLE-XOR", Any(bits_replaced)},
    {"FACT-SWIZZLE-POINTER", Any(elements_not_bytes)},
    {"FACT-MEMREF-OFFSET", Any(offset_ignored)},
    {"FACT-MEMREF-LAYOUT", Any(layout_ignored)},
    {"FACT-DNNL-TAIL", Any(whole_blocks_alone)},
};

}  // namespace

absl::Span<const Variant> offset_variants() { return kOffsetVariants; }

}  // namespace tileproof::zoo
