// SPDX-License-Identifier: Apache-2.0
// Makes a point where two maps differ smaller, so that a person can evaluate it by hand.
//
// Moves one variable after the other towards its goal: 0, or the bound nearest to 0. The values
// that it tries for a variable at distance 700 + 1024 * k from the goal:
//
//     powers        0, 1, 2, 4, ..        the smallest that differs
//     residues      (700 + 1024 * k) mod m, for each constant m of the maps and each power of two:
//                   here 700, for m = 1024
//     bisection     between the largest distance known to agree and the smallest known to differ
//
// The result is small, but not always the smallest: the maps may agree at most smaller points.
#pragma once

#include <cstdint>

#include "spec/lang/map/indexing_map.h"
#include "verify/prove/map/map_points.h"

namespace tileproof::verify {

// Enough for the maps of people, and little beside a proof.
constexpr int64_t kWorkOfShrinking = 1'000'000;

// Returns a difference that is not larger than `values`, where the maps must differ. Prefers points
// at which the reference has an answer for both maps. Takes at most about `work` evaluations of a
// node.
Values smaller_difference(const IndexingMap& left, const IndexingMap& right, Values values,
                          int64_t work);

}  // namespace tileproof::verify
