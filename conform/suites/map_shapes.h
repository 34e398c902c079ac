// SPDX-License-Identifier: Apache-2.0
// Maps with every small expression of the shapes that rules of simplifiers match: a digit of a
// multiple, two digits of one expression, a value and its own digit, a digit of a sum of digits. The
// constants are related: equal, multiples, neighbours, coprime.
//
//     (d0, d1) -> ((d0 + 1) floordiv 2 - d0 floordiv 2, (d0 + 1) floordiv 2 - (d0 + 1) floordiv 2,
//     ..), domain: d0 in [-7, 7], d1 in [0, 3]
#pragma once

#include <string>
#include <vector>

namespace tileproof::conform {

// Each map has up to 24 expressions. Those with ceildiv are in maps of their own, because some
// programs refuse it.
std::vector<std::string> maps_of_shapes();

// Maps of one constraint a * d0 + s0 in [low, high], or two, with ends near multiples of a.
std::vector<std::string> maps_of_sums_in_intervals();

}  // namespace tileproof::conform
