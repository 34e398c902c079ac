// SPDX-License-Identifier: Apache-2.0
#include "spec/layout/tiled_layout.h"

#include <utility>
#include <variant>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::spec {
namespace {

constexpr size_t kUsualSteps = 24;  // to reserve; a layout may have more

// [.., n, t, n', t', ..] becomes [.., n, n', .., t, t', ..].
Transpose tiles_to_the_end(int64_t untiled, int64_t tiled) {
  Transpose step;
  step.from.reserve(static_cast<size_t>(untiled + 2 * tiled));
  for (int64_t i = 0; i < untiled; ++i) step.from.push_back(i);
  for (int64_t i = 0; i < tiled; ++i) step.from.push_back(untiled + 2 * i);
  for (int64_t i = 0; i < tiled; ++i) step.from.push_back(untiled + 2 * i + 1);
  return step;
}

// Appends the steps of a tile. `rank` is the number of dimensions before, and then after them.
void apply_tile(const Tile& tile, std::vector<Step>& steps, int64_t& rank) {
  for (; rank < std::ssize(tile.dims); ++rank) steps.push_back(Prepend{});
  Dims sizes;  // of the tile, without the stars
  sizes.reserve(tile.dims.size());
  const int64_t untiled = rank - std::ssize(tile.dims);
  for (int64_t size : tile.dims) {
    if (size == Tile::kCombine) {
      steps.push_back(Combine{untiled + std::ssize(sizes)});
    } else {
      sizes.push_back(size);
    }
  }
  const int64_t tiled = std::ssize(sizes);
  for (int64_t i = 0; i < tiled; ++i) steps.push_back(Pad{untiled + i, sizes[i]});
  for (int64_t i = 0; i < tiled; ++i) steps.push_back(Split{untiled + 2 * i, sizes[i]});
  steps.push_back(tiles_to_the_end(untiled, tiled));
  rank = untiled + 2 * tiled;
}

absl::StatusOr<Dims> logical_dims(const Shape& shape) {
  if (shape.kind != Shape::Kind::kArray || !has_elements(shape.element_type)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected an array with elements, found ", to_text(shape)));
  }
  Dims dims;
  dims.reserve(shape.dimensions.size());
  for (const Dimension& dimension : shape.dimensions) {
    if (dimension.kind == Dimension::Kind::kUnbounded) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected dimensions with a bound, found ? in ", to_text(shape)));
    }
    dims.push_back(dimension.size);
  }
  return dims;
}

}  // namespace

absl::StatusOr<TiledLayout> tiled_layout(const Shape& shape) {
  // Report a non-array as such, not as an invalid shape.
  TRY(logical_dims(shape));
  TRY(validate(shape));
  return tiled_layout_of_valid(shape);
}

absl::StatusOr<LayoutSteps> layout_steps(const Shape& shape) {
  LayoutSteps result;
  result.logical = TRY(logical_dims(shape));
  const Layout layout = layout_of(shape);
  std::vector<Step>& steps = result.steps;
  steps.reserve(kUsualSteps);
  steps.push_back(Transpose{{layout.minor_to_major.rbegin(), layout.minor_to_major.rend()}});
  int64_t rank = std::ssize(result.logical);
  for (const Tile& tile : layout.tiles) apply_tile(tile, steps, rank);
  result.to_physical = steps.size();
  if (rank == 0) steps.push_back(Prepend{});
  for (; rank > 1; --rank) steps.push_back(Combine{0});
  steps.push_back(Pad{0, layout.tail_padding_alignment});
  return result;
}

int64_t bits_of_element(const Shape& array) {
  const int64_t given = array.layout ? array.layout->element_size_in_bits : 0;
  return given != 0 ? given : 8 * byte_width(array.element_type);
}

absl::StatusOr<TiledLayout> tiled_layout_of_valid(const Shape& shape) {
  LayoutSteps steps = TRY(layout_steps(shape));
  LayoutBuilder builder(std::move(steps.logical));
  for (size_t i = 0; i < steps.steps.size(); ++i) {
    if (i == steps.to_physical) builder.mark_physical();
    TRY(builder.take(std::move(steps.steps[i])));
  }
  return std::move(builder).finish(bits_of_element(shape));
}

std::vector<int64_t> buffer(const TiledLayout& layout) {
  Array array = counted_array(layout.logical());
  for (const Step& step : layout.steps) array = array_after(step, array);
  return array.ids;
}

absl::StatusOr<int64_t> linearize(const TiledLayout& layout, const std::vector<int64_t>& index) {
  TRY(expect_index(layout.logical(), index));
  return offset_of(layout, index);
}

absl::StatusOr<std::optional<std::vector<int64_t>>> delinearize(const TiledLayout& layout,
                                                                int64_t offset) {
  if (offset < 0 || offset >= layout.elements()) {
    return absl::InvalidArgumentError(
        absl::StrCat("offset ", offset, " is outside the ", layout.elements(), " elements"));
  }
  Preimage<int64_t> preimage = preimage_of(layout, offset, true);
  if (!preimage.exists) return std::nullopt;
  return std::optional(std::move(preimage.index));
}

absl::Status LayoutBuilder::take(Step step) {
  Dims after = TRY(dims_after(step, dims()));
  if (std::holds_alternative<Pad>(step) && after == dims()) return absl::OkStatus();
  layout_.steps.push_back(std::move(step));
  layout_.dims.push_back(std::move(after));
  return absl::OkStatus();
}

absl::Status LayoutBuilder::combine_all() {
  while (rank() > 1) {
    TRY(take(Combine{0}));
  }
  return absl::OkStatus();
}

absl::StatusOr<TiledLayout> LayoutBuilder::finish(int64_t bits) && {
  const int64_t elements = layout_.elements();
  const absl::int128 bytes = (absl::int128(elements) * bits + 7) / 8;  // less than 2^126
  if (bytes > INT64_MAX) {
    return absl::OutOfRangeError(
        absl::StrCat("the bytes of ", elements, " elements do not fit 64 signed bits"));
  }
  layout_.bytes = static_cast<int64_t>(bytes);
  return std::move(layout_);
}

}  // namespace tileproof::spec
