// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/device_groups.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/mesh.h"

namespace tileproof {
namespace {

// Groups as they are written: lists, an iota, or axes of a mesh.
struct GroupText {
  ReplicaGroups sizes;
  DeviceGroups lists = {};
  std::vector<Digit> iota = {};
  std::optional<Mesh> mesh = std::nullopt;
  std::vector<MeshAxis> axes = {};
};

// `[2,4]<=[8]` or `[2,4]<=[4,2]T(1,0)`: the members are a transposed iota.
absl::StatusOr<GroupText> take_iota_groups(Cursor& cursor) {
  GroupText groups;
  TRY(cursor.expect("[", "in replica groups"));
  groups.sizes.count = TRY(take_size(cursor, 1, "a number of groups or members"));
  TRY(cursor.expect(",", "in replica groups"));
  groups.sizes.size = TRY(take_size(cursor, 1, "a number of groups or members"));
  TRY(cursor.expect("]", "in replica groups"));
  TRY(cursor.expect("<=", "in replica groups"));
  groups.iota = TRY(take_iota(cursor));
  return groups;
}

// `['x'=4,'y'=2] {'x'}`, behind the word `mesh`
absl::StatusOr<GroupText> take_mesh_groups(Cursor& cursor) {
  GroupText groups{{1, 1}};
  groups.mesh = TRY(take_mesh(cursor));
  TRY(cursor.expect("{", "to open the axes of a group"));
  while (!cursor.take("}")) {
    if (!groups.axes.empty()) TRY(cursor.expect(",", "or '}' after an axis"));
    groups.axes.push_back(TRY(take_axis_of(cursor, *groups.mesh, groups.axes)));
    groups.sizes.size *= groups.axes.back().size;
  }
  const std::optional<int64_t> devices = groups.mesh->size();
  if (!devices) return cursor.error_at(0, "expected a mesh of devices that 63 bits can count");
  groups.sizes.count = *devices / groups.sizes.size;
  return groups;
}

absl::StatusOr<GroupText> take_groups(Cursor& cursor) {
  if (cursor.peek() == '[') return take_iota_groups(cursor);
  if (cursor.take("mesh")) return take_mesh_groups(cursor);
  TRY(cursor.expect("{", "or '[' to open replica groups"));
  GroupText groups;
  groups.lists =
      TRY(take_list<std::vector<int64_t>>(cursor, "}", "or ',' after a group", take_integers));
  groups.sizes.count = std::ssize(groups.lists);
  const size_t size = groups.lists.empty() ? 0 : groups.lists.front().size();
  const bool same =
      std::ranges::all_of(groups.lists, [&](const auto& group) { return group.size() == size; });
  groups.sizes.size = same ? static_cast<int64_t>(size) : 0;
  return groups;
}

// The list, cut into pieces of one size.
DeviceGroups pieces_of(const std::vector<int64_t>& numbers, int64_t size) {
  DeviceGroups groups;
  for (auto at = numbers.begin(); at != numbers.end(); at += size)
    groups.emplace_back(at, at + size);
  return groups;
}

absl::Status expect_once(const DeviceGroups& groups, int64_t count) {
  std::set<int64_t> seen;
  for (const std::vector<int64_t>& group : groups) {
    for (const int64_t number : group) {
      if (number < 0 || number >= count) {
        return absl::InvalidArgumentError(
            absl::StrCat("expected numbers below ", count, " in groups, found ", number));
      }
      if (!seen.insert(number).second) {
        return absl::InvalidArgumentError(
            absl::StrCat("expected each number once in groups, found ", number, " twice"));
      }
    }
  }
  return absl::OkStatus();
}

// What the numbers of a group are.
enum class GroupMode : uint8_t { kReplicas, kPartitions, kReplicasOfAllPartitions, kDevices };

absl::StatusOr<GroupMode> mode_of(const HloInstruction& i) {
  if (const std::string* mode = find_attribute(i.attributes, "mode")) {
    if (*mode == "cross_replica") return GroupMode::kReplicas;
    if (*mode == "cross_partition") return GroupMode::kPartitions;
    if (*mode == "cross_replica_and_partition") return GroupMode::kReplicasOfAllPartitions;
    if (*mode == "flattened_id") return GroupMode::kDevices;
    return absl::InvalidArgumentError(absl::StrCat(
        i.name,
        ": mode: expected cross_replica, cross_partition, cross_replica_and_partition or "
        "flattened_id, found ",
        *mode));
  }
  const std::string* global = find_attribute(i.attributes, "use_global_device_ids");
  const bool is_global = global != nullptr && *global == "true";
  const std::string* channel = find_attribute(i.attributes, "channel_id");
  if (channel == nullptr) {
    if (!is_global) return GroupMode::kReplicas;
    return absl::InvalidArgumentError(
        absl::StrCat(i.name, ": expected a channel_id beside use_global_device_ids=true"));
  }
  switch (i.opcode) {
    case HloOpcode::kAllToAll:
    case HloOpcode::kCollectiveBroadcast:
    case HloOpcode::kCollectivePermute:
    case HloOpcode::kCollectivePermuteStart:
    case HloOpcode::kRaggedAllToAll:
      return GroupMode::kPartitions;
    default:
      return is_global ? GroupMode::kDevices : GroupMode::kReplicasOfAllPartitions;
  }
}

// How many there are of what the numbers mean.
int64_t members_of(GroupMode mode, const DeviceCounts& counts) {
  if (mode == GroupMode::kDevices) return counts.replicas * counts.partitions;
  return mode == GroupMode::kPartitions ? counts.partitions : counts.replicas;
}

// A group of numbers as devices: once for each replica or partition that it is a group of.
void add_devices(GroupMode mode, const DeviceCounts& counts, const std::vector<int64_t>& group,
                 DeviceGroups& groups) {
  const int64_t partitions = counts.partitions;
  switch (mode) {
    case GroupMode::kDevices:
      groups.push_back(group);
      return;
    case GroupMode::kReplicas:
      for (int64_t p = 0; p < partitions; ++p) {
        groups.emplace_back();
        for (const int64_t r : group) groups.back().push_back(r * partitions + p);
      }
      return;
    case GroupMode::kPartitions:
      for (int64_t r = 0; r < counts.replicas; ++r) {
        groups.emplace_back();
        for (const int64_t p : group) groups.back().push_back(r * partitions + p);
      }
      return;
    case GroupMode::kReplicasOfAllPartitions:
      groups.emplace_back();
      for (const int64_t r : group) {
        for (int64_t p = 0; p < partitions; ++p) groups.back().push_back(r * partitions + p);
      }
      return;
  }
}

absl::Status placed(const HloInstruction& i, absl::string_view name, const absl::Status& error) {
  return absl::InvalidArgumentError(absl::StrCat(i.name, ": ", name, ": ", error.message()));
}

}  // namespace

absl::StatusOr<ReplicaGroups> read_replica_groups(absl::string_view text) {
  return TRY(read_all<GroupText>(text, take_groups)).sizes;
}

absl::StatusOr<DeviceGroups> read_device_groups(absl::string_view text, int64_t count) {
  GroupText written = TRY(read_all<GroupText>(text, take_groups));
  DeviceGroups groups = std::move(written.lists);
  const ReplicaGroups sizes = written.sizes;
  if (sizes.count == 0) {
    groups = {numbers_of({{count, 1}})};
  } else if (groups.empty()) {
    const auto members = written.mesh ? written.mesh->size() : count_of(written.iota);
    if (members != count || checked_mul(sizes.count, sizes.size) != count) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected groups of ", count, " members in all"));
    }
    std::vector<int64_t> numbers;
    if (written.mesh) {
      std::vector<MeshAxis> axes = TRY(other_axes(*written.mesh, written.axes));
      axes.insert(axes.end(), written.axes.begin(), written.axes.end());
      numbers = TRY(devices_by(*written.mesh, axes));
    } else {
      numbers = numbers_of(written.iota);
    }
    groups = pieces_of(numbers, sizes.size);
  }
  TRY(expect_once(groups, count));
  return groups;
}

std::optional<int64_t> DeviceCounts::devices() const { return checked_mul(replicas, partitions); }

absl::StatusOr<DeviceCounts> device_counts(const HloModule& module) {
  DeviceCounts counts;
  for (const auto& [name, count] : {std::pair("replica_count", &counts.replicas),
                                    std::pair("num_partitions", &counts.partitions)}) {
    const std::string* text = find_attribute(module.attributes, name);
    if (text == nullptr || (absl::SimpleAtoi(*text, count) && *count >= 1)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": expected a number of at least 1, found ", *text));
  }
  if (counts.devices()) return counts;
  return absl::InvalidArgumentError("expected devices that 63 bits can count");
}

absl::Status expect_listed(const DeviceCounts& counts) {
  if (counts.devices().value_or(INT64_MAX) <= kMostListedDevices) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("too large to enumerate: more than ", kMostListedDevices, " devices"));
}

absl::StatusOr<DeviceGroups> device_groups_of(const HloInstruction& i, const DeviceCounts& counts) {
  TRY(expect_listed(counts));
  const GroupMode mode = TRY(mode_of(i));
  const std::string* text = find_attribute(i.attributes, "replica_groups");
  const auto written = read_device_groups(text == nullptr ? "{}" : *text, members_of(mode, counts));
  if (!written.ok()) return placed(i, "replica_groups", written.status());
  DeviceGroups groups;
  for (const std::vector<int64_t>& group : *written) add_devices(mode, counts, group, groups);
  return groups;
}

absl::StatusOr<DevicePairs> device_pairs_of(const HloInstruction& i, const DeviceCounts& counts) {
  TRY(expect_listed(counts));
  const GroupMode mode = TRY(mode_of(i));
  const std::string* text = find_attribute(i.attributes, "source_target_pairs");
  auto written = read_all<GroupText>(text == nullptr ? "{}" : *text, take_groups);
  if (!written.ok()) return placed(i, "source_target_pairs", written.status());
  DeviceGroups sources(1), targets(1);
  for (const std::vector<int64_t>& pair : written->lists) {
    if (pair.size() != 2) {
      return placed(i, "source_target_pairs", absl::InvalidArgumentError("expected pairs"));
    }
    sources[0].push_back(pair[0]);
    targets[0].push_back(pair[1]);
  }
  DevicePairs pairs;
  for (const DeviceGroups* side : {&sources, &targets}) {
    const absl::Status once = expect_once(*side, members_of(mode, counts));
    if (!once.ok()) return placed(i, "source_target_pairs", once);
  }
  for (const std::vector<int64_t>& pair : written->lists) {
    DeviceGroups both;
    add_devices(mode, counts, pair, both);
    for (const std::vector<int64_t>& devices : both) {
      const size_t half = devices.size() / 2;
      for (size_t k = 0; k < half; ++k) pairs.emplace_back(devices[k], devices[half + k]);
    }
  }
  return pairs;
}

}  // namespace tileproof
