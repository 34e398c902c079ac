// SPDX-License-Identifier: Apache-2.0
// layout.physical: wrong sizes, and wrong checks of shapes.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "conform/oracle/exact_layout.h"
#include "conform/zoo/variants.h"
#include "spec/lang/layout/shape_text.h"

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

const Variant kPhysicalVariants[] = {
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
};

}  // namespace

absl::Span<const Variant> physical_variants() { return kPhysicalVariants; }

}  // namespace tileproof::zoo
