// Solving the equations of an indexing map for its range variables.
//
// An equation is a constraint whose interval is one value. A range variable that an equation
// determines is replaced by its value everywhere; its bounds become a constraint. The set of pairs
// (dimensions and runtime values, results) is the same after each step, an equivalence over the
// integers (c > 0; x, y range variables, R what is left of a sum):
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
// Of several unknowns the one with the most values goes first, so that few are left.
//
//     (d0)[s0, s1] -> (s0, s1), domain: .., s0 in [0, 3], s1 in [0, 7], s0 * 8 + s1 - d0 in [0, 0]
//     (d0) -> (d0 floordiv 8, d0 mod 8), domain: .., d0 floordiv 8 in [0, 3], d0 mod 8 in [0, 7]
#pragma once

#include <optional>

#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// Not simplified; range variables that were solved are declared still, and used nowhere. Equations
// with products of variables, or divisors below 1, stay. Nothing where the map has no range
// variables, or a number leaves 64 bits.
std::optional<IndexingMap> solve_ranges(const IndexingMap& map);

}  // namespace tileproof::impl
