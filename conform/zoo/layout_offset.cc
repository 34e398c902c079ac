// SPDX-License-Identifier: Apache-2.0
// layout.offset: wrong offsets by swizzled layouts, memrefs and blocked shapes.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "conform/zoo/variants.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/layout/swizzled_layout.h"

namespace tileproof::zoo {
namespace {

using conform::Json;

// The layout of a request, if it is one of this kind.
template <class Kind>
std::optional<Kind> layout_in(const Json& request) {
  const absl::StatusOr<AnyLayout> layout = parse_any_layout(text_under(request, "layout"));
  const auto* found = layout.ok() ? std::get_if<Kind>(&*layout) : nullptr;
  return found == nullptr ? std::nullopt : std::optional(*found);
}

// The right offset by another layout.
std::optional<int64_t> offset_by(const AnyLayout& layout, Json request) {
  set(request, "layout", to_text(layout));
  const std::optional<Json> right = right_result(request);
  return right ? std::optional(*right->as<int64_t>()) : std::nullopt;
}

// The offset before the swizzle, without the start.
struct Plain {
  SwizzledLayout layout;
  int64_t offset = 0;
};
std::optional<Plain> plain_in(const Json& request) {
  const auto swizzled = layout_in<SwizzledLayout>(request);
  const auto offset = swizzled ? offset_by(AnyLayout(swizzled->layout), request) : std::nullopt;
  return offset ? std::optional(Plain{*swizzled, *offset}) : std::nullopt;
}

// The offset by the layout with another swizzle.
int64_t swizzled_by(const Swizzle& other, const Plain& plain) {
  SwizzledLayout layout = plain.layout;
  layout.swizzle = other;
  return spec::swizzled_element(layout, layout.start + plain.offset);
}

// The start is added to the swizzled offset, as a pointer is.
void start_after_swizzle(const Json& request, Json& result) {
  if (const auto plain = plain_in(request))
    result = spec::swizzled_element(plain->layout, plain->offset) + plain->layout.start;
}

// A negative shift moves bits the other way.
void shift_without_sign(const Json& request, Json& result) {
  const auto plain = plain_in(request);
  if (!plain || plain->layout.swizzle.shift >= 0) return;
  Swizzle other = plain->layout.swizzle;
  other.shift = -other.shift;
  result = swizzled_by(other, *plain);
}

// The mask of the bits begins at 0.
void base_forgotten(const Json& request, Json& result) {
  const auto plain = plain_in(request);
  if (!plain) return;
  Swizzle other = plain->layout.swizzle;
  other.base = 0;
  result = swizzled_by(other, *plain);
}

// Behind a pointer, the swizzle acts on offsets of elements, not on addresses of bytes.
void elements_not_bytes(const Json& request, Json& result) {
  const auto plain = plain_in(request);
  if (plain && plain->layout.pointer_bits)
    result = spec::swizzled_number(plain->layout.swizzle, plain->offset);
}

// The bits are replaced, not combined by an exclusive or.
void bits_replaced(const Json& request, Json& result) {
  const auto plain = plain_in(request);
  if (!plain) return;
  const auto [bits, base, shift] = plain->layout.swizzle;
  if (shift < 0 || plain->layout.pointer_bits) return;
  const int64_t x = plain->layout.start + plain->offset;
  const int64_t mask = ((int64_t{1} << bits) - 1) << base;
  result = (x & ~mask) | ((x >> shift) & mask);
}

// `offset` of a strided layout is ignored: an element is where the same strides put it in an array
// of its own.
void offset_ignored(const Json& request, Json& result) {
  const auto memref = layout_in<MemRef>(request);
  if (!memref) return;
  Json at_zero = request;
  set(at_zero, "index", std::vector<int64_t>(memref->dims.size(), 0));
  const std::optional<int64_t> first = offset_by(AnyLayout(*memref), std::move(at_zero));
  if (first) result = *result.as<int64_t>() - *first;
}

// Strides are those of a row-major array, whatever the layout says.
void layout_ignored(const Json& request, Json& result) {
  const auto memref = layout_in<MemRef>(request);
  if (!memref) return;
  const std::vector<int64_t> index = *conform::integers(*find(request, "index"));
  int64_t offset = 0;
  for (size_t d = 0; d < index.size(); ++d) offset = offset * memref->dims[d] + index[d];
  result = offset;
}

// A dimension has as many blocks as fit it whole; what is behind them is at the last element.
void whole_blocks_alone(const Json& request, Json& result) {
  const auto blocked = layout_in<BlockedShape>(request);
  if (!blocked) return;
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
  if (offset) result = *offset;
}

const Variant kOffsetVariants[] = {
    {"FACT-SWIZZLE-START", OtherResult(start_after_swizzle)},
    {"FACT-SWIZZLE-SHIFT", OtherResult(shift_without_sign)},
    {"FACT-SWIZZLE-BASE", OtherResult(base_forgotten)},
    {"FACT-SWIZZLE-XOR", OtherResult(bits_replaced)},
    {"FACT-SWIZZLE-POINTER", OtherResult(elements_not_bytes)},
    {"FACT-MEMREF-OFFSET", OtherResult(offset_ignored)},
    {"FACT-MEMREF-LAYOUT", OtherResult(layout_ignored)},
    {"FACT-DNNL-TAIL", OtherResult(whole_blocks_alone)},
};

}  // namespace

absl::Span<const Variant> offset_variants() { return kOffsetVariants; }

}  // namespace tileproof::zoo
