// SPDX-License-Identifier: Apache-2.0
// Predicates of selects that follow from iotas and constants of the same computation, or of
// computations that it calls:
//
//     i = s32[4,4] iota(), iota_dimension=0          j = s32[4,4] iota(), iota_dimension=1
//     p = pred[4,4] compare(i, j), direction=GE
//     r = f32[4,4] select(p, x, y)
//
//     x    (d0, d1) -> (d0, d1), domain: .., d0 - d1 in [0, 3]
//     y    (d0, d1) -> (d0, d1), domain: .., d0 - d1 in [-3, -1]
//
// Values are followed as impl/hlo/operations/known_values.h says, also through the calls and loops of
// a computation, whose parameters may be known there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "impl/hlo/backward_slice.h"

namespace tileproof::impl {

// The dependences of a select inside of what is analyzed. `plain`: the same if its predicate is not
// known. Nothing if nothing is known about the predicate. A predicate of too many cases gives
// inexact relations.
std::optional<Dependences> with_known_predicate(ComputationDependences& within, int32_t select,
                                                const Dependences& plain);

// The leaves of a computation's parameters that predicates of selects depend on, in it and in what
// it calls. `summaries`: of what it calls.
std::vector<OperandLeaf> deciding_parameters(ComputationDependences& within,
                                             const Summaries& summaries);

// The same, as the summary of a computation has it.
std::vector<OperandLeaf> deciding_in(const Summary& summary);

// The computation that a call or fusion runs, or the body of a loop: its parameters may be known
// there. -1 for other instructions.
int32_t run_with_operands(const HloInstruction& at);

// Whether an operand of a call or loop is more than anything, where it is one of these.
bool decides(ComputationDependences& within, int32_t call,
             const std::vector<OperandLeaf>& parameters);

// The operand of a loop, if this leaf of its state is the same in all iterations: the body hands it
// on, in copies of one element type. Nothing for other instructions.
std::optional<int32_t> operand_of_loop(ComputationDependences& within, OperandLeaf state);

// The operand of a call or loop that the leaf of a parameter is, in what it runs; nothing if there is
// none, or if it is not the same in all iterations.
std::optional<int32_t> operand_at(ComputationDependences& within, int32_t call, OperandLeaf from);

}  // namespace tileproof::impl
