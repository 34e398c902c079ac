#include "impl/tile.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "impl/compose.h"
#include "impl/image.h"
#include "impl/linear.h"
#include "impl/runtime_terms.h"

namespace tileproof::impl {
namespace {

using Kind = FoundTile::Kind;

FoundTile unknown(const absl::Status& status) {
  return {Kind::kUnknown, {}, std::string(status.message())};
}

// The union of the maps' images, as a tile.
FoundTile tile_of(absl::Span<const IndexingMap> maps, const std::vector<int64_t>& sizes) {
  std::vector<Image> images;
  for (const IndexingMap& map : maps) {
    absl::StatusOr<Image> image = image_of(map, sizes);
    if (!image.ok()) return unknown(image.status());
    images.push_back(*std::move(image));
  }
  const absl::StatusOr<int64_t> elements = union_size(images, sizes);
  if (!elements.ok()) return unknown(elements.status());
  if (*elements == 0) return {Kind::kNothing, {}, ""};
  FoundTile found{Kind::kTile, {}, ""};
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

using Factors = std::map<int64_t, int64_t>;

// What runtime variables add to each result, if that is all that they do and each is one value.
std::optional<std::vector<Factors>> shifts_of(const IndexedMap& one) {
  for (const Constraint& constraint : one.map.constraints) {
    if (uses(one.map, constraint.expr, Op::kRuntime)) return std::nullopt;
  }
  std::vector<Factors> shifts;
  for (NodeId result : one.map.results) {
    std::optional<Factors> terms = runtime_terms(one.map, result);
    if (!terms) return std::nullopt;
    for (const auto& [variable, factor] : *terms) {
      if (!is_uniform(one.runtime[variable])) return std::nullopt;
    }
    shifts.push_back(*std::move(terms));
  }
  return shifts;
}

// Maps from places in the tile, [0, size) in each dimension, to the result's index.
IndexingMap map_of(const Tile& tile) {
  IndexingMap map;
  for (const TileDimension& t : tile) {
    const NodeId place = add_variable(map.nodes, Op::kDimension, std::ssize(map.dimensions));
    map.dimensions.push_back({{0, t.size - 1}, ""});
    const NodeId step =
        add_operation(map.nodes, Op::kMul, place, add_constant(map.nodes, t.stride));
    map.results.push_back(
        add_operation(map.nodes, Op::kAdd, step, add_constant(map.nodes, t.offset)));
  }
  return map;
}

std::vector<int64_t> lowest(const IndexedMap& one) {
  std::vector<int64_t> values;
  for (const RuntimeSource& source : one.runtime) values.push_back(source.feasible.low);
  return values;
}

bool is_empty(const Tile& tile) {
  return std::ranges::any_of(tile, [](const TileDimension& t) { return t.size == 0; });
}

// The map from the result's index to itself, where something of the tile is read.
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

constexpr char kMoves[] = "it depends on offsets in other ways than being moved by them";

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

FoundTile tile_needed(const LeafMaps& list, const Tile& result, const std::vector<int64_t>& array) {
  if (list.inexact) return {Kind::kUnknown, {}, absl::StrCat("a superset: ", list.reason)};
  if (list.maps.empty() || is_empty(result)) return {Kind::kNothing, {}, ""};
  std::vector<IndexingMap> maps;
  std::optional<std::vector<Factors>> shifts;
  for (const IndexedMap& one : list.maps) {
    if (one.map.known_empty) continue;
    const auto own = shifts_of(one);
    if (!own || (shifts && own != shifts)) return {Kind::kUnknown, {}, kMoves};
    shifts = own;
    const absl::StatusOr<IndexingMap> put =
        compose(map_of(result), with_runtime(one.map, lowest(one)));
    if (!put.ok()) return unknown(put.status());
    maps.push_back(*put);
  }
  FoundTile found = tile_of(maps, array);
  for (size_t d = 0; d < found.tile.size(); ++d) {
    for (const auto& [variable, factor] : (*shifts)[d]) {  // all maps declare the same ones
      const RuntimeSource& by = list.maps[0].runtime[variable];
      if (by.feasible.low == by.feasible.high) continue;
      found.tile[d].offset -= factor * by.feasible.low;
      found.tile[d].moved.push_back({factor, by});
    }
  }
  return found;
}

FoundTile tile_served(const LeafMaps& list, const Tile& array, const std::vector<int64_t>& result) {
  if (list.inexact) return {Kind::kUnknown, {}, absl::StrCat("a superset: ", list.reason)};
  if (list.maps.empty() || is_empty(array)) return {Kind::kNothing, {}, ""};
  std::vector<IndexingMap> maps;
  for (const IndexedMap& one : list.maps) {
    if (one.map.known_empty) continue;
    const std::vector<bool> used = runtime_used(one.map);
    if (std::ranges::find(used, true) != used.end())
      return {Kind::kUnknown, {}, "it depends on offsets"};
    maps.push_back(reading(with_runtime(one.map, lowest(one)), array));
  }
  return tile_of(maps, result);
}

}  // namespace tileproof::impl
