// SPDX-License-Identifier: Apache-2.0
// The options --width and --unsigned of simplify: every value that a result is computed from stays
// within integers of some bits.
//
//     (x mod 8388608 + (x floordiv 8388608 - 32) * 67108864 + 33554432), x from 268435456 to 335544319
//     the simplest form has a product of 2290089984, so the result stays as it is with --width 32
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "impl/map/tile_digits/simplify_keeping.h"
#include "spec/access/map_facts.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::cli {

struct NarrowMap {
  IndexingMap map;
  std::vector<std::string> leaving;    // a value of a result that leaves the width in every form
  std::vector<std::string> undecided;  // what is neither proven nor refuted
};

// For each result the first of these forms that provably stays within the width: the simplest form;
// the given form with each part in its simplest form that stays within it. If none does, the
// simplest form.
absl::StatusOr<NarrowMap> simplified_within(const IndexingMap& map, const spec::IntegerWidth& width,
                                            const std::optional<impl::TileSizes>& keep);

// The option --keep of simplify and compose: tile sizes whose digits stay in a result.

// "tiles", or sizes: "8,128". Nothing for nothing.
absl::StatusOr<std::optional<impl::TileSizes>> kept_tiles(const std::optional<std::string>& text);

// The simplest map, or the simplest with these digits.
absl::StatusOr<IndexingMap> simplified(const IndexingMap& map,
                                       const std::optional<impl::TileSizes>& keep);

}  // namespace tileproof::cli
