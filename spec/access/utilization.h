// Utilization, by definition: how many elements of its operands an instruction reads.
//
//     s = f32[4,8] slice(f32[10,8] p), slice={[0:8:2], [0:8]}           p: 32 of 80 elements
//     g = f32[4,8] gather(f32[9,8] table, s32[4] rows)              table: 8 to 32 of 72 elements
//
// An element is read if it flows (spec/hlo/provenance.h) into some element of some array of the result.
// Which ones do may depend on the values of offsets and indices; then the answer is the least and
// the most that are read for any values of these tensors. Every value that the interpreter asks for
// goes through -1, 0, .., m, independently of all others, m being the largest size in the module:
// what is below 0 acts as -1, what is above as m, as all are clamped to, or compared with, sizes.
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
  std::vector<std::string> conservative;        // as in Provenance: then these are supersets
};

// For these values alone: the least and the most are one number. Errors: as provenance.
absl::StatusOr<Utilization> utilization_at(const HloModule& module, int32_t computation,
                                           int32_t instruction, Scope scope, RuntimeValues values,
                                           const Limits& limits = {});

// For all values. Errors: as provenance; more than `combinations` of values (ResourceExhausted).
absl::StatusOr<Utilization> utilization(const HloModule& module, int32_t computation,
                                        int32_t instruction, Scope scope, int64_t combinations,
                                        const Limits& limits = {});

}  // namespace tileproof::spec
