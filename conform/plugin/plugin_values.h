// SPDX-License-Identifier: Apache-2.0
// Shapes and maps as the structs of tileproof/plugin.h. Each class owns the arrays that its `view`
// points to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/lang/layout/shape.h"
#include "spec/lang/map/indexing_map.h"
#include "tileproof/plugin.h"

namespace tileproof::conform {

// `shape` must be an array without unbounded dimensions.
struct PluginShape {
  explicit PluginShape(const Shape& shape);
  PluginShape(const PluginShape&) = delete;
  PluginShape& operator=(const PluginShape&) = delete;

  tileproof_shape view = {};

 private:
  std::string text_, type_;
  std::vector<int64_t> dims_, minor_to_major_, tile_ranks_, tile_sizes_;
};

struct PluginMap {
  explicit PluginMap(const IndexingMap& map);
  PluginMap(const PluginMap&) = delete;
  PluginMap& operator=(const PluginMap&) = delete;

  tileproof_map view = {};

 private:
  std::string text_;
  std::vector<tileproof_bounds> bounds_, constraint_bounds_;
  std::vector<tileproof_node> nodes_;
  std::vector<int32_t> results_, constraints_;
};

}  // namespace tileproof::conform
