// SPDX-License-Identifier: Apache-2.0
// Fewer range variables, for the same pairs of indices.
//
// * Variables that a map uses only as one sum become one: the sum takes every value between its least
//   and its greatest.
//
//     (d0)[s0, s1] -> (s0 + s1 - 1), domain: .., s0 in [0, 63], s1 in [0, 2], s0 + s1 in [1, 64]
//     (d0)[s0] -> (s0 - 1), domain: .., s0 in [0, 65], s0 in [1, 64]
//
// * A variable that only one constraint uses goes: some value of it fits, if the rest is in an interval.
//
//     (d0)[s0] -> (), domain: .., d0 + s0 in [1, 64], s0 in [0, 2]
//     (d0) -> (), domain: .., d0 in [-1, 64]
//
// * A variable that a map uses only divided by one number becomes the quotient.
//
//     (d0)[s0, s1] -> ((s0 floordiv 10) * 10 + s1), domain: .., s0 in [0, 319]
//     (d0)[s0, s1] -> (s0 * 10 + s1), domain: .., s0 in [0, 31]
//
// A convolution after a convolution or a normalization by groups gives such maps, where all of an
// array is read.
#pragma once

#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// Returns whether something changed. The map keeps its variables; some are unused then.
bool reduce_ranges(IndexingMap& map);

}  // namespace tileproof::impl
