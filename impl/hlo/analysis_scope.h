// SPDX-License-Identifier: Apache-2.0
// The scope of an analysis: an instruction with its operands, or a computation from its parameters.
//
//     r = f32[4] add(f32[4] a, f32[4] b)      sizes_read: {{{4}}, {{4}}}      sizes_of_result: {4}
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::impl {

// The sizes of the arrays that are read, by operand or parameter, by leaf. A token has sizes {0}.
// Errors: an array of unknown size, or of more than 2^63 - 1 elements.
absl::StatusOr<std::vector<std::vector<std::vector<int64_t>>>> sizes_read(const HloModule& module,
                                                                          int32_t computation,
                                                                          int32_t instruction,
                                                                          Scope scope);

// The sizes of a leaf of the result. Errors as above, or no such leaf.
absl::StatusOr<std::vector<int64_t>> sizes_of_result(const HloModule& module, int32_t computation,
                                                     int32_t instruction, int32_t leaf);

}  // namespace tileproof::impl
