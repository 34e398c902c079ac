// SPDX-License-Identifier: Apache-2.0
// tileproof layout, for a swizzled layout or a memref.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tileproof::cli {

struct AskedElement {
  std::optional<std::string> index;
  std::optional<int64_t> offset;
  bool json = false;
};

// Prints the layout, its words if it is swizzled, and its map; or the offset of an index, or the
// index at an offset.
int explain_by_map(const std::string& text, const AskedElement& asked);

}  // namespace tileproof::cli
