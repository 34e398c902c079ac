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

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "impl/hlo/operations/operation_handler.h"

namespace tileproof::impl {

// By leaf of the root. `summaries`: of the computations that this one enters; a computation without
// a summary counts as if everything flowed everywhere.
std::vector<ReachedLeaves> reached_leaves(const ComputationView& view, const Summaries& summaries);

// The leaf of an operand that an operation hands on as this leaf of its result: a tuple, a part of
// one, a copy. `shape_of`: of the operand at this index; nullptr if it is absent.
std::optional<OperandLeaf> forwarded_leaf(const HloInstruction& at, int32_t leaf,
                                          absl::FunctionRef<const Shape*(int32_t)> shape_of);

}  // namespace tileproof::impl
