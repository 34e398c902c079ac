// SPDX-License-Identifier: Apache-2.0
// Known-wrong layouts: wrong offsets, wrong sizes, and wrong checks of shapes.
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
#include "spec/lang/layout/shape_text.h"

namespace tileproof::zoo {
namespace {

using conform::Json;

int64_t wrapped_product(int64_t a, int64_t b) {
  return static_cast<int64_t>(uint64_t(a) * uint64_t(b));
}
int64_t wrapped_sum(int64_t a, int64_t b) {
  return static_cast<int64_t>(uint64_t(a) + uint64_t(b));
}

std::vector<int64_t> sizes_of(const Shape& array) {
  std::vector<int64_t> sizes;
  for (const Dimension& d : array.dimensions) sizes.push_back(d.size);
  return sizes;
}

int64_t wrapped_volume(const Shape& array) {
  int64_t volume = 1;
  for (int64_t size : sizes_of(array)) volume = wrapped_product(volume, size);
  return volume;
}

int64_t bits_of(const Shape& array) {
  const int64_t bits = layout_of(array).element_size_in_bits;
  return bits != 0 ? bits : 8 * byte_width(array.element_type);
}

// The offset in a dense array. `order` lists the dimensions, most minor first.
int64_t dense_offset(const Shape& array, const std::vector<int64_t>& order, const Index& index) {
  int64_t offset = 0, stride = 1;
  for (int64_t d : order) {
    offset = wrapped_sum(offset, wrapped_product(index[d], stride));
    stride = wrapped_product(stride, array.dimensions[d].size);
  }
  return offset;
}

std::vector<int64_t> row_major(const Shape& array) {
  return default_layout(array.rank()).minor_to_major;
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
  return dense_offset(array, row_major(array), index);
}

// Gives a dense column-major matrix the strides (columns, 1).
std::optional<int64_t> column_major_strides(const Shape& array, const Index& index) {
  const Layout layout = layout_of(array);
  if (array.rank() != 2 || !layout.tiles.empty() || layout.minor_to_major[0] != 0) {
    return std::nullopt;
  }
  return wrapped_sum(wrapped_product(index[0], array.dimensions[1].size), index[1]);
}

// XLA's LinearIndex applies the first tile only, and multiplies its sizes as they are stored. It
// stores `*` as INT64_MIN.
std::optional<int64_t> star_as_a_size(const Shape& array, const Index& index) {
  const Layout layout = layout_of(array);
  if (layout.tiles.empty() || array.rank() < 2) return std::nullopt;
  const std::vector<int64_t>& tile = layout.tiles[0].dims;
  if (std::count(tile.begin(), tile.end(), Tile::kCombine) == 0) return std::nullopt;
  int64_t offset = 0, between = 1, within = 1;
  for (int64_t size : tile) between = wrapped_product(between, size);
  for (int64_t j = 0; j < array.rank(); ++j) {
    const int64_t i = index[layout.minor_to_major[j]],
                  n = array.dimensions[layout.minor_to_major[j]].size;
    if (j >= std::ssize(tile)) {
      offset = wrapped_sum(offset, wrapped_product(i, between));
      between = wrapped_product(between, n);
      continue;
    }
    const int64_t t = tile[tile.size() - 1 - static_cast<size_t>(j)];
    offset = wrapped_sum(offset, wrapped_product(between, i / t));
    offset = wrapped_sum(offset, wrapped_product(within, i % t));
    between = wrapped_product(between, n / t + (n % t != 0 ? 1 : 0));
    within = wrapped_product(within, t);
  }
  return offset;
}

// ---- Sizes ----

int64_t bytes_for(int64_t elements, int64_t bits) { return (elements * bits + 7) / 8; }

void whole_bytes(const Shape& array, Physical& right) {
  right.bytes = wrapped_product(right.elements, (bits_of(array) + 7) / 8);
}

void elements_in_32_bits(const Shape& array, Physical& right) {
  int32_t product = 1;
  for (int64_t dim : right.dims) product = static_cast<int32_t>(wrapped_product(product, dim));
  if (layout_of(array).tail_padding_alignment == 1) right.elements = product;
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
    elements = wrapped_product(elements, (n / t + (n % t != 0 ? 1 : 0)) * t);
  }
  right.elements = elements;
  right.bytes = bytes_for(elements, bits_of(array));
}

// ---- Checks of shapes and indices ----

std::string shape_text(const Json& request) {
  const Json* shape = find(request, "shape");
  const auto* text = shape == nullptr ? nullptr : shape->as<std::string>();
  return text == nullptr ? "" : *text;
}

bool refused(const conform::Answer& answer) { return answer.kind == conform::Answer::Kind::kError; }

// Computes the product of the dimensions without a check, so it wraps.
void unchecked_volume(const Json& request, conform::Answer& answer) {
  const std::string text = shape_text(request);
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
                                       {"bytes", wrapped_product(elements, bits_of(*shape)) / 8}}));
}

// Stores sizes in 32 bits, and rejects a size of 2^31 as negative.
void negative_in_32_bits(const Json& request, conform::Answer& answer) {
  const absl::StatusOr<Shape> shape = parse_shape(shape_text(request));
  if (refused(answer) || !shape.ok()) return;
  for (int64_t size : sizes_of(*shape)) {
    if (static_cast<int32_t>(size) >= 0) continue;
    answer = conform::failed_answer(answer.id, absl::InvalidArgumentError("negative dimension"));
  }
}

// Accepts a negative index.
void negative_index(const Json& request, conform::Answer& answer) {
  const absl::StatusOr<Shape> shape = parse_shape(shape_text(request));
  const Json* given = find(request, "index");
  const auto* list = given == nullptr ? nullptr : given->as<Json::Array>();
  if (!refused(answer) || !shape.ok() || list == nullptr || std::ssize(*list) != shape->rank())
    return;
  if (shape->kind != Shape::Kind::kArray || !layout_of(*shape).tiles.empty()) return;
  Index index;
  for (const Json& item : *list) {
    const int64_t* value = item.as<int64_t>();
    const int64_t size = shape->dimensions[index.size()].size;
    if (value == nullptr || *value >= size) return;
    index.push_back(*value);
  }
  answer = conform::result_answer(answer.id,
                                  dense_offset(*shape, layout_of(*shape).minor_to_major, index));
}

// Returns whether these replacements make an invalid shape valid.
bool valid_but_for(const Json& request,
                   std::initializer_list<std::pair<const absl::string_view, const char*>> parts) {
  const std::string text = shape_text(request), other = absl::StrReplaceAll(text, parts);
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

// Reads the last element of an empty list of strides.
int last_stride_of_none(const Json& request, const conform::Answer& right) {
  const absl::StatusOr<Shape> shape = parse_shape(shape_text(request));
  return !refused(right) && shape.ok() && shape->rank() == 0 ? SIGSEGV : 0;
}

const Variant kLayoutVariants[] = {
    {"XLA-LAY-03", Sizes(whole_bytes)},
    {"XLA-LAY-04", Sizes(elements_in_32_bits)},
    {"XLA-LAY-06", Any(unchecked_volume)},
    {"XLA-LAY-17", Crash(divide_by_tile)},
    {"XLA-LAY-19", Crash(abort_at_negative_tile)},
    {"XLA-TP-01", Any(negative_in_32_bits)},
    {"XLA-PARSE-02", Crash(abort_at_negative_dimension)},
    {"XLA-ISS-04", Sizes(bytes_without_tiles)},
    {"MLIR-14", Crash(last_stride_of_none)},
    {"IND-05", Any(negative_index)},
    {"CUT-02", Offset(column_major_strides)},
    {"JAX-01", Offset(as_if_row_major)},
    {"OPEN-17", Offset(rank_one_is_the_index)},
    {"OPEN-18", Offset(star_as_a_size)},
    {"OPEN-20", Sizes(first_tile_alone)},
    {"OPEN-21", Offset(as_if_dense)},
};

}  // namespace

absl::Span<const Variant> layout_variants() { return kLayoutVariants; }

}  // namespace tileproof::zoo
