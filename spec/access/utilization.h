// SPDX-License-Identifier: Apache-2.0
// Operand utilization, by definition: how many elements of its operands an instruction reads.
//
//     s = f32[4,8] slice(f32[10,8] p), slice={[0:8:2], [0:8]}           p: 32 of 80 elements
//     g = f32[4,8] gather(f32[9,8] table, s32[4] rows)              table: 8 to 32 of 72 elements
//
// An instruction reads an element if some element of its result depends on it
// (spec/hlo/provenance.h). If that depends on the values of offsets and indices, the answer is the
// least and the most over all values of these tensors.
//
// Let m be the largest size in the module. The reference tries every combination of the values -1,
// 0, .., m for the elements that the interpreter asks for, as far as their element types hold them
// (u8: 0, .., 255). These suffice: operations clamp offsets to sizes or compare them with sizes, so
// any value below 0 acts like -1 and any above m like m.
//
// This is the reference: it interprets the instruction once for each combination of values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::spec {

struct ElementsRead {
  int64_t least = 0;
  int64_t most = 0;
  int64_t elements = 0;  // of the array
};

struct Utilization {
  std::vector<std::vector<ElementsRead>> read;  // by operand or parameter, by leaf
  std::vector<std::string> conservative;        // if any, the counts are upper bounds
};

// Returns the utilization for the given values; least and most are then equal. Fails like
// provenance.
absl::StatusOr<Utilization> utilization_at(const HloModule& module, int32_t computation,
                                           int32_t instruction, Scope scope, RuntimeValues values,
                                           const Limits& limits = {});

// Returns the utilization over all values. Fails like provenance, and with ResourceExhausted if
// there are more than `combinations` combinations of values.
absl::StatusOr<Utilization> utilization(const HloModule& module, int32_t computation,
                                        int32_t instruction, Scope scope, int64_t combinations,
                                        const Limits& limits = {});

}  // namespace tileproof::spec
