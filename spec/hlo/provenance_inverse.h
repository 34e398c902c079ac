// SPDX-License-Identifier: Apache-2.0
// The provenance of a result from the view of one input array: where each of its elements goes.
//
//     p = f32[2] parameter(0)
//     b = f32[2,2] broadcast(p), dimensions={1}        p[0] goes to b[0,0] and b[1,0], ..
//
// It is the relation of spec/hlo/provenance.h, found in the same way for each leaf of the result,
// with the two sides of each pair exchanged.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "spec/hlo/provenance.h"

namespace tileproof::spec {

// The number of input arrays: leaves of all operands, or of all parameters of the computation. The
// computation and the instruction must exist. Fails if a shape is not written.
absl::StatusOr<int64_t> input_count(const HloModule& module, int32_t computation,
                                    int32_t instruction, Scope scope);

// `input` is the number of the input array. In the answer, `dims` and `elements` are those of that
// array. The sources of an element are where it goes: elements of leaves of the result. The result
// counts as operand 0. Errors: those of provenance; an input that does not exist.
absl::StatusOr<Provenance> inverse_provenance(const HloModule& module, int32_t computation,
                                              int32_t instruction, int64_t input, Scope scope,
                                              RuntimeValues values, const Limits& limits = {});

}  // namespace tileproof::spec
