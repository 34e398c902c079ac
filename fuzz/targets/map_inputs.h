// SPDX-License-Identifier: Apache-2.0
// Shared by the fuzz targets of maps: an input is a text with one map per line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "fuzz/targets/text_input.h"
#include "generate/choose/choose.h"
#include "generate/map/generate_map.h"
#include "generate/map/mutate_map.h"
#include "spec/lang/map/map_text.h"
#include "verify/compare/map_compare.h"

namespace tileproof {

// Returns the maps of an input of exactly `count` lines, or none if a line is not a map.
inline std::vector<IndexingMap> maps_of(absl::string_view text, size_t count) {
  const std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  std::vector<IndexingMap> maps;
  if (lines.size() != count) return maps;
  for (const std::string& line : lines) {
    absl::StatusOr<IndexingMap> map = parse_map(line);
    if (!map.ok()) return {};
    maps.push_back(*std::move(map));
  }
  return maps;
}

inline std::string quoted(const IndexingMap& map) { return absl::StrCat("'", to_text(map), "'"); }

// The nodes of the trees of a map. Larger maps take longer, but show little that smaller ones do not.
inline constexpr int64_t kMostNodes = 100;

// Returns a map of a compiler or any map; sometimes too large to enumerate, sometimes with extreme
// numbers.
inline IndexingMap random_map(Choose& choose) {
  switch (choose(6)) {
    case 0:
    case 1:
      return generate_map(choose, {.points = 1024});
    case 2:
      return generate_map(choose, {.depth = 6, .extremes = true});
    case 3:
      return generate_chain(choose, {.points = int64_t{1} << 40, .nodes = kMostNodes}).map;
    default:
      return generate_chain(choose, {.points = 1024, .nodes = kMostNodes}).map;
  }
}

inline void change(Choose& choose, IndexingMap& map) {
  for (int64_t left = choose.between(1, 4); left > 0; --left) mutate_map(choose, map);
}

// The text of a changed map, or that of a new one if it became too large.
inline std::string text_of_changed(Choose& choose, const IndexingMap& map) {
  return to_text(verify::nodes_of(map) > kMostNodes ? random_map(choose) : map);
}

// Returns a changed map, or a new one if the text is not a map.
inline std::string mutated_map(Choose& choose, absl::string_view text) {
  std::vector<IndexingMap> maps = maps_of(text, 1);
  if (maps.empty() || choose.chance(1, 32)) return to_text(random_map(choose));
  change(choose, maps[0]);
  return text_of_changed(choose, maps[0]);
}

}  // namespace tileproof
