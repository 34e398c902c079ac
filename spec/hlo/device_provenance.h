// SPDX-License-Identifier: Apache-2.0
// Where the elements of a collective's result come from, on all devices: the provenance with the number
// of the device as the first coordinate of each array.
//
//     g = f32[4] all-gather(f32[2] x), replica_groups={{0,1}}       dims {2, 4}, sources {{{2, 2}}}
//
//     element (1, 2) on device 1 is (0) of x on device 1            element 6 is element 2 of source 0
//
// An element that nothing is sent for has no source: it is zero. A reduction has all sources.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::spec {

// Of a leaf of the result. Errors: groups and pairs that do not fit the devices or sizes; Unimplemented:
// no collective, or one whose devices depend on values; ResourceExhausted: too large to enumerate.
absl::StatusOr<Provenance> device_provenance(const HloModule& module, int32_t computation,
                                             int32_t instruction, int64_t leaf,
                                             const Limits& limits = {});

}  // namespace tileproof::spec
