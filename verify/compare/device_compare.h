// SPDX-License-Identifier: Apache-2.0
// Compares the maps of a collective with the reference, element by element on each device.
#pragma once

#include <cstdint>
#include <string>

#include "spec/lang/hlo/hlo.h"
#include "verify/compare/case_counts.h"

namespace tileproof::verify {

// Compares the maps on all devices, and those on each one (impl/hlo/device_maps.h,
// spec/hlo/device_provenance.h). Returns "" or "all-gather is indexed wrongly at leaf 0 on device 2: ..".
std::string device_maps_difference(const HloModule& module, int32_t computation,
                                   int32_t instruction, CaseCounts& tally);

}  // namespace tileproof::verify
