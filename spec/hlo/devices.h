// SPDX-License-Identifier: Apache-2.0
// A module on several devices: what each of them has as parameters, and the terms of its results.
//
// Parameters are parts of the arrays of a whole program, or arrays that nothing is known of. An element
// of a part is the element of the whole array, so that a whole module and a partitioned one have terms
// of the same elements:
//
//     whole         p = f32[4] parameter(0)     p0[0], p0[1], p0[2], p0[3]
//     device 1      p = f32[2] parameter(0)     p0[2], p0[3]             of {devices=[2]<=[2]}
//
// What pads the last parts is unknown, and so is the parameter of a device that holds no part: each
// element is equal to itself alone.
// docs/equiv.md, "Several devices", is the manual.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/hlo/device_groups.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/hlo/sharding.h"

namespace tileproof::spec {

// What each of several devices has.
template <class T>
using OnDevices = std::vector<T>;

// An array of a whole program, and the part of it that each device holds.
struct Placed {
  Dims dims;
  Sharding sharding;
};

struct Devices {
  DeviceCounts counts = {};
  // By parameter and leaf. One that is not there is an array of its own on each device.
  std::map<std::pair<int32_t, int64_t>, Placed> parameters = {};
};

// The terms of each array of the module's result, by leaf, on each device. All devices run in step, and
// collectives combine what they have (spec/hlo/definition_devices.h). Errors: those of terms_of; groups,
// pairs and sizes that do not fit the devices.
absl::StatusOr<std::vector<OnDevices<ElementTerms>>> terms_on(const HloModule& module,
                                                              const Devices& devices, Terms& terms,
                                                              const Limits& limits = {});

}  // namespace tileproof::spec
