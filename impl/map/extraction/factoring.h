// SPDX-License-Identifier: Apache-2.0
// Products of sums in renderings.
//
//     d0*s0 + 5*d0 - s0 - 5        (d0 - 1) * (s0 + 5)
//     rt0*rt0 + 3*rt0 + 1          rt0 * (rt0 + 3) + 1
//
// A normal form has its products multiplied out. For an atom a of a product, the terms that contain
// a are a * P. If P does not contain a, the rest is divided by P: the sum is (a + Q) * P + R. The
// cost decides between the offers (impl/map/extraction/extraction.h).
#pragma once

#include <vector>

#include "impl/map/normal_form/normal_form.h"

namespace tileproof::impl {

// Appends to `offers` renderings of the same value that contain products of sums.
void offer_factors(NormalFormContext& context, const Linear& rendering,
                   std::vector<Linear>& offers);

}  // namespace tileproof::impl
