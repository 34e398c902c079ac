// The shape of a result, found from the shapes of the operands and the attributes.
//
// Texts that people write leave shapes out where the operation tells them:
//
//     m = multiply(a, b)                                 the shape of a
//     t = transpose(f32[2,3] x), dimensions={1,0}        f32[3,2]
//     g = get-tuple-element(t), index=1                  the second part of t
//
// A dot or convolution has the type of its operands where no other is written. The shape is not
// told for operations whose result may be of several shapes: broadcast, reshape, bitcast, convert,
// iota, constant, parameter, custom-call, all-gather, ..
//
// An array has no layout then, which means the default one, but what is passed on as it is (tuples
// and their parts, results of computations, loops) keeps all of its shape. Bounds of dimensions are
// kept where the dimension is; elsewhere dimensions must be of fixed size.
// Source: facts "HLO text in the wild"; XLA's operation semantics.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof {

// Of an instruction whose operands have shapes; what is written for the result is not looked at. An
// error says why there is none, naming the instruction: a shape that is not told, operands that do
// not fit. (Not all of what does not fit is found.)
absl::StatusOr<Shape> inferred_shape(const HloModule& module, const HloComputation& computation,
                                     const HloInstruction& instruction);

// Gives a shape to every instruction that has none, operands first, where there is one and nothing
// else is written where it is used. The parser does so (spec/lang/hlo/hlo_text.h). Returns how many are
// still without.
int64_t infer_shapes(HloModule& module);

}  // namespace tileproof
