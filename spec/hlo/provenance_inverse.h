// The provenance of a result, looked at from one array that is read: where each of its elements
// goes.
//
//     p = f32[2] parameter(0)
//     b = f32[2,2] broadcast(p), dimensions={1}        p[0] goes to b[0,0] and b[1,0], ..
//
// It is the same relation (spec/hlo/provenance.h), found in the same way, leaf of the result by leaf,
// and turned round pair by pair.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "spec/hlo/provenance.h"

namespace tileproof::spec {

// How many arrays are read: leaves of all operands, or of all parameters of the computation. The
// computation and the instruction must be there. An error where a shape is not written.
absl::StatusOr<int64_t> input_count(const HloModule& module, int32_t computation,
                                    int32_t instruction, Scope scope);

// The array is the one of this number among them, in order. In the answer `dims` and `elements` are
// those of that array; the sources of an element are where it goes: elements of leaves of the
// result, which counts as operand 0. Errors: as provenance; a number that is not there.
absl::StatusOr<Provenance> inverse_provenance(const HloModule& module, int32_t computation,
                                              int32_t instruction, int64_t input, Scope scope,
                                              RuntimeValues values, const Limits& limits = {});

}  // namespace tileproof::spec
