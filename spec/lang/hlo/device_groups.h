// SPDX-License-Identifier: Apache-2.0
// The groups of a collective, and which devices they mean.
//
// A module runs on replicas * partitions devices. Device r * partitions + p is partition p of replica
// r. The numbers in groups are replicas, partitions or devices:
//
//     channel_id  use_global_device_ids    numbers are     a group holds
//     no          no, or false             replicas        those of one partition
//     yes         has none                 partitions      those of one replica
//     yes         no, or false             replicas        all partitions of each, in turn
//     yes         true                     devices         these
//
// all-to-all, collective-permute and collective-broadcast have no use_global_device_ids: with a channel
// their numbers are partitions. `mode` says the meaning by name: cross_replica, cross_partition,
// cross_replica_and_partition, flattened_id.
// Source: XLA, `CollectiveOpGroupMode`; StableHLO, "Process groups".
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof {

// The groups of replicas of a collective. Each of these has 2 groups of 2:
//
//     {{0,1},{2,3}}      [2,2]<=[2,2]T(1,0)      mesh['x'=2,'y'=2] {'y'}      mesh['x'=4] {'x':(1)2}
//
// The devices of a mesh that differ in the axes between the braces alone are a group. `'x':(1)2` is a
// part of an axis: of its size, 2, after a part of size 1. `{}` has count 0: all replicas form one group.
struct ReplicaGroups {
  int64_t count = 0;
  int64_t size = 0;  // of each group; 0 if they differ

  bool operator==(const ReplicaGroups&) const = default;
};
absl::StatusOr<ReplicaGroups> read_replica_groups(absl::string_view text);

// The devices of each group, in the order of the group.
using DeviceGroups = std::vector<std::vector<int64_t>>;

// The numbers in the groups, of `count` replicas, partitions or devices. `{}` is one group of all.
// Errors: a number that is not below `count`, or twice; groups of an iota or a mesh of another size.
//
//     read_device_groups("[2,2]<=[2,2]T(1,0)", 4)     {{0, 2}, {1, 3}}
absl::StatusOr<DeviceGroups> read_device_groups(absl::string_view text, int64_t count);

struct DeviceCounts {
  int64_t replicas = 1;
  int64_t partitions = 1;

  bool operator==(const DeviceCounts&) const = default;
  std::optional<int64_t> devices() const;  // nothing if 63 bits cannot count them
};

// replica_count and num_partitions of a module; 1 if they are not written.
absl::StatusOr<DeviceCounts> device_counts(const HloModule& module);

// Groups and pairs list all devices. ResourceExhausted: "too large to enumerate: more than 1048576 devices".
inline constexpr int64_t kMostListedDevices = int64_t{1} << 20;
absl::Status expect_listed(const DeviceCounts& counts);

// The groups of a collective. A device may be in none. Errors: those of expect_listed.
absl::StatusOr<DeviceGroups> device_groups_of(const HloInstruction& collective,
                                              const DeviceCounts& counts);

// source_target_pairs of a collective-permute: device `second` receives what `first` has. Errors: those of
// expect_listed; two pairs of one source or one target.
using DevicePairs = std::vector<std::pair<int64_t, int64_t>>;
absl::StatusOr<DevicePairs> device_pairs_of(const HloInstruction& permute,
                                            const DeviceCounts& counts);

}  // namespace tileproof
