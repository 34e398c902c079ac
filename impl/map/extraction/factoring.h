// Products of sums among the words of the presentation.
//
//     d0*s0 + 5*d0 - s0 - 5        (d0 - 1) * (s0 + 5)
//     rt0*rt0 + 3*rt0 + 1          rt0 * (rt0 + 3) + 1
//
// A normal form has its products multiplied out. For an atom a of a product, the terms that contain
// it are a * P; where P does not contain a, the rest is divided by P: the sum is (a + Q) * P + R.
// Which of the offers is taken is a matter of their price (impl/map/extraction/extraction.h).
#pragma once

#include <vector>

#include "impl/map/normal_form/normal_form.h"

namespace tileproof::impl {

// Appends to `offers` other words for the same value that have products of sums.
void offer_factors(NormalFormContext& context, const Linear& rendering,
                   std::vector<Linear>& offers);

}  // namespace tileproof::impl
