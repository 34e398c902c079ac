#include "spec/tiled_layout.h"

#include <utility>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/checked.h"
#include "spec/lang/shape_text.h"

namespace tileproof::spec {
namespace {

constexpr size_t kUsual = 16;  // steps; a layout may have more

// Collects steps together with the dimensions between them.
class Way {
 public:
  explicit Way(Dims logical) {
    layout_.steps.reserve(kUsual);
    layout_.dims.reserve(kUsual + 1);
    layout_.dims.push_back(std::move(logical));
  }

  const Dims& dims() const { return layout_.dims.back(); }
  int64_t rank() const { return static_cast<int64_t>(dims().size()); }

  absl::Status take(Step step) {
    absl::StatusOr<Dims> after = dims_after(step, dims());
    if (!after.ok()) return after.status();
    layout_.steps.push_back(std::move(step));
    layout_.dims.push_back(*std::move(after));
    return absl::OkStatus();
  }

  void mark_physical() { layout_.physical_place = layout_.dims.size() - 1; }
  TiledLayout finish() && { return std::move(layout_); }

 private:
  TiledLayout layout_;
};

// Logical order to physical order, major to minor.
absl::Status transpose_to_physical(Way& way, const Layout& layout) {
  return way.take(Transpose{{layout.minor_to_major.rbegin(), layout.minor_to_major.rend()}});
}

// The smallest multiple of n that is at least x.
std::optional<int64_t> round_up(int64_t x, int64_t n) {
  if (x % n == 0) return x;
  return checked_add(x, n - x % n);
}

absl::Status pad_to_multiple(Way& way, int64_t at, int64_t n) {
  const std::optional<int64_t> size = round_up(way.dims()[at], n);
  if (!size) {
    return absl::OutOfRangeError(absl::StrCat(way.dims()[at], " rounded up to a multiple of ", n,
                                              " does not fit 64 signed bits"));
  }
  if (*size == way.dims()[at]) return absl::OkStatus();
  return way.take(Pad{at, *size});
}

// [.., n, t, n', t', ..] to [.., n, n', .., t, t', ..]: the tile sizes move to the end, in order.
Transpose tiles_to_the_end(int64_t untiled, int64_t tiled) {
  Transpose step;
  for (int64_t i = 0; i < untiled; ++i) step.from.push_back(i);
  for (int64_t i = 0; i < tiled; ++i) step.from.push_back(untiled + 2 * i);
  for (int64_t i = 0; i < tiled; ++i) step.from.push_back(untiled + 2 * i + 1);
  return step;
}

absl::Status apply_tile(Way& way, const Tile& tile) {
  while (way.rank() < std::ssize(tile.dims)) {
    absl::Status status = way.take(Prepend{});
    if (!status.ok()) return status;
  }
  Dims sizes;  // of the tile, without the stars
  int64_t at = way.rank() - std::ssize(tile.dims);
  const int64_t untiled = at;
  for (int64_t size : tile.dims) {
    if (size == Tile::kCombine) {
      absl::Status status = way.take(Combine{at});
      if (!status.ok()) return status;
    } else {
      sizes.push_back(size);
      ++at;
    }
  }
  const int64_t tiled = std::ssize(sizes);
  for (int64_t i = 0; i < tiled; ++i) {
    absl::Status status = pad_to_multiple(way, untiled + i, sizes[i]);
    if (!status.ok()) return status;
  }
  for (int64_t i = 0; i < tiled; ++i) {
    absl::Status status = way.take(Split{untiled + 2 * i, sizes[i]});
    if (!status.ok()) return status;
  }
  return way.take(tiles_to_the_end(untiled, tiled));
}

absl::Status combine_all(Way& way) {
  if (way.rank() == 0) return way.take(Prepend{});
  while (way.rank() > 1) {
    absl::Status status = way.take(Combine{0});
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<Dims> logical_dims(const Shape& shape) {
  if (shape.kind != Shape::Kind::kArray || !has_elements(shape.element_type)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected an array with elements, found ", to_text(shape)));
  }
  Dims dims;
  for (const Dimension& dimension : shape.dimensions) {
    if (dimension.kind == Dimension::Kind::kUnbounded) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected dimensions with a bound, found ? in ", to_text(shape)));
    }
    dims.push_back(dimension.size);
  }
  return dims;
}

absl::StatusOr<int64_t> byte_size(const Shape& shape, int64_t elements) {
  const int64_t given = layout_of(shape).element_size_in_bits;
  const absl::int128 bits = given != 0 ? given : 8 * byte_width(shape.element_type);
  const absl::int128 bytes = (absl::int128(elements) * bits + 7) / 8;  // below 2^126
  if (bytes > INT64_MAX) {
    return absl::OutOfRangeError(
        absl::StrCat("the bytes of ", elements, " elements do not fit 64 signed bits"));
  }
  return static_cast<int64_t>(bytes);
}

}  // namespace

absl::StatusOr<TiledLayout> tiled_layout(const Shape& shape) {
  // What is no array is told as such, and not as text that cannot be read.
  absl::StatusOr<Dims> logical = logical_dims(shape);
  if (!logical.ok()) return logical.status();
  absl::Status valid = validate(shape);
  if (!valid.ok()) return valid;
  return tiled_layout_of_valid(shape);
}

absl::StatusOr<TiledLayout> tiled_layout_of_valid(const Shape& shape) {
  absl::StatusOr<Dims> logical = logical_dims(shape);
  if (!logical.ok()) return logical.status();
  const Layout layout = layout_of(shape);

  Way way(*logical);
  absl::Status status = transpose_to_physical(way, layout);
  for (size_t i = 0; i < layout.tiles.size() && status.ok(); ++i)
    status = apply_tile(way, layout.tiles[i]);
  way.mark_physical();
  if (status.ok()) status = combine_all(way);
  if (status.ok()) status = pad_to_multiple(way, 0, layout.tail_padding_alignment);
  if (!status.ok()) return status;

  TiledLayout result = std::move(way).finish();
  absl::StatusOr<int64_t> bytes = byte_size(shape, result.elements());
  if (!bytes.ok()) return bytes.status();
  result.bytes = *bytes;
  return result;
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
  Origin<int64_t> origin = origin_of(layout, offset, true);
  if (!origin.exists) return std::nullopt;
  return std::optional(std::move(origin.index));
}

}  // namespace tileproof::spec
