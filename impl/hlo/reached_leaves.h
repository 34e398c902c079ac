// SPDX-License-Identifier: Apache-2.0
// From which leaves of the parameters of a computation values can get to its root, by the operands
// alone: an operation has all elements of all operands, unless it only hands leaves on.
//
//     ROOT t = (f32[4], f32[4]) tuple(a, get-tuple-element(p, 1)), a = f32[4] add(p#0, p#2)
//
//     leaf 0    reaches p#0 and p#2
//     leaf 1    reaches p#1, and is it: handed_on
//
// No map is composed, so this is a superset even of what the maps of a computation reach.
#pragma once

#include <vector>

#include "impl/hlo/operations/operation_handler.h"

namespace tileproof::impl {

// By leaf of the root. `summaries`: of the computations that this one enters; a computation without
// a summary counts as if everything flowed everywhere.
std::vector<ReachedLeaves> reached_leaves(const ComputationView& view, const Summaries& summaries);

}  // namespace tileproof::impl
