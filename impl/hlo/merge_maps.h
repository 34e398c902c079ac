// SPDX-License-Identifier: Apache-2.0
// Fewer and shorter maps for people to read, with the same union.
//
// * A variable of one value is replaced by it. A range variable that nothing uses goes, and a runtime
//   variable that neither the map nor the source of a used one uses. The others get new numbers.
// * The bounds of a runtime variable are always what its value is clamped to. If fewer of these values
//   are left, a constraint says so.
// * A range variable with an offset that only one result uses, as in s0 + 128, loses the offset.
// * Two maps that differ only in the bounds of one variable or constraint, and in bounds that follow
//   from the constraint, become one if the bounds touch or overlap. A constraint that then says no
//   more than the bounds of the variables goes.
// * A map that another one visibly contains goes: each result of the other is the same, or a range
//   variable that takes every value; each bound and constraint of the other is at least as wide.
//
//     (d0)[s0] -> (s0), domain: .., s0 in [128, 255]
//     (d0)[s0] -> (s0 + 128), domain: .., s0 in [0, 63]          both go
//     (d0)[s0] -> (s0), domain: .., s0 in [0, 127]
//
//     (d0)[s0] -> (s0), domain: .., s0 in [0, 255]
//
//     (d0, d1) -> (d0, d1), domain: .., d0 - d1 in [0, 7]     goes
//     (d0, d1) -> (d0, d1), domain: ..
//
//     (d0){rt0} -> (d0), domain: d0 in [1, 1], rt0 in [0, 1], rt0 - d0 in [0, 0]      becomes
//     (d0){rt0} -> (1), domain: d0 in [1, 1], rt0 in [0, 1], rt0 in [1, 1]
//
// `tileproof map --verify` proves the maps that this gives.
#pragma once

#include <vector>

#include "impl/hlo/indexing.h"

namespace tileproof::impl {

void merge_maps(std::vector<IndexedMap>& maps);

// Makes the bounds of the runtime variables what their values are clamped to. Tighter bounds become
// constraints, unless the other constraints imply them.
void keep_clamps(IndexedMap& indexed);

// The map without the runtime variables that neither it nor the source of a used one uses. The
// others get new numbers, in the same order.
IndexedMap without_unused_runtime(IndexedMap indexed);

}  // namespace tileproof::impl
