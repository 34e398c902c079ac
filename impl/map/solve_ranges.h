// SPDX-License-Identifier: Apache-2.0
// Solves the equations of an indexing map for its range variables.
//
// An equation is a constraint whose interval is one value. If an equation determines a range
// variable, its value replaces the variable everywhere, and its bounds become a constraint. Each
// step is an equivalence over the integers, so it keeps the set of pairs (dimensions and runtime
// values, results). With c > 0, range variables x and y, and R the rest of a sum:
//
//     x floordiv c, x mod c       new variables q, and r in [0, c - 1], with x = c*q + r; the
//                                 quotient of a quotient is one of the first dividend
//     x + R = 0                   x is -R
//     c*x + c*y + R = 0           x + y + R floordiv c = 0 and R mod c = 0
//     c*x + y + R = 0             with y in [l, h], h - l < c: x = (-R - l) floordiv c and
//                                 y = l + (-R - l) mod c
//     c*x + y + R = 0             otherwise: x = -(y + R) floordiv c and (y + R) mod c = 0; other
//                                 equations lose x by adding multiples of this one
//
// If there is a choice, the unknown with the most values goes first, so that few values are left.
//
//     (d0)[s0, s1] -> (s0, s1), domain: .., s0 in [0, 3], s1 in [0, 7], s0 * 8 + s1 - d0 in [0, 0]
//     (d0) -> (d0 floordiv 8, d0 mod 8), domain: .., d0 floordiv 8 in [0, 3], d0 mod 8 in [0, 7]
#pragma once

#include <optional>

#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// Returns an unsimplified map. Solved range variables are still declared, but unused. Equations
// with products of variables, or with divisors below 1, stay. Nothing if the map has no range
// variables, or a number leaves 64 bits.
std::optional<IndexingMap> solve_ranges(const IndexingMap& map);

}  // namespace tileproof::impl
