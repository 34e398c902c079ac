// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "picture/array_view.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"
#include "spec/layout/nested_layout.h"

namespace tileproof::picture {
namespace {

constexpr int64_t kMaxEnumerated = int64_t{1} << 20;

struct Tiles {
  // The first tile applies to the most minor dimensions, each later one to the sizes of the tile
  // before it. A tile that reaches beyond these, or combines dimensions, is no box of the array.
  std::vector<Dims> operator()(const Shape& shape) const {
    const Layout layout = layout_of(shape);
    std::vector<Dims> tiles;
    std::vector<int64_t> order(layout.minor_to_major.rbegin(), layout.minor_to_major.rend());
    for (const Tile& tile : layout.tiles) {
      if (tile.dims.size() > order.size()) break;
      if (std::ranges::find(tile.dims, Tile::kCombine) != tile.dims.end()) break;
      order.erase(order.begin(), order.end() - std::ssize(tile.dims));
      Dims sizes(shape.dimensions.size(), 1);
      for (size_t d = 0; d < order.size(); ++d) sizes[order[d]] = tile.dims[d];
      tiles.push_back(std::move(sizes));
    }
    return tiles;
  }

  // Each mode but its last integer is a tile.
  std::vector<Dims> operator()(const NestedLayout& layout) const {
    std::vector<std::vector<int64_t>> modes;
    size_t most = 0;
    for (int64_t d = 0; d < rank(layout.shape); ++d) {
      modes.push_back(leaves(mode(layout, d).shape));
      most = std::max(most, modes.back().size());
    }
    std::vector<Dims> tiles;
    for (size_t left = 1; left < most; ++left) {
      Dims sizes;
      for (const std::vector<int64_t>& extents : modes) {
        int64_t size = 1;
        for (size_t i = 0; i + left < extents.size(); ++i) size *= extents[i];
        // A flat mode is not cut.
        if (extents.size() == 1) size = std::max<int64_t>(extents[0], 1);
        sizes.push_back(std::max<int64_t>(size, 1));
      }
      tiles.push_back(std::move(sizes));
    }
    return tiles;
  }

  // The tiles before the swizzle.
  std::vector<Dims> operator()(const SwizzledLayout& layout) const {
    return (*this)(layout.layout);
  }
  std::vector<Dims> operator()(const MemRef&) const { return {}; }

  std::vector<Dims> operator()(const TaggedShape& tagged) const {
    const absl::StatusOr<NestedLayout> made = spec::make_layout(tagged);
    return made.ok() ? (*this)(*made) : std::vector<Dims>();
  }

  // All blocks together, then without the outermost one, and so on.
  std::vector<Dims> operator()(const BlockedShape& shape) const {
    std::vector<Dims> tiles;
    for (size_t first = 0; first < shape.format.blocks.size(); ++first) {
      Dims sizes(shape.dims.size(), 1);
      for (size_t b = first; b < shape.format.blocks.size(); ++b)
        sizes[shape.format.blocks[b].dimension] *= shape.format.blocks[b].size;
      tiles.push_back(std::move(sizes));
    }
    return tiles;
  }
};

// The sizes rounded up to multiples of the tile, as long as these fit.
Dims rounded_up(const Dims& dims, const std::vector<Dims>& tiles) {
  Dims padded = dims;
  for (size_t d = 0; d < padded.size() && !tiles.empty(); ++d) {
    const int64_t tile = tiles.front()[d];
    const std::optional<int64_t> whole =
        checked_mul(padded[d] / tile + (padded[d] % tile != 0 ? 1 : 0), tile);
    if (whole) padded[d] = *whole;
  }
  return padded;
}

// A tiled layout names the element of an offset.
std::vector<std::optional<Dims>> index_by_offset(const spec::TiledLayout& layout, int64_t first,
                                                 int64_t count) {
  std::vector<std::optional<Dims>> indices;
  for (int64_t i = 0; i < count; ++i) {
    absl::StatusOr<std::optional<Dims>> index = spec::delinearize(layout, first + i);
    indices.push_back(index.ok() ? *std::move(index) : std::nullopt);
    if (indices.back() && indices.back()->empty()) indices.back() = {0};  // a scalar
  }
  return indices;
}

}  // namespace

int64_t offset_of(const DrawnLayout& layout, const Dims& index) {
  // A scalar is drawn as one element.
  const Dims own(index.begin(), index.begin() + std::ssize(layout.function.dims));
  return spec::offset_of(layout.function, own);
}

absl::StatusOr<DrawnLayout> drawn_layout(const AnyLayout& layout) {
  DrawnLayout drawn;
  drawn.text = to_text(layout);
  drawn.function = TRY(spec::layout_function(layout));
  drawn.dims = drawn.function.dims;
  if (element_count(drawn.dims) == 0) {
    return absl::InvalidArgumentError("expected an array with elements to draw");
  }
  drawn.tiles = std::visit(Tiles{}, layout);
  if (drawn.dims.empty()) {
    drawn.dims = {1};
    drawn.tiles.clear();
  }
  drawn.padded = rounded_up(drawn.dims, drawn.tiles);
  drawn.element_bits = drawn.function.element_bits.value_or(0);
  if (drawn.function.elements) {
    drawn.slots = *drawn.function.elements;
  } else if (element_count(drawn.dims).value_or(INT64_MAX) <= kMaxEnumerated) {
    Dims index(drawn.dims.size(), 0);
    do {
      drawn.slots = std::max(drawn.slots, offset_of(drawn, index) + 1);
    } while (next_index(drawn.dims, index));
  } else {
    Dims last = drawn.dims;
    for (int64_t& size : last) --size;
    const auto* swizzled = std::get_if<spec::SwizzledModes>(&drawn.function.meaning);
    drawn.slots =
        (swizzled == nullptr ? offset_of(drawn, last)
                             : swizzled->layout.start + spec::offset_of(swizzled->modes, last)) +
        1;
  }
  return drawn;
}

std::optional<std::vector<std::optional<Dims>>> index_by_offset(const DrawnLayout& layout,
                                                                int64_t first, int64_t count) {
  if (const auto* tiled = std::get_if<spec::TiledLayout>(&layout.function.meaning)) {
    return index_by_offset(*tiled, first, count);
  }
  if (element_count(layout.dims).value_or(INT64_MAX) > kMaxEnumerated) return std::nullopt;
  std::vector<std::optional<Dims>> indices(static_cast<size_t>(std::max<int64_t>(count, 0)));
  Dims index(layout.dims.size(), 0);
  do {
    const int64_t i = offset_of(layout, index) - first;
    if (i >= 0 && i < count && !indices[i]) indices[i] = index;
  } while (next_index(layout.dims, index));
  return indices;
}

}  // namespace tileproof::picture
