// The values that a result of a map takes over its domain, in closed form where that is easy.
//
//     (d0, d1, d2) -> ((d0 * 4 + d1) floordiv 2 + d2 * 100), domain: .., d0 * 4 + d1 in [3, 30]
//
//     { d0 * 4 + d1 }, of these those in [3, 30], of these the halves, and to each 100, 200, ..
//
// An expression is a sum of terms, each a multiple of a variable, a quotient or a remainder. Where
// no two terms of a sum have a variable in common its values are the sums of the terms' values. A
// condition is applied to the sum that it is about, which must be a part of the expression, because
// nothing else may know more of the variables than the value of that sum.
#pragma once

#include <optional>

#include "impl/map/number_set.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// The values of the map's only result, or nothing where variables occur twice, a condition is about
// no part of the result, or the set has too many runs. The map has no variables but dimensions, and
// each of them has a value within its bounds; or it is known to be empty, which gives no values.
// Best after simplify.
std::optional<NumberSet> values_of(const IndexingMap& map);

}  // namespace tileproof::impl
