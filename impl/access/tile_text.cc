// SPDX-License-Identifier: Apache-2.0
#include "impl/access/tile_text.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tileproof::impl {

absl::StatusOr<Tile> parse_tile(absl::string_view text) {
  Tile tile;
  if (text.empty()) return tile;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    const std::vector<absl::string_view> numbers = absl::StrSplit(part, ':');
    TileDimension t;
    const bool fits = (numbers.size() == 2 || numbers.size() == 3) &&
                      absl::SimpleAtoi(numbers[0], &t.offset) &&
                      absl::SimpleAtoi(numbers[1], &t.size) &&
                      (numbers.size() == 2 || absl::SimpleAtoi(numbers[2], &t.stride));
    if (!fits) {
      return absl::InvalidArgumentError(
          absl::StrCat("--tile: expected OFFSET:SIZE or OFFSET:SIZE:STRIDE, found '",
                       absl::CHexEscape(part.substr(0, 40)), "'"));
    }
    tile.push_back(t);
  }
  return tile;
}

}  // namespace tileproof::impl
