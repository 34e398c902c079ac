// SPDX-License-Identifier: Apache-2.0
#include "impl/access/tile.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "impl/access/image.h"
#include "impl/access/utilization_count.h"
#include "impl/hlo/offsets/runtime_terms.h"
#include "impl/map/compose.h"
#include "impl/map/normal_form/linear.h"

namespace tileproof::impl {
namespace {

using Kind = TileResult::Kind;

TileResult unknown(const absl::Status& status) {
  return {Kind::kUnknown, {}, std::string(status.message())};
}

// The union of the maps' images, as a tile.
TileResult tile_of(absl::Span<const IndexingMap> maps, const std::vector<int64_t>& sizes) {
  std::vector<Image> images;
  for (const IndexingMap& map : maps) {
    absl::StatusOr<Image> image = image_of(map, sizes);
    if (!image.ok()) return unknown(image.status());
    images.push_back(*std::move(image));
  }
  const absl::StatusOr<int64_t> elements = union_size(images, sizes);
  if (!elements.ok()) return unknown(elements.status());
  if (*elements == 0) return {Kind::kNothing, {}, ""};
  TileResult found{Kind::kTile, {}, ""};
  Wide product = 1;
  for (int32_t d = 0; d < std::ssize(sizes); ++d) {
    const absl::StatusOr<NumberSet> along = union_along(maps, d, sizes[d]);
    if (!along.ok()) return unknown(along.status());
    const std::optional<int64_t> stride = along->progression();
    if (!stride) {
      return {Kind::kNone, {}, absl::StrCat("the indices of dimension ", d, " have gaps")};
    }
    found.tile.push_back({along->hull().low, along->size(), *stride});
    product *= along->size();
    if (product > *elements) return {Kind::kNone, {}, "not all combinations of its indices"};
  }
  return found;
}

// The map from positions in the tile, [0, size) in each dimension, to the index of the result.
IndexingMap map_of(const Tile& tile) {
  IndexingMap map;
  for (const TileDimension& t : tile) {
    const NodeId position = add_variable(map.nodes, Op::kDimension, std::ssize(map.dimensions));
    map.dimensions.push_back({{0, t.size - 1}, ""});
    const NodeId step =
        add_operation(map.nodes, Op::kMul, position, add_constant(map.nodes, t.stride));
    map.results.push_back(
        add_operation(map.nodes, Op::kAdd, step, add_constant(map.nodes, t.offset)));
  }
  return map;
}

bool is_empty(const Tile& tile) {
  return std::ranges::any_of(tile, [](const TileDimension& t) { return t.size == 0; });
}

// The identity on the indices of the result, restricted to those that read some element of the
// tile.
IndexingMap reading(const IndexingMap& map, const Tile& tile) {
  IndexingMap inverse = map;
  inverse.results.clear();
  for (size_t d = 0; d < tile.size(); ++d) {
    const TileDimension& t = tile[d];
    const NodeId from_first = add_operation(inverse.nodes, Op::kAdd, map.results[d],
                                            add_constant(inverse.nodes, -t.offset));
    inverse.constraints.push_back({from_first, {0, t.stride * (t.size - 1)}});
    const NodeId rest =
        add_operation(inverse.nodes, Op::kMod, from_first, add_constant(inverse.nodes, t.stride));
    inverse.constraints.push_back({rest, {0, 0}});
  }
  for (int64_t d = 0; d < std::ssize(map.dimensions); ++d) {
    inverse.results.push_back(add_variable(inverse.nodes, Op::kDimension, d));
  }
  return inverse;
}

bool is_same(const TileResult& a, const TileResult& b) {
  return a.kind == b.kind &&
         std::ranges::equal(a.tile, b.tile, [](const TileDimension& x, const TileDimension& y) {
           return x.offset == y.offset && x.size == y.size && x.stride == y.stride;
         });
}

// The limit on combinations of offset values, times maps.
constexpr int64_t kMaxTried = 4096;

// The result for all values of the offsets, if it is always the same. `found_for` takes the values.
template <class FoundFor>
std::optional<TileResult> found_for_all_values(absl::Span<const IndexedMap> maps,
                                               const FoundFor& found_for) {
  const std::optional<Offsets> offsets = offsets_of(maps);
  if (!offsets || Wide{combinations_of(*offsets)} * std::ssize(maps) > kMaxTried)
    return std::nullopt;
  OffsetValues values = lowest_of(*offsets);
  const TileResult found = found_for(values);
  while (found.kind != Kind::kUnknown && next_values(*offsets, values)) {
    if (!is_same(found, found_for(values))) return std::nullopt;
  }
  return found;
}

constexpr char kMoves[] = "it depends on offsets in other ways than a shift";

// Substitutes the tile of the result into the maps.
TileResult needed_for(absl::Span<const IndexedMap> maps, const Tile& result,
                      const std::vector<int64_t>& array, const OffsetValues& values) {
  std::vector<IndexingMap> of_tile;
  for (const IndexedMap& one : maps) {
    const absl::StatusOr<IndexingMap> put = compose(map_of(result), at_offsets(one, values));
    if (!put.ok()) return unknown(put.status());
    of_tile.push_back(*put);
  }
  return tile_of(of_tile, array);
}

std::vector<IndexedMap> with_elements(const LeafMaps& list) {
  std::vector<IndexedMap> maps;
  std::ranges::copy_if(list.maps, std::back_inserter(maps),
                       [](const IndexedMap& one) { return !one.map.known_empty; });
  return maps;
}

}  // namespace

absl::Status expect_tile(const Tile& tile, const std::vector<int64_t>& array) {
  if (tile.size() != array.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("tile: expected ", array.size(), " dimensions, found ", tile.size()));
  }
  for (size_t d = 0; d < array.size(); ++d) {
    const TileDimension& t = tile[d];
    if (t.size < 0 || t.stride < 1) {
      return absl::InvalidArgumentError(absl::StrCat(
          "tile: dimension ", d, ": expected a size of at least 0 and a stride of at least 1"));
    }
    const Wide last = t.offset + Wide{t.stride} * (t.size - 1);
    if (t.size > 0 && (t.offset < 0 || last >= array[d])) {
      return absl::InvalidArgumentError(absl::StrCat(
          "tile: dimension ", d, ": expected indices inside of [0, ", array[d] - 1, "]"));
    }
  }
  return absl::OkStatus();
}

TileResult tile_needed(const LeafMaps& list, const Tile& result,
                       const std::vector<int64_t>& array) {
  if (list.inexact) return {Kind::kUnknown, {}, absl::StrCat("superset: ", list.reason)};
  const std::vector<IndexedMap> maps = with_elements(list);
  if (maps.empty() || is_empty(result)) return {Kind::kNothing, {}, ""};
  const auto found_for = [&](const OffsetValues& values) {
    return needed_for(maps, result, array, values);
  };
  if (!all_shift_alike(maps)) {
    return found_for_all_values(maps, found_for).value_or(TileResult{Kind::kUnknown, {}, kMoves});
  }
  TileResult found = found_for({});
  for (size_t d = 0; d < found.tile.size(); ++d) {
    const auto terms = runtime_terms(maps[0].map, maps[0].map.results[d]);
    for (const auto& [variable, factor] : *terms) {
      const RuntimeSource& by = maps[0].runtime[variable];
      if (by.feasible.low == by.feasible.high) continue;
      found.tile[d].offset -= factor * by.feasible.low;
      found.tile[d].moved.push_back({factor, by});
    }
  }
  return found;
}

TileResult tile_served(const LeafMaps& list, const Tile& array,
                       const std::vector<int64_t>& result) {
  if (list.inexact) return {Kind::kUnknown, {}, absl::StrCat("superset: ", list.reason)};
  const std::vector<IndexedMap> maps = with_elements(list);
  if (maps.empty() || is_empty(array)) return {Kind::kNothing, {}, ""};
  const auto found_for = [&](const OffsetValues& values) {
    std::vector<IndexingMap> readers;
    for (const IndexedMap& one : maps) readers.push_back(reading(at_offsets(one, values), array));
    return tile_of(readers, result);
  };
  return found_for_all_values(maps, found_for)
      .value_or(TileResult{Kind::kUnknown, {}, "it depends on offsets"});
}

absl::StatusOr<Tile> parse_tile(absl::string_view text) {
  Tile tile;
  if (text.empty()) return tile;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    const std::vector<absl::string_view> numbers = absl::StrSplit(part, ':');
    TileDimension t;
    const bool fits = (numbers.size() == 2 || numbers.size() == 3) &&
                      absl::SimpleAtoi(numbers[0], &t.offset) &&
                      absl::SimpleAtoi(numbers[1], &t.size) &&
                      (numbers.size() == 2 || absl::SimpleAtoi(numbers[2], &t.stride));
    if (!fits) {
      return absl::InvalidArgumentError(
          absl::StrCat("--tile: expected OFFSET:SIZE or OFFSET:SIZE:STRIDE, found '",
                       absl::CHexEscape(part.substr(0, 40)), "'"));
    }
    tile.push_back(t);
  }
  return tile;
}

}  // namespace tileproof::impl
