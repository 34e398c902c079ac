// SPDX-License-Identifier: Apache-2.0
// The image of a map that is linear over bits (impl/map/linear_bits.h).
//
//     (i, j) -> (i * 64 + (j xor (i mod 8) * 8)), domain: i in [0, 99999], j in [0, 63]
//
// The values of a variable are cut into pieces of 2^k numbers: 2^16 + 2^15 + 2^10 + .. of i. On a
// piece of each variable the results are all exclusive ors of the words of k bits each. Elimination
// gives words of which most have one bit, and they add up to runs.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "impl/access/image.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// Like image_of. Nothing if the map is not linear over bits, or its image has too many pieces.
std::optional<Image> image_of_bits(const IndexingMap& map, absl::Span<const int64_t> sizes);

}  // namespace tileproof::impl
