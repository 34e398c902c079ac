// SPDX-License-Identifier: Apache-2.0
// layout.linearize and layout.delinearize: wrong offsets, and a crash.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "conform/zoo/variants.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::zoo {
namespace {

using conform::Json;

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

const Variant kLinearizeVariants[] = {
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
};

}  // namespace

absl::Span<const Variant> linearize_variants() { return kLinearizeVariants; }

}  // namespace tileproof::zoo
