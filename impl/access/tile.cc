// SPDX-License-Identifier: Apache-2.0
#include "impl/access/tile.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "impl/access/image.h"
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

using Factors = std::map<int64_t, int64_t>;

// The terms that runtime variables add to each result, if they occur in no other way and each is
// one value.
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

std::vector<int64_t> lowest(const IndexedMap& one) {
  std::vector<int64_t> values;
  for (const RuntimeSource& source : one.runtime) values.push_back(source.feasible.low);
  return values;
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

// Steps to the next values of the used offsets, the first fastest. Returns false after the last.
bool next_values(const std::vector<RuntimeSource>& offsets, const std::vector<bool>& used,
                 std::vector<int64_t>& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (!used[i]) continue;
    if (++values[i] <= offsets[i].feasible.high) return true;
    values[i] = offsets[i].feasible.low;
  }
  return false;
}

bool is_same(const TileResult& a, const TileResult& b) {
  return a.kind == b.kind &&
         std::ranges::equal(a.tile, b.tile, [](const TileDimension& x, const TileDimension& y) {
           return x.offset == y.offset && x.size == y.size && x.stride == y.stride;
         });
}

// The limit on combinations of offset values, times maps.
constexpr int64_t kMaxTried = 4096;

// The result for all values of the offsets, if it is always the same. `found_for` takes the values
// of all runtime variables.
template <class FoundFor>
std::optional<TileResult> found_for_all_values(const LeafMaps& list, const FoundFor& found_for) {
  const std::vector<RuntimeSource>& offsets = list.maps[0].runtime;  // all maps declare the same
  std::vector<bool> used(offsets.size(), false);
  for (const IndexedMap& one : list.maps) {
    const std::vector<bool> own = runtime_used(one.map);
    for (size_t i = 0; i < own.size(); ++i) {
      if (own[i] && !is_uniform(one.runtime[i])) return std::nullopt;
      used[i] = used[i] || own[i];
    }
  }
  Wide tried = std::ssize(list.maps);
  for (size_t i = 0; i < used.size(); ++i) {
    if (used[i]) tried *= Wide{offsets[i].feasible.high} - offsets[i].feasible.low + 1;
    if (tried > kMaxTried) return std::nullopt;
  }
  std::vector<int64_t> values = lowest(list.maps[0]);
  const TileResult found = found_for(values);
  while (found.kind != Kind::kUnknown && next_values(offsets, used, values)) {
    if (!is_same(found, found_for(values))) return std::nullopt;
  }
  return found;
}

constexpr char kMoves[] = "it depends on offsets in other ways than a shift";

// Substitutes the tile of the result into the maps.
TileResult needed_for(const LeafMaps& list, const Tile& result, const std::vector<int64_t>& array,
                      absl::Span<const int64_t> values) {
  std::vector<IndexingMap> maps;
  for (const IndexedMap& one : list.maps) {
    if (one.map.known_empty) continue;
    const absl::StatusOr<IndexingMap> put = compose(map_of(result), with_runtime(one.map, values));
    if (!put.ok()) return unknown(put.status());
    maps.push_back(*put);
  }
  return tile_of(maps, array);
}

// The shifts by offsets, if offsets occur in no other way and shift all maps alike.
std::optional<std::vector<Factors>> common_shifts(const LeafMaps& list) {
  std::optional<std::vector<Factors>> shifts;
  for (const IndexedMap& one : list.maps) {
    if (one.map.known_empty) continue;
    auto own = shifts_of(one);
    if (!own || (shifts && own != shifts)) return std::nullopt;
    shifts = std::move(own);
  }
  return shifts;
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
  if (list.maps.empty() || is_empty(result)) return {Kind::kNothing, {}, ""};
  const auto found_for = [&](absl::Span<const int64_t> values) {
    return needed_for(list, result, array, values);
  };
  const std::optional<std::vector<Factors>> shifts = common_shifts(list);
  if (!shifts) {
    return found_for_all_values(list, found_for).value_or(TileResult{Kind::kUnknown, {}, kMoves});
  }
  TileResult found = found_for(lowest(list.maps[0]));
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

TileResult tile_served(const LeafMaps& list, const Tile& array,
                       const std::vector<int64_t>& result) {
  if (list.inexact) return {Kind::kUnknown, {}, absl::StrCat("superset: ", list.reason)};
  if (list.maps.empty() || is_empty(array)) return {Kind::kNothing, {}, ""};
  const auto found_for = [&](absl::Span<const int64_t> values) {
    std::vector<IndexingMap> maps;
    for (const IndexedMap& one : list.maps) {
      if (!one.map.known_empty) maps.push_back(reading(with_runtime(one.map, values), array));
    }
    return tile_of(maps, result);
  };
  return found_for_all_values(list, found_for)
      .value_or(TileResult{Kind::kUnknown, {}, "it depends on offsets"});
}

}  // namespace tileproof::impl
