// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/tile_compare.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "impl/access/tile.h"
#include "impl/hlo/indexing.h"
#include "spec/access/tile.h"
#include "spec/hlo/provenance.h"
#include "verify/compare/offset_values.h"

namespace tileproof::verify {
namespace {

using FoundKind = impl::TileResult::Kind;

spec::Tile random_tile(Choose& choose, const spec::Dims& array) {
  spec::Tile tile;
  for (int64_t size : array) {
    if (size == 0) {
      tile.push_back({0, 0, 1});
      continue;
    }
    const int64_t offset = choose(size);
    const int64_t stride = choose.chance(1, 3) ? choose.between(1, 4) : 1;
    tile.push_back({offset, 1 + choose((size - offset + stride - 1) / stride), stride});
  }
  return tile;
}

impl::Tile as_impl(const spec::Tile& tile) {
  impl::Tile result;
  for (const spec::TileDimension& t : tile) result.push_back({t.offset, t.size, t.stride});
  return result;
}

// Converts a tile, with the values that offsets have. Constants name the element of each offset
// (impl/access/tile.h).
spec::Tile as_spec(const impl::Tile& tile, OffsetValues& values) {
  spec::Tile result;
  for (const impl::TileDimension& t : tile) {
    int64_t offset = t.offset;
    for (const impl::OffsetTerm& moved : t.moved) {
      const impl::RuntimeSource& by = moved.by;
      std::vector<int64_t> element;
      for (const NodeId id : by.map.results) element.push_back(by.map.nodes[id].value);
      const int64_t value = values.of(by.position, std::move(element));
      offset += moved.factor * std::clamp(value, by.feasible.low, by.feasible.high);
    }
    result.push_back({offset, t.size, t.stride});
  }
  return result;
}

std::string text_of(const spec::Tile& tile) {
  return absl::StrJoin(tile, ",", [](std::string* out, const spec::TileDimension& t) {
    absl::StrAppend(out, t.offset, ":", t.size, ":", t.stride);
  });
}

std::string text_of(const spec::IndexSet& set) {
  if (set.empty()) return "nothing";
  const std::optional<spec::Tile> tile = spec::tile_of(set);
  return tile ? text_of(*tile) : absl::StrCat("no tile of ", set.size(), " elements");
}

std::string text_of(const impl::TileResult& found, OffsetValues& values) {
  if (found.kind == FoundKind::kNothing) return "nothing";
  if (found.kind == FoundKind::kNone) return absl::StrCat("no tile: ", found.why);
  return text_of(as_spec(found.tile, values));
}

// Compares one answer with the elements that are read.
bool take(const impl::TileResult& found, const spec::IndexSet& elements, OffsetValues& values,
          CaseCounts& tally) {
  const std::optional<spec::Tile> tile = elements.empty() ? std::nullopt : spec::tile_of(elements);
  switch (found.kind) {
    case FoundKind::kUnknown:
      ++tally["unknown"];
      ++tally[absl::StrCat("unknown: ", found.why)];
      return true;
    case FoundKind::kNothing:
      ++tally["nothing"];
      return elements.empty();
    case FoundKind::kNone:
      ++tally["no tile"];
      return !elements.empty() && !tile;
    default:
      ++tally["the same tile"];
      return tile && *tile == as_spec(found.tile, values);
  }
}

}  // namespace

std::string tile_difference(const HloModule& module, int32_t computation, int32_t instruction,
                            Choose& choose, CaseCounts& tally, const spec::Limits& limits) {
  const bool forward = choose.chance(1, 2);
  const int64_t value = choose.between(-1, 8);
  const auto provenance = spec::provenance(
      module, computation, instruction, 0, Scope::kInstruction,
      [value](const spec::HloElement&) { return value; }, limits);
  impl::IndexingAnalysis analysis(module);
  const auto indexing = analysis.reads(computation, instruction, 0);
  if (!provenance.ok() || !indexing.ok()) {  // indexing_compare covers refusals
    ++tally["refused"];
    return "";
  }
  OffsetValues values(module, computation, Scope::kInstruction, *provenance, {.all = value});
  const spec::Tile of_result = random_tile(choose, provenance->dims);
  for (int32_t k = 0; k < std::ssize(*indexing); ++k) {
    for (int32_t l = 0; l < std::ssize((*indexing)[k]); ++l) {
      const spec::Dims& array = provenance->sources[k][l];
      const impl::LeafMaps& list = (*indexing)[k][l];
      const std::optional<int64_t> count = element_count(array);
      if (!count || *count > limits.elements)
        continue;  // the reference does not enumerate such arrays
      const spec::Tile tile = forward ? of_result : random_tile(choose, array);
      const auto inside = spec::indices_of(tile, forward ? provenance->dims : array);
      const spec::IndexSet elements = forward ? spec::read_by(*provenance, k, l, *inside)
                                              : spec::reading(*provenance, k, l, *inside);
      const impl::TileResult found = forward
                                         ? impl::tile_needed(list, as_impl(tile), array)
                                         : impl::tile_served(list, as_impl(tile), provenance->dims);
      if (take(found, elements, values, tally)) continue;
      if (!provenance->conservative.empty()) {
        ++tally["of a superset"];
        continue;
      }
      return absl::StrCat("operand ", k, l == 0 ? "" : absl::StrCat("#", l), ", tile ",
                          text_of(tile), forward ? " of the result" : " of it", ", offsets ", value,
                          ": expected ", text_of(elements), ", found ", text_of(found, values));
    }
  }
  return "";
}

}  // namespace tileproof::verify
