// SPDX-License-Identifier: Apache-2.0
// Proves that the maps of a collective between devices are right.
//
// The maps (impl/hlo/device_maps.h) and the definition (spec/hlo/definition_devices.h), asked at
// expressions of the device and the index, are two unions of pairs. Each must have all of the other
// (verify/prove/hlo/containment.h).
#pragma once

#include <cstdint>
#include <optional>

#include "impl/hlo/indexing.h"
#include "spec/lang/hlo/hlo.h"
#include "verify/prove/hlo/indexing_proof.h"

namespace tileproof::verify {

// About a leaf of the result, on all devices or on this one. Undecided with the reason: groups of no form
// that is known (verify/prove/hlo/modules/device_tables.h).
InstructionVerdict verify_device_maps(const HloModule& module, int32_t computation,
                                      int32_t instruction, int32_t leaf,
                                      std::optional<int64_t> device, const impl::Indexing& maps,
                                      VerifySession& session);

}  // namespace tileproof::verify
