// SPDX-License-Identifier: Apache-2.0
// Maps of collectives, with the number of the device as the first coordinate.
//
//     g = f32[8] all-gather(f32[2] x), replica_groups={{0,1,2,3}}
//
//     x: (v, d0) -> (d0 floordiv 2, d0 mod 2), domain: v in [0, 3], d0 in [0, 7]
//
// Element d0 on device v is an element of x on another device: its number is the first result. A device that
// is in no domain receives nothing, zeros. s0 counts the devices whose elements are reduced. Devices are
// numbered as partitions of the first replica, of the second, and so on.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::verify {

struct DeviceMap {
  int64_t operand = 0, leaf = 0;
  IndexingMap map;
};

// Of a leaf of the result, on any device, or on this one. None: not a collective, or on one device, or of no
// form that is known (verify/prove/hlo/modules/device_tables.h). Errors: groups and pairs that do not fit;
// OutOfRange: a device that does not exist.
absl::StatusOr<std::vector<DeviceMap>> device_maps(const HloModule& module, int32_t computation,
                                                   int32_t instruction, int64_t leaf,
                                                   std::optional<int64_t> device);

}  // namespace tileproof::verify
