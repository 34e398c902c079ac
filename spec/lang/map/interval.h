// SPDX-License-Identifier: Apache-2.0
// The interval of an expression, if all variables take all values of their bounds independently.
//
//     (d0 + 3) floordiv 4, d0 in [0, 9]        [0, 3]
//
//     min(d0, 8), d0 in [1, 16]               [1, 8], also as the sum that writes it (spec/lang/map/bitwise.h)
//
// Constraints do not matter, and neither does that a variable occurs twice in other sums. So the interval holds
// all values, and may hold more.
#pragma once

#include <optional>

#include "spec/lang/map/indexing_map.h"

namespace tileproof {

// Nothing if a number of the computation does not fit int64, or a divisor may be 0. A divisor that
// is not constant must be positive.
std::optional<Interval> interval_of(const IndexingMap& map, NodeId root);

// The interval of `x op y`, in which op is no leaf, for all x of a and y of b.
std::optional<Interval> interval_of(Op op, Interval a, Interval b);

// The value of `a op b`, in which op is no leaf. Nothing if it does not fit int64 or b is 0 and
// divides.
std::optional<int64_t> value_of(Op op, int64_t a, int64_t b);

}  // namespace tileproof
