// SPDX-License-Identifier: Apache-2.0
// Maps of collectives, with the number of the device as the first coordinate of both sides.
//
//     g = f32[8] all-gather(f32[2] x), replica_groups={{0,1,2,3}}
//
//     x: (v, d0) -> (d0 floordiv 2, d0 mod 2), domain: v in [0, 3], d0 in [0, 7]
//
// Element d0 on device v is an element of x on another device, whose number is the first result. A
// device at which no map has a point receives nothing, zeros. Range variable s0 counts the devices
// whose elements are reduced. Devices are numbered as partitions of the first replica, of the second,
// and so on.
//
// The maps are few if the groups are of a regular form, as those that an iota or a mesh writes:
//
//     {{0,2},{1,3}}      the device at place k of the group of v      v mod 2 + 2 k
//     {{0,1},{1,2},..}   who sends to device v                        v - 1, or v + n - 1 for v = 0
//
// Else each device, or each pair of devices, has maps of its own.
// The slow definition: spec/hlo/device_provenance.h.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::impl {

// Of a leaf of the result, on all devices; or on this one, without its number as a dimension. Errors:
//     kInvalidArgument    an invalid instruction; groups and pairs that do not fit the devices or sizes
//     kOutOfRange         a device that does not exist
//     kResourceExhausted  more devices than are listed (expect_listed)
//     kUnimplemented      no collective, or one whose devices depend on values
absl::StatusOr<Indexing> device_maps(const HloModule& module, int32_t computation,
                                     int32_t instruction, int32_t leaf,
                                     std::optional<int64_t> device = std::nullopt);

}  // namespace tileproof::impl
