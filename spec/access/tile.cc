// SPDX-License-Identifier: Apache-2.0
#include "spec/access/tile.h"

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"

namespace tileproof::spec {

namespace {

constexpr int64_t kMostOfTile = 1 << 20;

}  // namespace

absl::StatusOr<IndexSet> indices_at(const SymbolicTile& tile, const Point& point) {
  const auto values = TRY(evaluate(tile.map, point));
  if (!values) return absl::OutOfRangeError("the values are outside of the domain of the tile");
  const size_t rank = tile.rank();
  IndexSet indices = {{}};
  for (size_t d = 0; d < rank; ++d) {
    const int64_t size = (*values)[rank + d], upper = (*values)[3 * rank + d];
    if (size > kMostOfTile / static_cast<int64_t>(indices.size() + 1))
      return absl::ResourceExhaustedError("expected a tile of at most 2^20 elements");
    IndexSet longer;
    for (int64_t i = 0; i < size; ++i) {
      const auto at = absl::int128{(*values)[d]} + absl::int128{(*values)[2 * rank + d]} * i;
      if (at < 0 || at >= upper) continue;
      for (std::vector<int64_t> index : indices) {
        index.push_back(static_cast<int64_t>(at));
        longer.insert(std::move(index));
      }
    }
    indices = std::move(longer);
  }
  return indices;
}

absl::StatusOr<IndexSet> indices_of(const Tile& tile, const Dims& array) {
  if (tile.size() != array.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("tile: expected ", array.size(), " dimensions, found ", tile.size()));
  }
  bool is_empty = false;
  for (size_t d = 0; d < array.size(); ++d) {
    const TileDimension& t = tile[d];
    if (t.size < 0 || t.stride < 1) {
      return absl::InvalidArgumentError(absl::StrCat(
          "tile: dimension ", d, ": expected a size of at least 0 and a stride of at least 1"));
    }
    const auto last = absl::int128{t.offset} + absl::int128{t.stride} * (t.size - 1);
    if (t.size > 0 && (t.offset < 0 || last >= array[d])) {
      return absl::InvalidArgumentError(absl::StrCat(
          "tile: dimension ", d, ": expected indices inside of [0, ", array[d] - 1, "]"));
    }
    is_empty = is_empty || t.size == 0;
  }
  if (is_empty) return IndexSet{};  // one size of 0 is enough
  IndexSet indices = {{}};
  for (const TileDimension& t : tile) {
    IndexSet longer;
    for (int64_t i = 0; i < t.size; ++i) {
      for (std::vector<int64_t> index : indices) {
        index.push_back(t.offset + t.stride * i);
        longer.insert(std::move(index));
      }
    }
    indices = std::move(longer);
  }
  return indices;
}

std::optional<Tile> tile_of(const IndexSet& indices) {
  Tile tile;
  size_t product = 1;
  for (size_t d = 0; d < indices.begin()->size(); ++d) {
    std::set<int64_t> along;
    for (const std::vector<int64_t>& index : indices) along.insert(index[d]);
    const int64_t first = *along.begin();
    const int64_t stride = along.size() == 1 ? 1 : *std::next(along.begin()) - first;
    int64_t expected = first;
    for (int64_t position : along) {
      if (position != expected) return std::nullopt;
      expected += stride;
    }
    tile.push_back({first, static_cast<int64_t>(along.size()), stride});
    product *= along.size();
    if (product > indices.size()) return std::nullopt;  // before it can wrap
  }
  // The set is the product of its projections exactly if it has as many indices as the product.
  if (product != indices.size()) return std::nullopt;
  return tile;
}

IndexSet read_by(const Provenance& provenance, int32_t operand, int32_t leaf,
                 const IndexSet& result) {
  IndexSet elements;
  const Dims& array = provenance.sources[operand][leaf];
  for (const std::vector<int64_t>& index : result) {
    for (const Source& source : *provenance.elements[element_number(provenance.dims, index)]) {
      if (source.operand != operand || source.leaf != leaf) continue;
      elements.insert(element_index(array, source.element));
    }
  }
  return elements;
}

IndexSet reading(const Provenance& provenance, int32_t operand, int32_t leaf,
                 const IndexSet& elements) {
  IndexSet result;
  const Dims& array = provenance.sources[operand][leaf];
  for (int64_t number = 0; number < std::ssize(provenance.elements); ++number) {
    for (const Source& source : *provenance.elements[number]) {
      if (source.operand != operand || source.leaf != leaf) continue;
      if (!elements.contains(element_index(array, source.element))) continue;
      result.insert(element_index(provenance.dims, number));
    }
  }
  return result;
}

}  // namespace tileproof::spec
