// SPDX-License-Identifier: Apache-2.0
// layout.physical, layout.linearize, layout.delinearize and layout.offset: wrong sizes, wrong checks of
// shapes, wrong offsets, and crashes.

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "conform/oracle/exact_layout.h"
#include "conform/zoo/variants.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/layout/swizzled_layout.h"

namespace tileproof::zoo {
namespace {

using conform::Json;

// ---- Sizes ----

// The size of an element that E(..) gives, or 0.
int64_t stated_bits(const Shape& array) { return layout_of(array).element_size_in_bits; }

int64_t bits_of(const Shape& array) {
  const int64_t bits = stated_bits(array);
  return bits != 0 ? bits : 8 * byte_width(array.element_type);
}

int64_t bytes_for(int64_t elements, int64_t bits) { return (elements * bits + 7) / 8; }

int64_t wrapped_volume(const std::vector<int64_t>& dims) {
  int64_t volume = 1;
  for (int64_t dim : dims) volume = exact(Op::kMul, volume, dim);
  return volume;
}

int64_t wrapped_volume(const Shape& array) {
  std::vector<int64_t> sizes;
  for (const Dimension& d : array.dimensions) sizes.push_back(d.size);
  return wrapped_volume(sizes);
}

void whole_bytes(const Shape& array, Physical& right) {
  right.bytes = exact(Op::kMul, right.elements, (bits_of(array) + 7) / 8);
}

void elements_in_32_bits(const Shape& array, Physical& right) {
  if (layout_of(array).tail_padding_alignment == 1)
    right.elements = static_cast<int32_t>(wrapped_volume(right.dims));
}

void bytes_without_tiles(const Shape& array, Physical& right) {
  right.bytes = bytes_for(wrapped_volume(array), bits_of(array));
}

// XLA's ArraySize rounds the dimensions up to the first tile and assumes that later tiles fit.
void first_tile_alone(const Shape& array, Physical& right) {
  const Layout layout = layout_of(array);
  if (layout.tiles.size() < 2 || layout.tail_padding_alignment != 1) return;
  const std::vector<int64_t>& tile = layout.tiles[0].dims;
  int64_t elements = 1;
  for (int64_t j = 0; j < std::max<int64_t>(array.rank(), std::ssize(tile)); ++j) {
    const int64_t n = j < array.rank() ? array.dimensions[layout.minor_to_major[j]].size : 1;
    const int64_t t = j < std::ssize(tile) ? tile[tile.size() - 1 - static_cast<size_t>(j)] : 1;
    if (t < 1) return;
    elements = exact(Op::kMul, elements, (n / t + (n % t != 0 ? 1 : 0)) * t);
  }
  right.elements = elements;
  right.bytes = bytes_for(elements, bits_of(array));
}

// Rounds up to the alignment of the tail with a mask, which needs a power of two.
void tail_by_mask(const Shape& array, Physical& right) {
  const int64_t align = layout_of(array).tail_padding_alignment;
  const int64_t elements = wrapped_volume(right.dims);
  if (align < 2 || (align & (align - 1)) == 0 || elements >= 1 << 30 || align >= 1 << 30) return;
  right.elements = (elements + align - 1) & ~(align - 1);
  right.bytes = bytes_for(right.elements, bits_of(array));
}

// Stores the bits of an element in the bits of a mask.
template <int64_t mask>
void narrow_bits(const Shape& array, Physical& right) {
  const int64_t bits = stated_bits(array);
  if (bits > mask && right.elements <= 1 << 20) {
    right.bytes = bytes_for(right.elements, bits & mask);
  }
}

// Packs two elements of 4 bits into a byte, though E(..) does not say so, if their number is odd.
void packed_without_saying(const Shape& array, Physical& right) {
  const bool nibbles =
      array.element_type == ElementType::kS4 || array.element_type == ElementType::kU4;
  if (!nibbles || stated_bits(array) != 0 || right.elements % 2 == 0) return;
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

// Rounds an element up to whole bytes, E(12) to 2 of them.
void few_whole_bytes(const Shape& array, Physical& right) {
  const int64_t bits = stated_bits(array);
  if (bits % 8 == 0 || right.elements > 1 << 20) return;
  right.bytes = right.elements * ((bits + 7) / 8);
}

// L(..) counts only if there are tiles.
void tail_of_tiles_only(const Shape& array, Physical& right) {
  const Layout layout = layout_of(array);
  if (layout.tiles.empty() && layout.tail_padding_alignment > 1)
    right.elements = wrapped_volume(right.dims);
}

// Rounds up by the first tile for a second tile that is longer than the first.
void longer_second_tile(const Shape& array, Physical& right) {
  const Layout layout = layout_of(array);
  if (layout.tiles.size() < 2 || layout.tiles[1].dims.size() <= layout.tiles[0].dims.size()) return;
  if (right.dims.size() > 2) std::swap(right.dims[0], right.dims[1]);
}

// ---- Checks of shapes ----

// Computes the product of the dimensions without a check, so it wraps.
void unchecked_volume(const Json& request, conform::Answer& answer) {
  const std::string text = text_under(request, "shape");
  const absl::StatusOr<Shape> shape = conform::parse_shape_of_any_size(text);
  if (!shape.ok() || parse_shape(text).ok() || !layout_of(*shape).tiles.empty()) return;
  const int64_t elements = wrapped_volume(*shape);
  Json::Array dims;
  for (int64_t d = shape->rank(); d-- > 0;) {
    dims.push_back(shape->dimensions[layout_of(*shape).minor_to_major[d]].size);
  }
  answer = conform::result_answer(
      answer.id, conform::json_object({{"dims", std::move(dims)},
                                       {"elements", elements},
                                       {"bytes", exact(Op::kMul, elements, bits_of(*shape)) / 8}}));
}

// Stores sizes in 32 bits, and rejects a size of 2^31 as negative.
void negative_in_32_bits(const Json& request, conform::Answer& answer) {
  const absl::StatusOr<Shape> shape = parse_shape(text_under(request, "shape"));
  if (!is_result(answer) || !shape.ok()) return;
  for (const Dimension& d : shape->dimensions) {
    if (static_cast<int32_t>(d.size) >= 0) continue;
    answer = conform::failed_answer(answer.id, absl::InvalidArgumentError("negative dimension"));
  }
}

// Returns whether these replacements make an invalid shape valid.
bool valid_but_for(const Json& request,
                   std::initializer_list<std::pair<const absl::string_view, const char*>> parts) {
  const std::string text = text_under(request, "shape"), other = absl::StrReplaceAll(text, parts);
  return text != other && !parse_shape(text).ok() && parse_shape(other).ok();
}

// Accepts a tile size of 0 and divides by it.
int divide_by_tile(const Json& request, const conform::Answer&) {
  const bool zero =
      valid_but_for(request, {{"T(0)", "T(1)"}, {"T(0,", "T(1,"}, {",0)", ",1)"}, {",0,", ",1,"}});
  return zero ? SIGFPE : 0;
}

int abort_at_negative_tile(const Json& request, const conform::Answer&) {
  return valid_but_for(request, {{"T(-", "T("}}) ? SIGABRT : 0;
}

int abort_at_negative_dimension(const Json& request, const conform::Answer&) {
  return valid_but_for(request, {{"[-", "["}}) ? SIGABRT : 0;
}

// ==== layout.linearize and layout.delinearize ====

// The offset in a dense array. `order` lists the dimensions, most minor first.
int64_t dense_offset(const Shape& array, const std::vector<int64_t>& order, const Index& index) {
  int64_t offset = 0, stride = 1;
  for (int64_t d : order) {
    offset = exact(Op::kAdd, offset, exact(Op::kMul, index[d], stride));
    stride = exact(Op::kMul, stride, array.dimensions[d].size);
  }
  return offset;
}

// ---- Offsets ----

std::optional<int64_t> rank_one_is_the_index(const Shape& array, const Index& index) {
  return array.rank() == 1 ? std::optional(index[0]) : std::nullopt;
}

std::optional<int64_t> as_if_dense(const Shape& array, const Index& index) {
  return dense_offset(array, layout_of(array).minor_to_major, index);
}

std::optional<int64_t> as_if_row_major(const Shape& array, const Index& index) {
  if (!layout_of(array).tiles.empty()) return std::nullopt;
  return dense_offset(array, default_layout(array.rank()).minor_to_major, index);
}

// Gives a dense column-major matrix the strides (columns, 1).
std::optional<int64_t> column_major_strides(const Shape& array, const Index& index) {
  const Layout layout = layout_of(array);
  if (array.rank() != 2 || layout.minor_to_major[0] != 0) return std::nullopt;
  return as_if_row_major(array, index);
}

// XLA's LinearIndex applies the first tile only, and multiplies its sizes as they are stored. It
// stores `*` as INT64_MIN.
std::optional<int64_t> star_as_a_size(const Shape& array, const Index& index) {
  const Layout layout = layout_of(array);
  if (layout.tiles.empty() || array.rank() < 2) return std::nullopt;
  const std::vector<int64_t>& tile = layout.tiles[0].dims;
  if (std::count(tile.begin(), tile.end(), Tile::kCombine) == 0) return std::nullopt;
  int64_t offset = 0, between = 1, within = 1;
  const auto add = [&offset](int64_t i, int64_t stride) {
    offset = exact(Op::kAdd, offset, exact(Op::kMul, i, stride));
  };
  for (int64_t size : tile) between = exact(Op::kMul, between, size);
  for (int64_t j = 0; j < array.rank(); ++j) {
    const int64_t i = index[layout.minor_to_major[j]],
                  n = array.dimensions[layout.minor_to_major[j]].size;
    if (j >= std::ssize(tile)) {
      add(i, between);
      between = exact(Op::kMul, between, n);
      continue;
    }
    const int64_t t = tile[tile.size() - 1 - static_cast<size_t>(j)];
    add(i / t, between);
    add(i % t, within);
    between = exact(Op::kMul, between, n / t + (n % t != 0 ? 1 : 0));
    within = exact(Op::kMul, within, t);
  }
  return offset;
}

// Counts offsets in 32 bits.
std::optional<int64_t> offset_in_32_bits(const Shape& array, const Index& index) {
  const std::optional<int64_t> offset = right_offset(array, index);
  return offset ? std::optional<int64_t>(static_cast<int32_t>(*offset)) : std::nullopt;
}

// A coordinate inside of a tiled array has 16 bits.
std::optional<int64_t> coordinate_in_16_bits(const Shape& array, const Index& index) {
  if (layout_of(array).tiles.empty()) return std::nullopt;
  Index other = index;
  for (int64_t& at : other) at &= 0xffff;
  return other == index ? std::nullopt : right_offset(array, other);
}

// ---- Right offsets in another layout ----

// Combines with `*` in the first tile only; in later ones `*` is a tile size of 1.
bool star_of_later_tile(const Shape&, Layout& layout) {
  bool any = false;
  for (size_t t = 1; t < layout.tiles.size(); ++t) {
    for (int64_t& size : layout.tiles[t].dims) {
      if (size != Tile::kCombine) continue;
      size = 1;
      any = true;
    }
  }
  return any;
}

// Arrays of five or more dimensions exchange their two most major ones.
bool high_rank(const Shape& array, Layout& layout) {
  if (array.rank() < 5) return false;
  std::vector<int64_t>& order = layout.minor_to_major;
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return true;
}

// A tile that is longer than a dimension shrinks to it.
bool tile_shrinks(const Shape& array, Layout& layout) {
  if (layout.tiles.size() != 1) return false;
  std::vector<int64_t>& tile = layout.tiles[0].dims;
  bool any = false;
  for (size_t t = 0; t < tile.size() && std::ssize(tile) <= array.rank(); ++t) {
    const int64_t size = array.dimensions[layout.minor_to_major[tile.size() - 1 - t]].size;
    if (tile[t] <= size || size <= 0) continue;
    tile[t] = size;
    any = true;
  }
  return any;
}

// ---- Indices ----

// Accepts a negative index.
void negative_index(const Json& request, conform::Answer& answer) {
  const absl::StatusOr<Shape> shape = parse_shape(text_under(request, "shape"));
  const auto* list = find_as<Json::Array>(request, "index");
  if (is_result(answer) || !shape.ok() || list == nullptr || std::ssize(*list) != shape->rank())
    return;
  if (shape->kind != Shape::Kind::kArray || !layout_of(*shape).tiles.empty()) return;
  Index index;
  for (const Json& item : *list) {
    const int64_t* value = item.as<int64_t>();
    const int64_t size = shape->dimensions[index.size()].size;
    if (value == nullptr || *value >= size) return;
    index.push_back(*value);
  }
  answer = conform::result_answer(answer.id, *as_if_dense(*shape, index));
}

// Reads the last element of an empty list of strides.
int last_stride_of_none(const Json& request, const conform::Answer& right) {
  const absl::StatusOr<Shape> shape = parse_shape(text_under(request, "shape"));
  return is_result(right) && shape.ok() && shape->rank() == 0 ? SIGSEGV : 0;
}

// The array of a question about one offset, if it is in the padding and the array has this rank.
std::optional<Shape> padded(const Json& request, const Json& result, int64_t rank) {
  const absl::StatusOr<Shape> array = parse_shape(text_under(request, "shape"));
  const bool padding = result.is_null() && find(request, "offset") != nullptr;
  return padding && array.ok() && array->rank() == rank ? std::optional(*array) : std::nullopt;
}

// Names the last element for an offset in the padding of the only dimension.
void padding_not_noticed(const Json& request, Json& result) {
  const std::optional<Shape> array = padded(request, result, 1);
  if (array) result = Json::Array{array->dimensions[0].size - 1};
}

// The padding of a dimension that is not the last one is not noticed.
void padding_of_rows(const Json& request, Json& result) {
  const std::optional<Shape> array = padded(request, result, 2);
  if (array) result = Json::Array{array->dimensions[0].size, 0};
}

// ==== layout.offset: swizzled layouts, memrefs and blocked shapes ====

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

const Variant kLayoutVariants[] = {
    {"XLA-LAY-03", Sizes(whole_bytes)},
    {"XLA-LAY-04", Sizes(elements_in_32_bits)},
    {"XLA-LAY-06", OtherAnswer(unchecked_volume)},
    {"XLA-LAY-17", Crash(divide_by_tile)},
    {"XLA-LAY-19", Crash(abort_at_negative_tile)},
    {"XLA-TP-01", OtherAnswer(negative_in_32_bits)},
    {"XLA-PARSE-02", Crash(abort_at_negative_dimension)},
    {"XLA-ISS-04", Sizes(bytes_without_tiles)},
    {"OPEN-20", Sizes(first_tile_alone)},
    {"LIKE-XLA-LAY-08", Sizes(tail_by_mask)},
    {"LIKE-XLA-LAY-11", Sizes(narrow_bits<0xffff>)},
    {"LIKE-XLA-LAY-12", Sizes(leading_ones_dropped)},
    {"LIKE-XLA-LAY-20", Sizes(packed_without_saying)},
    {"SECOND-BITS-31", Sizes(narrow_bits<0x7fffffff>)},
    {"SECOND-LONG-TILE", Sizes(longer_second_tile)},
    {"SECOND-TAIL", Sizes(tail_of_tiles_only)},
    {"SECOND-WHOLE-BYTES", Sizes(few_whole_bytes)},
    {"MLIR-14", Crash(last_stride_of_none)},
    {"IND-05", OtherAnswer(negative_index)},
    {"CUT-02", Offset(column_major_strides)},
    {"JAX-01", Offset(as_if_row_major)},
    {"OPEN-17", Offset(rank_one_is_the_index)},
    {"OPEN-18", Offset(star_as_a_size)},
    {"OPEN-21", Offset(as_if_dense)},
    {"LIKE-OPEN-18", OtherLayout(star_of_later_tile)},
    {"LIKE-XLA-ST-05-OFFSET", Offset(offset_in_32_bits)},
    {"LIKE-XLA-TP-03", OtherResult(padding_not_noticed)},
    {"SECOND-COORDINATE-16", Offset(coordinate_in_16_bits)},
    {"SECOND-PADDING-ROWS", OtherResult(padding_of_rows)},
    {"SECOND-RANK-5", OtherLayout(high_rank)},
    {"SECOND-TILE-SHRINKS", OtherLayout(tile_shrinks)},
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

absl::Span<const Variant> layout_variants() { return kLayoutVariants; }

}  // namespace tileproof::zoo
