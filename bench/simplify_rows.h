// SPDX-License-Identifier: Apache-2.0
// Maps of a file, simplified by us and by MLIR.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "spec/lang/map/indexing_map.h"

namespace tileproof {

struct SimplifyRow {
  int64_t count = 0;             // maps
  std::function<void()> ours;    // simplifies each once
  std::function<void()> theirs;  // empty: MLIR 22 is not installed
};

// The maps of a file with a map in each line, or those that the cases of XLA's tests (.jsonl) simplify.
// Nothing if there is no such file.
std::optional<std::vector<IndexingMap>> maps_in_file(const std::string& path);

// Leaves out maps that MLIR cannot express.
std::optional<SimplifyRow> simplify_row(const std::string& path);

}  // namespace tileproof
