// SPDX-License-Identifier: Apache-2.0
// Maps of a file, simplified by us and by MLIR.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace tileproof {

struct SimplifyRow {
  int64_t count = 0;             // maps
  std::function<void()> ours;    // simplifies each once
  std::function<void()> theirs;  // empty: MLIR 22 is not installed
};

// A file with a map in each line, or the cases of XLA's tests (.jsonl). Leaves out maps that MLIR
// cannot express. Nothing if there is no such file.
std::optional<SimplifyRow> simplify_row(const std::string& path);

}  // namespace tileproof
