// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/nested_tags.h"

#include <array>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

// The index that changes fastest is the column (by rows) or the row (by columns).
enum class Order { kByRows, kByColumns };

struct Fractal {
  int64_t rows;
  int64_t cols;
  Order inside;
  Order outside;
};

std::optional<Fractal> fractal_of(Tag tag, int64_t c0) {
  switch (tag) {
    case Tag::kzN:
      return Fractal{16, c0, Order::kByRows, Order::kByColumns};
    case Tag::knZ:
      return Fractal{c0, 16, Order::kByColumns, Order::kByRows};
    case Tag::kzZ:
      return Fractal{16, c0, Order::kByRows, Order::kByRows};
    case Tag::knN:
      return Fractal{c0, 16, Order::kByColumns, Order::kByColumns};
    case Tag::kL0C:
      return Fractal{16, 16, Order::kByRows, Order::kByColumns};
    case Tag::kWeight4BitnZ:
      return Fractal{32, 16, Order::kByColumns, Order::kByRows};
    case Tag::kRowMajor:
    case Tag::kColumnMajor:
    case Tag::kVectorLayout:
      break;
  }
  return std::nullopt;
}

int64_t tiles_of(int64_t extent, int64_t tile) { return extent / tile + (extent % tile != 0); }

// Strides of a row and of a column in a grid of rows x cols cells of `cell` elements.
std::array<std::optional<int64_t>, 2> grid(Order order, int64_t rows, int64_t cols, int64_t cell) {
  if (order == Order::kByRows) return {checked_mul(cols, cell), cell};
  return {cell, checked_mul(rows, cell)};
}

tileproof::NestedLayout flat(std::vector<int64_t> shape, std::vector<int64_t> stride) {
  return {make_flat(shape), make_flat(stride)};
}

absl::StatusOr<tileproof::NestedLayout> blocked(const Fractal& fractal, int64_t rows,
                                                int64_t cols) {
  const int64_t down = tiles_of(rows, fractal.rows);
  const int64_t across = tiles_of(cols, fractal.cols);
  const auto inner = grid(fractal.inside, fractal.rows, fractal.cols, 1);
  const auto outer = grid(fractal.outside, down, across, fractal.rows * fractal.cols);
  if (!outer[0] || !outer[1]) return absl::OutOfRangeError("a stride does not fit 64 signed bits");
  return tileproof::NestedLayout{
      make_tuple({make_flat({fractal.rows, down}), make_flat({fractal.cols, across})}),
      make_tuple({make_flat({*inner[0], *outer[0]}), make_flat({*inner[1], *outer[1]})})};
}

}  // namespace

absl::StatusOr<tileproof::NestedLayout> make_layout(Tag tag, int64_t element_bits, int64_t rows,
                                                    int64_t cols) {
  if (!is_tla_width(element_bits)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected element_bits to be a divisor of 256, found ", element_bits));
  }
  if (rows < 0 || cols < 0)
    return absl::InvalidArgumentError("expected rows and cols of at least 0");
  if (const std::optional<Fractal> fractal = fractal_of(tag, 256 / element_bits)) {
    return blocked(*fractal, rows, cols);
  }
  if (tag == Tag::kVectorLayout) return flat({cols}, {1});
  const bool by_rows = tag == Tag::kRowMajor;
  std::optional<int64_t> line = by_rows ? cols : rows;
  if (element_bits == 4) line = checked_add(*line, *line % 2);  // round up to a whole byte
  if (!line) return absl::OutOfRangeError("a stride does not fit 64 signed bits");
  return by_rows ? flat({rows, cols}, {*line, 1}) : flat({rows, cols}, {1, *line});
}

absl::StatusOr<tileproof::NestedLayout> make_layout(const TaggedShape& tagged) {
  TRY(validate(tagged));
  return make_layout(tagged.tag, tla_bits(tagged.element_type), tagged.dims.front(),
                     tagged.dims.back());
}

absl::StatusOr<tileproof::NestedLayout> make_layout_tile(const tileproof::NestedLayout& layout,
                                                         absl::Span<const int64_t> tile) {
  if (std::ssize(tile) != rank(layout.shape)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", rank(layout.shape), " tile sizes, found ", tile.size()));
  }
  tileproof::NestedLayout result = layout;
  for (int64_t k = 0; k < std::ssize(tile); ++k) {
    if (tile[k] < 0)
      return absl::InvalidArgumentError(
          absl::StrCat("expected no negative tile size, found ", tile[k]));
    IntTuple& extent = result.shape.is_tuple ? result.shape.elements[k] : result.shape;
    const bool blocked_mode = rank(extent) == 2 && !extent.elements[1].is_tuple &&
                              extent.elements[0].value > 0;  // the value of a tuple is 0
    if (extent.is_tuple && !blocked_mode) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected mode ", k, " to be flat or (inner,outer)"));
    }
    if (extent.is_tuple) {
      extent.elements[1] = make_integer(tiles_of(tile[k], extent.elements[0].value));
    } else {
      extent = make_integer(tile[k]);
    }
  }
  return result;
}

}  // namespace tileproof::impl
