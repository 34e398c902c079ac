// SPDX-License-Identifier: Apache-2.0
// tileproof layout, for a swizzled layout or a memref; and how each kind of layout answers --index and
// --offset.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "cli/text.h"

namespace tileproof::cli {

struct AskedElement {
  std::optional<std::string> index;
  std::optional<int64_t> offset;

  bool any() const { return index || offset; }
};

// The offset of the index, and the index at the offset, as JSON and as text.
struct FoundElement {
  std::optional<int64_t> offset = {};
  std::optional<std::pair<Json, std::string>> index = {};
};

// The layout as `described` and `explained`. What was found joins both.
Answer element_answer(Json described, std::string explained, const FoundElement& found);

// The layout, its words if it is swizzled, and its map; or the offset of an index, or the index at an
// offset.
absl::StatusOr<Answer> explain_by_map(const std::string& text, const AskedElement& asked);

}  // namespace tileproof::cli
