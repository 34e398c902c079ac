// SPDX-License-Identifier: Apache-2.0
#include "generate/layout/generate_shape.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "generate/choose/limits.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof {
namespace {

std::vector<Tile> tpu_tiles(Choose& choose) {
  switch (choose(9)) {
    case 0:
      return {Tile{{8, 128}}};
    case 1:
      return {Tile{{8, 128}}, Tile{{2, 1}}};
    case 2:
      return {Tile{{8, 128}}, Tile{{4, 1}}};
    case 3:
      return {Tile{{choose.pick<int64_t>({2, 4, 1}), 128}}};
    case 4:
      return {Tile{{32, 128}}, Tile{{4, 1}}};
    case 5:
      return {Tile{{64, 128}}, Tile{{8, 1}}};
    case 6:
      return {Tile{{choose.pick<int64_t>({128, 256, 512, 1024})}}};
    case 7:
      return {Tile{{1024}}, Tile{{128}}, Tile{{2, 1}}};
    default:
      return {Tile{{16, 16, 1, 1}}, Tile{{16, 4, 1, 1}}};
  }
}

int64_t random_tile_size(Choose& choose) {
  switch (choose(4)) {
    case 0:
      return choose.between(1, 4);
    case 1:
      return int64_t{1} << choose(8);
    case 2:
      return choose.between(1, 16);
    default:
      return choose_within(choose, limits::kTileSize);
  }
}

Tile random_tile(Choose& choose, int64_t rank) {
  // Mostly at most as long as the rank, sometimes longer.
  const int64_t most = std::min<int64_t>(rank + 2, limits::kTileRank.usual);
  Tile tile;
  const int64_t length = choose.chance(1, 4 * kRare) ? choose.between(most, limits::kTileRank.most)
                                                     : choose.between(1, most);
  tile.dims.reserve(length);
  for (int64_t i = 0; i < length; ++i) {
    const bool star = i + 1 < length && choose.chance(1, 4);
    tile.dims.push_back(star ? Tile::kCombine : random_tile_size(choose));
  }
  return tile;
}

std::vector<Tile> random_tiles(Choose& choose, int64_t rank) {
  switch (choose(4)) {
    case 0:
      return {};
    case 1:
      return tpu_tiles(choose);
    default:
      break;
  }
  std::vector<Tile> tiles;
  const int64_t count = choose_within(choose, limits::kTiles);
  int64_t physical_rank = rank;  // at most; later tiles may span the tile counts of earlier ones
  for (int64_t i = 0; i < count; ++i) {
    tiles.push_back(random_tile(choose, physical_rank));
    physical_rank += std::ssize(tiles.back().dims);
  }
  return tiles;
}

// Returns dimension sizes whose product is at most `magnitude`, or 0.
std::vector<int64_t> random_dims(Choose& choose, int64_t magnitude) {
  std::vector<int64_t> dims;
  constexpr int64_t kHighRank = 6;  // more often than other large numbers: the sizes stay small
  const int64_t rank = choose_within(choose, limits::kShapeRank, kHighRank);
  dims.reserve(rank);
  int64_t left = magnitude;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t size = 1;
    switch (choose(5)) {
      case 0:
        size = choose.between(1, 9);
        break;
      case 1:
        size = int64_t{1} << choose(12);
        break;
      case 2:
        size = (int64_t{1} << choose(12)) + choose.between(-1, 1);
        break;
      case 3:
        size = choose.between(1, std::max<int64_t>(left, 1));
        break;
      default:
        size = choose.chance(1, 4) ? 0 : 1;
        break;
    }
    size = std::min(size, std::max<int64_t>(left, 1));
    dims.push_back(size);
    if (size > 0) left /= size;
  }
  for (int64_t d = std::ssize(dims); d-- > 1;) std::swap(dims[d], dims[choose(d + 1)]);
  return dims;
}

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

std::vector<int64_t> permutation(Choose& choose, int64_t rank) {
  std::vector<int64_t> result = some_of(choose, rank, rank);
  for (int64_t& d : result) d = rank - 1 - d;
  return result;
}

void edit_text(Choose& choose, std::string& text, absl::string_view alphabet) {
  const size_t at = choose(std::ssize(text) + 1);
  switch (choose(4)) {
    case 0:
      text.erase(at, 1);
      break;
    case 1:
      text.insert(at, 1, alphabet[choose(std::ssize(alphabet))]);
      break;
    case 2:
      text = text.substr(0, at);
      break;
    default:
      text.insert(at, text.substr(choose(std::ssize(text) + 1), choose(12)));
      break;
  }
}

std::string to_text(const ShapeFamily& family) {
  std::string text = absl::StrCat(
      "rank <= ", family.max_rank, " of sizes {", absl::StrJoin(family.sizes, ","),
      "}, <= ", family.max_tiles, " tiles of rank <= ", family.max_tile_rank, " and sizes {",
      absl::StrJoin(family.tile_sizes, ","), family.combine ? ",*}" : "}");
  absl::StrAppend(&text, ", tails {", absl::StrJoin(family.tails, ","), "}");
  return text;
}

std::vector<ShapeFamily> small_families() {
  return {
      {.max_rank = 3,
       .sizes = {0, 1, 2, 5},
       .max_tiles = 1,
       .max_tile_rank = 3,
       .tile_sizes = {1, 2, 3}},
      {.max_rank = 2,
       .sizes = {1, 2, 3, 7},
       .max_tiles = 2,
       .max_tile_rank = 2,
       .tile_sizes = {1, 2, 3, 4}},
      {.max_rank = 1,
       .sizes = {0, 1, 5, 13},
       .max_tiles = 3,
       .max_tile_rank = 2,
       .tile_sizes = {2, 3},
       .tails = {1, 5}},
      {.max_rank = 2, .sizes = {3, 4}, .max_tiles = 2, .max_tile_rank = 4, .tile_sizes = {2, 3}},
  };
}

Shape bounded_shape(Choose& choose, const ShapeFamily& family) {
  const int64_t rank = choose(family.max_rank + 1);
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < rank; ++d) dims.push_back(choose.pick(family.sizes));
  Layout layout;
  layout.minor_to_major = permutation(choose, rank);
  const int64_t tiles = choose(family.max_tiles + 1);
  for (int64_t i = 0; i < tiles; ++i) {
    Tile tile;
    const int64_t tile_rank = choose.between(1, family.max_tile_rank);
    for (int64_t d = 0; d < tile_rank; ++d) {
      const int64_t sizes = std::ssize(family.tile_sizes);
      const bool may_combine = family.combine && d + 1 < tile_rank;
      const int64_t chosen = choose(sizes + (may_combine ? 1 : 0));
      tile.dims.push_back(chosen == sizes ? Tile::kCombine : family.tile_sizes[chosen]);
    }
    layout.tiles.push_back(std::move(tile));
  }
  layout.tail_padding_alignment = choose.pick(family.tails);
  Shape shape = make_array(ElementType::kF32, dims, layout);
  if (rank == 0 && layout == Layout{}) shape.layout.reset();
  return shape;
}

Shape random_shape(Choose& choose, int64_t magnitude) {
  // The types of version 1 of the protocol: a seed gives the same cases when XLA gets new types, which
  // other implementations may not know.
  const auto types = element_types().first(static_cast<size_t>(ElementType::kC128) + 1);
  const ElementType type =
      choose.chance(1, 2) ? types[choose(std::ssize(types))].type : ElementType::kF32;
  const std::vector<int64_t> dims =
      random_dims(choose, magnitude / byte_width(type));  // the number of bytes must fit, too
  Layout layout;
  layout.minor_to_major = permutation(choose, std::ssize(dims));
  layout.tiles = random_tiles(choose, std::ssize(dims));
  if (choose.chance(1, 5)) {
    const bool power = choose.chance(1, 2);
    layout.tail_padding_alignment =
        power ? int64_t{1} << choose(11) : choose_within(choose, limits::kTail);
  }
  if (choose.chance(1, 4)) {
    layout.element_size_in_bits =
        choose.chance(1, 12)
            ? choose.pick<int64_t>(
                  {(int64_t{1} << 31) + 4, (int64_t{1} << 32) + 12, (int64_t{1} << 40) + 1})
            : choose.pick<int64_t>({4, 2, 1, 32, 5, 65'536, 12, 65'537, 100'003});
  }
  if (choose.chance(1, 16)) layout.memory_space = choose.between(1, 6);
  if (choose.chance(1, 32)) layout.splits.push_back({choose(3), {choose(100)}});
  if (choose.chance(1, 32)) layout.dynamic_shape_metadata_prefix_bytes = choose(2000);
  Shape shape = make_array(type, dims, std::move(layout));
  for (Dimension& dimension : shape.dimensions) {
    if (choose.chance(1, 32)) dimension.kind = Dimension::Kind::kBounded;
  }
  if (dims.empty() && *shape.layout == Layout{}) shape.layout.reset();
  return shape;
}

std::string random_shape_text(Choose& choose) {
  std::string text = to_text(random_shape(choose, int64_t{1} << 40));
  if (choose.chance(1, 8))
    text = absl::StrCat("(", text, ", ", to_text(random_shape(choose, 100)), ")");
  if (choose.chance(1, 16)) text.insert(text.find('[') + 1, " /* */ ");
  const int64_t edits = choose.chance(1, 4) ? choose.between(1, 3) : 0;
  for (int64_t i = 0; i < edits; ++i)
    edit_text(choose, text, "0123456789,:*(){}[]TLESCPMD#?<=- fbu/");
  return text;
}

std::vector<int64_t> random_index(Choose& choose, const std::vector<int64_t>& dims) {
  std::vector<int64_t> index;
  index.reserve(dims.size());
  for (int64_t size : dims) {
    switch (choose(4)) {
      case 0:
        index.push_back(0);
        break;
      case 1:
        index.push_back(size - 1);
        break;
      default:
        index.push_back(choose(size));
        break;
    }
  }
  return index;
}

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
