// SPDX-License-Identifier: Apache-2.0
// From which leaves of the parameters of a computation values can get to its root, array by array: an
// operation has all elements of each array that it depends on.
//
//     ROOT t = (f32[4], f32[4]) tuple(a, get-tuple-element(p, 1)), a = f32[4] add(p#0, p#2)
//
//     leaf 0    reaches p#0 and p#2
//     leaf 1    reaches p#1, and is it: handed_on
//
// No map is composed, so this is a superset of what the maps of a computation reach. Nothing gets
// through an invalid instruction.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "impl/hlo/backward_slice.h"
#include "impl/hlo/operations/operation_handler.h"

namespace tileproof::impl {

// By leaf of the root. `summaries`: of the computations that this one enters.
std::vector<ReachedLeaves> reached_leaves(ComputationDependences& dependences,
                                          const Summaries& summaries);

// The leaf of an operand that an operation hands on as this leaf of its result: a tuple, a part of
// one, a copy. `shape_of`: of the operand at this index; nullptr if it is absent.
std::optional<OperandLeaf> forwarded_leaf(const HloInstruction& at, int32_t leaf,
                                          absl::FunctionRef<const Shape*(int32_t)> shape_of);

}  // namespace tileproof::impl
