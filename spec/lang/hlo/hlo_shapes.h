// SPDX-License-Identifier: Apache-2.0
// The shape of a result, found from the shapes of the operands and the attributes.
//
// Texts that people write leave out shapes that operands and attributes determine:
//
//     m = multiply(a, b)                                 the shape of a
//     t = transpose(f32[2,3] x), dimensions={1,0}        f32[3,2]
//     g = get-tuple-element(t), index=1                  the second part of t
//
// A dot or convolution has the type of its operands. Some operations may have results of several
// shapes, and their shapes cannot be inferred: broadcast, reshape, bitcast, convert, iota,
// constant, parameter, custom-call, all-gather, ..
//
// An inferred array has no layout, which means the default one. Shapes that an operation hands on
// (tuples and their parts, results of computations, loops) keep their layouts. A dimension that the
// result takes over keeps its bound. If a size must be computed, the operand's must be fixed.
// spec/lang/hlo/operations/opcode_rules.h says which operation has which rule.
// Source: XLA operation semantics.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof {

// The shape of the result of an instruction whose operands have shapes. Ignores the shape that is
// written for the result. The error names the instruction and says why there is no shape: there may
// be several, or operands do not fit. (It does not find every misfit: checked_op does.)
absl::StatusOr<Shape> inferred_shape(const HloModule& module, const HloComputation& computation,
                                     const HloInstruction& instruction);

// Gives an inferred shape to every instruction that has none, operands first. Leaves an instruction
// without a shape if its shape cannot be inferred, or if another shape is written where it is used.
// The parser calls this (spec/lang/hlo/hlo_text.h). Returns how many instructions have no shape.
int64_t infer_shapes(HloModule& module);

}  // namespace tileproof
