// SPDX-License-Identifier: Apache-2.0
// Constraints of simple maps (impl/map/simple_maps.h): the bounds that they leave. Each function returns
// no if the general way may do something else.
//
//     d0 + s0 in [0, 3]             d0 in [0, 3], s0 in [0, 3]
//     d0 mod 8 in [0, 0]            d0 in [0, 8] in place of [-3, 9]
//     d0 * 6 + s0 in [0, 599]       d0 in [0, 99] for s0 in [0, 5], of which nothing depends
#pragma once

#include "impl/map/simple_sums.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// Returns whether the constraint says no more than the bounds do.
bool is_implied(const SimpleSum& sum, const Interval& interval);

// Writes the bounds of the only variable: of f * v + k, or f * (v floordiv c) + k, in the interval.
bool tighten_variable(const SimpleSum& sum, const Interval& interval, SimpleReader& reader,
                      bool& changed);

// Writes the bounds that a constraint on a sum without constant and quotients leaves: of several
// variables, or of a sum mod a constant.
bool tighten_sum(const SimpleSum& sum, const Interval& interval, SimpleReader& reader,
                 bool& changed);

}  // namespace tileproof::impl
