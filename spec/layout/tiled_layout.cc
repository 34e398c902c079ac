#include "spec/layout/tiled_layout.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/layout/layout_builder.h"

namespace tileproof::spec {
namespace {

absl::Status transpose_to_physical(LayoutBuilder& builder, const Layout& layout) {
  return builder.take(Transpose{{layout.minor_to_major.rbegin(), layout.minor_to_major.rend()}});
}

// [.., n, t, n', t', ..] becomes [.., n, n', .., t, t', ..].
Transpose tiles_to_the_end(int64_t untiled, int64_t tiled) {
  Transpose step;
  step.from.reserve(static_cast<size_t>(untiled + 2 * tiled));
  for (int64_t i = 0; i < untiled; ++i) step.from.push_back(i);
  for (int64_t i = 0; i < tiled; ++i) step.from.push_back(untiled + 2 * i);
  for (int64_t i = 0; i < tiled; ++i) step.from.push_back(untiled + 2 * i + 1);
  return step;
}

absl::Status apply_tile(LayoutBuilder& builder, const Tile& tile) {
  while (builder.rank() < std::ssize(tile.dims)) {
    TRY(builder.take(Prepend{}));
  }
  Dims sizes;  // of the tile, without the stars
  sizes.reserve(tile.dims.size());
  int64_t at = builder.rank() - std::ssize(tile.dims);
  const int64_t untiled = at;
  for (int64_t size : tile.dims) {
    if (size == Tile::kCombine) {
      TRY(builder.take(Combine{at}));
    } else {
      sizes.push_back(size);
      ++at;
    }
  }
  const int64_t tiled = std::ssize(sizes);
  for (int64_t i = 0; i < tiled; ++i) {
    TRY(builder.pad_to_multiple(untiled + i, sizes[i]));
  }
  for (int64_t i = 0; i < tiled; ++i) {
    TRY(builder.take(Split{untiled + 2 * i, sizes[i]}));
  }
  return builder.take(tiles_to_the_end(untiled, tiled));
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

absl::StatusOr<TiledLayout> tiled_layout_of_valid(const Shape& shape) {
  Dims logical = TRY(logical_dims(shape));
  const Layout row_major = default_layout(shape.rank());
  const Layout& layout = shape.layout ? *shape.layout : row_major;

  LayoutBuilder builder(logical);
  absl::Status status = transpose_to_physical(builder, layout);
  for (size_t i = 0; i < layout.tiles.size() && status.ok(); ++i)
    status = apply_tile(builder, layout.tiles[i]);
  builder.mark_physical();
  if (status.ok()) status = builder.combine_all();
  if (status.ok()) status = builder.pad_to_multiple(0, layout.tail_padding_alignment);
  if (!status.ok()) return status;

  const int64_t given = layout.element_size_in_bits;
  return std::move(builder).finish(given != 0 ? given : 8 * byte_width(shape.element_type));
}

std::vector<int64_t> buffer(const TiledLayout& layout) {
  Array array = counted_array(layout.logical());
  for (const Step& step : layout.steps) array = array_after(step, array);
  return array.ids;
}

absl::StatusOr<int64_t> linearize(const TiledLayout& layout, const std::vector<int64_t>& index) {
  const Dims& dims = layout.logical();
  if (index.size() != dims.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected an index of ", dims.size(), " numbers, found ", index.size()));
  }
  for (size_t d = 0; d < dims.size(); ++d) {
    if (index[d] < 0 || index[d] >= dims[d]) {
      return absl::InvalidArgumentError(
          absl::StrCat("index ", index[d], " is outside dimension ", d, " of size ", dims[d]));
    }
  }
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

}  // namespace tileproof::spec
