// SPDX-License-Identifier: Apache-2.0
// The values that a result of a map takes over its domain, in closed form if that is easy.
//
//     (d0, d1, d2) -> ((d0 * 4 + d1) floordiv 2 + d2 * 100), domain: .., d0 * 4 + d1 in [3, 30]
//
//     { d0 * 4 + d1 }, restricted to [3, 30], divided by 2, plus 0, 100, 200, ..
//
// An expression is a sum of multiples of variables, quotients and remainders. If no two terms share
// a variable, the values of the sum are the sums of the terms' values. A constraint is applied to
// the sum that it is about, which must be part of the expression: no other part may depend on more
// than the value of that sum.
#pragma once

#include <optional>

#include "impl/map/number_set.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// The values of the map's only result. Nothing if variables occur twice, a constraint is not about
// a part of the result, or the set has too many runs. The map has no variables but dimensions. Each
// dimension has a value within its bounds, or the map is known to be empty, which gives an empty
// set. Works best after simplify.
std::optional<NumberSet> values_of(const IndexingMap& map);

}  // namespace tileproof::impl
