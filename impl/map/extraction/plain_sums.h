// SPDX-License-Identifier: Apache-2.0
// Sums whose cheapest rendering is known at once: each variable occurs in one place only.
//
//     c * x                     a variable
//     c * floor(S / n)          a floor
//     c * (S mod n)             in normal form c*S - c*n * floor(S / n)
//     c * (floor(S / m) mod n)  in normal form c * floor(S / m) - c*n * floor(S / (m*n))
//
// S is a sum of variables, with a factor 1 if c > 1. There is no constant, all factors are positive,
// and the factor of a mod is no multiple of another factor. So no term can vanish in another one,
// and neither a sign nor a factor can be saved: the search (impl/map/extraction/extraction.h) would
// find nothing else. Nor would a second simplification.
//
//     d0 * 2 - 16 * floor(d0 / 8) + floor(d1 / 4)        (d0 mod 8) * 2 + d1 floordiv 4
#pragma once

#include <optional>

#include "impl/map/normal_form/normal_form.h"

namespace tileproof::impl {

// The rendering of such a sum; nothing for other sums. Finds nothing if an assumption is about one of
// the variables, or if the dialect is extended.
std::optional<Linear> plain_rendering(NormalFormContext& context, const Linear& form);

}  // namespace tileproof::impl
