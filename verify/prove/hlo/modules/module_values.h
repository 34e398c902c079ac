// SPDX-License-Identifier: Apache-2.0
// Do two modules compute the same values from their parameters? One verdict for each result.
//
//     LEFT   ENTRY { x = f32[4] parameter(0)   y = f32[4] parameter(1)   ROOT r = f32[4] add(x, y) }
//     RIGHT  ENTRY { x = f32[4] parameter(0)   y = f32[4] parameter(1)   ROOT r = f32[4] add(y, x) }
//
//     equal
//
// Each result is asked about in turn, until one way decides:
//
//     the same program up to names                                  equal
//     one term for all indexes (large_values.h)                     equal
//     the terms of all elements (verify/prove/values/values_equal.h)  equal or different
//     for what is too large to enumerate: single elements           different
//
// Else it is undecided.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "spec/lang/hlo/hlo.h"
#include "verify/prove/hlo/modules/device_values.h"
#include "verify/prove/values/values_equal.h"

namespace tileproof::verify {

// Modules on several devices, and whole against partitioned: verify/prove/hlo/modules/device_values.h.
//
// The parameters and results must have the same sizes, and the parameters the same element types:
// else an error. A result of another element type is different.
absl::StatusOr<std::vector<ValueEquality>> same_values(const HloModule& left,
                                                       const HloModule& right,
                                                       const ValueOptions& options,
                                                       const Placements& placements = {});

}  // namespace tileproof::verify
