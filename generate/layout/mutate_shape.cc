// SPDX-License-Identifier: Apache-2.0
#include "generate/layout/mutate_shape.h"

#include <algorithm>
#include <utility>

#include "generate/choose/limits.h"

namespace tileproof {
namespace {

int64_t mutate_size(Choose& choose, int64_t size, int64_t least) {
  switch (choose(6)) {
    case 0:
      return std::max(least, size - 1);
    case 1:
      return size < INT64_MAX ? size + 1 : size;
    case 2:
      return std::max(least, size / 2);
    case 3:
      return size <= INT64_MAX / 2 ? size * 2 : size;
    case 4:
      return choose.between(least, 20);
    default:
      return choose.between(least, int64_t{1} << (4 * choose.between(1, 15)));
  }
}

void add_dimension(Choose& choose, Shape& shape, Layout& layout) {
  const int64_t at = choose(shape.rank() + 1);
  shape.dimensions.insert(shape.dimensions.begin() + at,
                          {Dimension::Kind::kFixed, choose.between(0, 5)});
  for (int64_t& d : layout.minor_to_major) d += d >= at ? 1 : 0;
  layout.minor_to_major.insert(layout.minor_to_major.begin() + choose(shape.rank()), at);
}

void remove_dimension(Choose& choose, Shape& shape, Layout& layout) {
  const int64_t at = choose(shape.rank());
  shape.dimensions.erase(shape.dimensions.begin() + at);
  std::erase(layout.minor_to_major, at);
  for (int64_t& d : layout.minor_to_major) d -= d > at ? 1 : 0;
}

void mutate_dimensions(Choose& choose, Shape& shape, Layout& layout) {
  if (shape.rank() == 0 || (shape.rank() < limits::kShapeRank.most && choose.chance(1, 6)))
    return add_dimension(choose, shape, layout);
  if (choose.chance(1, 6)) return remove_dimension(choose, shape, layout);
  if (choose.chance(1, 4)) {
    std::vector<int64_t>& order = layout.minor_to_major;
    return std::swap(order[choose(shape.rank())], order[choose(shape.rank())]);
  }
  Dimension& dimension = shape.dimensions[choose(shape.rank())];
  if (choose.chance(1, 16)) {
    dimension.kind = static_cast<Dimension::Kind>(choose(3));
    if (dimension.kind == Dimension::Kind::kUnbounded) dimension.size = 0;
  } else if (dimension.kind != Dimension::Kind::kUnbounded) {
    dimension.size = mutate_size(choose, dimension.size, 0);
  }
}

void mutate_tile(Choose& choose, Tile& tile) {
  const auto place = [&] { return tile.dims.begin() + choose(std::ssize(tile.dims)); };
  switch (choose(5)) {
    case 0:
      tile.dims.insert(place(), choose.between(1, 9));
      break;
    case 1:
      if (tile.dims.size() > 1) tile.dims.erase(place());
      break;
    case 2:
      tile.dims.insert(place(), Tile::kCombine);
      break;
    case 3:
      std::swap(*place(), *place());
      break;
    default: {
      int64_t& size = *place();
      size = size == Tile::kCombine ? choose.between(1, 9) : mutate_size(choose, size, 1);
    }
  }
}

void mutate_tiles(Choose& choose, Layout& layout) {
  const auto place = [&] { return layout.tiles.begin() + choose(std::ssize(layout.tiles)); };
  if (layout.tiles.empty() ||
      (std::ssize(layout.tiles) < limits::kTiles.most && choose.chance(1, 6))) {
    layout.tiles.push_back(Tile{{choose.between(1, 9)}});
  } else if (choose.chance(1, 8)) {
    layout.tiles.erase(place());
  } else if (choose.chance(1, 8)) {
    std::swap(*place(), *place());
  } else {
    mutate_tile(choose, *place());
  }
}

}  // namespace

void mutate_shape(Choose& choose, Shape& shape) {
  Layout layout = layout_of(shape);
  switch (choose(10)) {
    case 0:
      layout.tail_padding_alignment = mutate_size(choose, layout.tail_padding_alignment, 1);
      break;
    case 1:
      layout.element_size_in_bits = mutate_size(choose, layout.element_size_in_bits, 0);
      break;
    case 2:
      shape.element_type = element_types()[choose(std::ssize(element_types()))].type;
      break;
    case 3:
    case 4:
    case 5:
      mutate_dimensions(choose, shape, layout);
      break;
    default:
      mutate_tiles(choose, layout);
      break;
  }
  shape.layout = std::move(layout);
}

}  // namespace tileproof
