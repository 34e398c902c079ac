// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/device_maps.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "impl/hlo/indexing_testing.h"
#include "spec/hlo/device_routes.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::verify {
namespace {

using impl::module_of;

HloModule on(int64_t devices, const std::string& operand, const std::string& root) {
  return module_of(absl::StrCat("HloModule m, num_partitions=", devices,
                                "\na { x = f32[] parameter(0)\ny = f32[] parameter(1)\nROOT s = "
                                "f32[] add(x, y) }\nENTRY e {\np = ",
                                operand, " parameter(0)\nROOT r = ", root, "\n}\n"));
}

using Elements = std::set<std::vector<int64_t>>;  // device, then index

// What the maps say of an element on a device, for each value of their ranges.
Elements by_maps(const std::vector<DeviceMap>& maps, std::vector<int64_t> at) {
  Elements all;
  for (const DeviceMap& one : maps) {
    Dims sizes;
    for (const Variable& range : one.map.ranges) sizes.push_back(range.bounds.high + 1);
    Dims s(sizes.size(), 0);
    do {
      const auto element = spec::evaluate(one.map, {at, s, {}});
      EXPECT_TRUE(element.ok()) << element.status();
      if (element.ok() && *element) all.insert(**element);
    } while (next_index(sizes, s));
  }
  return all;
}

// The maps of the root against the definition, at every element on every device.
void expect_right(const HloModule& module) {
  const HloComputation& entry = module.computations[module.entry];
  const HloInstruction& i = entry.instructions[entry.root];
  const auto op = checked_op(module, entry, i);
  ASSERT_TRUE(op.ok()) << op.status();
  const DeviceCounts counts = *device_counts(module);
  spec::Routes routes(i, *op, 0, counts);
  ASSERT_TRUE(routes.prepare(module, module.entry).ok());
  const auto maps = device_maps(module, module.entry, entry.root, 0, std::nullopt);
  ASSERT_TRUE(maps.ok()) << maps.status();
  ASSERT_EQ(maps->size(), 1u) << i.opcode_text;
  const Dims& dims = op->result[0].dims;
  for (int64_t v = 0; v < *counts.devices(); ++v) {
    const auto of_one = device_maps(module, module.entry, entry.root, 0, v);
    ASSERT_TRUE(of_one.ok()) << of_one.status();
    Dims o(dims.size(), 0);
    do {
      Elements read;
      const auto route = routes.to(v);
      ASSERT_TRUE(route.ok() && *route) << v;
      const auto none = [](const spec::DeviceElement&) { return std::nullopt; };
      const auto elements = (*route)->reads(o, none);
      ASSERT_TRUE(elements) << v;
      for (const spec::DeviceElement& one : *elements) {
        std::vector<int64_t> element = {one.device};
        element.insert(element.end(), one.index.begin(), one.index.end());
        read.insert(element);
      }
      std::vector<int64_t> at = {v};
      at.insert(at.end(), o.begin(), o.end());
      EXPECT_EQ(by_maps(*maps, at), read) << i.opcode_text << " on device " << v;
      EXPECT_EQ(by_maps(*of_one, o), read) << i.opcode_text << " on device " << v << " alone";
    } while (next_index(dims, o));
  }
}

TEST(DeviceMaps, AreTheDefinitionOfEachCollective) {
  const std::vector<std::pair<std::string, int64_t>> all = {
      {"{{0,1,2,3,4,5,6,7}}", 8},    {"[2,4]<=[8]", 4},
      {"[4,2]<=[2,4]T(1,0)", 2},     {"{{1,0},{3,2},{5,4},{7,6}}", 2},
      {"[2,4]<=[2,2,2]T(1,0,2)", 4}, {"mesh['x'=2,'y'=4] {'x'}", 2}};
  for (const auto& [groups, devices] : all) {
    const std::string of =
        absl::StrCat("channel_id=1, replica_groups=", groups, ", use_global_device_ids=true");
    const auto sized = [&](int64_t size) { return absl::StrCat("f32[", size, ",2]"); };
    expect_right(
        on(8, sized(3), absl::StrCat(sized(3 * devices), " all-gather(p), dimensions={0}, ", of)));
    expect_right(on(8, sized(3), absl::StrCat(sized(3), " all-reduce(p), to_apply=a, ", of)));
    expect_right(
        on(8, sized(3 * devices),
           absl::StrCat(sized(3), " reduce-scatter(p), dimensions={0}, to_apply=a, ", of)));
    expect_right(
        on(8, sized(2 * devices),
           absl::StrCat(sized(2 * devices),
                        " all-to-all(p), dimensions={0}, channel_id=1, replica_groups=", groups)));
  }
}

TEST(DeviceMaps, APermuteGivesNothingToSomeDevices) {
  for (const char* pairs : {"{{0,1},{1,2},{2,3}}", "{{0,1},{1,2},{2,3},{3,0}}", "{{1,0},{3,2}}",
                            "{{3,0},{2,1},{1,2},{0,3}}", "{{0,2},{1,3}}"}) {
    expect_right(on(
        4, "f32[3]",
        absl::StrCat("f32[3] collective-permute(p), channel_id=1, source_target_pairs=", pairs)));
  }
}

TEST(DeviceMaps, OneDeviceAndOtherOperationsHaveNone) {
  const HloModule alone = on(1, "f32[3]", "f32[3] all-reduce(p), to_apply=a, replica_groups={}");
  const int32_t root = alone.computations[alone.entry].root;
  EXPECT_TRUE(device_maps(alone, alone.entry, root, 0, std::nullopt)->empty());
  const HloModule negated = on(4, "f32[3]", "f32[3] negate(p)");
  EXPECT_TRUE(device_maps(negated, negated.entry, 1, 0, std::nullopt)->empty());
  EXPECT_FALSE(device_maps(negated, negated.entry, 1, 0, 4).ok());
}

}  // namespace
}  // namespace tileproof::verify
