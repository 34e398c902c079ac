// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/kept_tiles.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/verbs/any_map.h"
#include "impl/map/divisors/variable_divisors.h"
#include "spec/lang/map/variable_divisors.h"

namespace tileproof::cli {

absl::StatusOr<std::optional<impl::TileSizes>> kept_tiles(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  if (*text == "tiles") return impl::TileSizes{.all = true};
  const absl::StatusOr<std::vector<int64_t>> sizes = parse_integers(*text);
  if (!sizes.ok() || sizes->empty() || *std::ranges::min_element(*sizes) < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("--keep: expected tiles, or sizes of at least 2: 8,128, found '", *text, "'"));
  }
  return impl::TileSizes{.sizes = *sizes};
}

absl::StatusOr<IndexingMap> simplified(const IndexingMap& map,
                                       const std::optional<impl::TileSizes>& keep) {
  if (!keep) return impl::simplify_with_variable_divisors(map);
  if (!has_variable_divisors(map)) return impl::simplify_keeping(map, *keep);
  return absl::InvalidArgumentError("expected constants as divisors with --keep, found a variable");
}

}  // namespace tileproof::cli
